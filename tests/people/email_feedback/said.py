"""Having SES say something of an email that was sent, as EventBridge would bring it."""

from local.aws import mail
from local.aws.ses_events import Event, SentEmail
from tests.harness.world import World


def sent(world: World, to: str | None = None) -> list[SentEmail]:
    """The emails as SES's events repeat them, oldest first; to one address, or all."""
    emails = [email for email in world.emails() if to in (None, email.to)]
    return [mail.sent_email(email) for email in emails]


def say(world: World, *events: Event) -> None:
    """Has SES say these, and lets the worker take in each before the next."""
    for event in events:
        mail.say([event])
        world.deliver()

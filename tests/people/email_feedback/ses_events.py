"""SES's events about emails that were sent, as EventBridge would deliver them."""

from local.aws import mail
from local.aws.ses_events import Event, SentEmail
from tests.harness.world import World


def sent(world: World, to: str | None = None) -> list[SentEmail]:
    """The emails as SES's events describe them, oldest first; those to one address, or all."""
    emails = [email for email in world.emails() if to in (None, email.to)]
    return [mail.sent_email(email) for email in emails]


def say(world: World, *events: Event) -> None:
    """Sends these events of SES, and lets the worker handle each before the next."""
    for event in events:
        mail.say([event])
        world.deliver()

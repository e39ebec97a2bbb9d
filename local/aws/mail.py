"""The emails that the service sent to SES, as a recipient sees them."""

import json
import os
import re
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.ses.models import RawMessage, SESBackend, ses_backends
from moto.sesv2.responses import SESV2Response

from local.aws import ses_events
from storepost.platform.messaging.ses_events import EmailEvent
from storepost.values import clock

_LINK = re.compile(r"https?://[^\s<>\"]+")
# Emailed codes are six digits (docs/interface.md, section 3), on a line of their own in a text.
_CODE = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)

_send_raw_email = SESBackend.send_raw_email
_send_email = SESV2Response.send_email


@dataclass(frozen=True)
class Email:
    """An email as SES received it; `sent_at` is the service's time."""

    id: str
    to: str
    subject: str
    text: str
    html: str
    sender: str
    """The sender's name."""
    sent_at: datetime
    tags: dict[str, str]
    configuration_set: str
    events: list[str]
    """The events that SES published for it, such as `Bounce Permanent General`."""

    @property
    def links(self) -> list[str]:
        """The addresses in its text, in their order, each once."""
        return list(dict.fromkeys(_LINK.findall(self.text)))

    @property
    def codes(self) -> list[str]:
        """The codes in its text."""
        return _CODE.findall(self.text)


def install() -> None:
    """Has moto record when, by the service's clock, and for what an email was sent, and publish
    the events that follow.
    """
    SESBackend.send_raw_email = _send_and_note  # type: ignore[method-assign]
    SESV2Response.send_email = _send_and_say  # type: ignore[method-assign]


def _send_and_note(
    self: SESBackend, source: str, destinations: list[str], raw_data: str
) -> RawMessage:
    message = _send_raw_email(self, source, destinations, raw_data)
    message.sent_at = clock.now()  # type: ignore[attr-defined]
    return message


def _send_and_say(self: SESV2Response) -> str:
    answer, params = _send_email(self), json.loads(self.body)
    message = ses().sent_messages[-1]
    message.tags = {tag["Name"]: tag["Value"] for tag in params.get("EmailTags", [])}
    message.configuration_set = params.get("ConfigurationSetName", "")
    message.events = []
    say(ses_events.simulated(_as_sent(message)))
    return answer


def say(events: list[ses_events.Event]) -> None:
    """Has SES publish these events about emails that it received."""
    for each in events:
        about = EmailEvent.of(json.dumps(each))
        for message in ses().sent_messages:
            if message.id == about.message_id:
                message.events.append(about.reason)
    ses_events.publish(events)


def sent_email(email: Email) -> ses_events.SentEmail:
    """Returns an email in the form in which SES's events contain it."""
    return _as_sent(next(each for each in ses().sent_messages if each.id == email.id))


def _as_sent(message: Any) -> ses_events.SentEmail:  # noqa: ANN401 - moto's message
    return ses_events.SentEmail(
        message.id,
        message.destinations[0],
        str(message.source),
        message.configuration_set,
        message.tags,
        message.sent_at,
    )


def ses() -> Any:  # noqa: ANN401 - moto's own class
    """moto's SES."""
    return ses_backends[DEFAULT_ACCOUNT_ID][os.environ["AWS_REGION"]]


def sent_emails() -> list[Email]:
    """Returns all emails that SES received so far, oldest first."""
    return [_read(message) for message in list(ses().sent_messages)]


def _read(sent: Any) -> Email:  # noqa: ANN401 - moto's message with our time on it
    message = message_from_bytes(sent.raw_data.encode(), policy=policy.default)
    [sender] = message["from"].addresses
    return Email(
        sent.id,
        message["to"],
        message["subject"],
        *_bodies(message),
        sender=sender.display_name,
        sent_at=sent.sent_at,
        tags=sent.tags,
        configuration_set=sent.configuration_set,
        events=sent.events,
    )


def _bodies(message: EmailMessage) -> tuple[str, str]:
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    if text is None or html is None:
        raise ValueError("an email of the service has a text and an HTML part")
    return text.get_content(), html.get_content()

"""The emails that SES was handed, as a person would see them."""

import os
import re
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.ses.models import RawMessage, SESBackend, ses_backends

from storepost.values import clock

_LINK = re.compile(r"https?://[^\s<>\"]+")
# Emailed codes are six digits (docs/interface.md, section 3), on a line of their own in a text.
_CODE = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)

_send_raw_email = SESBackend.send_raw_email


@dataclass(frozen=True)
class Email:
    """An email as SES got it; `sent_at` is the service's time."""

    id: str
    to: str
    subject: str
    text: str
    html: str
    sender: str
    """The name that it is from."""
    sent_at: datetime

    @property
    def links(self) -> list[str]:
        """The addresses in its text, in their order, each once."""
        return list(dict.fromkeys(_LINK.findall(self.text)))

    @property
    def codes(self) -> list[str]:
        """The codes in its text."""
        return _CODE.findall(self.text)


def install() -> None:
    """Has moto note when an email was handed over, by the service's clock."""
    SESBackend.send_raw_email = _send_and_note  # type: ignore[method-assign]


def _send_and_note(
    self: SESBackend, source: str, destinations: list[str], raw_data: str
) -> RawMessage:
    message = _send_raw_email(self, source, destinations, raw_data)
    message.sent_at = clock.now()  # type: ignore[attr-defined]
    return message


def ses() -> Any:  # noqa: ANN401 - moto's own class
    """moto's SES."""
    return ses_backends[DEFAULT_ACCOUNT_ID][os.environ["AWS_REGION"]]


def sent_emails() -> list[Email]:
    """What SES was handed so far, oldest first."""
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
    )


def _bodies(message: EmailMessage) -> tuple[str, str]:
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    if text is None or html is None:
        raise ValueError("an email of the service has a text and an HTML part")
    return text.get_content(), html.get_content()

"""SES: sends an email, and distinguishes a refused recipient, a refused sender and a busy service.

SES gives the reason of a refusal as a code and a sentence (SES developer guide, "Amazon SES email
sending errors"; API v2, `SendEmail`). Only sentences about an invalid address are the recipient's
fault. The sandbox, a sender that isn't verified, the wrong region, a paused account, a missing
configuration set or grant are the service's own, and apply to every recipient.
"""

import time
from email.headerregistry import Address
from email.message import EmailMessage
from functools import cache
from typing import Any

from botocore.exceptions import ClientError

from storepost.platform.messaging.email_tags import EmailTags
from storepost.platform.persistence.clients import make_client
from storepost.values.metrics import count
from storepost.values.settings import settings

CONTAINERS = 2
"""How many containers send emails at once: template.yaml's MaximumConcurrency of their queue."""


class Pace:
    """Spaces one container's calls so that all containers together keep to a rate."""

    def __init__(self, per_second: float) -> None:
        """Takes the rate of all containers together, per second; 0 for no limit."""
        self._seconds = CONTAINERS / per_second if per_second else 0.0
        self._next = 0.0

    def wait(self) -> None:
        """Waits until the next call may be made."""
        delay = self._next - time.monotonic()
        if delay > 0:
            time.sleep(delay)
        self._next = time.monotonic() + self._seconds


SERVICE = "Storepost"
"""The sender's name in emails that aren't from a workspace."""

READ_SECONDS = 8
"""Two attempts end within the sender's 30 seconds."""

_OF_AN_ADDRESS = frozenset({"BadRequestException", "InvalidParameterValue"})
_ADDRESS_COMPLAINTS = (
    "domain contains",
    "domain ends",
    "domain starts",
    "illegal address",
    "invalid domain name",
    "local address",
    "missing domain",
    "missing final",
    "missing local",
    "user name is missing",
)
_BUSY = frozenset(
    {"LimitExceededException", "Throttling", "ThrottlingException", "TooManyRequestsException"}
)


class AddressRefused(Exception):  # noqa: N818 - it is what happened
    """SES refuses this email, however often it is sent."""


class SenderRefused(Exception):  # noqa: N818 - it is what happened
    """SES refuses the account, its sender or its settings, for every recipient.

    The message is SES's code, as SES's sentence names addresses.
    """


@cache
def _ses() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    return make_client("sesv2", read_seconds=READ_SECONDS)


@cache
def _pace() -> Pace:
    return Pace(settings().emails_per_second)


def _in_ascii(address: str) -> str:
    """Returns the address with its domain in ASCII, for servers without SMTPUTF8, such as SES."""
    if address.isascii():
        return address
    import idna  # noqa: PLC0415 - few need it

    local, _, domain = address.rpartition("@")
    try:
        return f"{local}@{idna.encode(domain, uts46=True).decode('ascii')}"
    except idna.IDNAError:
        raise AddressRefused("the domain has no name in ASCII") from None


def send_email(
    to: str, subject: str, text: str, html: str, sender: str, tags: EmailTags | None
) -> None:
    """Sends one email with both parts from the service's own address, at the account's pace.

    `sender` is the name beside that address. SES returns the tags with its events about the email.
    Raises AddressRefused where no retry can help, SenderRefused where SES refuses the account or
    its sender; after any other error a retry may succeed.
    """
    recipient = _in_ascii(to)
    message = EmailMessage()
    message["From"] = Address(sender, addr_spec=settings().sender_address)
    message["To"] = recipient
    message["Subject"] = subject
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    _pace().wait()
    try:
        _ses().send_email(
            Destination={"ToAddresses": [recipient]},
            Content={"Raw": {"Data": message.as_bytes()}},
            ConfigurationSetName=settings().email_configuration_set,
            EmailTags=_named(tags),
        )
    except ClientError as error:
        raise _meaning(error) from None


def _named(tags: EmailTags | None) -> list[dict[str, str]]:
    values = tags.by_name() if tags else {}
    return [{"Name": name, "Value": value} for name, value in values.items()]


def _meaning(error: ClientError) -> Exception:
    """Returns the error for SES's refusal; the given error if a retry may help."""
    code, sentence = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    if code in _OF_AN_ADDRESS and sentence.lower().startswith(_ADDRESS_COMPLAINTS):
        return AddressRefused(code)
    if code in _BUSY or error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500:
        return error
    count("EmailsRefusedBySes")
    return SenderRefused(code)

"""SES: hands an email over, and tells a refusal that lasts from one that passes."""

from email.message import EmailMessage
from functools import cache
from typing import Any

import boto3
from botocore.exceptions import ClientError

from storepost.settings import settings

_REFUSED = frozenset({"MessageRejected", "BadRequestException", "InvalidParameterValue"})


class AddressRefused(Exception):  # noqa: N818 - it is what happened
    """SES won't take this email however often it is sent."""


@cache
def _ses() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    return boto3.client("sesv2")


def _in_ascii(address: str) -> str:
    """The address with its domain as mail servers without SMTPUTF8, such as SES, have to see it."""
    if address.isascii():
        return address
    import idna  # noqa: PLC0415 - few need it

    local, _, domain = address.rpartition("@")
    try:
        return f"{local}@{idna.encode(domain, uts46=True).decode('ascii')}"
    except idna.IDNAError:
        raise AddressRefused("the domain has no name in ASCII") from None


def hand_over(to: str, subject: str, text: str, html: str) -> None:
    """Sends one email with both parts from the service's own address.

    Raises AddressRefused for a refusal that lasts; anything else is worth another try.
    """
    recipient = _in_ascii(to)
    message = EmailMessage()
    message["From"] = f"Storepost <{settings().sender_address}>"
    message["To"] = recipient
    message["Subject"] = subject
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    try:
        _ses().send_email(
            Destination={"ToAddresses": [recipient]},
            Content={"Raw": {"Data": message.as_bytes()}},
        )
    except ClientError as error:
        if error.response["Error"]["Code"] in _REFUSED:
            raise AddressRefused(error.response["Error"]["Code"]) from None
        raise

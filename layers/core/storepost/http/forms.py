"""Forms, in either of the encodings that browsers and mailbox providers send (RFC 8058, 3.1)."""

from base64 import b64decode
from collections.abc import Iterator
from urllib.parse import urlencode

from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def media_type(event: BaseProxyEvent) -> str:
    """How the body is encoded, without parameters and in lower case."""
    return (event.headers.get("content-type") or "").split(";")[0].strip().lower()


def read_form(event: BaseProxyEvent) -> None:
    """Makes the body plain urlencoded text, which is all that Powertools need read then.

    Whatever isn't a field with a name is left out. Raises ValueError where the form is no text.
    """
    body = (event.body or "").encode()
    if event.is_base64_encoded:
        body = b64decode(body)
    if media_type(event) == MULTIPART:
        body = urlencode(list(_fields(event.headers["content-type"], body))).encode()
    event.raw_event["body"] = body.decode()
    event.raw_event["isBase64Encoded"] = False
    event["headers"]["content-type"] = FORM


def _fields(content_type: str, body: bytes) -> Iterator[tuple[str, str]]:
    """The fields of a multipart form (RFC 7578)."""
    from email import message_from_bytes  # noqa: PLC0415 - 30 ms, and few forms come in parts
    from email.policy import HTTP  # noqa: PLC0415

    head = f"content-type: {content_type}\r\n\r\n".encode()
    for part in message_from_bytes(head + body, policy=HTTP).iter_parts():
        name = part.get_param("name", header="content-disposition")
        value = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(value, bytes):
            yield name, value.decode()

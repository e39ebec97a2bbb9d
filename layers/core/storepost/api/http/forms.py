"""Forms, in either of the encodings that browsers and mailbox providers send (RFC 8058, 3.1)."""

from base64 import b64decode
from collections.abc import Iterator
from urllib.parse import urlencode

from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent

from storepost.values.header_parameters import header_parameter

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
MAX_PART_HEAD = 1_000
"""Bytes of the headers of a form's field that are read."""


def media_type(event: BaseProxyEvent) -> str:
    """Returns how the body is encoded, without parameters and in lower case."""
    return (event.headers.get("content-type") or "").split(";")[0].strip().lower()


def read_form(event: BaseProxyEvent) -> None:
    """Makes the body plain urlencoded text, so that Powertools need read nothing else.

    It leaves out anything that isn't a field with a name. Raises ValueError if the form is no text.
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
    """Yields the fields of a multipart form (RFC 7578), in linear time: the standard library's
    parser of messages takes hours over a hostile one, or raises anything.
    """
    boundary = header_parameter("boundary", content_type)
    if not boundary:
        return
    _preamble, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    for part in parts:
        if part.startswith(b"--"):
            return
        head, _, value = part.partition(b"\r\n\r\n")
        name = _name_in(head[:MAX_PART_HEAD])
        if name is not None:
            yield name, value.decode()


def _name_in(head: bytes) -> str | None:
    for line in head.decode(errors="replace").split("\r\n"):
        header, _, value = line.partition(":")
        if header.strip().lower() == "content-disposition":
            return header_parameter("name", value)
    return None

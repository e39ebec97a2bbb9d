"""Describes a success: by the route's own text, else by its status and its schema."""

from collections.abc import Collection
from typing import Any

from aws_lambda_powertools.event_handler.openapi.constants import (
    DEFAULT_OPENAPI_RESPONSE_DESCRIPTION,
)

type Document = dict[str, Any]

WITHOUT_BODY = {
    "204": "Done. The answer has no body.",
    "302": "The address to go on to is in `Location`.",
    "304": "Nothing changed since the answer with this `ETag`. The answer has no body.",
}
_BEFORE = {
    "201": "Created. ",
    "202": "Accepted: the rest of the work is done in the background. ",
}
_KNOWN = "It existed already. "


def routes_own(described: Document) -> dict[str, str]:
    """Returns a route's own texts by status: its `response_description` or `responses`."""
    texts = {status: answer["description"] for status, answer in described.items()}
    return {s: text for s, text in texts.items() if text != DEFAULT_OPENAPI_RESPONSE_DESCRIPTION}


def success_text(status: str, statuses: Collection[str], answered: str) -> str:
    """Returns the description of an operation's success; `answered` is that of its schema."""
    if status in WITHOUT_BODY:
        return WITHOUT_BODY[status]
    existed = status == "200" and len({"200", "201", "202"} & {*statuses}) > 1
    return (_KNOWN if existed else _BEFORE.get(status, "")) + answered


def answered_text(content: Document | None, schemas: Document) -> str:
    """Returns the first paragraph of the description of the answer's schema."""
    if content is None:
        return "The answer has no body."
    schema = next(iter(content.values()))["schema"]
    named = schemas.get(schema.get("$ref", "").rsplit("/", 1)[-1], schema)
    text, _, _ = named.get("description", "").partition("\n\n")
    return " ".join(text.split())

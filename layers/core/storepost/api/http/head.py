"""HEAD: what GET answers, without the body (RFC 9110, section 9.3.2)."""

from typing import Any

type Event = dict[str, Any]


def is_head(event: Event) -> bool:
    """Returns whether the request asks for the headers alone."""
    return bool(event["requestContext"]["http"]["method"] == "HEAD")


def as_get(event: Event) -> Event:
    """Returns the event of the same request with GET."""
    context = event["requestContext"]
    return {
        **event,
        "requestContext": {**context, "http": {**context["http"], "method": "GET"}},
    }


def without_body(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns the answer with only its status and headers."""
    return {**answer, "body": "", "isBase64Encoded": False}

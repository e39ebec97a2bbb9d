"""What the service sends to others, as Markdown: write-backs, and messages to webhook endpoints."""

from collections.abc import Callable, Mapping

from storepost.api.reference.documents import interface
from storepost.api.reference.site.described import (
    json_block,
    parameter_lines,
    schema_lines,
    type_of,
)
from storepost.values.wire import Json

WRITE_BACKS = "write-backs"
EVENTS = "webhook-events"
_WRITE_BACK = "writeBack"


def names() -> dict[str, str]:
    """Returns the addresses of the types of events, by their names in texts."""
    return {name: f"{EVENTS}#{name}" for name, _ in _events()}


def _message(name: str) -> Json:
    found: Json = interface()["webhooks"][name]["post"]
    return found


def _events() -> list[tuple[str, Json]]:
    return [(name, _message(name)) for name in interface()["webhooks"] if name != _WRITE_BACK]


def _write_backs() -> str:
    message = _message(_WRITE_BACK)
    [content] = message["requestBody"]["content"].values()
    parts = [
        f"# {message['summary']} `consent.changed`",
        message["description"],
        *_headers(message),
        f"## Body\n\n`application/json`: {type_of(content['schema'])}",
        "\n".join(schema_lines(content["schema"])),
        *json_block(content),
        *_answers(message),
    ]
    return "\n\n".join(parts) + "\n"


def _event_page() -> str:
    events = _events()
    _, first = events[0]
    parts = [
        "# Webhook events",
        "What webhook endpoints are sent, by type. The guide [Webhook "
        "events](guides/webhook-events.md) says what is sent when.",
        *_headers(first),
        *_answers(first),
    ]
    for name, message in events:
        parts += _event(name, message)
    return "\n\n".join(parts) + "\n"


def _event(name: str, message: Json) -> list[str]:
    [content] = message["requestBody"]["content"].values()
    data = content["schema"]["properties"]["data"]
    about = message["description"].partition("\n\n")[0]
    return [f"## `{name}`", about, f"`data`: {type_of(data)}", *json_block(content)]


def _headers(message: Json) -> list[str]:
    return ["## Headers", "\n".join(parameter_lines(message["parameters"]))]


def _answers(message: Json) -> list[str]:
    lines = (f"- `{status}`: {a['description']}" for status, a in message["responses"].items())
    return ["## What you answer", "\n".join(lines)]


PAGES: Mapping[str, Callable[[], str]] = {WRITE_BACKS: _write_backs, EVENTS: _event_page}
"""The pages, by their paths."""

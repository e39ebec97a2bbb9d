"""What the service sends to others, as Markdown: write-backs, and what webhook endpoints get."""

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
    """The addresses of the types of events, by what a text calls them."""
    return {name: f"{EVENTS}#{name}" for name, _ in _events()}


def _message(name: str) -> Json:
    found: Json = interface()["webhooks"][name]["post"]
    return found


def _events() -> list[tuple[str, Json]]:
    return [(name, _message(name)) for name in interface()["webhooks"] if name != _WRITE_BACK]


def _write_backs() -> str:
    told = _message(_WRITE_BACK)
    [content] = told["requestBody"]["content"].values()
    parts = [
        f"# {told['summary']} `consent.changed`",
        told["description"],
        *_headers(told),
        f"## Body\n\n`application/json`: {type_of(content['schema'])}",
        "\n".join(schema_lines(content["schema"])),
        *json_block(content),
        *_answers(told),
        "The guide [Write-backs](guides/write-backs.md) has code that verifies one.",
    ]
    return "\n\n".join(parts) + "\n"


def _event_page() -> str:
    events = _events()
    _, first = events[0]
    parts = [
        "# Webhook events",
        "What webhook endpoints are sent, by type. The guide "
        "[Webhook events](guides/webhook-events.md) says what is told when.",
        *_headers(first),
        *_answers(first),
    ]
    for name, told in events:
        parts += _event(name, told)
    return "\n\n".join(parts) + "\n"


def _event(name: str, told: Json) -> list[str]:
    [content] = told["requestBody"]["content"].values()
    data = content["schema"]["properties"]["data"]
    about = told["description"].partition("\n\n")[0]
    return [f"## `{name}`", about, f"`data`: {type_of(data)}", *json_block(content)]


def _headers(told: Json) -> list[str]:
    return ["## Headers", "\n".join(parameter_lines(told["parameters"]))]


def _answers(told: Json) -> list[str]:
    lines = (f"- `{status}`: {a['description']}" for status, a in told["responses"].items())
    return ["## What you answer", "\n".join(lines)]


PAGES: Mapping[str, Callable[[], str]] = {WRITE_BACKS: _write_backs, EVENTS: _event_page}
"""The pages, by their paths."""

"""Which representation and which language a caller prefers (RFC 9110, section 12.5)."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

from aws_lambda_powertools.event_handler import Depends, Request

from storepost.values.languages import Language, language_of

MAX_RANGES = 100
"""How many of a header's ranges are read: browsers send ten at most."""

_HTML = ("text/html", "text/*", "*/*")
_JSON = ("application/json", "application/*", "*/*")
_QUALITY = re.compile(r"0(\.[0-9]*)?|1(\.0*)?")
"""A weight of RFC 9110, section 12.4.2, with any number of digits."""


class Representation(StrEnum):
    """The representations that an answer can have."""

    JSON = "json"
    HTML = "html"


def preferred(accept: str) -> Representation:
    """Returns HTML if the header ranks it above JSON, as browsers do; else JSON."""
    weights = dict(_ranges(accept))
    html = next((weights[kind] for kind in _HTML if kind in weights), 0.0)
    json = next((weights[kind] for kind in _JSON if kind in weights), 0.0)
    return Representation.HTML if html > json else Representation.JSON


def preferred_language(accept_language: str) -> Language | None:
    """Returns the supported language that the header ranks highest, the first one of equals.

    A region counts as its language (RFC 4647, section 3.4). None if the header names none of them
    with a weight above 0: `*` asks for nothing in particular.
    """
    ranges = ((language_of(tag), weight) for tag, weight in _ranges(accept_language))
    found = [(language, weight) for language, weight in ranges if language and weight > 0]
    return max(found, key=lambda each: each[1], default=(None, 0.0))[0]


def accepts_gzip(accept_encoding: str) -> bool:
    """Returns whether the header names gzip with a weight above 0."""
    return dict(_ranges(accept_encoding)).get("gzip", 0.0) > 0


def varying(by: str | None) -> str:
    """Returns the `Vary` of an answer that may be compressed, with what it varies by already."""
    named = [each.strip() for each in (by or "").split(",") if each.strip()]
    return ", ".join(dict.fromkeys([*named, "Accept-Encoding"]))


def _ranges(header: str) -> Iterator[tuple[str, float]]:
    """Yields each of the header's ranges, in lower case, with its weight."""
    for part in header.lower().split(",", MAX_RANGES)[:MAX_RANGES]:
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        yield kind, _weight(parameters)


def _weight(parameters: list[str]) -> float:
    quality = next((p.removeprefix("q=") for p in parameters if p.startswith("q=")), "1")
    return float(quality) if _QUALITY.fullmatch(quality) else 0.0


def _representation(request: Request) -> Representation:
    return preferred(request.resolved_event.headers.get("accept") or "")


def _language(request: Request) -> Language | None:
    return preferred_language(request.resolved_event.headers.get("accept-language") or "")


Preferred = Annotated[Representation, Depends(_representation)]
"""A route's parameter for the representation that the caller prefers."""
PreferredLanguage = Annotated[Language | None, Depends(_language)]
"""A route's parameter for the supported language that the caller prefers."""

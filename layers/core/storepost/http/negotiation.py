"""Which representation of a resource a caller prefers (RFC 9110, section 12.5.1)."""

from enum import StrEnum
from typing import Annotated

from aws_lambda_powertools.event_handler import Depends, Request

_HTML = ("text/html", "text/*", "*/*")
_JSON = ("application/json", "application/*", "*/*")


class Representation(StrEnum):
    """What an answer can be."""

    JSON = "json"
    HTML = "html"


def preferred(accept: str) -> Representation:
    """HTML where the header ranks it above JSON, as browsers do; JSON in doubt."""
    weights = _weights(accept)
    html = next((weights[kind] for kind in _HTML if kind in weights), 0.0)
    json = next((weights[kind] for kind in _JSON if kind in weights), 0.0)
    return Representation.HTML if html > json else Representation.JSON


def _weights(accept: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in accept.lower().split(","):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        weights[kind] = _weight(parameters)
    return weights


def _weight(parameters: list[str]) -> float:
    quality = next((p.removeprefix("q=") for p in parameters if p.startswith("q=")), "1")
    try:
        return float(quality)
    except ValueError:
        return 0.0


def _representation(request: Request) -> Representation:
    return preferred(request.resolved_event.headers.get("accept") or "")


Wanted = Annotated[Representation, Depends(_representation)]
"""A route's parameter for what the caller would rather have."""

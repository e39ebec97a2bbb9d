"""Whether a definition is what its kind's schema demands."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from storepost.definitions.kinds import schema_of
from storepost.definitions.model import MOST_BYTES, MOST_LEVELS, Content, Kind, compact, levels
from storepost.definitions.problems import SchemaMismatch
from storepost.problems import FieldError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_MOST_ERRORS = 50
_MOST_TEXT = 300
"""Characters of a message: it may quote what it is about."""


def check(kind: Kind, schema_version: int, content: Content, place: str) -> None:
    """Raises SchemaMismatch, its paths below `place`, where the content isn't what it must be."""
    errors = list(_bounds(content, place))
    if not errors:
        validator = _validator(kind, schema_version)
        found = sorted(validator.iter_errors(content), key=_path_of)[:_MOST_ERRORS]
        errors = [FieldError(place + _pointer(error), _message(error)) for error in found]
    if errors:
        raise SchemaMismatch(errors=errors)


def _bounds(content: Content, place: str) -> Iterator[FieldError]:
    """What no schema can say."""
    if levels(content) > MOST_LEVELS:
        yield FieldError(place, f"Must be at most {MOST_LEVELS} levels deep")
        return
    try:
        size = len(compact(content).encode())
    except ValueError:
        yield FieldError(place, "Must be JSON: no NaN, no infinity, no lone surrogate")
        return
    if size > MOST_BYTES:
        yield FieldError(place, f"Must be at most {MOST_BYTES:,} bytes as JSON; it is {size:,}")


@cache
def _validator(kind: Kind, schema_version: int) -> "Draft202012Validator":
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 88 ms, for proposals alone

    return Draft202012Validator(schema_of(kind, schema_version) or {})


def _path_of(error: "ValidationError") -> list[str]:
    return [str(part) for part in error.absolute_path]


def _pointer(error: "ValidationError") -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
    return "".join(f"/{part}" for part in parts)


def _message(error: "ValidationError") -> str:
    text: Any = error.message
    return str(text) if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} …"

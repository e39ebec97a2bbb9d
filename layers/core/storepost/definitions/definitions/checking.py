"""Checks whether a definition matches its kind's schema."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from storepost.definitions.definitions.model import (
    MAX_BYTES,
    MAX_LEVELS,
    MAX_PATCH_BYTES,
    Content,
    DefinitionKind,
    compact,
    levels,
    shortened,
)
from storepost.definitions.definitions.patching import Operation
from storepost.definitions.definitions.problems import SchemaMismatch
from storepost.values.problems import MAX_ERRORS, FieldError

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def check(kind: DefinitionKind, schema_version: int, content: Content, place: str) -> None:
    """Raises SchemaMismatch, with paths below `place`, if the content doesn't match the schema."""
    errors = list(_bounds(content, place))
    if not errors:
        # 88 ms, for proposals alone.
        from storepost.definitions.definitions.schema_validation import (  # noqa: PLC0415
            validator_of,
        )

        validator = validator_of(kind, schema_version)
        # The first ones alone: finding one takes as long as a thousand bytes of a good definition.
        found = sorted(islice(validator.iter_errors(content), MAX_ERRORS), key=_path_of)
        errors = [FieldError(place + _pointer(error), shortened(error.message)) for error in found]
    if errors:
        raise SchemaMismatch(errors=errors)


def check_patch(operations: Sequence[Operation]) -> None:
    """Raises SchemaMismatch if a patch's values fit in no definition, or it is too large to store.

    Its result doesn't show that: one operation may remove what another adds.
    """
    errors = [
        error
        for number, operation in enumerate(operations)
        for error in _bounds(operation.value, f"/patch/{number}/value")
    ]
    if not errors:
        patch = [operation.as_json() for operation in operations]
        errors = list(_size(patch, "/patch", MAX_PATCH_BYTES))
    if errors:
        raise SchemaMismatch(errors=errors)


def _bounds(content: Content, place: str) -> Iterator[FieldError]:
    """Yields errors that no schema can express."""
    if levels(content) > MAX_LEVELS:
        yield FieldError(place, f"Must be at most {MAX_LEVELS} levels deep")
    else:
        yield from _size(content, place, MAX_BYTES)


def _size(content: Content, place: str, max_size: int) -> Iterator[FieldError]:
    try:
        size = len(compact(content).encode())
    except ValueError:
        yield FieldError(place, "Must be JSON: no NaN, no infinity, no lone surrogate")
        return
    if size > max_size:
        yield FieldError(place, f"Must be at most {max_size:,} bytes as JSON; it is {size:,}")


def _path_of(error: "ValidationError") -> list[str]:
    return [str(part) for part in error.absolute_path]


def _pointer(error: "ValidationError") -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
    return "".join(f"/{part}" for part in parts)

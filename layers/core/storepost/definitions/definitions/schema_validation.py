"""JSON Schema's keywords with messages of our own, which name the field that is meant.

jsonschema's own messages quote Python's values, and those of a missing or an unknown field are at
the object around it. Keywords that only lead to others, such as `$ref` and `items`, are the
library's.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from storepost.definitions.definitions.kinds import schema_of
from storepost.definitions.definitions.model import Content, DefinitionKind, shortened

type Schema = Mapping[str, Any]
type Errors = Iterator[ValidationError]
type _Check = Callable[[Draft202012Validator, int, Content, Schema], Errors]

_TYPES = {
    "array": "a list",
    "boolean": "`true` or `false`",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


@cache
def validator_of(kind: DefinitionKind, schema_version: int) -> Draft202012Validator:
    """Returns the validator for a definition of that kind and version."""
    extended: Draft202012Validator = extend(Draft202012Validator, _KEYWORDS)(
        schema_of(kind, schema_version) or {}
    )
    return extended


def _type(validator: Draft202012Validator, types: Any, content: Content, _: Schema) -> Errors:  # noqa: ANN401 - JSON
    allowed = [types] if isinstance(types, str) else types
    if not any(validator.is_type(content, each) for each in allowed):
        yield ValidationError(f"Must be {_either(_TYPES[each] for each in allowed)}")


def _required(
    validator: Draft202012Validator, names: Sequence[str], content: Content, _: Schema
) -> Errors:
    if validator.is_type(content, "object"):
        for name in names:
            if name not in content:
                yield ValidationError("Required", path=[name])


def _additional(
    validator: Draft202012Validator, allowed: object, content: Content, schema: Schema
) -> Errors:
    if allowed is not False:
        original = Draft202012Validator.VALIDATORS["additionalProperties"]
        yield from original(validator, allowed, content, schema)
    elif validator.is_type(content, "object"):
        known = schema.get("properties", {})
        for name in content:
            if name not in known:
                yield ValidationError("There is no such field", path=[name])


def _enum(_: object, values: Sequence[Content], content: Content, __: Schema) -> Errors:
    if not any(_is_same(content, each) for each in values):
        yield ValidationError(f"Must be {_either(f'`{_as_text(each)}`' for each in values)}")


def _const(_: object, value: Content, content: Content, __: Schema) -> Errors:
    if not _is_same(content, value):
        yield ValidationError(f"Must be `{_as_text(value)}`")


def _pattern(validator: Draft202012Validator, text: str, content: Content, _: Schema) -> Errors:
    if validator.is_type(content, "string") and not _compiled(text).search(content):
        yield ValidationError(shortened(f"`{content}` must match `{text}`"))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Returns a pattern as JSON Schema means it (ECMA-262): `$` is the end, `\\d` is 0 to 9."""
    return re.compile(re.sub(r"\$$", r"\\Z", pattern), re.ASCII)


def _sized(kind: str, name: str) -> tuple[_Check, _Check]:
    """Returns the checks of the least and the greatest length of a string, a list or an object."""

    def has_least(v: Draft202012Validator, least: int, content: Content, _: Schema) -> Errors:
        if v.is_type(content, kind) and len(content) < least:
            yield ValidationError(_at_least(least, name))

    def has_most(v: Draft202012Validator, most: int, content: Content, _: Schema) -> Errors:
        if v.is_type(content, kind) and len(content) > most:
            yield ValidationError(f"Must have at most {_count(most, name)}")

    return has_least, has_most


def _minimum(v: Draft202012Validator, least: float, content: Content, _: Schema) -> Errors:
    if v.is_type(content, "number") and content < least:
        yield ValidationError(f"Must be at least {least:,}")


def _maximum(v: Draft202012Validator, most: float, content: Content, _: Schema) -> Errors:
    if v.is_type(content, "number") and content > most:
        yield ValidationError(f"Must be at most {most:,}")


def _unique(_: object, demanded: object, content: Content, __: Schema) -> Errors:
    """Checks `uniqueItems` in linear time: the library compares each element with every other."""
    if demanded and isinstance(content, list):
        seen = {_as_text(each) for each in content}
        if len(seen) < len(content):
            yield ValidationError("Must name each item only once")


def _one_of(
    validator: Draft202012Validator, options: Sequence[Schema], content: Content, _: Schema
) -> Errors:
    """Checks objects that are distinguished by their fields, with the errors of the one meant."""
    if not validator.is_type(content, "object"):
        return
    meant = [each for each in options if content.keys() & each["properties"].keys()]
    if len(meant) == 1:
        yield from validator.descend(content, meant[0])
    else:
        groups = "; ".join(", ".join(f"`{n}`" for n in each["properties"]) for each in options)
        yield ValidationError(f"Must have only fields of one of these groups: {groups}")


_MIN_LENGTH, _MAX_LENGTH = _sized("string", "character")
_MIN_ITEMS, _MAX_ITEMS = _sized("array", "item")
_MIN_PROPERTIES, _MAX_PROPERTIES = _sized("object", "field")
_KEYWORDS = {
    "additionalProperties": _additional,
    "const": _const,
    "enum": _enum,
    "maxItems": _MAX_ITEMS,
    "maxLength": _MAX_LENGTH,
    "maxProperties": _MAX_PROPERTIES,
    "maximum": _maximum,
    "minItems": _MIN_ITEMS,
    "minLength": _MIN_LENGTH,
    "minProperties": _MIN_PROPERTIES,
    "minimum": _minimum,
    "oneOf": _one_of,
    "pattern": _pattern,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique,
}


def _either(names: Iterator[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _at_least(number: int, name: str) -> str:
    return "Must not be empty" if number == 1 else f"Must have at least {_count(number, name)}"


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _is_same(one: Content, other: Content) -> bool:
    """Returns whether both are the same JSON; in Python 1 and true are equal."""
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _as_text(content: Content) -> str:
    return content if isinstance(content, str) else json.dumps(content, sort_keys=True)

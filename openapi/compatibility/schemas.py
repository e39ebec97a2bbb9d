"""Whether all values of one JSON Schema are values of another one.

A client's requests break if the newer description accepts fewer values than the older one. A client
that reads answers breaks if the newer description allows more values than the older one. So both
are one question, asked of the two schemas in opposite order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

type Json = dict[str, Any]

_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_SAME = ("pattern", "format")


@dataclass(frozen=True)
class Side:
    """A schema, and the description in which its references are resolved."""

    schema: Json
    document: Json

    def at(self, schema: Json) -> "Side":
        """Returns another schema of the same description, with its reference resolved."""
        found = schema
        while "$ref" in found:
            target: Any = self.document
            for name in found["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            found = target
        return Side(found, self.document)

    @property
    def options(self) -> list["Side"]:
        """The union's options; the schema alone if it isn't a union."""
        several = self.schema.get("anyOf") or self.schema.get("oneOf")
        if several is None:
            return [self]
        return [inner for each in several for inner in self.at(each).options]

    @property
    def types(self) -> set[str]:
        """The JSON types of its values; empty means any."""
        named = self.schema.get("type", [])
        return {named} if isinstance(named, str) else set(named)

    @property
    def values(self) -> set[str] | None:
        """The enumerated values, as text; None if they aren't enumerated."""
        if "const" in self.schema:
            return {repr(self.schema["const"])}
        return {repr(each) for each in self.schema["enum"]} if "enum" in self.schema else None


@dataclass
class Comparison:
    """Compares schemas of two descriptions; `is_answer` says that clients read the values.

    In an answer, new fields and new values of an enumeration are no break, as clients must ignore
    unknown ones; bounds may grow, too.
    """

    is_answer: bool
    _found: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    """Each pair's reasons, with relative paths; empty while the pair is compared."""

    def lacks(self, wide: Side, narrow: Side, where: str) -> Iterator[str]:
        """Yields each reason why a value of `narrow` may not be one of `wide`, with its path."""
        wide, narrow = wide.at(wide.schema), narrow.at(narrow.schema)
        pair = (id(wide.schema), id(narrow.schema))
        if pair not in self._found:
            self._found[pair] = []  # a schema may contain itself
            self._found[pair] = list(self._union_lacks(wide, narrow))
        yield from (f"{where}{reason}" for reason in self._found[pair])

    def _union_lacks(self, wide: Side, narrow: Side) -> Iterator[str]:
        for option in narrow.options:
            tried = [list(self._option_lacks(each, option)) for each in wide.options]
            if all(tried):
                yield from min(tried, key=len)

    def _option_lacks(self, wide: Side, narrow: Side) -> Iterator[str]:
        missing = _types_lacking(wide, narrow)
        if missing:
            yield f": the type {' or '.join(sorted(missing))} is new"
            return
        yield from self._values_lack(wide, narrow)
        yield from _forms_lack(wide.schema, narrow.schema)
        if not self.is_answer:
            yield from _bounds_lack(wide.schema, narrow.schema)
        yield from self._fields_lack(wide, narrow)
        for inner in ("items", "additionalProperties"):
            one, other = wide.schema.get(inner), narrow.schema.get(inner)
            if isinstance(one, dict) and isinstance(other, dict):
                yield from self.lacks(wide.at(one), narrow.at(other), "/*")

    def _values_lack(self, wide: Side, narrow: Side) -> Iterator[str]:
        if wide.values is None or (self.is_answer and "enum" in narrow.schema):
            return
        removed = narrow.values - wide.values if narrow.values is not None else {"any value"}
        if removed:
            yield f": {', '.join(sorted(removed))} is none of its values"

    def _fields_lack(self, wide: Side, narrow: Side) -> Iterator[str]:
        of_wide, of_narrow = (each.schema.get("properties", {}) for each in (wide, narrow))
        always, then = ({*each.schema.get("required", [])} for each in (wide, narrow))
        for name in sorted(always - then):
            yield f"/{name}: " + ("may be missing" if self.is_answer else "is required now")
        for name in sorted(of_wide.keys() & of_narrow.keys()):
            yield from self.lacks(wide.at(of_wide[name]), narrow.at(of_narrow[name]), f"/{name}")
        removed = of_wide.keys() - of_narrow.keys() - always
        if not self.is_answer:
            is_closed = wide.schema.get("additionalProperties") is False
            removed = of_narrow.keys() - of_wide.keys() if is_closed else set()
        yield from (f"/{name}: is gone" for name in sorted(removed))


def _types_lacking(wide: Side, narrow: Side) -> set[str]:
    if not wide.types:
        return set()
    if not narrow.types:
        return {"any"} if narrow.values is None else set()
    numbers = {"integer"} if "number" in wide.types else set()
    return narrow.types - wide.types - numbers


def _bounds_lack(wide: Json, narrow: Json) -> Iterator[str]:
    for name in _LEAST:
        if name in wide and narrow.get(name, float("-inf")) < wide[name]:
            yield f": {name} is {wide[name]} now"
    for name in _MOST:
        if name in wide and narrow.get(name, float("inf")) > wide[name]:
            yield f": {name} is {wide[name]} now"


def _forms_lack(wide: Json, narrow: Json) -> Iterator[str]:
    for name in _SAME:
        if name in wide and narrow.get(name) != wide[name]:
            yield f": another {name}"

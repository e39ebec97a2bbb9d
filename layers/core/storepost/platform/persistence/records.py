"""Attributes that store records as JSON arrays, whose elements are identified by position.

A later release may add elements after those that this release knows. A read leaves them out, and a
save puts them back; an element that an older release didn't write reads as its default. So elements
are added at the end, and never removed, moved or given another meaning.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pynamodb.attributes import Attribute
from pynamodb.constants import STRING

_NO_DEFAULTS: Mapping[str, Any] = MappingProxyType({})

type Elements = list[Any]
"""A record as it is stored."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Json(Attribute[Any]):
    """Compact JSON: pages read hundreds of these, and a write unit is 1 KB."""

    attr_type = STRING

    def serialize(self, value: object) -> str:
        """Returns compact JSON."""
        return _ENCODER.encode(value)

    def deserialize(self, value: str) -> Any:  # noqa: ANN401 - whatever was written
        """Returns what `serialize` wrote."""
        return json.loads(value)


class Record(Json):
    """One record, such as a sum with its currency."""

    def __init__(
        self,
        *elements: str,
        defaults: Mapping[str, Any] = _NO_DEFAULTS,
        null: bool | None = None,
        attr_name: str | None = None,
    ) -> None:
        """Makes an attribute of these elements, in order; one without a default reads as None."""
        super().__init__(null=null, attr_name=attr_name)
        self.elements = elements
        self._defaults = [defaults.get(name) for name in elements]

    def deserialize(self, value: str) -> Any:  # noqa: ANN401 - a list, or records by key
        """Returns what `serialize` wrote, each record with exactly the known elements."""
        return self.read(value)[0]

    def read(self, value: str) -> tuple[Any, bool]:
        """Returns what `deserialize` does, and whether a record has elements of another release."""
        stored, width = super().deserialize(value), len(self.elements)
        lengths = {len(each) for each in self._each(stored)}
        if lengths <= {width}:
            return stored, False
        return self._mapped(stored, self._known), max(lengths) > width

    def has_further(self, value: str) -> bool:
        """Returns whether a record has elements that this release doesn't know."""
        return self.read(value)[1]

    def with_further(self, value: str, before: str) -> str:
        """Returns the serialized value with the unknown elements of the value before."""
        width = len(self.elements)
        found = dict(self.records(super().deserialize(before)))
        further = {key: each[width:] for key, each in found.items() if len(each) > width}
        saved = super().deserialize(value)
        records = {
            key: [*self._known(each), *further[key]] if key in further else each
            for key, each in self.records(saved)
        }
        return super().serialize(self.replaced(saved, records))

    def _known(self, record: Sequence[Any]) -> Elements:
        return [*record[: len(self.elements)], *self._defaults[len(record) :]]

    def records(self, value: Any) -> Iterator[tuple[object, Elements]]:  # noqa: ANN401
        """Returns the records of a value, each with a key that identifies it in the value."""
        yield None, value

    def replaced(self, _: Any, records: Mapping[Any, Elements]) -> Any:  # noqa: ANN401
        """Returns the value with these records in place of its own."""
        return records[None]

    def _each(self, value: Any) -> Iterable[Elements]:  # noqa: ANN401
        """Returns the records of a value, without their keys."""
        return (value,)

    def _mapped(self, value: Any, change: Callable[[Elements], Elements]) -> Any:  # noqa: ANN401
        """Returns a value with each record changed."""
        return change(value)


class Records(Record):
    """A list of records; some of the elements name the subject of a record."""

    def __init__(
        self,
        *elements: str,
        named_by: Sequence[str],
        defaults: Mapping[str, Any] = _NO_DEFAULTS,
        null: bool | None = None,
        attr_name: str | None = None,
    ) -> None:
        """Makes the attribute; a saved record gets the further elements of the one of its name."""
        super().__init__(*elements, defaults=defaults, null=null, attr_name=attr_name)
        self._named_by = [elements.index(name) for name in named_by]

    def records(self, value: Any) -> Iterator[tuple[object, Elements]]:  # noqa: ANN401
        seen = dict[str, int]()
        for record in value:
            named = json.dumps([record[i] for i in self._named_by if i < len(record)])
            seen[named] = seen.get(named, 0) + 1
            yield (named, seen[named]), record

    def replaced(self, _: Any, records: Mapping[Any, Elements]) -> Any:  # noqa: ANN401
        return [*records.values()]

    def _each(self, value: Any) -> Iterable[Elements]:  # noqa: ANN401
        records: Iterable[Elements] = value
        return records

    def _mapped(self, value: Any, change: Callable[[Elements], Elements]) -> Any:  # noqa: ANN401
        return [*map(change, value)]


class RecordsByKey(Record):
    """Records by a key of each, such as a store's id."""

    def records(self, value: Any) -> Iterator[tuple[object, Elements]]:  # noqa: ANN401
        yield from value.items()

    def replaced(self, _: Any, records: Mapping[Any, Elements]) -> Any:  # noqa: ANN401
        return dict(records)

    def _each(self, value: Any) -> Iterable[Elements]:  # noqa: ANN401
        records: Iterable[Elements] = value.values()
        return records

    def _mapped(self, value: Any, change: Callable[[Elements], Elements]) -> Any:  # noqa: ANN401
        return {key: change(each) for key, each in value.items()}

"""Speeds up moto's rows and values by removing work that moto repeats for each of them.

moto measures the whole row again for each attribute added, measures a value again at each access,
and deep-copies every row that it returns, as an update changes rows in place. Here a row in a table
is immutable: an update replaces it by another one (`moto_updates`). So a row may be kept and shared
without a copy.
"""

from base64 import b64decode
from datetime import UTC, datetime
from typing import Any, cast

from moto.dynamodb import responses
from moto.dynamodb.exceptions import ItemSizeTooLarge
from moto.dynamodb.models import utilities
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict

ITEM_BYTES = 405_000
"""moto's limit on a row's size; DynamoDB's is 400 KB (409,600 bytes)."""

_cast = DynamoType.cast_value.fget  # type: ignore[attr-defined]
_project = Item.project
make_item_by_moto, size_by_moto = Item.__init__, Item.size
value_size_by_moto = DynamoType.size
_to_dict = utilities.dynamo_to_dict
_PLAIN = frozenset({"S", "BOOL"})


def install() -> None:
    """Replaces moto's rows and values by the faster ones."""
    DynamoType.__init__ = _make_value  # type: ignore[method-assign]
    DynamoType.__hash__ = _hash  # type: ignore[method-assign]
    DynamoType.__eq__ = _equal  # type: ignore[method-assign]
    DynamoType.cast_value = property(_cast_lightly)  # type: ignore[method-assign,assignment]
    DynamoType.size = value_bytes  # type: ignore[method-assign]
    Item.__init__ = _make_item  # type: ignore[method-assign]
    Item.size = item_bytes  # type: ignore[method-assign]
    Item.project = _project_lightly  # type: ignore[method-assign]
    setattr(responses, "dynamo_to_dict", to_dict)  # noqa: B010 - it is imported there


def _make_value(self: DynamoType, type_as_dict: DynamoType | dict[str, Any]) -> None:
    if type(type_as_dict) is DynamoType:
        kind, value = type_as_dict.type, type_as_dict.value
    else:
        kind, value = next(iter(type_as_dict.items()))  # type: ignore[union-attr]
    if kind == "L":
        value = [DynamoType(each) for each in value]
    elif kind == "M":
        value = {name: DynamoType(each) for name, each in value.items()}
    self.type, self.value = kind, value


def _hash(self: DynamoType) -> int:
    return hash((self.type, self.cast_value))


def _equal(self: DynamoType, other: DynamoType) -> bool:
    return self.type == other.type and bool(self.cast_value == other.cast_value)


def _cast_lightly(self: DynamoType) -> Any:  # noqa: ANN401 - moto's own
    return self.value if self.type in _PLAIN else _cast(self)


def value_bytes(self: DynamoType) -> int:
    """Returns a value's size in bytes as moto counts it."""
    value = self.value
    match self.type:
        case "L":
            return sum(map(value_bytes, value))
        case "M":
            return sum(_text_bytes(name) + value_bytes(each) for name, each in value.items())
        case "SS" | "BS":
            return sum(map(_text_bytes, value))
        case "NS":
            return sum(len(str(each)) for each in value)
        case "N":
            return len(str(value))
    return 1 if isinstance(value, bool) else _text_bytes(value)


def _text_bytes(text: str | bytes) -> int:
    return len(text) if isinstance(text, bytes) or text.isascii() else len(text.encode())


def _make_item(
    self: Item, hash_key: DynamoType, range_key: DynamoType | None, attrs: dict[str, Any]
) -> None:
    self.hash_key, self.range_key = hash_key, range_key
    _set_attributes(self, {name: DynamoType(value) for name, value in attrs.items()})


def new_item(
    hash_key: DynamoType, range_key: DynamoType | None, attributes: dict[str, DynamoType]
) -> Item:
    """Returns a row with these very attributes, not copies. Raises ItemSizeTooLarge."""
    item = cast("Item", Item.__new__(Item))
    item.hash_key, item.range_key = hash_key, range_key
    _set_attributes(item, attributes)
    return item


def _set_attributes(item: Item, attributes: dict[str, DynamoType]) -> None:
    item.attrs = LimitedSizeDict.__new__(LimitedSizeDict)
    dict.update(item.attrs, attributes)
    if item_bytes(item) > ITEM_BYTES:
        raise ItemSizeTooLarge


def item_bytes(self: Item) -> int:
    """Returns a row's size in bytes as moto counts it: its names and its values."""
    attributes: dict[str, Any] = self.__dict__
    if "bytes" not in attributes:
        attributes["bytes"] = sum(_text_bytes(n) + value_bytes(v) for n, v in self.attrs.items())
    return int(attributes["bytes"])


def _project_lightly(self: Item, projection_expressions: list[list[str]]) -> Item:
    if any(len(path) > 1 or "[" in path[0] for path in projection_expressions):
        return _project(self, projection_expressions)
    projected = {name: self.attrs[name] for (name,) in projection_expressions if name in self.attrs}
    return new_item(self.hash_key, self.range_key, projected)


def to_dict(value: Any) -> Any:  # noqa: ANN401 - moto's own shapes
    """Returns a result as plain values, binaries as bytes, sharing no object with moto."""
    match value:
        case DynamoType():
            return {value.type: _plain(value.type, value.value)}
        case dict():
            return {name: to_dict(each) for name, each in value.items()}
        case list():
            return [to_dict(each) for each in value]
        case datetime():
            return as_sent(value)
    return _to_dict(value)


def as_sent(moment: datetime) -> datetime:
    """Returns a moment as AWS sends it, to the millisecond; moto's are UTC without a zone."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=UTC)


def _plain(kind: str, value: Any) -> Any:  # noqa: ANN401 - moto's own shapes
    match kind:
        case "S" | "BOOL" | "NULL":
            return value
        case "N":
            return str(value)
        case "B":
            return value if isinstance(value, bytes) else b64decode(value)
        case "BS":
            return [each if isinstance(each, bytes) else b64decode(each) for each in value]
        case "M":
            return {name: to_dict(each) for name, each in value.items()}
    return [to_dict(each) for each in value]

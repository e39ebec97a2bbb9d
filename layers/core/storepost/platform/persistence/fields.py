"""The attributes of a model, looked up once for all its rows.

PynamoDB looks each of them up whenever a row is made, read or written; that was a third of the time
for an order of a batch. Rows are declared as usual with PynamoDB. The values here are exactly those
that PynamoDB makes; a model with other kinds of attributes is left to PynamoDB.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pynamodb.attributes import (
    Attribute,
    DiscriminatorAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    TTLAttribute,
    VersionAttribute,
)
from pynamodb.exceptions import AttributeNullError
from pynamodb.expressions.condition import Condition
from pynamodb.models import Model

from storepost.platform.persistence.records import Record

type _Raw = dict[str, dict[str, Any]]
"""A row in DynamoDB's notation."""

_NULL = "NULL"
_CHECKED = (DiscriminatorAttribute, TTLAttribute, VersionAttribute)
"""Attributes that convert or check the values that they are set to."""


class Fields:
    """The attributes of one model."""

    def __init__(self, model: type[Model]) -> None:
        """Looks up the model's attributes."""
        attributes = model.get_attributes()
        self._table = model.Meta.table_name
        self._names = frozenset(attributes)
        self._stored_names = frozenset(each.attr_name for each in attributes.values())
        self._checked = frozenset(n for n, a in attributes.items() if isinstance(a, _CHECKED))
        kinds = [n for n, a in attributes.items() if isinstance(a, DiscriminatorAttribute)]
        defaults = {n: a.default for n, a in attributes.items() if a.default is not None}
        self._fixed = dict.fromkeys(kinds, model) | {
            n: default for n, default in defaults.items() if not callable(default)
        }
        self._made = [(n, default) for n, default in defaults.items() if callable(default)]
        self._records = [
            (n, a.attr_name, a) for n, a in attributes.items() if isinstance(a, Record)
        ]
        self._read = [
            (n, a.attr_name, a.get_value, None if isinstance(a, Record) else _own(a, "deserialize"))
            for n, a in attributes.items()
            if n not in kinds
        ]
        self._written = [
            (name, each.attr_name, each.attr_type, _own(each, "serialize"), each.null)
            for name, each in attributes.items()
        ]
        [self._hash] = (name for name, each in attributes.items() if each.is_hash_key)
        [self._range] = (name for name, each in attributes.items() if each.is_range_key)
        versions = [each for each in attributes.items() if isinstance(each[1], VersionAttribute)]
        self._version = versions[0] if versions else None

    def make(self, row: Model, key: tuple[Any, Any], attributes: Mapping[str, Any]) -> None:
        """Sets a new row's attributes; a part of the key that is None stays unset.

        Raises ValueError for an attribute that the model doesn't have.
        """
        own = zip((self._hash, self._range), key, strict=True)
        values = {**attributes, **{name: part for name, part in own if part is not None}}
        if not values.keys() <= self._names:
            unknown = next(name for name in values if name not in self._names)
            raise ValueError(f"Attribute {unknown} specified does not exist")
        row.attribute_values = self._defaults() | values
        for name in self._checked & values.keys():
            setattr(row, name, values[name])

    def read(self, row: Model, raw: Mapping[str, Any]) -> _Raw:
        """Sets a row's attributes from what is stored; returns the stored ones that are unknown.

        Those are attributes of another release, and attributes whose records have its elements.
        """
        values = self._defaults()
        for name, stored_name, get_value, deserialize in self._read:
            typed = raw.get(stored_name)
            if typed and _NULL not in typed:
                value = get_value(typed)
                values[name] = deserialize(value) if deserialize else value
        unknown = self._read_records(values, raw)
        row.attribute_values = values
        if raw.keys() <= self._stored_names:
            return unknown
        return {name: raw[name] for name in raw.keys() - self._stored_names} | unknown

    def _read_records(self, values: dict[str, Any], raw: Mapping[str, Any]) -> _Raw:
        """Reads the texts of records; returns those that have elements of another release."""
        unknown = {}
        for name, stored_name, record in self._records:
            if name in values:
                values[name], has_further = record.read(values[name])
                if has_further:
                    unknown[stored_name] = raw[stored_name]
        return unknown

    def serialize(self, row: Model, *, null_check: bool) -> _Raw:
        """Returns a row in DynamoDB's notation. Raises AttributeNullError for what it lacks."""
        values, raw = row.attribute_values, dict[str, Any]()
        for name, stored_name, stored_type, serialize, may_lack in self._written:
            value = values.get(name)
            if value is not None and serialize:
                value = serialize(value)
            if value is not None:
                raw[stored_name] = {stored_type: value}
            elif null_check and not may_lack:
                raise AttributeNullError(name)
        return raw

    def put(self, row: Model, raw: _Raw, condition: Condition | None) -> dict[str, Any]:
        """Returns the put of a serialized row, as part of a transaction.

        A versioned row is put only over the version that was read, or only where there is no row.
        """
        item = {name: raw[name] for name in (self._hash, self._range)} | raw
        if self._version:
            name, version = self._version
            read = row.attribute_values.get(name)
            same = version.does_not_exist() if read is None else version == read
            condition = same if condition is None else condition & same
            item[version.attr_name] = {version.attr_type: _whole_number((read or 0) + 1)}
        names, values = dict[str, str](), dict[str, Any]()
        put: dict[str, Any] = {"TableName": self._table, "Item": item}
        if condition is not None:
            put["ConditionExpression"] = condition.serialize(names, values)
        if names:
            put["ExpressionAttributeNames"] = {short: name for name, short in names.items()}
        if values:
            put["ExpressionAttributeValues"] = values
        return put

    def _defaults(self) -> dict[str, Any]:
        values = dict(self._fixed)
        for name, make in self._made:
            values[name] = make()
        return values


@cache
def fields_of(model: type[Model]) -> Fields | None:
    """Returns the attributes of a model; None where it is left to PynamoDB.

    That includes the rows of a table without a sort key.
    """
    attributes = model.get_attributes().values()
    has_sort_key = any(each.is_range_key for each in attributes)
    return Fields(model) if has_sort_key and all(map(_is_plain, attributes)) else None


def _is_plain(attribute: Attribute[Any]) -> bool:
    """Returns whether an attribute only converts a value."""
    kind = type(attribute)
    accesses = [kind.__get__, kind.__set__, kind.get_value]
    of_any = [Attribute.__get__, Attribute.__set__, Attribute.get_value]
    is_known = isinstance(attribute, _CHECKED) or accesses == of_any
    is_nested = isinstance(attribute, ListAttribute | MapAttribute)
    return is_known and not is_nested and attribute.default_for_new is None


def _own(attribute: Attribute[Any], method: str) -> Callable[[Any], Any] | None:
    """Returns the attribute's method; None for one that returns the value as it is."""
    of_kind = getattr(type(attribute), method)
    if of_kind is NumberAttribute.serialize:
        return _number
    if of_kind is VersionAttribute.serialize:
        return _whole_number
    return None if of_kind is getattr(Attribute, method) else getattr(attribute, method)


def _number(value: float) -> str:
    """Returns a number as in JSON; a whole one in a tenth of the time."""
    return str(value) if type(value) is int else json.dumps(value)


def _whole_number(value: float) -> str:
    return str(int(value))

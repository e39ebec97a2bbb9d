"""Rows made, read and put by fields that are looked up once equal PynamoDB's."""

import importlib
import json
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pynamodb.attributes import (
    Attribute,
    BinaryAttribute,
    BooleanAttribute,
    JSONAttribute,
    NumberAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    VersionAttribute,
)
from pynamodb.exceptions import AttributeDeserializationError, AttributeNullError
from pynamodb.expressions.condition import Condition

import storepost
from storepost.platform.persistence import row as rows
from storepost.platform.persistence.fields import fields_of
from storepost.platform.persistence.item import KIND, Identifier, Item, UtcDateTimeAttribute
from storepost.platform.persistence.records import Json, Record, Records, RecordsByKey
from storepost.platform.persistence.row import Row
from storepost.platform.persistence.unknown import unknown_attributes
from tests.formats.recorded import RELEASES, rows_of

for _module in pkgutil.walk_packages(storepost.__path__, "storepost."):
    importlib.import_module(_module.name)

MODELS = [cast("type[Item]", model) for model in KIND.known.values() if fields_of(model)]


def recorded_rows() -> Iterator[tuple[type[Item], dict[str, Any]]]:
    """The rows that each release stored of these models."""
    for release in RELEASES:
        for raw in [*rows_of(release, "standing"), *rows_of(release, "passed")]:
            model = cast("type[Item]", KIND.known[raw["kind"]["S"]])
            if model in MODELS:
                yield model, raw


RECORDED = list(recorded_rows())
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
MOMENTS = st.datetimes(
    datetime(1970, 1, 1),  # noqa: DTZ001 - Hypothesis adds the time zone
    datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
VALUES: dict[type[Attribute[Any]], st.SearchStrategy[Any]] = {
    UnicodeAttribute: TEXT,
    Identifier: st.uuids(),
    UtcDateTimeAttribute: MOMENTS,
    BooleanAttribute: st.booleans(),
    NumberAttribute: st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    VersionAttribute: st.integers(1, 10**9),
    TTLAttribute: MOMENTS,
    BinaryAttribute: st.binary(),
    UnicodeSetAttribute: st.sets(TEXT, min_size=1, max_size=1),
    JSONAttribute: JSON.filter(lambda value: value is not None),
    Json: JSON,
}


@contextmanager
def pynamodb_alone() -> Iterator[None]:
    """Lets PynamoDB handle all rows, as it does the few with attributes of other kinds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "fields_of", lambda _model: None)
        yield


def values_of(attribute: Attribute[Any]) -> st.SearchStrategy[Any]:
    """Values that a row may have; records may be of another release."""
    match attribute:
        case Records():
            return st.lists(record_of(attribute), max_size=3)
        case RecordsByKey():
            return st.dictionaries(TEXT, record_of(attribute), max_size=3)
        case Record():
            return record_of(attribute)
    return VALUES.get(type(attribute), st.sampled_from(recorded_values(attribute) or [None]))


def record_of(attribute: Record) -> st.SearchStrategy[Any]:
    width = len(attribute.elements)
    return st.lists(JSON, min_size=max(width - 2, 0), max_size=width + 2)


def recorded_values(attribute: Attribute[Any]) -> list[Any]:
    """The values that recorded rows have in an attribute of a rare kind."""
    name = attribute.attr_name
    return [
        attribute.deserialize(attribute.get_value(raw[name]))
        for model, raw in RECORDED
        if name in raw and any(each is attribute for each in model.get_attributes().values())
    ]


def state(row: Row) -> Any:
    """All that makes a row."""
    return type(row), row.attribute_values, unknown_attributes.of(row.place, type(row))


def ordered(value: Any) -> str:
    """What a request's body says, in its order."""
    return json.dumps(value, default=lambda each: each.hex())


def made(model: type[Item], attributes: dict[str, Any]) -> Item:
    unknown_attributes.clear()
    return model("p", "s", **attributes)


@st.composite
def new_rows(draw: st.DrawFn) -> tuple[type[Item], dict[str, Any]]:
    """A model, and a row's attributes; some have the required ones, some lack one."""
    model = draw(st.sampled_from(MODELS))
    own = {n: a for n, a in model.get_attributes().items() if n not in {"pk", "sk", "kind"}}
    given = {
        name: values_of(each) if isinstance(each, VersionAttribute) else st.none() | values_of(each)
        for name, each in own.items()
    }
    return model, draw(st.fixed_dictionaries({}, optional=given))


CONDITIONS: dict[str, Condition | None] = {
    "none": None,
    "absent": Item.pk.does_not_exist(),
    "two": Item.pk.exists() & (Item.sk != "t"),
}


@given(new=new_rows(), name=st.sampled_from(list(CONDITIONS)))
def test_new_row_equals_pynamodbs(new: tuple[type[Item], dict[str, Any]], name: str) -> None:
    condition = CONDITIONS[name]
    with pynamodb_alone():
        row = made(*new)
        expected = [state(row), row.serialize(null_check=False)]
        put = _or_error(lambda: row.get_save_kwargs_from_instance(condition))
    row = made(*new)
    assert [state(row), row.serialize(null_check=False)] == expected
    assert ordered(_or_error(lambda: row.get_save_kwargs_from_instance(condition))) == ordered(put)


def _or_error(work: Any) -> Any:
    try:
        return work()
    except AttributeNullError as error:
        return str(error)


@given(new=new_rows(), further=st.booleans())
def test_row_is_read_as_by_pynamodb(new: tuple[type[Item], dict[str, Any]], further: bool) -> None:
    raw = made(*new).serialize(null_check=False)
    raw |= {"of_another_release": {"L": [{"N": "1"}]}} if further else {}
    with pynamodb_alone():
        row = Item.from_raw_data(raw)
        expected = [state(row), row.serialize(null_check=False)]
    unknown_attributes.clear()
    row = Item.from_raw_data(raw)
    assert [state(row), row.serialize(null_check=False)] == expected


def test_rows_of_earlier_releases_are_read_and_put_as_by_pynamodb() -> None:
    def read_and_put() -> list[Any]:
        unknown_attributes.clear()
        read = [Item.from_raw_data(raw) for _, raw in RECORDED]
        return [(state(row), ordered(row.get_save_kwargs_from_instance())) for row in read]

    with pynamodb_alone():
        expected = read_and_put()
    assert read_and_put() == expected


def test_all_models_but_one_have_cached_fields() -> None:
    own = [each for each in KIND.known.values() if each.__module__.startswith("storepost.")]
    assert [each.__name__ for each in own if not fields_of(each)] == ["ConsentChangeItem"]


def test_unknown_attribute_is_refused() -> None:
    with pytest.raises(ValueError, match="Attribute other specified does not exist"):
        made(MODELS[0], {"other": 1})


def test_value_of_another_type_is_a_deserialization_error() -> None:
    raw = {"pk": {"S": "p"}, "sk": {"S": "s"}, "kind": {"S": "identity"}, "id": {"N": "1"}}
    with pytest.raises(AttributeDeserializationError, match="id"):
        Item.from_raw_data(raw)


def test_null_attribute_is_read_as_absent() -> None:
    raw = {"pk": {"S": "p"}, "sk": {"S": "s"}, "kind": {"S": "identity"}, "id": {"NULL": True}}
    row = Item.from_raw_data(cast("Any", raw))
    assert cast("Any", row).id is None
    assert row.serialize(null_check=False).keys() == {"pk", "sk", "kind"}

"""Rows that are serialized without PynamoDB equal those that PynamoDB would write."""

from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pynamodb.attributes import BinaryAttribute, BooleanAttribute, NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find_raw,
)
from storepost.platform.persistence.loads.serializing import RowSerializer
from storepost.platform.persistence.records import Record
from storepost.platform.persistence.write_marks import MarkedItem, WriteMark, marking
from tests.harness.world import World


class LoadedPlainItem(Item, discriminator="loaded_plain_of_a_test"):
    """A row without a version."""

    text = UnicodeAttribute(attr_name="t")
    done = NumberAttribute(default=0)


class LoadedItem(VersionedItem, MarkedItem, discriminator="loaded_of_a_test"):
    """A row with an attribute of each type."""

    id = Identifier()
    text = UnicodeAttribute(attr_name="t")
    colour = UnicodeAttribute()
    at = UtcDateTimeAttribute(null=True)
    number = NumberAttribute(null=True)
    truth = BooleanAttribute(null=True)
    content = BinaryAttribute(legacy_encoding=False, null=True)
    sum = Record("amount", "currency", null=True)


moments = st.datetimes(
    datetime(1970, 1, 1),  # noqa: DTZ001 - Hypothesis adds the time zone
    timezones=st.just(UTC),
)
values = st.fixed_dictionaries(
    {
        "id": st.uuids(),
        "text": st.text(st.characters(exclude_categories=["Cs"])),
        "colour": st.sampled_from([WriteMark.UPKEEP, "blue"]),
    },
    optional={
        "at": st.none() | moments,
        "number": st.none() | st.integers(-(10**30), 10**30),
        "truth": st.none() | st.booleans(),
        "content": st.none() | st.binary(min_size=1),
        "sum": st.none() | st.tuples(st.integers(), st.sampled_from(["EUR", "JPY"])).map(list),
    },
)
keys = st.tuples(st.text(min_size=1), st.text(min_size=1))


def by_pynamodb(model: type[Item], key: Key, attributes: dict[str, Any]) -> Any:
    row = cast("Any", model)(*key, **attributes)
    serialized = row.serialize()
    return {**serialized, "version": {"N": "1"}} if isinstance(row, VersionedItem) else serialized


@given(key=keys, attributes=values)
def test_row_equals_pynamodbs(key: Key, attributes: dict[str, Any]) -> None:
    row = RowSerializer(LoadedItem).row(key, attributes)
    assert row == by_pynamodb(LoadedItem, key, attributes)


@given(key=keys, text=st.text(min_size=1), done=st.none() | st.integers(0, 9))
def test_defaults_are_written_as_pynamodb_writes_them(
    key: Key, text: str, done: int | None
) -> None:
    attributes = {"text": text} | ({} if done is None else {"done": done})
    row = RowSerializer(LoadedPlainItem).row(key, attributes)
    assert row == by_pynamodb(LoadedPlainItem, key, attributes)


@pytest.mark.parametrize("mark", [None, *WriteMark])
def test_row_equals_the_one_that_a_transaction_stores(world: World, mark: WriteMark | None) -> None:
    key = (f"load#{uuid4()}", "s")
    attributes: dict[str, Any] = {
        "id": uuid4(),
        "text": "ä",
        "colour": "red",
        "number": 7,
        "sum": [1, "EUR"],
    }

    def write() -> Any:
        changes = Changes()
        changes.create(LoadedItem(*key, **attributes))
        changes.commit()
        return RowSerializer(LoadedItem).row(key, attributes)

    if mark is None:
        row = write()
    else:
        with marking(mark):
            row = write()
    assert find_raw([key]) == {key: row}
    assert row.get("written_by") == ({"S": mark.value} if mark else None)


def test_serialized_row_equals_the_recorded_one() -> None:
    """The recorded form, so that a change of it is noticed."""
    attributes = {
        "id": "i",
        "text": "ä",
        "colour": WriteMark.UPKEEP,
        "truth": False,
        "content": b"\x00",
    }
    assert RowSerializer(LoadedItem).row(("p", "s"), attributes) == {
        "pk": {"S": "p"},
        "sk": {"S": "s"},
        "kind": {"S": "loaded_of_a_test"},
        "version": {"N": "1"},
        "id": {"S": "i"},
        "t": {"S": "ä"},
        "colour": {"S": "upkeep"},
        "truth": {"BOOL": False},
        "content": {"B": b"\x00"},
    }


@pytest.mark.parametrize(
    ("attributes", "error"),
    [
        ({"id": "i", "text": "t"}, ValueError),
        ({"id": "i", "text": "t", "colour": None}, ValueError),
        ({"id": "i", "text": "t", "colour": "r", "other": 1}, KeyError),
    ],
)
def test_missing_or_unknown_attribute_is_an_error(
    attributes: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"colour|other"):
        RowSerializer(LoadedItem).row(("p", "s"), attributes)

"""Records that rows keep as arrays: open at their end for the elements of a later release."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.platform.persistence.item import Item, find
from storepost.platform.persistence.records import Record, Records, RecordsByKey
from storepost.platform.persistence.unknown import unknown_attributes
from tests.formats.raw import put_raw, raw_row
from tests.harness.world import World

KEY = ("records", "one")


class RecordsItem(Item, discriminator="records_of_a_test"):
    """A row with each kind of them."""

    amounts = Record("amount", "currency", defaults={"currency": "EUR"})
    lines = Records("sku", "title", "quantity", named_by=["sku"])
    links = RecordsByKey("customers", "orders", attr_name="l", null=True)


def stored(**values: Any) -> dict[str, Any]:
    """A row of any release."""
    row: dict[str, Any] = {"pk": {"S": KEY[0]}, "sk": {"S": KEY[1]}}
    row["kind"] = {"S": "records_of_a_test"}
    return row | {name: {"S": json.dumps(value)} for name, value in values.items()}


def saved(**values: Any) -> dict[str, Any]:
    """The row after a repository has read it, made it anew, and put it."""
    assert find(RecordsItem, KEY) is not None
    RecordsItem(*KEY, **values).save()
    row = raw_row(KEY) or {}
    return {name: json.loads(row[name]["S"]) for name in row.keys() & {"amounts", "lines", "l"}}


def test_unknown_elements_are_ignored_and_missing_ones_defaulted(world: World) -> None:
    put_raw(stored(amounts=[5], lines=[["a", "A", 1, "more"], ["b", "B"]], l={"s": [1, 2, 3]}))
    row = find(RecordsItem, KEY)
    assert row is not None
    assert row.amounts == [5, "EUR"]
    assert row.lines == [["a", "A", 1], ["b", "B", None]]
    assert row.links == {"s": [1, 2]}


def test_save_preserves_unknown_elements_of_each_record(world: World) -> None:
    lines = [["a", "A", 1, {"x": 1}], ["b", "B", 2], ["a", "A", 3, "second"]]
    put_raw(stored(amounts=[5, "BGN", "net"], lines=lines, l={"s": [1, 2, 3], "t": [1, 2]}))
    after = saved(
        amounts=[6, "BGN"],
        lines=[["c", "C", 9], ["a", "changed", 4], ["a", "A", 3]],
        links={"t": [1, 3], "s": [7, 7], "u": [0, 0]},
    )
    assert after["amounts"] == [6, "BGN", "net"]
    assert after["lines"] == [["c", "C", 9], ["a", "changed", 4, {"x": 1}], ["a", "A", 3, "second"]]
    assert after["l"] == {"t": [1, 3], "s": [7, 7, 3], "u": [0, 0]}


def test_removed_record_is_removed_with_unknown_elements(world: World) -> None:
    put_raw(stored(amounts=[5, "BGN", "net"], lines=[], l={"s": [1, 2, 3]}))
    assert saved(amounts=[6, "BGN"], lines=[]) == {"amounts": [6, "BGN", "net"], "lines": []}


def test_update_preserves_unknown_elements(world: World) -> None:
    put_raw(stored(amounts=[5, "BGN", "net"], lines=[["a", "A", 1, "more"]]))
    assert find(RecordsItem, KEY) is not None
    row = RecordsItem(*KEY)
    assert row.with_further(RecordsItem.amounts, [7, "BGN"]) == [7, "BGN", "net"]
    assert row.with_further(RecordsItem.lines, [["a", "B", 2]]) == [["a", "B", 2, "more"]]
    unknown_attributes.clear()
    assert row.with_further(RecordsItem.amounts, [7, "BGN"]) == [7, "BGN"]


@pytest.mark.parametrize("shorter", [["a"], []])
def test_stored_record_shorter_than_the_key_fields_is_accepted(
    world: World, shorter: list[str]
) -> None:
    put_raw(stored(amounts=[5, "BGN"], lines=[shorter, ["b", "B", 1, "more"]]))
    assert saved(amounts=[5, "BGN"], lines=[["b", "B", 2]])["lines"] == [["b", "B", 2, "more"]]


ANY = st.none() | st.integers() | st.text(max_size=3)


@given(st.lists(st.lists(ANY, min_size=2, max_size=5), max_size=4))
def test_save_without_changes_round_trips(lines: list[list[Any]]) -> None:
    attribute = Records("sku", "title", named_by=["sku"])
    before = json.dumps(lines)
    known = attribute.deserialize(before)
    assert [len(each) for each in known] == [2] * len(lines)
    assert json.loads(attribute.with_further(attribute.serialize(known), before)) == lines
    assert attribute.has_further(before) is any(len(each) > 2 for each in lines)

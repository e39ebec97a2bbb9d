"""Our lighter expressions, updates, queries and rows against moto's own."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moto.dynamodb.comparisons import ConditionExpressionParser, get_filter_expression
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import StreamShard, Table
from moto.dynamodb.parsing.expressions import (  # type: ignore[attr-defined]
    UpdateExpressionParser,
)

from local.aws import moto_expressions, moto_items, moto_queries, moto_streams, moto_updates
from tests.local.test_moto_transactions import LISTS, backend, state

KEY = {"pk": {"S": "a"}, "sk": {"S": "x"}}
UPDATES = [
    "SET v = :v",
    "SET v = :v, w = :n",
    "SET #v = :v REMOVE #w",
    "SET v = :v REMOVE w ADD n :n",
    "ADD n :n",
    "ADD n :n, #w :n",
    "ADD tags :tags",
    "DELETE tags :tags",
    "REMOVE v, w",
    "SET v = if_not_exists(v, :v)",
    "SET #v = if_not_exists(#v, :v), #w = if_not_exists(w, :n)",
    "SET v = if_not_exists(w, :v), w = :n",
    "SET v = if_not_exists(v, :absent)",
    "SET n = if_not_exists(n, :n) + :n",
    "SET n = n + :n",
    "SET l = list_append(l, :l)",
    "SET m.a = :v",
    "SET m.#v = :v REMOVE m.b",
    "REMOVE l[0]",
    # Both refuse these: a key, a reserved word, a name twice, no value, another type, no name.
    "SET sk = :v",
    "SET size = :v",
    "SET v = :v, v = :n",
    "SET v = :absent",
    "ADD n :v",
    "ADD v :n",
    "SET #absent = :v",
    "SET v = :v SET w = :n",
    "SET m.a.b.c = :v",
    "NO v",
]
CONDITIONS = [
    None,
    "attribute_exists(v)",
    "attribute_not_exists(#w)",
    "v = :v",
    "n < :n AND NOT v = :v",
    "(attribute_exists(v) OR attribute_exists(w)) AND n >= :n",
    "n BETWEEN :n AND :n",
    "v IN (:v, :n)",
    "contains(tags, :v) OR begins_with(v, :v) OR attribute_type(v, :v)",
    "size(l) > :n",
    "m.a = :v AND m.#v <> :n",
    "((v = :v))",
    "v = :absent",
    "#absent = :v",
    "v ==",
]
SCALARS = st.sampled_from(
    [
        {"N": "1"},
        {"N": "-2.5"},
        {"S": "text"},
        {"S": "N"},
        {"S": ""},
        {"BOOL": True},
        {"B": b"\xff"},
    ]
)
VALUES = st.one_of(
    SCALARS,
    st.just({"NULL": True}),
    st.just({"SS": ["a", "b"]}),
    st.lists(SCALARS, max_size=2).map(lambda values: {"L": values}),
    st.dictionaries(st.sampled_from("abv"), SCALARS, max_size=2).map(lambda fields: {"M": fields}),
)
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "v": VALUES,
        "w": VALUES,
        "n": st.sampled_from([{"N": "1"}, {"N": "0.5"}]),
        "tags": st.just({"SS": ["a", "c"]}),
        "l": st.just({"L": [{"S": "first"}, {"M": {"a": {"N": "1"}}}]}),
        "m": st.just({"M": {"a": {"S": "deep"}, "b": {"N": "1"}}}),
    },
)


def outcome(call: Any) -> object:
    """The result, or the error; an item as JSON."""
    try:
        answer = call()
    except Exception as error:
        return type(error), str(error)
    return answer.to_json() if isinstance(answer, Item) else answer


def request(update: str, condition: str | None, value: Any) -> dict[str, Any]:
    """An update's parameters, as moto's backend takes them."""
    return {
        "update_expression": update,
        "condition_expression": condition,
        "expression_attribute_names": {"#v": "v", "#w": "w"},
        "expression_attribute_values": {
            ":v": value,
            ":n": {"N": "2"},
            ":l": {"L": [value]},
            ":tags": {"SS": ["c", "d"]},
        },
        "return_values_on_condition_check_failure": "ALL_OLD",
    }


@contextmanager
def as_moto_has_it() -> Iterator[None]:
    """Uses moto's own parsers, rows and reads inside the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConditionExpressionParser, "parse", moto_expressions._parse)
        patch.setattr(UpdateExpressionParser, "make", moto_expressions._make)
        patch.setattr(Item, "__init__", moto_items.make_item_by_moto)
        patch.setattr(Item, "size", moto_items.size_by_moto)
        patch.setattr(DynamoType, "size", moto_items.value_size_by_moto)
        patch.setattr(StreamShard, "add", moto_streams.add_by_moto)
        patch.setattr(Table, "query", moto_queries._query_by_moto)
        patch.setattr(Table, "scan", moto_queries._scan_by_moto)
        patch.setattr(Table, "all_items", moto_queries._all_items_by_moto)
        yield


def once_per_record(of: dict[str, Any]) -> dict[str, Any]:
    """moto's state, without the half-made row that its stream shows when an update creates one."""
    records = of["stream"]
    if len(records) == 2 and records[0]["dynamodb"]["NewImage"] == KEY:
        half = records.pop(0)["dynamodb"]
        records[0]["dynamodb"]["SequenceNumber"] = half["SequenceNumber"]
    return of


@settings(max_examples=300)
@given(
    row=st.none() | ROWS,
    update=st.sampled_from(UPDATES),
    condition=st.sampled_from(CONDITIONS),
    value=VALUES,
)
def test_update_equals_motos(
    row: dict[str, Any] | None, update: str, condition: str | None, value: Any
) -> None:
    patched, original = backend(), backend()
    arguments = request(update, condition, value)
    for each in (patched, original):
        if row is not None:
            each.put_item(LISTS, {**KEY, **deepcopy(row)})
            each.tables[LISTS].stream_shard.items.clear()  # type: ignore[union-attr]
    before = state(patched)
    answer = outcome(lambda: patched.update_item(LISTS, KEY, **arguments))
    with as_moto_has_it():
        expected = outcome(lambda: moto_updates._original(original, LISTS, KEY, **arguments))
        seen = once_per_record(state(original))
    assert answer == expected
    # moto's own may leave half of a failed update behind, or a row with only its key.
    assert state(patched) == (seen if isinstance(expected, dict) else before)


@settings(max_examples=200)
@given(
    rows=st.lists(ROWS, min_size=1, max_size=2),
    condition=st.sampled_from(CONDITIONS),
    values=st.lists(VALUES, min_size=1, max_size=3),
)
def test_cached_condition_equals_motos_for_any_values(
    rows: list[dict[str, Any]], condition: str | None, values: list[Any]
) -> None:
    """The condition is parsed once, and its values differ each time."""
    items = [Item(DynamoType({"S": "a"}), None, row) for row in rows]

    def ask() -> list[object]:
        names = {"#v": "v", "#w": "w"}
        parsed: list[Any] = [
            outcome(lambda v=value: get_filter_expression(condition, names, {":v": v, ":n": N}))
            for value in values
        ]
        # All are parsed before any is evaluated.
        return [
            outcome(lambda p=each, i=item: p.expr(i)) if hasattr(each, "expr") else each
            for each in parsed
            for item in [*items, None]
        ]

    patched = ask()
    with as_moto_has_it():
        assert patched == ask()


N = {"N": "2"}


@settings(max_examples=200)
@given(row=ROWS, hidden=VALUES)
def test_row_size_and_projection_equal_motos(row: dict[str, Any], hidden: Any) -> None:
    row = {**row, "grüße": hidden}
    patched = Item(DynamoType({"S": "a"}), None, row)
    with as_moto_has_it():
        original = Item(DynamoType({"S": "a"}), None, row)
        size = original.size()
    assert patched.size() == size
    assert patched.attrs == original.attrs
    assert patched.to_json() == original.to_json()
    assert moto_items.to_dict(patched.attrs) == moto_items._to_dict(original.attrs)
    for path in ([["v"]], [["grüße"], ["absent"]], [["m", "a"]]):
        assert patched.project(path).attrs == moto_items._project(original, path).attrs


def test_row_size_limit_equals_motos() -> None:
    def made(size: int) -> object:
        return outcome(lambda: Item(DynamoType({"S": "a"}), None, {"v": {"S": "x" * size}}).size())

    sizes = (moto_items.ITEM_BYTES - 1, moto_items.ITEM_BYTES)
    patched = [made(size) for size in sizes]
    with as_moto_has_it():
        assert patched == [made(size) for size in sizes]
    assert patched[0] == moto_items.ITEM_BYTES
    assert patched[1] != moto_items.ITEM_BYTES + 1


@settings(max_examples=200)
@given(
    keys=st.sets(st.sampled_from(["a", "a#b", "ab", "ä", "b", "\uffee", "\U0001f600"])),
    forward=st.booleans(),
    limit=st.none() | st.integers(1, 4),
    start=st.none() | st.sampled_from(["a", "aa", "b"]),
    comparison=st.sampled_from([None, "=", "<", ">=", "BEGINS_WITH", "BETWEEN"]),
    condition=st.sampled_from([None, "n = :n"]),
    projection=st.sampled_from([[], [["sk"], ["n"]]]),
)
def test_query_and_scan_pages_equal_motos(
    keys: set[str],
    forward: bool,
    limit: int | None,
    start: str | None,
    comparison: str | None,
    condition: str | None,
    projection: list[list[str]],
) -> None:
    bounds = [{"S": "a"}, {"S": "b"}][: 2 if comparison == "BETWEEN" else 1 if comparison else 0]
    begin = {"pk": {"S": "a"}, "sk": {"S": start}} if start else None
    whole, in_range = backend(), backend()
    for number, key in enumerate(sorted(keys)):
        for partition in "ab":
            row = {"pk": {"S": partition}, "sk": {"S": key}, "n": {"N": str(number % 3)}}
            whole.put_item(LISTS, row)
            if IN_RANGE[comparison](key):
                in_range.put_item(LISTS, row)

    def query(made: DynamoDBBackend) -> object:
        return shown(
            made.query(
                LISTS,
                {"S": "a"},
                comparison,
                bounds,
                limit,  # type: ignore[arg-type]
                begin,  # type: ignore[arg-type]
                forward,
                projection,
                expr_values={":n": {"N": "1"}},
                filter_expression=condition,
            )
        )

    def scan() -> object:
        return shown(
            whole.scan(
                LISTS,
                {},
                limit,  # type: ignore[arg-type]
                begin,  # type: ignore[arg-type]
                condition,
                {},
                {":n": {"N": "1"}},
                None,  # type: ignore[arg-type]
                consistent_read=True,
                projection_expression=projection,
                segments=(None, None),
            )
        )

    queried, scanned = query(whole), scan()
    with as_moto_has_it():
        assert scanned == scan()
        # moto itself looks for a page's end among rows outside of the range.
        assert queried == query(in_range)


IN_RANGE: dict[str | None, Callable[[str], bool]] = {
    None: lambda _: True,
    "=": lambda key: key == "a",
    "<": lambda key: key < "a",
    ">=": lambda key: key >= "a",
    "BEGINS_WITH": lambda key: key.startswith("a"),
    "BETWEEN": lambda key: "a" <= key <= "b",
}


def shown(page: moto_queries.Page) -> object:
    """A page as JSON."""
    items, count, last = page
    return [item.to_json() for item in items], count, moto_items.to_dict(last)


def test_stored_row_is_immutable() -> None:
    """Snapshots, streams and answers keep references to it."""
    made = backend()
    deep = {"m": {"M": {"a": {"S": "old"}}}, "tags": {"SS": ["a"]}, "n": {"N": "1"}}
    made.put_item(LISTS, {**KEY, **deep})
    stored = made.get_item(LISTS, KEY)
    assert stored is not None
    for update in UPDATES:
        outcome(lambda u=update: made.update_item(LISTS, KEY, **request(u, None, {"S": "new"})))
    assert made.get_item(LISTS, KEY) is not stored
    assert stored.to_json() == {"Attributes": {**KEY, **deep}}
    shard = made.tables[LISTS].stream_shard
    assert shard is not None
    assert shard.items[0].to_json()["dynamodb"]["NewImage"] == {**KEY, **deep}


def test_common_updates_do_not_fall_back_to_moto(monkeypatch: pytest.MonkeyPatch) -> None:
    made = backend()

    def refuse(*_: object) -> None:
        raise AssertionError("moto carried it out")

    monkeypatch.setattr(moto_updates, "_by_moto", refuse)
    for update in UPDATES[:6]:
        made.update_item(LISTS, KEY, **request(update, None, {"N": "1"}))


def test_failed_update_leaves_no_partial_row() -> None:
    made = backend()
    before = state(made)
    failed = outcome(lambda: made.update_item(LISTS, KEY, **request("ADD n :v", None, {"S": "a"})))
    assert not isinstance(failed, dict)
    assert state(made) == before


def test_moto_signatures_are_as_expected() -> None:
    assert DynamoDBBackend.update_item is moto_updates._update
    assert list(inspect.signature(moto_updates._original).parameters) == [
        "self",
        "table_name",
        "key",
        "update_expression",
        "expression_attribute_names",
        "expression_attribute_values",
        "attribute_updates",
        "expected",
        "condition_expression",
        "return_values_on_condition_check_failure",
    ]

"""Speeds up moto's queries and scans, which sort, measure and copy the whole table for each.

A query here gets only the items of its partition and range, already in order, and returns the rows
without a copy, as they are immutable (`moto_updates`). It refuses a range that ends before it
begins, as DynamoDB does.
"""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import RESULT_SIZE_LIMIT, Table

from local.aws.moto_arguments import arguments_of

type Page = tuple[list[Item], int, dict[str, Any] | None]
"""The rows, the scanned count, and the last evaluated key."""

_query_by_moto = Table.query
_scan_by_moto = Table.scan
_all_items_by_moto = Table.all_items
_of_query, _of_scan = arguments_of(_query_by_moto), arguments_of(_scan_by_moto)
_PARAMETERS_OF_QUERY = inspect.signature(_query_by_moto).parameters.keys() - {"filter_kwargs"}


def install() -> None:
    """Replaces moto's queries and scans by the faster ones."""
    Table.query = _query  # type: ignore[method-assign]
    Table.scan = _scan  # type: ignore[method-assign]
    Table.all_items = _all_items  # type: ignore[method-assign]


def _query(self: Table, *args: Any, **kwargs: Any) -> Page:  # noqa: ANN401 - moto's own shapes
    arguments = _of_query(args, kwargs)
    unusual = arguments["index_name"] or arguments.keys() - _PARAMETERS_OF_QUERY
    if unusual or self.range_key_attr is None:
        return _query_by_moto(self, *args, **kwargs)
    items = _in_range(self, arguments)
    forward, start = arguments["scan_index_forward"] is not False, arguments["exclusive_start_key"]
    if not forward:
        items.reverse()
    if start is not None:
        last = DynamoType(start[self.range_key_attr]).cast_value
        items = [i for i in items if _key(i) != last and (_key(i) > last) is forward]
    return _page(self, items, arguments, arguments["projection_expressions"])


def _in_range(table: Table, arguments: Mapping[str, Any]) -> list[Item]:
    items: Iterable[Item] = table.items.get(arguments["hash_key"], {}).values()
    comparison, bounds = arguments["range_comparison"], arguments["range_objs"]
    if comparison == "BETWEEN" and bounds[0] > bounds[1]:
        raise MockValidationException("BETWEEN needs a lower bound that is not above the upper one")
    if comparison:
        items = [i for i in items if i.range_key and i.range_key.compare(comparison, bounds)]
    return sorted(items, key=_key)


def _scan(self: Table, *args: Any, **kwargs: Any) -> Page:  # noqa: ANN401 - moto's own shapes
    arguments = _of_scan(args, kwargs)
    unusual = ("filters", "index_name", "exclusive_start_key")
    if any(arguments[name] for name in unusual) or arguments["segments"] != (None, None):
        return _scan_by_moto(self, *args, **kwargs)
    return _page(self, self.all_items(), arguments, arguments["projection_expression"])


def _page(
    table: Table,
    items: list[Item],
    arguments: Mapping[str, Any],
    projection: list[list[str]] | None,
) -> Page:
    end = _end(items, arguments["limit"])
    page, condition = items[:end], arguments["filter_expression"]
    last = table._get_last_evaluated_key(page[-1], None) if end < len(items) else None
    if condition is not None:
        page = [item for item in page if condition.expr(item)]
    if projection:
        page = [item.project(projection) for item in page]
    return page, end, last


def _end(items: list[Item], limit: int | None) -> int:
    """Returns how many of the rows fit into a page."""
    room = RESULT_SIZE_LIMIT
    for number, item in enumerate(items):
        room -= item.size()
        if number == limit or room < 0:
            return number
    return len(items)


def _all_items(self: Table) -> list[Item]:
    if self.range_key_attr is None:
        return sorted(self.items.values(), key=lambda item: item.hash_key.cast_value)  # type: ignore[arg-type]
    return [
        item
        for _, partition in sorted(self.items.items(), key=lambda each: each[0].cast_value)
        for item in sorted(partition.values(), key=_key)
    ]


def _key(item: Item) -> Any:  # noqa: ANN401 - a text, a number or bytes
    assert item.range_key is not None  # noqa: S101 - the table has sort keys
    return item.range_key.cast_value

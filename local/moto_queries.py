"""moto's queries, without sorting the whole table for each of them.

moto sorts every item that a table holds, keeps those of the partition and then looks at each. Here
it is given the items of the partition and the range alone, already in order. A range that ends
before it begins is refused, as DynamoDB does.
"""

import inspect
from typing import Any

from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import Table

_original = Table.query
_parameters = inspect.signature(_original)


def install() -> None:
    """Puts the lighter query in moto's place."""
    Table.query = _query  # type: ignore[method-assign]


def _query(self: Table, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - moto's own shapes
    asked = _parameters.bind(self, *args, **kwargs)
    asked.apply_defaults()
    if asked.arguments["index_name"]:
        return _original(self, *args, **kwargs)
    items = _in_range(self, asked.arguments)
    self.all_items = lambda: items  # type: ignore[method-assign]
    try:
        return _original(self, *args, **kwargs)
    finally:
        del self.all_items


def _in_range(table: Table, asked: dict[str, Any]) -> list[Item]:
    partition = table.items.get(asked["hash_key"], {})
    items = [item for item in partition.values() if isinstance(item, Item)]
    comparison, bounds = asked["range_comparison"], asked["range_objs"]
    if comparison == "BETWEEN" and bounds[0] > bounds[1]:
        raise MockValidationException("BETWEEN needs a lower bound that is not above the upper one")
    if comparison:
        items = [i for i in items if i.range_key and i.range_key.compare(comparison, bounds)]
    return sorted(items, key=lambda item: item.range_key.value if item.range_key else "")

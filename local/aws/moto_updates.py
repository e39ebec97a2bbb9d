"""Speeds up moto's updates, which copy the row four times and walk the expression ten times.

A row in a table is immutable: an update replaces it by another one. Updates that set, remove or add
to attributes by given values, or use `if_not_exists` with a value, are carried out here; nearly all
of the service's are such. moto itself carries out all others, on a copy, and reports every error.

When an update creates a row, moto itself first adds a stream record of a row with only its key.
DynamoDB's stream has one record, of the complete new row.
"""

import copy
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from moto.dynamodb.comparisons import get_filter_expression
from moto.dynamodb.exceptions import (
    ConditionalCheckFailed,
    ItemSizeTooLarge,
    ItemSizeToUpdateTooLarge,
)
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing import ast_nodes
from moto.dynamodb.parsing.ast_nodes import (  # type: ignore[attr-defined]
    ExpressionAttribute,
    ExpressionAttributeName,
    ExpressionAttributeValue,
    UpdateExpressionFunction,
    UpdateExpressionValue,
)
from moto.dynamodb.parsing.expressions import (  # type: ignore[attr-defined]
    UpdateExpressionParser,
)
from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords

from local.aws.moto_arguments import arguments_of
from local.aws.moto_expressions import MAX_EXPRESSIONS
from local.aws.moto_items import new_item

_original = DynamoDBBackend.update_item
_parameters = arguments_of(_original)

nodes: Any = ast_nodes
_CLAUSES = (
    nodes.UpdateExpressionSetClause,
    nodes.UpdateExpressionRemoveClause,
    nodes.UpdateExpressionAddClause,
)
_VERBS = {
    nodes.UpdateExpressionSetAction: "SET",
    nodes.UpdateExpressionRemoveAction: "REMOVE",
    nodes.UpdateExpressionAddAction: "ADD",
}
DELETE = nodes.UpdateExpressionDeleteAction

type Action = tuple[str, str, str]
"""The verb, the attribute, and the name of its expression value."""


def install() -> None:
    """Replaces moto's update by the faster one."""
    DynamoDBBackend.update_item = _update  # type: ignore[method-assign]


def _update(self: DynamoDBBackend, *args: Any, **kwargs: Any) -> Item:  # noqa: ANN401 - moto's own
    arguments = _parameters(args, kwargs)
    table = self.get_table(arguments["table_name"])
    hash_key, range_key = self.get_keys_value(table, arguments["key"])
    old = table.get_item(hash_key, range_key)
    changed = _changed(table, arguments, old)
    if changed is None:
        return _by_moto(
            table, (hash_key, range_key), old, partial(_original, self, *args, **kwargs)
        )
    try:
        new = new_item(hash_key, range_key, changed)
    except ItemSizeTooLarge:
        raise ItemSizeToUpdateTooLarge from None
    _put(table, new)
    if table.stream_shard is not None:
        table.stream_shard.add(old, new)
    return new


def _changed(
    table: Table, arguments: Mapping[str, Any], old: Item | None
) -> dict[str, DynamoType] | None:
    """Returns the row's attributes after the update; None if moto must carry it out.

    Raises ConditionalCheckFailed.
    """
    if (
        arguments["attribute_updates"]
        or arguments["expected"]
        or not arguments["update_expression"]
    ):
        return None
    names = tuple((arguments["expression_attribute_names"] or {}).items())
    actions = _actions(arguments["update_expression"], names)
    if actions is None or any(attribute in table.attribute_keys for _, attribute, _ in actions):
        return None
    _check(arguments, old)
    attributes = dict(old.attrs) if old else _key_alone(table, arguments["key"])
    values = arguments["expression_attribute_values"] or {}
    if attributes is None or not all(_carry_out(attributes, values, each) for each in actions):
        return None
    return attributes


def _check(arguments: Mapping[str, Any], old: Item | None) -> None:
    condition = get_filter_expression(
        arguments["condition_expression"],
        arguments["expression_attribute_names"],
        arguments["expression_attribute_values"],
    )
    if not condition.expr(old):
        if arguments["return_values_on_condition_check_failure"] == "ALL_OLD" and old is not None:
            raise ConditionalCheckFailed(item=old.to_json()["Attributes"])
        raise ConditionalCheckFailed


def _key_alone(table: Table, key: dict[str, Any]) -> dict[str, DynamoType] | None:
    """Returns a new row's key attributes; None if their types aren't those of the table's key."""
    table._validate_key_sizes(key)
    types = {table.hash_key_attr: table.hash_key_type, table.range_key_attr: table.range_key_type}
    attributes = {name: DynamoType(key[name]) for name in types if name is not None}
    right = all(value.type == types[name] for name, value in attributes.items())
    return attributes if right else None


def _carry_out(attributes: dict[str, DynamoType], values: dict[str, Any], action: Action) -> bool:
    """Changes one attribute; returns False if only moto can."""
    verb, attribute, value_name = action
    if verb == "REMOVE":
        attributes.pop(attribute, None)
        return True
    if value_name not in values:
        return False
    value = DynamoType(values[value_name])
    if verb == "SET":
        attributes[attribute] = value
        return True
    if verb == "DEFAULT":
        attributes.setdefault(attribute, value)
        return True
    present = attributes.get(attribute, DynamoType({"N": "0"}))
    if not value.type == present.type == "N":
        return False
    attributes[attribute] = present + value
    return True


@lru_cache(MAX_EXPRESSIONS)
def _actions(expression: str, names: tuple[tuple[str, str], ...]) -> tuple[Action, ...] | None:
    """Returns an update's actions; None if it does more than set, remove or add to attributes."""
    tree = UpdateExpressionParser.make(expression)
    if any(len(tree.find_clauses([clause])) > 1 for clause in _CLAUSES):
        return None
    found = [_action(node, dict(names)) for node in tree.find_clauses([*_VERBS, DELETE])]
    actions = tuple(each for each in found if each is not None)
    if len({attribute for _, attribute, _ in actions}) < len(found):
        return None
    return actions


def _action(node: Any, names: Mapping[str, str]) -> Action | None:  # noqa: ANN401 - moto's own
    path, *values = node.children
    attribute, verb = _attribute(path.children, names), _VERBS.get(type(node))
    if attribute is None or verb is None:
        return None
    if not values:
        return verb, attribute, ""
    (value,) = values
    if isinstance(value, UpdateExpressionValue) and len(value.children) == 1:
        (value,) = value.children
    match value:
        case ExpressionAttributeValue():
            return verb, attribute, value.get_value_name()
        case UpdateExpressionFunction(children=["if_not_exists", of, ExpressionAttributeValue()]):
            default = value.get_nth_argument(2).get_value_name()
            return ("DEFAULT", attribute, default) if _is(of, attribute, names) else None
    return None


def _is(path: Any, attribute: str, names: Mapping[str, str]) -> bool:  # noqa: ANN401 - moto's own
    return _attribute(path.children, names) == attribute


def _attribute(path: list[Any], names: Mapping[str, str]) -> str | None:
    """Returns the attribute that a path names; None if the path leads inside an attribute."""
    match path:
        case [ExpressionAttributeName() as placeholder]:
            return names.get(placeholder.get_attribute_name_placeholder())
        case [ExpressionAttribute() as attribute]:
            name = str(attribute.get_attribute_name())
            return None if name.upper() in ReservedKeywords.get_reserved_keywords() else name
    return None


def _by_moto(
    table: Table,
    key: tuple[DynamoType, DynamoType | None],
    old: Item | None,
    update: Callable[[], Item],
) -> Item:
    """Runs moto's own update on a copy of the row, and leaves one stream record of it."""
    records = table.stream_shard.items if table.stream_shard else []
    before = len(records)
    if old is not None:
        _put(table, copy.deepcopy(old))
    try:
        item = update()
    except Exception:
        # moto may have created a row with only its key, and added it to the stream.
        table.delete_item(*key)
        if old is not None:
            _put(table, old)
        del records[before:]
        raise
    item.__dict__.pop("bytes", None)
    if len(records) == before + 2:
        del records[before]
        records[before].number -= 1  # type: ignore[attr-defined]
    return item


def _put(table: Table, item: Item) -> None:
    if item.range_key is None:
        table.items[item.hash_key] = item  # type: ignore[assignment]
    else:
        table.items[item.hash_key][item.range_key] = item

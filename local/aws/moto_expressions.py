"""Parses moto's conditions and update expressions once each, instead of at every call.

The service sends some hundred expressions, with other values each time. moto parses a condition
three times for each row of a transaction.
"""

from functools import lru_cache
from typing import Any

from moto.dynamodb.comparisons import AttributeValue, ConditionExpressionParser, Operand
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.parsing.expressions import (  # type: ignore[attr-defined]
    UpdateExpressionParser,
)

MAX_EXPRESSIONS = 10_000

type Values = dict[str, dict[str, Any]]

_parse = ConditionExpressionParser.parse
_make = UpdateExpressionParser.make
_conditions: dict[object, "_Condition"] = {}


def install() -> None:
    """Replaces moto's parsers by ones that cache."""
    ConditionExpressionParser.parse = _parse_once  # type: ignore[method-assign]
    # moto copies an expression before it executes it, so a cached one stays unchanged.
    UpdateExpressionParser.make = lru_cache(MAX_EXPRESSIONS)(_make)


class _Condition:
    """A parsed condition, for any values of the same types."""

    def __init__(self, of: ConditionExpressionParser) -> None:
        self.values: Values = {}
        parser = _Parser(
            of.condition_expression, of.expression_attribute_names, of.expression_attribute_values
        )
        parser.condition = self
        self.operation: Any = _parse(parser)
        self.names_found = parser.expr_attr_names_found
        self.values_found = parser.expr_attr_values_found


class _Parser(ConditionExpressionParser):
    """moto's parser, except that its operands read their values from the condition."""

    condition: _Condition

    def _make_operand(self, node: Any) -> Operand:  # noqa: ANN401 - moto's own shapes
        if node.kind == self.Kind.EXPRESSION_ATTRIBUTE_VALUE:
            return _CallValue(self.condition, node.text, node.value)
        return super()._make_operand(node)


class _CallValue(Operand):
    """A value that each call passes."""

    def __init__(self, condition: _Condition, name: str, first: dict[str, Any]) -> None:
        self._condition, self._name = condition, name
        self._type = next(iter(first))

    def expr(self, item: Item | None) -> Any:  # noqa: ANN401 - moto's own shapes
        return AttributeValue(self._condition.values[self._name]).expr(item)

    def get_type(self, item: Item | None) -> str:  # noqa: ARG002 - moto's interface
        return self._type


class _Bound:
    """A condition with a call's values. moto's lock makes sure that one is evaluated at a time."""

    def __init__(self, condition: _Condition, values: Values) -> None:
        self._condition, self._values = condition, values

    def expr(self, item: Item | None) -> Any:  # noqa: ANN401 - moto's own shapes
        self._condition.values = self._values
        return self._condition.operation.expr(item)


def _parse_once(self: ConditionExpressionParser) -> Any:  # noqa: ANN401 - moto's own shapes
    if not self.condition_expression:
        return _parse(self)
    names, values = self.expression_attribute_names, self.expression_attribute_values or {}
    types = [(name, *value) for name, value in values.items()]
    key = (self.condition_expression, tuple((names or {}).items()), tuple(types))
    condition = _conditions.get(key)
    if condition is None:
        condition = _Condition(self)
        if len(_conditions) == MAX_EXPRESSIONS:
            _conditions.clear()
        _conditions[key] = condition
    self.expr_attr_names_found.extend(condition.names_found)
    self.expr_attr_values_found.extend(condition.values_found)
    return _Bound(condition, values)

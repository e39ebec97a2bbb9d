"""The cost of a request: one point an object, and a list's content once per requested element.

A mutation costs ten.
"""

from typing import Any

from graphql import FieldNode, IntValueNode, OperationDefinitionNode, SelectionSetNode, VariableNode
from graphql.language import OperationType

MUTATION_COST = 10.0


def cost_of(operation: OperationDefinitionNode, variables: dict[str, Any]) -> float:
    """The most that the operation can cost."""
    if operation.operation is OperationType.MUTATION:
        return MUTATION_COST
    return max(1.0, _cost_of(operation.selection_set, variables))


def _cost_of(selections: SelectionSetNode, variables: dict[str, Any]) -> float:
    fields = (node for node in selections.selections if isinstance(node, FieldNode))
    return sum(
        _times(node, variables) * (1 + _cost_of(node.selection_set, variables))
        for node in fields
        if node.selection_set is not None
    )


def _times(node: FieldNode, variables: dict[str, Any]) -> int:
    for argument in node.arguments or ():
        if argument.name.value in {"first", "last"}:
            value = argument.value
            if isinstance(value, IntValueNode):
                return int(value.value)
            if isinstance(value, VariableNode):
                return int(variables.get(value.name.value) or 1)
    return 1

"""The table of a deployed stack: its own, or the one that it uses after a restore."""

from dataclasses import dataclass
from typing import Any

_GIVEN = "ExistingTableArn"
_OWN = "Table"


@dataclass(frozen=True)
class TableOfStack:
    """The table with a stack's rows."""

    name: str
    dynamodb: Any

    def row(self, pk: str, sk: str) -> dict[str, Any] | None:
        """Returns a row in DynamoDB's own notation, or None, by a consistent read."""
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        found = self.dynamodb.get_item(TableName=self.name, Key=key, ConsistentRead=True)
        row: dict[str, Any] | None = found.get("Item")
        return row


def table_of(stack: str, cloudformation: Any, dynamodb: Any) -> TableOfStack:  # noqa: ANN401
    """Returns the stack's table."""
    [described] = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    parameters = {
        each["ParameterKey"]: each["ParameterValue"] for each in described.get("Parameters", [])
    }
    if arn := parameters.get(_GIVEN):
        return TableOfStack(arn.rpartition("/")[2], dynamodb)
    resource = cloudformation.describe_stack_resource(StackName=stack, LogicalResourceId=_OWN)
    return TableOfStack(resource["StackResourceDetail"]["PhysicalResourceId"], dynamodb)

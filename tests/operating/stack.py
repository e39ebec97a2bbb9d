"""CloudFormation's answers about a stack with this world's resources."""

from collections.abc import Iterator
from typing import Any

from local import aws
from local.template import QUEUE, resources


class Stack:
    """A stack named `ours`: its queues, its table, and the parameters that it was given."""

    def __init__(self, **parameters: str) -> None:
        """By the names of the template's parameters."""
        self._parameters = parameters

    def get_paginator(self, operation: str) -> "Stack":
        """The list of resources."""
        assert operation == "list_stack_resources"
        return self

    def paginate(self, *, StackName: str) -> Iterator[dict[str, Any]]:  # noqa: N803 - AWS's name
        """A page for each queue, and one of something else."""
        assert StackName == "ours"
        yield {"StackResourceSummaries": [summary("Table", "AWS::DynamoDB::Table", "Table")]}
        for name in resources(QUEUE):
            yield {"StackResourceSummaries": [summary(name, QUEUE, aws.queue_url(name))]}

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - AWS's name
        """The stack with its parameters."""
        assert StackName == "ours"
        parameters = [
            {"ParameterKey": name, "ParameterValue": value}
            for name, value in self._parameters.items()
        ]
        return {"Stacks": [{"StackName": "ours", "Parameters": parameters}]}

    def describe_stack_resource(
        self,
        *,
        StackName: str,  # noqa: N803 - AWS's names
        LogicalResourceId: str,  # noqa: N803
    ) -> dict[str, Any]:
        """The stack's own table."""
        assert (StackName, LogicalResourceId) == ("ours", "Table")
        return {"StackResourceDetail": summary("Table", "AWS::DynamoDB::Table", "Table")}


def summary(name: str, kind: str, physical: str) -> dict[str, str]:
    """A resource as CloudFormation lists it."""
    return {"LogicalResourceId": name, "ResourceType": kind, "PhysicalResourceId": physical}

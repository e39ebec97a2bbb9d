"""The queues of a deployed stack, found by their names in the template."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

QUEUE = "AWS::SQS::Queue"
ACCESS = "Set AWS_REGION to the stack's region, and use credentials of its account."
"""What to do if AWS refuses to answer."""


class NoSuchQueue(Exception):  # noqa: N818 - it is what happened
    """The stack has no such queue, or the queue has no dead-letter queue.

    The message says what to do.
    """


@dataclass(frozen=True)
class DeadLetters:
    """A queue of the stack, by its name in the template, and its dead-letter queue."""

    name: str
    arn: str
    dead_letters_url: str
    dead_letters_arn: str
    waiting: int
    """SQS's approximate number of dead letters, which may be a minute old."""


def all_dead_letters(stack: str, cloudformation: Any, sqs: Any) -> Iterator[DeadLetters]:  # noqa: ANN401
    """Yields the stack's queues that have a dead-letter queue, by name."""
    for name, url in sorted(_urls(stack, cloudformation).items()):
        found = _dead_letters(name, url, sqs)
        if found:
            yield found


def url_of(stack: str, queue: str, cloudformation: Any) -> str:  # noqa: ANN401 - botocore's client
    """Returns the URL of the queue with this name. Raises NoSuchQueue."""
    urls = _urls(stack, cloudformation)
    if queue not in urls:
        raise NoSuchQueue(f"{stack} has no queue {queue}. Deploy this version there first.")
    return urls[queue]


def _urls(stack: str, cloudformation: Any) -> dict[str, str]:  # noqa: ANN401 - botocore's client
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    return {
        resource["LogicalResourceId"]: resource["PhysicalResourceId"]
        for page in pages
        for resource in page["StackResourceSummaries"]
        if resource["ResourceType"] == QUEUE
    }


def dead_letters_of(stack: str, queue: str, cloudformation: Any, sqs: Any) -> DeadLetters:  # noqa: ANN401
    """Returns the queue with this name. Raises NoSuchQueue."""
    for found in all_dead_letters(stack, cloudformation, sqs):
        if found.name == queue:
            return found
    raise NoSuchQueue(
        f"{stack} has no queue {queue} with dead letters. Leave QUEUE out to see which there are."
    )


def _dead_letters(name: str, url: str, sqs: Any) -> DeadLetters | None:  # noqa: ANN401
    attributes = _attributes(url, sqs)
    if "RedrivePolicy" not in attributes:
        return None
    target = json.loads(attributes["RedrivePolicy"])["deadLetterTargetArn"]
    dead_url = sqs.get_queue_url(QueueName=target.rpartition(":")[2])["QueueUrl"]
    waiting = int(_attributes(dead_url, sqs)["ApproximateNumberOfMessages"])
    return DeadLetters(name, attributes["QueueArn"], dead_url, target, waiting)


def _attributes(url: str, sqs: Any) -> dict[str, str]:  # noqa: ANN401 - botocore's client
    found: dict[str, str] = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])[
        "Attributes"
    ]
    return found

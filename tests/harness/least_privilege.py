"""Checks least privilege both ways: the functions' calls against template.yaml's grants.

While a function runs (`local.functions.running`), every call that it makes to AWS is mapped to the
IAM actions that AWS requires for it. A call that the function's own role doesn't allow fails the
test at once. All used actions are recorded, and a run of the whole suite fails for each granted
action that no test used.

The actions that a role needs for its event source, its log group and its traces aren't calls of
ours: SAM writes those policies (`ADDED_BY_SAM`), and the template doesn't repeat them.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from botocore.client import BaseClient

from local import functions
from local.template import Function
from local.template import functions as declared_functions
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.platform.persistence.secrets import clear_secret_cache

type Grant = tuple[str, str]
"""An action on the logical id of a resource."""

type Use = tuple[str, str, str]
"""A function, an action and the logical id of a resource."""

OF_STREAMS = frozenset({"dynamodb:GetRecords", "dynamodb:GetShardIterator"})
"""Actions that SAM adds only for readers of a stream."""

ADDED_BY_SAM = frozenset(
    {
        "logs:CreateLogGroup",
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "xray:PutTraceSegments",
        "xray:PutTelemetryRecords",
        "dynamodb:DescribeStream",
        "dynamodb:GetRecords",
        "dynamodb:GetShardIterator",
        "dynamodb:ListStreams",
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
        "lambda:InvokeFunction",
    }
)

SENDER = "Sender"
"""The name here of the sender's identity in SES, which isn't a resource of the template."""

EMAIL_CONFIGURATION = "EmailConfiguration"

SECRET = "Secret"
"""The name here of the parameter store's secrets, which operators create outside the stack."""

RECORDS = "IdempotencyTable"
TABLE_OF_STREAM = "Table"

_ITEM_ACTIONS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
    "Get": "GetItem",
    "PutRequest": "PutItem",
    "DeleteRequest": "DeleteItem",
}


def granted(function: Function) -> set[Grant]:
    """Returns the grants of the function's own role."""
    return {
        (action, resource_of(resource))
        for policy in function.properties.get("Policies", [])
        for statement in policy["Statement"]
        for action in statement["Action"]
        for resource in statement["Resource"]
    }


def resource_of(resource: dict[str, Any]) -> str:
    """Returns the logical id of a policy's resource."""
    if "Fn::GetAtt" in resource:
        return str(resource["Fn::GetAtt"][0])
    text = resource["Fn::Sub"]
    pattern = text[0] if isinstance(text, list) else text
    if ":configuration-set/" in pattern:
        return EMAIL_CONFIGURATION
    if ":ses:" in pattern:
        return SENDER
    if ":ssm:" in pattern:
        return SECRET
    # Such as "${Bucket.Arn}/*".
    return str(pattern.removeprefix("${").partition(".Arn}")[0])


def needed(service: str, operation: str, params: dict[str, Any]) -> set[Grant]:
    """Returns the actions that AWS requires for a call, each on a resource."""
    return set(_NEEDS[service](operation, params))


def _dynamodb(operation: str, params: dict[str, Any]) -> Iterator[Grant]:
    if operation in {"TransactWriteItems", "TransactGetItems"}:
        for item in params["TransactItems"]:
            [(kind, body)] = item.items()
            yield f"dynamodb:{_ITEM_ACTIONS[kind]}", body["TableName"]
    elif operation == "BatchExecuteStatement":
        yield from (_of_statement(each["Statement"]) for each in params["Statements"])
    elif operation in {"BatchGetItem", "BatchWriteItem"}:
        yield from ((f"dynamodb:{operation}", table) for table in params["RequestItems"])
    else:
        yield f"dynamodb:{operation}", params["TableName"]


def _of_statement(statement: str) -> Grant:
    """Returns a PartiQL statement's action: each verb has an action of its own."""
    verb, _, rest = statement.partition(" ")
    return f"dynamodb:PartiQL{verb.capitalize()}", rest.split('"')[1]


def _streams(operation: str, params: dict[str, Any]) -> Iterator[Grant]:
    # An iterator doesn't contain its stream's ARN; there is only one stream.
    yield f"dynamodb:{operation}", TABLE_OF_STREAM


def _sqs(operation: str, params: dict[str, Any]) -> Iterator[Grant]:
    queue = params["QueueUrl"].rsplit("/", 1)[1].removesuffix(".fifo")
    yield f"sqs:{operation.removesuffix('Batch')}", queue


def _kms(operation: str, params: dict[str, Any]) -> Iterator[Grant]:
    keys = {os.environ["DATA_KEY_ID"]: "DataKey", os.environ["CODE_KEY_ID"]: "CodeKey"}
    yield f"kms:{operation}", keys[params["KeyId"]]


def _ses(operation: str, params: dict[str, Any]) -> Iterator[Grant]:
    # A call that names a configuration set needs the action on it, too.
    for resource in (
        (SENDER, EMAIL_CONFIGURATION) if "ConfigurationSetName" in params else (SENDER,)
    ):
        yield f"ses:{operation}", resource
        if "Raw" in params.get("Content", {}):
            yield "ses:SendRawEmail", resource


def _ssm(operation: str, params: dict[str, Any]) -> Iterator[Grant]:
    assert params["Name"] == os.environ["SHOPIFY_SECRET_NAME"]
    yield f"ssm:{operation}", SECRET


def _s3(operation: str, params: dict[str, Any]) -> Iterator[Grant]:
    action = {"HeadObject": "GetObject", "CreateMultipartUpload": "PutObject"}.get(operation)
    if operation in {"UploadPart", "CompleteMultipartUpload"}:
        action = "PutObject"
    yield f"s3:{action or operation}", params["Bucket"]
    if operation in {"GetObject", "HeadObject"}:
        # Without the right to list, a missing object is answered with 403 instead of 404.
        yield "s3:ListBucket", params["Bucket"]
    if "IfMatch" in params:  # S3 reads the object to compare it
        yield "s3:GetObject", params["Bucket"]


_NEEDS: dict[str, Callable[[str, dict[str, Any]], Iterable[Grant]]] = {
    "dynamodb": _dynamodb,
    "dynamodbstreams": _streams,
    "kms": _kms,
    "s3": _s3,
    "sesv2": _ses,
    "sqs": _sqs,
    "ssm": _ssm,
}


class Recorder:
    """Watches the calls of running functions."""

    def __init__(self) -> None:
        """Begins with no used actions."""
        self.used: set[Use] = set()
        self._grants = {f.name: granted(f) for f in declared_functions()}

    def install(self) -> None:
        """Watches every botocore client of the process from now on."""
        plain = BaseClient._make_api_call  # type: ignore[attr-defined]

        def watched(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
            function = functions.running()
            if function:
                self.note(function, client.meta.service_model.service_name, operation, params)
            return plain(client, operation, params)

        BaseClient._make_api_call = watched  # type: ignore[attr-defined]
        self._separate_containers()

    def _separate_containers(self) -> None:
        """Clears caches between functions: in AWS each one's container fetches keys itself."""
        plain = functions.handler_of
        last: list[str] = []

        def handler_of(function: str) -> Callable[[Any, Any], Any]:
            if last != [function]:
                last[:] = [function]
                clear_key_cache()
                clear_secret_cache()
            return plain(function)

        functions.handler_of = handler_of  # type: ignore[assignment]

    def note(self, function: str, service: str, operation: str, params: dict[str, Any]) -> None:
        """Records a call's actions; fails the test if the function's role lacks one."""
        grants = needed(service, operation, params)
        lacking = grants - self._grants[function]
        if lacking:
            lines = ", ".join(f"{action} on {resource}" for action, resource in sorted(lacking))
            # None of our handlers catches this, as `Failed` isn't an `Exception`.
            pytest.fail(
                f"{function} calls {operation}, but its role in template.yaml lacks {lines}"
            )
        self.used |= {(function, action, resource) for action, resource in grants}


def unused(used: set[Use]) -> list[str]:
    """Returns the granted actions that no test used.

    Claiming, completing and releasing an idempotency record are different actions. A function that
    claims any needs all three, even if no test has this very function release one.
    """
    return [
        f"{function.name}: {action} on {resource}"
        for function in declared_functions()
        for action, resource in sorted(granted(function))
        if (function.name, action, resource) not in used
        and (function.name, *_claim_of(action, resource)) not in used
    ]


def _claim_of(action: str, resource: str) -> Grant:
    part_of_it = resource == RECORDS and action in {"dynamodb:UpdateItem", "dynamodb:DeleteItem"}
    return ("dynamodb:PutItem", RECORDS) if part_of_it else (action, resource)

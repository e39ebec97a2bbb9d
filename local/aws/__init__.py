"""AWS in this process: moto behind one lock, with the resources that template.yaml declares."""

import json
import os
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.httpsession import URLLib3Session
from moto import mock_aws
from moto.core.botocore_stubber import BotocoreStubber

from local.aws import (
    mail,
    moto_answers,
    moto_calls,
    moto_expressions,
    moto_imports,
    moto_items,
    moto_keys,
    moto_move_tasks,
    moto_queries,
    moto_queues,
    moto_statements,
    moto_streams,
    moto_transactions,
    moto_updates,
)
from local.aws.bells import Bell
from local.aws.moto_keys import KeyMaterial
from local.shopify.app import APP
from local.template import KEY, QUEUE, TABLE, environment, parameter_defaults, resources

REGION = "eu-central-1"
ACCOUNT = "123456789012"
SENDER = "storepost@example.com"
"""The sender of the local run's emails; a real stack's template and SES refuse such an address."""
BUDGETS = ("CallerRequestsPerSecond", "WorkspaceRequestsPerSecond")
"""Parameters of the template whose value 0 switches the budget off."""
LOCK = threading.RLock()
"""Every call to moto holds this lock, as moto loses updates under threads."""
TABLES_CHANGED = Bell()
QUEUES_CHANGED = Bell()

# Bells by the first part of a request's `X-Amz-Target`, with prefixes of its second part.
_ANNOUNCED = {
    "DynamoDB_20120810": (
        TABLES_CHANGED,
        ("Put", "Update", "Delete", "BatchWrite", "BatchExecute", "Transact"),
    ),
    "AmazonSQS": (QUEUES_CHANGED, ("Send", "Change", "StartMessageMove")),
}


def prepare_environment(*, budgets: bool = False) -> None:
    """Sets the variables that the service reads on import; call it before importing `storepost`.

    `budgets` says whether the template's request budgets apply: tests and benchmarks send requests
    faster than any client.
    """
    os.environ.update(
        AWS_ACCESS_KEY_ID="local",
        AWS_SECRET_ACCESS_KEY="local",  # noqa: S106 - nobody checks it
        AWS_DEFAULT_REGION=REGION,
        AWS_REGION=REGION,
        AWS_LAMBDA_FUNCTION_NAME="local",
        POWERTOOLS_METRICS_DISABLED="true",
        STOREPOST_LOCAL="1",
    )
    tables = {name: name for name in resources(TABLE)}
    parameters = {
        "AppUrl": os.environ.get("APP_URL", ""),
        "SenderAddress": SENDER,
        "ShopifyClientId": APP.client_id,
        "EmailsPerSecond": "0",
    }
    unlimited = {} if budgets else dict.fromkeys(BUDGETS, "0")
    _set_variables({**parameter_defaults(), **tables, **parameters, **unlimited})


def start() -> None:
    """Starts moto in this process."""
    moto_imports.install()
    moto_items.install()
    moto_expressions.install()
    moto_updates.install()
    moto_statements.install()
    moto_transactions.install()
    moto_queries.install()
    moto_queues.install()
    moto_streams.install()
    moto_move_tasks.install()
    mail.install()
    moto_answers.install()
    plain, send = BotocoreStubber.process_request, URLLib3Session.send

    def process_one_at_a_time(self: BotocoreStubber, request: Any) -> Any:  # noqa: ANN401
        with LOCK:
            answer = plain(self, request)
        if answer is not None:
            announce(request.headers.get("X-Amz-Target", ""))
        return answer

    def send_elsewhere(self: URLLib3Session, request: Any) -> Any:  # noqa: ANN401
        # moto forwards other requests to another engine, whose data changes before it answers.
        try:
            return send(self, request)
        finally:
            announce(request.headers.get("X-Amz-Target", ""))

    BotocoreStubber.process_request = process_one_at_a_time  # type: ignore[method-assign]
    URLLib3Session.send = send_elsewhere  # type: ignore[method-assign]
    mock_aws().start()
    moto_calls.install(LOCK, announce)


def announce(target: str | bytes) -> None:
    """Rings the bell of what a request may have changed, by its `X-Amz-Target`."""
    service, _, operation = (target if isinstance(target, str) else target.decode()).partition(".")
    if service in _ANNOUNCED:
        bell, writes = _ANNOUNCED[service]
        if operation.startswith(writes):
            bell.ring()


def keep_tables_at(url: str) -> None:
    """Directs calls to tables and streams to another engine's address; the rest stays in moto."""
    os.environ.update(AWS_ENDPOINT_URL_DYNAMODB=url, AWS_ENDPOINT_URL_DYNAMODB_STREAMS=url)


def create_resources(keys: Mapping[str, KeyMaterial] | None = None) -> None:
    """Creates the template's tables, queues, keys, buckets and senders, named by logical id.

    It also creates the secret that operators store outside the stack.
    `keys` are an earlier run's keys, by logical id; without them the keys are new.
    """
    create_tables()
    made = {**create_queues(), **create_keys(keys or {}), **create_buckets()}
    _set_variables({**made, **create_configuration_sets()})
    client("ssm").put_parameter(
        Name=os.environ["SHOPIFY_SECRET_NAME"], Value=APP.secret, Type="SecureString"
    )
    client("sesv2").create_email_identity(EmailIdentity=os.environ["SENDER_ADDRESS"])


def _set_variables(references: Mapping[str, str]) -> None:
    """Sets the functions' environment variables that refer to one of these, or are constants."""
    for name, value in environment().items():
        if not isinstance(value, dict):
            os.environ[name] = str(value)
        elif value.get("Ref") in references:
            os.environ[name] = references[value["Ref"]]


def create_tables() -> None:
    """Creates those of the template's tables, with streams, that the engine doesn't have yet."""
    dynamodb = client("dynamodb")
    existing = dynamodb.list_tables()["TableNames"]
    for name, properties in resources(TABLE).items():
        if name in existing:
            continue
        stream = properties.get("StreamSpecification")
        dynamodb.create_table(
            TableName=name,
            BillingMode=properties["BillingMode"],
            AttributeDefinitions=properties["AttributeDefinitions"],
            KeySchema=properties["KeySchema"],
            **({"StreamSpecification": {"StreamEnabled": True, **stream}} if stream else {}),
        )


def create_queues() -> dict[str, str]:
    """Creates the template's queues and dead-letter queues; returns their URLs by logical id."""
    sqs = client("sqs")
    declared = resources(QUEUE)
    urls = {name: _create_queue(sqs, name, p) for name, p in declared.items()}
    for name, properties in declared.items():
        policy = properties.get("RedrivePolicy")
        if policy:
            target = policy["deadLetterTargetArn"]["Fn::GetAtt"][0]
            redrive = {
                "deadLetterTargetArn": queue_arn(target),
                "maxReceiveCount": policy["maxReceiveCount"],
            }
            sqs.set_queue_attributes(
                QueueUrl=urls[name], Attributes={"RedrivePolicy": json.dumps(redrive)}
            )
    return urls


def _create_queue(sqs: Any, name: str, properties: dict[str, Any]) -> str:  # noqa: ANN401
    fifo = properties.get("FifoQueue", False)
    attributes = {"VisibilityTimeout": str(properties.get("VisibilityTimeout", 30))}
    if fifo:
        attributes["FifoQueue"] = "true"
    url = sqs.create_queue(QueueName=queue_name(name), Attributes=attributes)["QueueUrl"]
    return str(url)


def queue_name(logical_id: str) -> str:
    """Returns the queue's name; that of a FIFO queue must end in `.fifo`."""
    fifo = resources(QUEUE)[logical_id].get("FifoQueue", False)
    return f"{logical_id}.fifo" if fifo else logical_id


def queue_arn(logical_id: str) -> str:
    """The queue's ARN."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue_name(logical_id)}"


@cache
def queue_url(logical_id: str) -> str:
    """The queue's address."""
    return str(client("sqs").get_queue_url(QueueName=queue_name(logical_id))["QueueUrl"])


def queue_depth(logical_id: str) -> dict[str, int]:
    """How many messages wait in the queue, and how many are in flight."""
    attributes = client("sqs").get_queue_attributes(
        QueueUrl=queue_url(logical_id), AttributeNames=["All"]
    )["Attributes"]
    return {
        "waiting": int(attributes["ApproximateNumberOfMessages"]),
        "inFlight": int(attributes["ApproximateNumberOfMessagesNotVisible"]),
    }


def create_buckets() -> dict[str, str]:
    """Creates the template's buckets; returns their names, which are their logical ids."""
    buckets = {name: name for name in resources("AWS::S3::Bucket")}
    for name in buckets:
        where = {"LocationConstraint": REGION}
        client("s3").create_bucket(Bucket=name, CreateBucketConfiguration=where)
    return buckets


def create_configuration_sets() -> dict[str, str]:
    """Creates SES's configuration sets; returns their names, which are their logical ids."""
    names = {name: name for name in resources("AWS::SES::ConfigurationSet")}
    for name in names:
        client("sesv2").create_configuration_set(ConfigurationSetName=name)
    return names


def create_keys(known: Mapping[str, KeyMaterial]) -> dict[str, str]:
    """Creates the template's KMS keys, with known material if any; returns ids by logical id."""
    kms = client("kms")
    ids = {}
    for name, properties in resources(KEY).items():
        ids[name] = kms.create_key(
            KeySpec=properties.get("KeySpec", "SYMMETRIC_DEFAULT"),
            KeyUsage=properties.get("KeyUsage", "ENCRYPT_DECRYPT"),
        )["KeyMetadata"]["KeyId"]
        if name in known:
            ids[name] = moto_keys.replace(ids[name], known[name])
    return ids


@cache
def client(service: str) -> Any:  # noqa: ANN401 - botocore's clients have no static type
    """Returns a cached client of an AWS service: making one takes longer than most calls."""
    return boto3.client(service, config=Config(parameter_validation=False))  # type: ignore[call-overload]

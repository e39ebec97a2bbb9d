"""AWS in this process: moto behind one lock, with the resources that template.yaml declares."""

import json
import os
import threading
from typing import Any

import boto3
from botocore.config import Config
from moto import mock_aws
from moto.core.botocore_stubber import BotocoreStubber

from local import moto_queries, moto_transactions
from local.template import parameter_defaults, resources

REGION = "eu-central-1"
ACCOUNT = "123456789012"
LOCK = threading.RLock()
"""moto loses updates under threads: every call to it holds this."""


def prepare_environment() -> None:
    """What the service reads when it is imported; call it before anything of `storepost` is."""
    os.environ.update(
        AWS_ACCESS_KEY_ID="local",
        AWS_SECRET_ACCESS_KEY="local",  # noqa: S106 - nobody checks it
        AWS_DEFAULT_REGION=REGION,
        AWS_REGION=REGION,
        AWS_LAMBDA_FUNCTION_NAME="local",
        TABLE_NAME="Table",
        IDEMPOTENCY_TABLE="IdempotencyTable",
        APP_URL=os.environ.get("APP_URL", ""),
        SENDER_ADDRESS=parameter_defaults()["SenderAddress"],
        POWERTOOLS_SERVICE_NAME="storepost",
        POWERTOOLS_METRICS_DISABLED="true",
        STOREPOST_LOCAL="1",
    )


def start() -> None:
    """Starts moto in this process."""
    moto_transactions.install()
    moto_queries.install()
    plain = BotocoreStubber.process_request

    def process_one_at_a_time(self: BotocoreStubber, request: Any) -> Any:  # noqa: ANN401
        with LOCK:
            return plain(self, request)

    BotocoreStubber.process_request = process_one_at_a_time  # type: ignore[method-assign]
    mock_aws().start()


def create_resources() -> None:
    """The template's tables, queues, keys and sender, named by their logical ids."""
    create_tables()
    create_queues()
    create_keys()
    boto3.client("sesv2").create_email_identity(EmailIdentity=os.environ["SENDER_ADDRESS"])


def create_tables() -> None:
    """The template's tables, with their streams."""
    dynamodb = boto3.client("dynamodb")
    for name, properties in resources("AWS::DynamoDB::Table").items():
        stream = properties.get("StreamSpecification")
        dynamodb.create_table(
            TableName=name,
            BillingMode=properties["BillingMode"],
            AttributeDefinitions=properties["AttributeDefinitions"],
            KeySchema=properties["KeySchema"],
            **({"StreamSpecification": {"StreamEnabled": True, **stream}} if stream else {}),
        )


def create_queues() -> None:
    """The template's queues with their dead letters; their addresses go to the environment."""
    sqs = boto3.client("sqs")
    declared = resources("AWS::SQS::Queue")
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
    os.environ["EMAIL_QUEUE_URL"] = urls["EmailQueue"]
    os.environ["WRITE_BACK_QUEUE_URL"] = urls["WriteBackQueue"]


def _create_queue(sqs: Any, name: str, properties: dict[str, Any]) -> str:  # noqa: ANN401
    fifo = properties.get("FifoQueue", False)
    attributes = {"VisibilityTimeout": str(properties.get("VisibilityTimeout", 30))}
    if fifo:
        attributes["FifoQueue"] = "true"
    url = sqs.create_queue(QueueName=queue_name(name), Attributes=attributes)["QueueUrl"]
    return str(url)


def queue_name(logical_id: str) -> str:
    """The queue's name: FIFO queues must say what they are."""
    fifo = resources("AWS::SQS::Queue")[logical_id].get("FifoQueue", False)
    return f"{logical_id}.fifo" if fifo else logical_id


def queue_arn(logical_id: str) -> str:
    """The queue's ARN."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue_name(logical_id)}"


def create_keys() -> None:
    """The template's KMS keys; their ids go to the environment."""
    kms = boto3.client("kms")
    for name, properties in resources("AWS::KMS::Key").items():
        key = kms.create_key(
            KeySpec=properties.get("KeySpec", "SYMMETRIC_DEFAULT"),
            KeyUsage=properties.get("KeyUsage", "ENCRYPT_DECRYPT"),
        )["KeyMetadata"]["KeyId"]
        os.environ[{"DataKey": "DATA_KEY_ID", "CodeKey": "CODE_KEY_ID"}[name]] = key


def streams_client() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    """A client for the tables' streams."""
    return boto3.client("dynamodbstreams", config=Config(parameter_validation=False))

"""Calls that reach moto without HTTP: the same answers, and the whole way where it is needed."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from typing import Any
from uuid import uuid4

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from moto.core.botocore_stubber import BotocoreStubber

from local import aws
from local.aws import moto_calls
from tests.harness.world import BUCKET

type Row = dict[str, dict[str, Any]]
TABLE = "Table"
KEY: Row = {"pk": {"S": "p"}, "sk": {"S": "s"}}
VALUES: Row = {
    "text": {"S": "grüße \U0001f600"},
    "empty": {"S": ""},
    "number": {"N": "-1.50"},
    "truth": {"BOOL": False},
    "nothing": {"NULL": True},
    "bytes": {"B": b"\x00\xff"},
    "texts": {"SS": ["b", "a"]},
    "numbers": {"NS": ["1", "2.5"]},
    "list": {"L": [{"M": {"deep": {"B": b"\x01"}}}, {"L": []}]},
    "map": {"M": {"a": {"M": {}}, "b": {"N": "1"}}},
}


@pytest.fixture
def dynamodb() -> Iterator[Any]:
    """A client, whose rows are deleted at the end."""
    client = boto3.client("dynamodb")
    yield client
    for row in client.scan(TableName=TABLE)["Items"]:
        client.delete_item(TableName=TABLE, Key={"pk": row["pk"], "sk": row["sk"]})


@contextmanager
def whole_way() -> Iterator[list[str]]:
    """The requests that were built and sent inside the block, by their target."""
    sent: list[str] = []
    plain = BotocoreStubber.process_request

    def process(self: BotocoreStubber, request: Any) -> Any:
        sent.append(request.headers.get("X-Amz-Target", b""))
        return plain(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BotocoreStubber, "process_request", process)
        yield sent


def both(client: Any, call: Callable[[Any], Any], status: int = 200) -> tuple[Any, Any]:
    """The answer of a call, and its answer with all of botocore's steps."""
    with whole_way() as sent:
        patched = call(client)
    assert sent == []
    listened(client)
    with whole_way() as sent:
        original = call(client)
    assert len(sent) == 1
    client.meta.events.unregister("before-send", noted)
    for answer in (patched, original):
        assert answer.pop("ResponseMetadata")["HTTPStatusCode"] == status
    return patched, original


def noted(**_: object) -> None:
    """A listener."""


def listened(client: Any) -> None:
    """A listener that sees the requests as they are sent."""
    client.meta.events.register("before-send", noted)


@pytest.mark.parametrize("consumed", ["NONE", "TOTAL"])
@pytest.mark.parametrize(
    "read",
    [
        lambda c, **more: c.get_item(TableName=TABLE, Key=KEY, ConsistentRead=True, **more),
        lambda c, **more: c.get_item(TableName=TABLE, Key=KEY, **more),
        lambda c, **more: c.get_item(TableName=TABLE, Key={**KEY, "sk": {"S": "no"}}, **more),
        lambda c, **more: c.get_item(
            TableName=TABLE,
            Key=KEY,
            ProjectionExpression="pk, #t, #l",
            ExpressionAttributeNames={"#t": "text", "#l": "list"},
            **more,
        ),
        lambda c, **more: c.batch_get_item(
            RequestItems={
                TABLE: {"Keys": [KEY, {**KEY, "sk": {"S": "no"}}], "ConsistentRead": True},
                "IdempotencyTable": {"Keys": [{"id": {"S": "no"}}]},
            },
            **more,
        ),
        lambda c, **more: c.query(
            TableName=TABLE,
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "p"}},
            Limit=1,
            **more,
        ),
        lambda c, **more: c.query(
            TableName=TABLE,
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "no"}},
            **more,
        ),
        lambda c, **more: c.query(
            TableName=TABLE,
            KeyConditionExpression="pk = :p AND begins_with(sk, :s)",
            ExpressionAttributeValues={":p": {"S": "p"}, ":s": {"S": "s"}},
            ScanIndexForward=False,
            Select="COUNT",
            **more,
        ),
        lambda c, **more: c.scan(TableName=TABLE, **more),
    ],
)
def test_reads_equal_botocores(dynamodb: Any, read: Callable[..., Any], consumed: str) -> None:
    dynamodb.put_item(TableName=TABLE, Item={**KEY, **VALUES})
    dynamodb.put_item(TableName=TABLE, Item={**KEY, "sk": {"S": "second"}, **VALUES})
    patched, original = both(dynamodb, lambda c: read(c, ReturnConsumedCapacity=consumed))
    assert patched == original
    for rows in ("Item", "Items", "Responses"):
        assert repr(patched.get(rows)) == repr(original.get(rows)), (
            "and of the same types, in order"
        )


def test_writes_equal_botocores(dynamodb: Any) -> None:
    patched, original = both(
        dynamodb, lambda c: c.put_item(TableName=TABLE, Item={**KEY, **VALUES})
    )
    assert patched == original == {}
    assert dynamodb.get_item(TableName=TABLE, Key=KEY)["Item"] == {**KEY, **VALUES}
    update = {
        "TableName": TABLE,
        "Key": KEY,
        "UpdateExpression": "SET #t = :t",
        "ExpressionAttributeNames": {"#t": "text"},
        "ExpressionAttributeValues": {":t": VALUES["list"]},
        "ReturnValues": "ALL_NEW",
    }
    patched, original = both(dynamodb, lambda c: c.update_item(**update))
    assert patched == original
    assert patched["Attributes"] == {**KEY, **VALUES, "text": VALUES["list"]}


def test_transaction_equals_botocores(dynamodb: Any) -> None:
    second = {**KEY, "sk": {"S": "second"}}
    dynamodb.put_item(TableName=TABLE, Item={**second, "number": {"N": "1"}})
    items = [
        {"Put": {"TableName": TABLE, "Item": {**KEY, **VALUES}}},
        {
            "Update": {
                "TableName": TABLE,
                "Key": second,
                "UpdateExpression": "SET #t = :t ADD #n :n",
                "ExpressionAttributeNames": {"#t": "text", "#n": "number"},
                "ExpressionAttributeValues": {":t": VALUES["bytes"], ":n": {"N": "2"}},
            }
        },
    ]
    patched, original = both(dynamodb, lambda c: c.transact_write_items(TransactItems=items))
    assert patched == original
    rows = dynamodb.scan(TableName=TABLE)["Items"]
    assert rows == [
        {**KEY, **VALUES},
        {**second, "number": {"N": "5"}, "text": VALUES["bytes"]},
    ]


def test_stream_records_equal_botocores(dynamodb: Any) -> None:
    streams: Any = boto3.client("dynamodbstreams")
    arn = dynamodb.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
    patched, original = both(streams, lambda c: c.describe_stream(StreamArn=arn))
    assert patched == original
    (shard,) = patched["StreamDescription"]["Shards"]
    begins = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "LATEST"}
    patched, original = both(streams, lambda c: c.get_shard_iterator(**begins))
    assert set(patched) == set(original)
    dynamodb.put_item(TableName=TABLE, Item={**KEY, **VALUES})
    dynamodb.delete_item(TableName=TABLE, Key=KEY)
    place = {"ShardIterator": patched["ShardIterator"], "Limit": 1}
    patched, original = both(streams, lambda c: c.get_records(**place))
    place["ShardIterator"] = patched.pop("NextShardIterator")
    del original["NextShardIterator"]
    assert patched == original
    (record,) = patched["Records"]
    assert record["dynamodb"]["NewImage"] == {**KEY, **VALUES}
    assert type(record["dynamodb"]["ApproximateCreationDateTime"]) is datetime
    patched, original = both(streams, lambda c: c.get_records(**place))
    assert [r["eventName"] for r in patched["Records"]] == ["REMOVE"]
    assert patched["Records"] == original["Records"]


def test_caller_mutation_does_not_change_stored_rows(dynamodb: Any) -> None:
    attributes: Row = {"list": {"L": [{"S": "a"}]}, "texts": {"SS": ["a"]}}
    dynamodb.put_item(TableName=TABLE, Item={**KEY, **attributes})
    attributes["list"]["L"].append({"S": "b"})
    attributes["texts"]["SS"].append("b")
    read = dynamodb.get_item(TableName=TABLE, Key=KEY)["Item"]
    assert read == {**KEY, "list": {"L": [{"S": "a"}]}, "texts": {"SS": ["a"]}}
    read["list"]["L"].append({"S": "b"})
    read["texts"]["SS"].append("b")
    again = dynamodb.get_item(TableName=TABLE, Key=KEY)["Item"]
    assert again == {**KEY, "list": {"L": [{"S": "a"}]}, "texts": {"SS": ["a"]}}


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (
            lambda c: c.put_item(
                TableName=TABLE, Item=KEY, ConditionExpression="attribute_exists(absent)"
            ),
            "ConditionalCheckFailedException",
        ),
        (lambda c: c.get_item(TableName="No", Key=KEY), "ResourceNotFoundException"),
        (lambda c: c.get_item(TableName=TABLE, Key={"id": {"S": "x"}}), "ValidationException"),
        (
            lambda c: c.transact_write_items(
                TransactItems=[
                    {
                        "ConditionCheck": {
                            "TableName": TABLE,
                            "Key": KEY,
                            "ConditionExpression": "attribute_exists(pk)",
                        }
                    }
                ]
            ),
            "TransactionCanceledException",
        ),
    ],
)
def test_dynamodb_errors_are_aws_errors(
    dynamodb: Any, call: Callable[[Any], Any], code: str
) -> None:
    with whole_way() as sent, pytest.raises(ClientError) as refused:
        call(dynamodb)
    assert len(sent) == 1
    assert refused.value.response["Error"]["Code"] == code
    assert type(refused.value) is getattr(dynamodb.exceptions, code, ClientError)


def test_sqs_messages_equal_botocores() -> None:
    sqs: Any = boto3.client("sqs")
    url = sqs.create_queue(
        QueueName=f"{uuid4().hex}.fifo", Attributes={"FifoQueue": "true", "VisibilityTimeout": "0"}
    )["QueueUrl"]
    entries = [
        {
            "Id": "a",
            "MessageBody": "ä",
            "MessageGroupId": "g",
            "MessageDeduplicationId": uuid4().hex,
        }
    ]
    sent, again = both(sqs, lambda c: c.send_message_batch(QueueUrl=url, Entries=entries))
    (one,), (other,) = sent.pop("Successful"), again.pop("Successful")
    assert sent == again
    assert {n: type(v) for n, v in one.items()} == {n: type(v) for n, v in other.items()}
    assert one["MD5OfMessageBody"] == other["MD5OfMessageBody"]

    def receive(client: Any) -> Any:
        answer = client.receive_message(
            QueueUrl=url, MessageSystemAttributeNames=["All"], MessageAttributeNames=["All"]
        )
        for message in answer["Messages"]:
            del message["ReceiptHandle"]
            for each in ("ApproximateReceiveCount", "ApproximateFirstReceiveTimestamp"):
                assert type(message["Attributes"].pop(each)) is str
        return answer

    patched, original = both(sqs, receive)
    assert patched == original
    assert [message["Body"] for message in patched["Messages"]] == ["ä"]
    names = {"QueueUrl": url, "AttributeNames": ["All"]}
    patched, original = both(sqs, lambda c: c.get_queue_attributes(**names))
    assert patched == original
    (message,) = sqs.receive_message(QueueUrl=url, VisibilityTimeout=30)["Messages"]
    handle = {"QueueUrl": url, "ReceiptHandle": message["ReceiptHandle"]}
    sqs.change_message_visibility(**handle, VisibilityTimeout=0)
    assert "Messages" in sqs.receive_message(QueueUrl=url, VisibilityTimeout=0)
    sqs.delete_message(**handle)
    patched, original = both(sqs, lambda c: c.receive_message(QueueUrl=url))
    assert patched == original == {}
    sqs.delete_queue(QueueUrl=url)


KEYS = [
    (
        "generate_data_key",
        "DATA_KEY_ID",
        {"KeySpec": "AES_256", "EncryptionContext": {"a": "ä"}},
        {"CiphertextBlob", "Plaintext"},
    ),
    (
        "generate_mac",
        "CODE_KEY_ID",
        {"Message": b"a\xff\x00", "MacAlgorithm": "HMAC_SHA_256"},
        set[str](),
    ),
]


@pytest.mark.parametrize(("method", "key", "parameters", "random"), KEYS)
def test_kms_responses_equal_botocores(
    method: str, key: str, parameters: dict[str, Any], random: set[str]
) -> None:
    kms: Any = boto3.client("kms")
    patched, original = both(kms, lambda c: getattr(c, method)(KeyId=os.environ[key], **parameters))
    assert {n: (type(v), len(v)) for n, v in patched.items()} == {
        n: (type(v), len(v)) for n, v in original.items()
    }
    assert {n: v for n, v in patched.items() if n not in random} == {
        n: v for n, v in original.items() if n not in random
    }


def test_kms_decrypt_and_verify_mac_equal_botocores() -> None:
    kms: Any = boto3.client("kms")
    data, code = {"KeyId": os.environ["DATA_KEY_ID"]}, {"KeyId": os.environ["CODE_KEY_ID"]}
    made = kms.generate_data_key(**data, KeySpec="AES_256")
    patched, original = both(
        kms, lambda c: c.decrypt(**data, CiphertextBlob=made["CiphertextBlob"])
    )
    assert patched == original
    assert patched["Plaintext"] == made["Plaintext"]
    parameters = {**code, "Message": b"\xff", "MacAlgorithm": "HMAC_SHA_256"}
    mac = kms.generate_mac(**parameters)["Mac"]
    patched, original = both(kms, lambda c: c.verify_mac(**parameters, Mac=mac))
    assert patched == original
    assert patched["MacValid"] is True


def test_ssm_parameter_equals_botocores() -> None:
    name = os.environ["SHOPIFY_SECRET_NAME"]
    patched, original = both(
        boto3.client("ssm"), lambda c: c.get_parameter(Name=name, WithDecryption=True)
    )
    assert patched == original
    assert type(patched["Parameter"]["LastModifiedDate"]) is datetime


@pytest.fixture
def s3() -> Iterator[Any]:
    """A client; the bucket's objects are deleted at the end."""
    client = boto3.client("s3")
    yield client
    for each in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=each["Key"])


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 70_000])
def test_s3_object_equals_botocores(s3: Any, content: bytes) -> None:
    name = {"Bucket": BUCKET, "Key": "a/ü b?c+d%20"}
    patched, original = both(s3, lambda c: c.put_object(**name, Body=content))
    assert patched == original

    def stored(client: Any) -> Any:
        answer = client.get_object(**name)
        body = answer.pop("Body")
        return {**answer, "read": body.read(1) + b"".join(body.iter_chunks(1000))}

    other: Any = boto3.client("s3")
    listened(other)
    for client in (s3, other):
        client.put_object(**name, Body=content)
        patched, original = both(s3, stored)
        assert patched == original
        assert patched["read"] == content
    (there,) = s3.list_objects_v2(Bucket=BUCKET)["Contents"]
    assert (there["Key"], there["Size"]) == (name["Key"], len(content))
    assert both(s3, lambda c: c.delete_object(**name), status=204) == ({}, {})
    assert "Contents" not in s3.list_objects_v2(Bucket=BUCKET)


@pytest.mark.parametrize(
    "call",
    [
        lambda c, name: c.put_object(**name, Body=BytesIO(b"of a file")),
        lambda c, name: c.put_object(**name, Body=b"x", ContentType="text/plain"),
        lambda c, name: c.get_object(**name, Range="bytes=1-2"),
        lambda c, name: c.put_object(**name, Body=b"x", Metadata={"a": "b"}),
    ],
)
def test_s3_calls_with_further_parameters_use_botocore(s3: Any, call: Callable[..., Any]) -> None:
    name = {"Bucket": BUCKET, "Key": "name"}
    s3.put_object(**name, Body=b"content")
    with whole_way() as sent:
        call(s3, name)
    assert len(sent) == 1


def test_s3_metadata_is_returned(s3: Any) -> None:
    name = {"Bucket": BUCKET, "Key": "name"}
    s3.put_object(**name, Body=b"x", ContentType="text/plain", Metadata={"a": "b"})
    answer = s3.get_object(**name)
    assert (answer["ContentType"], answer["Metadata"]) == ("text/plain", {"a": "b"})


@pytest.mark.parametrize(
    ("service", "call", "code"),
    [
        ("s3", lambda c: c.get_object(Bucket=BUCKET, Key="none"), "NoSuchKey"),
        ("ssm", lambda c: c.get_parameter(Name="/none"), "ParameterNotFound"),
        ("kms", lambda c: c.decrypt(CiphertextBlob=b"x" * 60), "InvalidCiphertextException"),
        (
            "kms",
            lambda c: c.generate_mac(
                KeyId=os.environ["DATA_KEY_ID"], Message=b"x", MacAlgorithm="HMAC_SHA_256"
            ),
            "InvalidKeyUsageException",
        ),
    ],
)
def test_s3_ssm_and_kms_errors_are_aws_errors(
    service: str, call: Callable[[Any], Any], code: str
) -> None:
    client: Any = boto3.client(service)  # type: ignore[call-overload]
    with whole_way() as sent, pytest.raises(ClientError) as refused:
        call(client)
    assert len(sent) == 1
    assert refused.value.response["Error"]["Code"] == code
    assert type(refused.value) is getattr(client.exceptions, code, ClientError)


def test_write_notifies_stream_readers_and_read_does_not(dynamodb: Any) -> None:
    rings = aws.TABLES_CHANGED.rings
    dynamodb.get_item(TableName=TABLE, Key=KEY)
    assert aws.TABLES_CHANGED.rings == rings
    dynamodb.put_item(TableName=TABLE, Item=KEY)
    assert aws.TABLES_CHANGED.rings == rings + 1


def test_calls_are_serialized_by_the_lock(dynamodb: Any) -> None:
    done = threading.Event()

    def read() -> None:
        dynamodb.get_item(TableName=TABLE, Key=KEY)
        done.set()

    reading = threading.Thread(target=read)
    with aws.LOCK:
        reading.start()
        assert not done.wait(0.05)
    reading.join(5)
    assert done.is_set()


@pytest.mark.parametrize("event", moto_calls.EVENTS)
def test_registered_event_handlers_are_called(event: str) -> None:
    """Such as a test's handler that throttles requests as they are sent."""
    client: Any = boto3.client("dynamodb")
    called: list[str] = []

    def listener(event_name: str, **_: object) -> None:
        called.append(event_name)

    client.get_item(TableName=TABLE, Key=KEY)
    client.meta.events.register(event, listener)
    with whole_way() as sent:
        client.get_item(TableName=TABLE, Key=KEY)
        if event == "after-call-error":
            return
    assert len(sent) == 1
    assert called
    client.meta.events.unregister(event, listener)
    with whole_way() as sent:
        client.get_item(TableName=TABLE, Key=KEY)
    assert sent == []


def test_botocore_internals_are_as_expected() -> None:
    """Botocore still has the internals that the module replaces."""
    client: Any = boto3.client("dynamodb")
    emitter = client.meta.events._emitter
    before = emitter._lookup_cache
    client.meta.events.register("before-send", noted)
    assert emitter._lookup_cache is not before
    assert noted in emitter._handlers.prefix_search("before-send.dynamodb.GetItem")
    assert callable(BaseClient._make_api_call)  # type: ignore[attr-defined]

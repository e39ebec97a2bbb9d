"""The recorder itself: the rights that it demands for a call, and that no call passes it."""

import os
from typing import Any

import boto3
import pytest

from local import functions as running_functions
from local.functions import invoke
from local.template import Function, functions
from tests.harness.least_privilege import Recorder, granted, needed, unused
from tests.harness.world import World


def function(name: str) -> Function:
    return next(f for f in functions() if f.name == name)


@pytest.mark.parametrize(
    ("service", "operation", "params", "grants"),
    [
        ("dynamodb", "Query", {"TableName": "Table"}, {("dynamodb:Query", "Table")}),
        (
            "dynamodb",
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "Table"}},
                    {"Update": {"TableName": "IdempotencyTable"}},
                    {"Delete": {"TableName": "Table"}},
                    {"ConditionCheck": {"TableName": "Table"}},
                ]
            },
            {
                ("dynamodb:PutItem", "Table"),
                ("dynamodb:UpdateItem", "IdempotencyTable"),
                ("dynamodb:DeleteItem", "Table"),
                ("dynamodb:ConditionCheckItem", "Table"),
            },
        ),
        (
            "dynamodb",
            "BatchGetItem",
            {"RequestItems": {"Table": {}}},
            {("dynamodb:BatchGetItem", "Table")},
        ),
        (
            "sqs",
            "SendMessageBatch",
            {"QueueUrl": "https://sqs.example.com/123456789012/WriteBackQueue.fifo"},
            {("sqs:SendMessage", "WriteBackQueue")},
        ),
        ("s3", "PutObject", {"Bucket": "JobObjects"}, {("s3:PutObject", "JobObjects")}),
        (
            "s3",
            "GetObject",
            {"Bucket": "JobObjects"},
            {("s3:GetObject", "JobObjects"), ("s3:ListBucket", "JobObjects")},
        ),
        (
            "s3",
            "HeadObject",
            {"Bucket": "JobObjects"},
            {("s3:GetObject", "JobObjects"), ("s3:ListBucket", "JobObjects")},
        ),
        (
            "s3",
            "PutObject",
            {"Bucket": "JobObjects", "IfMatch": '"1"'},
            {("s3:GetObject", "JobObjects"), ("s3:PutObject", "JobObjects")},
        ),
        (
            "sesv2",
            "SendEmail",
            {"Content": {"Raw": {"Data": b""}}},
            {("ses:SendEmail", "Sender"), ("ses:SendRawEmail", "Sender")},
        ),
    ],
)
def test_permissions_required_by_a_call(
    service: str, operation: str, params: dict[str, Any], grants: set[tuple[str, str]]
) -> None:
    assert needed(service, operation, params) == grants


def test_secret_outside_the_stack_is_recognized() -> None:
    call = needed("ssm", "GetParameter", {"Name": os.environ["SHOPIFY_SECRET_NAME"]})
    assert call == {("ssm:GetParameter", "Secret")}


def test_kms_keys_are_recognized_by_id() -> None:
    call = needed("kms", "GenerateMac", {"KeyId": os.environ["CODE_KEY_ID"]})
    assert call == {("kms:GenerateMac", "CodeKey")}


def test_call_without_permission_fails_immediately(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads_the_table(_event: Any, _context: Any) -> None:
        boto3.client("dynamodb").scan(TableName="Table")

    monkeypatch.setattr(running_functions, "handler_of", lambda _name: reads_the_table)
    with pytest.raises(pytest.fail.Exception, match="lacks dynamodb:Scan on Table"):
        invoke(function("EmailSenderFunction"), {})
    assert running_functions.running() is None


def test_call_outside_functions_is_ignored() -> None:
    boto3.client("dynamodb").scan(TableName="Table")
    assert running_functions.running() is None


def test_used_permission_is_recorded() -> None:
    recorder = Recorder()
    recorder.note("OutboxSweepFunction", "dynamodb", "Query", {"TableName": "Table"})
    assert recorder.used == {("OutboxSweepFunction", "dynamodb:Query", "Table")}


def test_unused_permission_is_reported() -> None:
    sweep = function("OutboxSweepFunction")
    everything = {(f.name, *grant) for f in functions() for grant in granted(f)}
    assert unused(everything) == []
    left = everything - {(sweep.name, "dynamodb:Query", "Table")}
    assert unused(left) == ["OutboxSweepFunction: dynamodb:Query on Table"]


def test_idempotency_record_actions_count_as_used_together() -> None:
    everything = {(f.name, *grant) for f in functions() for grant in granted(f)}
    three = {f"dynamodb:{action}" for action in ("PutItem", "UpdateItem", "DeleteItem")}
    records = {use for use in everything if use[2] == "IdempotencyTable" and use[1] in three}
    claims = {use for use in records if use[1] == "dynamodb:PutItem"}
    assert claims < records
    assert unused(everything - (records - claims)) == []
    nobodys = unused(everything - claims)
    assert len(nobodys) == len(claims)


def test_reading_the_ledger_is_tracked_separately() -> None:
    """It isn't part of a claim."""
    everything = {(f.name, *grant) for f in functions() for grant in granted(f)}
    reading = {use for use in everything if use[1:] == ("dynamodb:GetItem", "IdempotencyTable")}
    assert reading
    assert len(unused(everything - reading)) == len(reading)

"""Timeouts: a call to AWS times out before Lambda ends the function."""

from typing import Any

import pytest

from local.template import functions
from storepost.api.http.deadline import MARGIN_SECONDS
from storepost.platform.messaging import queues, ses
from storepost.platform.persistence import objects, sealing, secrets
from storepost.platform.persistence.item import dynamodb_client

SHORTEST = min(f.timeout_seconds for f in functions() if f.events_of("HttpApi"))


def seconds(client: Any) -> float:
    """The longest duration of a call, with all its tries."""
    config = client.meta.config
    tries = config.retries["total_max_attempts"]
    return float((config.connect_timeout + config.read_timeout) * tries)


@pytest.mark.parametrize(
    "client",
    [sealing._kms, secrets._ssm, objects._s3, queues.client, dynamodb_client],
    ids=["kms", "ssm", "s3", "sqs", "dynamodb"],
)
def test_aws_call_times_out_before_the_request_deadline(client: Any) -> None:
    assert seconds(client()) < SHORTEST - MARGIN_SECONDS


def test_ses_call_times_out_before_the_worker() -> None:
    [sender] = [f for f in functions() if f.job == "email_sender"]
    assert seconds(ses._ses()) < sender.timeout_seconds - MARGIN_SECONDS

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
def test_a_call_ends_before_a_requests_deadline(client: Any) -> None:
    assert seconds(client()) < SHORTEST - MARGIN_SECONDS


def test_an_email_ends_before_its_workers_time_out() -> None:
    [sender] = [f for f in functions() if f.job == "email_sender"]
    assert seconds(ses._ses()) < sender.timeout_seconds - MARGIN_SECONDS

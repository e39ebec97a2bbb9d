"""Attempts that come later: the clock, what SQS delays and the due rows move together."""

from datetime import timedelta
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from local import aws
from local.events import pumps
from storepost.values import clock

RETRIES = "WebhookRetryQueue"
READ = (RETRIES, "WebhookDeliveryQueue", "WriteBackQueue")


def delayed() -> list[Any]:
    """The messages of later attempts that SQS holds."""
    queue = sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues[RETRIES]
    return list(queue._messages)


def lose_delayed() -> None:
    """Takes those messages out of the queue; PurgeQueue would refuse a second time in a minute."""
    sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues[RETRIES]._messages.clear()


def advance(by: timedelta) -> None:
    """Moves the time, and makes the attempts that are due then."""
    clock.advance(by)
    for message in delayed():
        message.delayed_until -= by.total_seconds() * 1000
    run_due()


def run_due() -> None:
    """Runs the schedule of later attempts, and what that queues."""
    pumps.run_schedule("webhook_retries")
    while sum(pumps.pump_queue(queue) for queue in READ):
        pass


def make_all() -> None:
    """Lets all attempts of three days come, those that follow upon them too."""
    for _ in range(12):
        advance(timedelta(days=1, hours=3))

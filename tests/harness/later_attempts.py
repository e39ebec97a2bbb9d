"""Later webhook attempts: moves the clock, SQS's delayed messages and the due rows together."""

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
    """Returns the delayed messages of later attempts."""
    queue = sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues[RETRIES]
    return list(queue._messages)


def lose_delayed() -> None:
    """Deletes those messages; PurgeQueue would be refused when called twice within a minute."""
    sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues[RETRIES]._messages.clear()


def advance(by: timedelta) -> None:
    """Advances the clock, and makes the attempts that become due."""
    clock.advance(by)
    for message in delayed():
        message.delayed_until -= by.total_seconds() * 1000
    run_due()


def run_due() -> None:
    """Runs the schedule of later attempts, and delivers the messages that it queues."""
    pumps.run_schedule("webhook_retries")
    while sum(pumps.pump_queue(queue) for queue in READ):
        pass


def make_all() -> None:
    """Makes all attempts of three days, including those that they cause."""
    for _ in range(12):
        advance(timedelta(days=1, hours=3))

"""The worker of later work: retries of deliveries, replays, and checks of failing endpoints.

Retries of consent write-backs wait here too, and then go to their own FIFO queue.
"""

import json

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.platform.attempts.forwarding import ForwardMessage, forward
from storepost.platform.jobs.batches import job
from storepost.webhooks.deliveries.health import check
from storepost.webhooks.deliveries.messages import EndpointCheckMessage, ReplayMessage, RetryMessage
from storepost.webhooks.deliveries.replaying import replay
from storepost.webhooks.deliveries.worker import deliver

_retry = job(RetryMessage, deliver)
_replay = job(ReplayMessage, replay)
_check = job(EndpointCheckMessage, lambda run: check(run.message))
_forward = job(ForwardMessage, lambda run: forward(run.message))


def do_later(record: SQSRecord, context: LambdaContext) -> None:
    """Does what one message asks for; its content says which kind it is."""
    body = json.loads(record.body)
    if "forwardTo" in body:
        _forward(record, context)
    elif "deliveryId" in body:
        _retry(record, context)
    elif "failingSince" in body:
        _check(record, context)
    else:
        _replay(record, context)

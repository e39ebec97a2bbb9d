"""The worker of deliveries: one attempt a message, decided by the current rows.

A message may arrive twice, late, and after a run that was killed. It names its attempt by number,
and what follows an attempt is queued before the row records the attempt. So a message whose attempt
is in the row is done, and none is lost (docs/adr/0152).
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

from storepost.platform.attempts.due import queue_later
from storepost.platform.attempts.model import Attempt
from storepost.platform.attempts.waits import at_after, wait_after
from storepost.platform.jobs.runs import Run
from storepost.platform.messaging.outbox import Queue, body_of
from storepost.platform.messaging.queues import send_fairly
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.values.metrics import count
from storepost.webhooks.deliveries.events_json import event_of_json
from storepost.webhooks.deliveries.health import disable_gone, note_failure, note_success
from storepost.webhooks.deliveries.messages import DeliveryMessage, RetryMessage, as_retry
from storepost.webhooks.deliveries.model import Delivery, DeliveryStatus, first_delivery
from storepost.webhooks.deliveries.repository import DeliveryRepository
from storepost.webhooks.deliveries.requests import Outcome, message_body, post_message
from storepost.webhooks.endpoints.model import WebhookEndpoint
from storepost.webhooks.endpoints.repository import EndpointRepository
from storepost.webhooks.events.bodies import data_of
from storepost.webhooks.events.samples import sample_of


def deliver[M: DeliveryMessage](run: Run[M]) -> None:
    """Makes the attempt that a message names, unless it was made already."""
    message = run.message
    repository = DeliveryRepository(message.workspace)
    endpoint, stored = repository.with_endpoint(message.endpoint_id, message.delivery_id)
    delivery = stored or _first(message)
    if endpoint is None or delivery is None or not _is_to_do(message, delivery):
        return
    if not endpoint.is_enabled and not delivery.is_by_hand:
        repository.note_attempt(delivery, _abandoned(delivery))
    elif endpoint.health.failing_since is not None and not isinstance(message, RetryMessage):
        body = body_of(as_retry(message).payload())
        send_fairly(Queue.WEBHOOK_RETRY, [(body, str(endpoint.id))])
    else:
        _record_outcome(repository, endpoint, delivery, _attempt(endpoint, delivery))


def _first(message: DeliveryMessage) -> Delivery | None:
    """Returns the delivery of an event that was just committed; None without an event."""
    if message.event is None:
        return None
    event = event_of_json(message.event)
    return first_delivery(message.workspace, message.endpoint_id, event)


def _is_to_do(message: DeliveryMessage, delivery: Delivery) -> bool:
    is_pending = delivery.status is DeliveryStatus.PENDING
    return is_pending and delivery.number < message.attempt


def _abandoned(delivery: Delivery) -> Delivery:
    """Returns the delivery as failed, as its endpoint was disabled: a replay can send it again."""
    return replace(delivery, status=DeliveryStatus.FAILED, next_attempt_at=None)


def _attempt(endpoint: WebhookEndpoint, delivery: Delivery) -> Outcome:
    started_at = clock.now()
    try:
        body = message_body(delivery.event, _data(delivery))
        secrets = EndpointRepository(endpoint.workspace).secrets(endpoint, started_at)
    except Exception as error:  # the fault may be gone at the next attempt
        log_unexpected(error)
        failed = Attempt(started_at, None, "The message couldn't be made here.", 0)
        return Outcome(failed, is_ours=True)
    return post_message(endpoint.url, delivery.id, body, secrets)


def _data(delivery: Delivery) -> dict[str, Any]:
    """Returns the message's data: the resource as it is now, or ids alone if it is gone."""
    event = delivery.event
    if delivery.is_sample:
        return dict(sample_of(event.type)["data"])
    data = data_of(delivery.workspace, event)
    if data is not None:
        return data
    ids = {"id": str(event.resource.id)} if event.resource else {}
    return {**ids, **event.ids}


def _record_outcome(
    repository: DeliveryRepository, endpoint: WebhookEndpoint, before: Delivery, outcome: Outcome
) -> None:
    """Stores an attempt's result, the row last: until then the message is delivered again."""
    now = clock.now()
    _note_health(endpoint, outcome, now)
    next_at = _next_at(before, outcome, now)
    after = before.attempted(outcome.attempt, next_at)
    if next_at is not None:
        queue_later(as_retry(DeliveryMessage.next(after)), next_at)
    if repository.note_attempt(before, after):
        count(_METRICS[after.status])


_METRICS = {
    DeliveryStatus.DELIVERED: "WebhooksDelivered",
    DeliveryStatus.PENDING: "WebhooksRetried",
    DeliveryStatus.FAILED: "WebhooksFailed",
}


def _note_health(endpoint: WebhookEndpoint, outcome: Outcome, now: datetime) -> None:
    if outcome.attempt.is_success:
        note_success(endpoint, now)
    elif outcome.is_gone:
        disable_gone(endpoint)
    elif not outcome.is_ours:
        note_failure(endpoint, now)


def _next_at(before: Delivery, outcome: Outcome, now: datetime) -> datetime | None:
    if outcome.attempt.is_success or outcome.is_gone or before.is_by_hand:
        return None
    wait = wait_after(before.number + 1, outcome.retry_after)
    return at_after(now, wait) if wait else None

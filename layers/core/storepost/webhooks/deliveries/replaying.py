"""The worker's part of a replay: a new delivery sends each failed one's event again.

One transaction writes the new delivery and marks the old one. So after a killed run the next one
continues, and a second replay of the same time sends nothing twice.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import batched

from storepost.platform.jobs.runs import Run
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.webhooks.deliveries.messages import DeliveryMessage, ReplayMessage
from storepost.webhooks.deliveries.model import Delivery, DeliveryStatus, replayed
from storepost.webhooks.deliveries.repository import CreatedWithin, DeliveryRepository
from storepost.webhooks.deliveries.service import failed_in
from storepost.webhooks.endpoints.repository import EndpointRepository

_AT_ONCE = 20


def replay(run: Run[ReplayMessage]) -> None:
    """Replays failed deliveries, some at a time, oldest first, if the endpoint is still enabled."""
    message = run.message
    endpoint = EndpointRepository(message.workspace).get(message.endpoint_id)
    if endpoint is None or not endpoint.is_enabled:
        return
    within = CreatedWithin(
        clock.from_text(message.created_from), clock.from_text(message.created_to)
    )
    found = failed_in(message.workspace, message.endpoint_id, within, message.types)
    for some in batched(reversed(found), _AT_ONCE, strict=False):
        run.check_time()
        commit_anew(lambda changes, some=some: _replay(changes, some))  # type: ignore[misc]


def _replay(changes: Changes, deliveries: Sequence[Delivery]) -> None:
    for each in deliveries:
        repository, now = DeliveryRepository(each.workspace), clock.now()
        before = repository.get(each.endpoint_id, each.id)
        if before is None or before.is_replayed or before.status is not DeliveryStatus.FAILED:
            continue
        after = replayed(before, now)
        repository.save(changes, before, replace(before, is_replayed=True))
        repository.create(changes, after)
        send(changes, DeliveryMessage.next(after))

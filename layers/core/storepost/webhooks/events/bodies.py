"""What a message says of an event, made anew for each attempt.

Each resource is read as its own operations read it, so that who was erased meanwhile is not found,
whatever is still to be removed of them. Of what isn't found the event's ids are said.
"""

from contextlib import suppress
from typing import Any

from storepost.values.problems import NotFound
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.model import WebhookEvent
from storepost.webhooks.events.resources import reader_of

GONE = frozenset({"profile.erased", "order.deleted", "member.removed"})
"""Of these the resource is gone when they are sent."""


def data_of(scope: WorkspaceScope, event: WebhookEvent) -> dict[str, Any] | None:
    """Returns the `data` of a message as it stands now; None of an event without a resource."""
    if event.resource is None:
        return None
    ids = {"id": str(event.resource.id), **_ids(event)}
    if event.type in GONE:
        return ids
    with suppress(NotFound):
        shape = reader_of(event.resource.kind)(scope, event.resource.id, event.ids)
        return {**ids, **_without_device(shape.model_dump(mode="json", by_alias=True))}
    return ids


def _ids(event: WebhookEvent) -> dict[str, Any]:
    """The event's further ids; `mergedProfileIds` are several."""
    merged = event.ids.get("mergedProfileIds")
    return {**event.ids, "mergedProfileIds": merged.split()} if merged is not None else event.ids


def _without_device(data: dict[str, Any]) -> dict[str, Any]:
    """What is said of a change of consent has neither network address nor browser."""
    proof = data.get("proof")
    if proof is None:
        return data
    hidden = {"ip", "userAgent"}
    return {**data, "proof": {k: v for k, v in proof.items() if k not in hidden}}

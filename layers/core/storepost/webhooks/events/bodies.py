"""What a message says of a resource."""

from typing import Any

from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.model import WebhookEvent


def data_of(_scope: WorkspaceScope, event: WebhookEvent) -> dict[str, Any] | None:
    """Returns the resource's summary as it stands now; None where there is nothing to say."""
    return {**({"id": str(event.resource.id)} if event.resource else {}), **event.ids}

"""Webhook endpoints as the page shows them: each with its newest deliveries."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storepost.webhooks.deliveries.model import Delivery
    from storepost.webhooks.endpoints.model import WebhookEndpoint

SHOWN = 20
"""The most deliveries of an endpoint that the page shows."""


@dataclass(frozen=True)
class EndpointView:
    """An endpoint, and its deliveries, the newest first."""

    endpoint: "WebhookEndpoint"
    deliveries: "list[Delivery]"


def endpoint_views() -> list[EndpointView]:
    """Returns the endpoints of all workspaces, the newest first."""
    # The service reads its environment when it is imported.
    from storepost.webhooks.deliveries.repository import (  # noqa: PLC0415
        ANY_TIME,
        DeliveryRepository,
    )
    from storepost.webhooks.endpoints.repository import as_endpoint  # noqa: PLC0415
    from storepost.webhooks.endpoints.rows import WebhookEndpointItem  # noqa: PLC0415

    rows = WebhookEndpointItem.scan(WebhookEndpointItem.kind == WebhookEndpointItem)
    found = sorted(map(as_endpoint, rows), key=lambda each: each.created_at, reverse=True)
    return [
        EndpointView(
            each, list(DeliveryRepository(each.workspace).newest_first(each.id, ANY_TIME, SHOWN))
        )
        for each in found
    ]

"""The shop's warehouse is told of orders: an endpoint is made, tested, mended and replayed."""

from openapi.story.steps import Step
from openapi.story.telling import Chapter

ENDPOINT = {"id": "{endpoint.endpoint.id}"}
DELIVERY = {**ENDPOINT, "deliveryId": "{deliveries.items.0.id}"}

CHAPTER: Chapter = [
    Step(
        "webhookEndpoints.create",
        body={
            "url": "{webhook_url}",
            "events": ["order.*", "webhook.test"],
            "description": "Warehouse",
            "includeImports": False,
        },
        keep="endpoint",
    ),
    Step("webhookEndpoints.get", path=ENDPOINT),
    Step("webhookEndpoints.test", path=ENDPOINT, body={"type": "webhook.test"}),
    Step(
        "webhookEndpoints.list",
        query={"status": "enabled", "event": "order.created", "page": 1, "pageSize": 25},
    ),
    Step(
        "webhookEndpoints.listDeliveries",
        path=ENDPOINT,
        query={
            "type": "webhook.test",
            "status": "delivered",
            "createdFrom": "2026-03-01T00:00:00.000Z",
            "createdTo": "2026-04-01T00:00:00.000Z",
            "page": 1,
            "pageSize": 25,
        },
        keep="deliveries",
        only=("page", "total"),
    ),
    Step("webhookEndpoints.rotateSecret", path=ENDPOINT),
    Step("webhookEndpoints.update", path=ENDPOINT, body={"url": "{failing_webhook_url}"}),
    Step("webhookEndpoints.retryDelivery", path=DELIVERY),
    Step("webhookEndpoints.getDelivery", path=DELIVERY, only=("id", "type", "status")),
    Step(
        "webhookEndpoints.update",
        path=ENDPOINT,
        body={"url": "{webhook_url}", "events": ["order.*"], "status": "enabled"},
    ),
    Step(
        "webhookEndpoints.replay",
        path=ENDPOINT,
        body={
            "createdFrom": "2026-03-01T00:00:00.000Z",
            "createdTo": "2026-04-01T00:00:00.000Z",
            "types": ["webhook.test"],
        },
    ),
    Step("webhookEndpoints.delete", path=ENDPOINT),
]

"""The shop's warehouse is notified of orders: an endpoint is made, tested, fixed and replayed."""

from openapi.story.steps import Step
from openapi.story.story_run import Chapter

ENDPOINT = {"id": "{endpoint.endpoint.id}"}
DELIVERY = {**ENDPOINT, "deliveryId": "{deliveries.items.0.id}"}

CHAPTER: Chapter = [
    Step("webhookEventTypes.list", query={"page": 4, "pageSize": 10}),
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
    ),
    Step("webhookEndpoints.rotateSecret", path=ENDPOINT),
    Step("webhookEndpoints.update", path=ENDPOINT, body={"url": "{failing_webhook_url}"}),
    Step("webhookEndpoints.retryDelivery", path=DELIVERY),
    Step("webhookEndpoints.getDelivery", path=DELIVERY),
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

"""Webhook endpoints: where a workspace's events are posted, and the deliveries of each."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin, Reader
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import Writes
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Timestamp
from storepost.webhooks.deliveries import listing
from storepost.webhooks.deliveries import service as deliveries
from storepost.webhooks.deliveries.listing import DeliveryFilter
from storepost.webhooks.deliveries.model import DeliveryStatus
from storepost.webhooks.deliveries.repository import CreatedWithin
from storepost.webhooks.deliveries.schemas import (
    QueuedDeliveries,
    WebhookDelivery,
    WebhookReplay,
    WebhookTest,
)
from storepost.webhooks.endpoints import service
from storepost.webhooks.endpoints.model import EndpointStatus
from storepost.webhooks.endpoints.schemas import (
    CreatedWebhookEndpoint,
    NewWebhookEndpoint,
    WebhookEndpoint,
    WebhookEndpointUpdate,
)
from storepost.webhooks.endpoints.service import EndpointFilter
from storepost.webhooks.events import schemas as event_types
from storepost.webhooks.events.schemas import WebhookEventType

app = create_app()


@app.get("/v1/webhook-endpoints", operation_id="webhookEndpoints.list")
def list_webhook_endpoints(
    caller: Admin,
    status: Annotated[
        list[EndpointStatus] | None, Query(description="Only endpoints with this status.")
    ] = None,
    event: Annotated[
        list[str] | None,
        Query(
            description="Only endpoints that are sent events of this type, by its name, by its "
            "group or by `*`."
        ),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[WebhookEndpoint]:
    """List webhook endpoints.

    The workspace's endpoints, disabled ones too, the newest first. No secret is shown.
    """
    filters = EndpointFilter(status, event)
    found = service.list_endpoints(caller.workspace, filters, PageRequest(page, page_size))
    return Page[WebhookEndpoint].of(found, WebhookEndpoint.of)


@app.post("/v1/webhook-endpoints", operation_id="webhookEndpoints.create", status_code=201)
def create_webhook_endpoint(
    caller: Admin, writes: Writes, body: NewWebhookEndpoint
) -> CreatedWebhookEndpoint:
    """Create a webhook endpoint.

    From now on Storepost posts the events that it names there, signed as Standard Webhooks says.
    The secret that signs them is in this answer and never again. A workspace has at most 20
    endpoints.
    """
    return CreatedWebhookEndpoint.of(service.create_endpoint(caller, body.fields(), writes))


@app.get("/v1/webhook-endpoints/<id>", operation_id="webhookEndpoints.get")
def get_webhook_endpoint(
    id: Annotated[UUID, Path(description="The endpoint that is read.")], caller: Admin
) -> WebhookEndpoint:
    """Get a webhook endpoint.

    The endpoint, and how it is doing. The secret is never shown again.
    """
    return WebhookEndpoint.of(service.get_endpoint(caller.workspace, id))


@app.patch("/v1/webhook-endpoints/<id>", operation_id="webhookEndpoints.update")
def update_webhook_endpoint(
    id: Annotated[UUID, Path(description="The endpoint that is changed.")],
    caller: Admin,
    writes: Writes,
    body: WebhookEndpointUpdate,
) -> WebhookEndpoint:
    """Update a webhook endpoint.

    Changes what is sent; what is left out stays. `status` disables an endpoint, and enables one
    again that was disabled automatically. Deliveries that wait for another attempt use the new
    address, and what the old one didn't take no longer counts against it.
    """
    fields = body.fields()
    return WebhookEndpoint.of(service.update_endpoint(caller.workspace, id, fields, writes))


@app.delete(
    "/v1/webhook-endpoints/<id>",
    operation_id="webhookEndpoints.delete",
    status_code=204,
    response_description="The endpoint is deleted: nothing more is sent to it.",
)
def delete_webhook_endpoint(
    id: Annotated[UUID, Path(description="The endpoint that is deleted.")],
    caller: Admin,
    writes: Writes,
) -> None:
    """Delete a webhook endpoint.

    Nothing more is sent to it, not even what waits for another attempt, and its deliveries can't be
    read any more.
    """
    service.delete_endpoint(caller.workspace, id, writes)


@app.post(
    "/v1/webhook-endpoints/<id>/rotate-secret",
    operation_id="webhookEndpoints.rotateSecret",
    response_description="The endpoint with its new secret, which is shown this once.",
)
def rotate_webhook_secret(
    id: Annotated[UUID, Path(description="The endpoint that gets a new secret.")],
    caller: Admin,
    writes: Writes,
) -> CreatedWebhookEndpoint:
    """Rotate a webhook endpoint's secret.

    The new secret signs from now on. The old one signs too for 24 hours, so each message has two
    signatures meanwhile; if you rotate again in that time, it has more, five at most.
    """
    return CreatedWebhookEndpoint.of(service.rotate_secret(caller.workspace, id, writes))


@app.post(
    "/v1/webhook-endpoints/<id>/test",
    operation_id="webhookEndpoints.test",
    status_code=202,
    response_description="The delivery of the sample, which is on its way.",
)
def send_webhook_test(
    id: Annotated[UUID, Path(description="The endpoint that is sent a sample.")],
    caller: Admin,
    writes: Writes,
    body: WebhookTest | None = None,
) -> WebhookDelivery:
    """Test a webhook endpoint.

    Sends the sample of an event type to the endpoint, whatever events it names. Read the delivery
    to see its status.
    """
    event_type = (body or WebhookTest()).type
    return WebhookDelivery.of(deliveries.send_test(caller.workspace, id, event_type, writes))


@app.get("/v1/webhook-endpoints/<id>/deliveries", operation_id="webhookEndpoints.listDeliveries")
def list_webhook_deliveries(
    id: Annotated[UUID, Path(description="The endpoint whose deliveries are listed.")],
    caller: Admin,
    type: Annotated[
        list[str] | None, Query(description="Only deliveries of events of this type.")
    ] = None,
    status: Annotated[
        list[DeliveryStatus] | None, Query(description="Only deliveries with this status.")
    ] = None,
    created_from: Annotated[
        Timestamp | None,
        Query(description="Only deliveries that were created at this moment or later."),
    ] = None,
    created_to: Annotated[
        Timestamp | None, Query(description="Only deliveries that were created before this moment.")
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[WebhookDelivery]:
    """List a webhook endpoint's deliveries.

    The deliveries of the last 30 days with their attempts, the newest first. An event's delivery
    appears with its first attempt. For an endpoint with more than 20,000 deliveries, filter by
    `createdFrom` and `createdTo`.
    """
    filters = DeliveryFilter(type, status, CreatedWithin(created_from, created_to))
    found = listing.list_deliveries(caller.workspace, id, filters, PageRequest(page, page_size))
    return Page[WebhookDelivery].of(found, WebhookDelivery.of)


@app.get(
    "/v1/webhook-endpoints/<id>/deliveries/<deliveryId>",
    operation_id="webhookEndpoints.getDelivery",
)
def get_webhook_delivery(
    id: Annotated[UUID, Path(description="The endpoint that the delivery goes to.")],
    delivery_id: Annotated[UUID, Path(description="The delivery to read, with its attempts.")],
    caller: Admin,
) -> WebhookDelivery:
    """Get a delivery to a webhook endpoint.

    The delivery with its attempts, for 30 days.
    """
    return WebhookDelivery.of(listing.found_delivery(caller.workspace, id, delivery_id))


@app.post(
    "/v1/webhook-endpoints/<id>/deliveries/<deliveryId>/retry",
    operation_id="webhookEndpoints.retryDelivery",
    status_code=202,
    response_description="The delivery, of which one attempt is made now.",
)
def retry_webhook_delivery(
    id: Annotated[UUID, Path(description="The endpoint to which another attempt is made.")],
    delivery_id: Annotated[UUID, Path(description="The delivery that is tried again.")],
    caller: Admin,
    writes: Writes,
) -> WebhookDelivery:
    """Retry a delivery to a webhook endpoint.

    Makes one attempt now, also of a delivery that failed or was delivered, and also to an endpoint
    that is disabled. The message says how the resource is now, under the same `webhook-id`.
    """
    return WebhookDelivery.of(deliveries.retry_delivery(caller.workspace, id, delivery_id, writes))


@app.post(
    "/v1/webhook-endpoints/<id>/replay",
    operation_id="webhookEndpoints.replay",
    status_code=202,
    response_description="The failed deliveries are queued again; the answer says how many.",
)
def replay_webhook_deliveries(
    id: Annotated[UUID, Path(description="The endpoint whose failed deliveries are sent again.")],
    caller: Admin,
    writes: Writes,
    body: WebhookReplay,
) -> QueuedDeliveries:
    """Replay what a webhook endpoint missed.

    Sends the events of failed deliveries again, each in a new delivery with an id of its own, which
    names the failed one in `replayOf`. What a replay has sent again isn't sent by the next one.
    """
    queued = deliveries.replay_failed(caller.workspace, id, body.created, body.types, writes)
    return QueuedDeliveries(queued=queued)


@app.get("/v1/webhook-event-types", operation_id="webhookEventTypes.list")
def list_event_types(
    caller: Reader,  # noqa: ARG001 - who may call
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[WebhookEventType]:
    """List the types of events.

    Lists the types that webhook endpoints can ask for: when each is sent, the JSON Schema of its
    `data` and a whole message as a sample. They are the same in every workspace.
    """
    found = event_types.list_event_types(PageRequest(page, page_size))
    return Page[WebhookEventType].of(found, WebhookEventType.of)


lambda_handler = app.handler()

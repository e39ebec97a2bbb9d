"""Webhook endpoints on the wire."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StrictBool, StringConstraints

from storepost.values.wire import (
    NotNull,
    PartialUpdate,
    RequestBody,
    SecretAnswer,
    Shape,
    Text,
    Timestamp,
    Uri,
    Url,
)
from storepost.webhooks.endpoints.model import MAX_EVENTS, DisabledReason, EndpointStatus
from storepost.webhooks.endpoints.service import EndpointView, NewSecret

EventPattern = Annotated[
    str,
    StringConstraints(min_length=1, max_length=64),
    Field(description="An event type such as `order.created`, a group such as `order.*`, or `*`."),
]
Patterns = Annotated[list[EventPattern], Field(min_length=1, max_length=MAX_EVENTS)]

_EVENTS = (
    "What is sent: event types such as `order.created`, groups such as `order.*`, or `*` for all. "
    "`GET /webhook-event-types` lists them."
)
_URL = (
    "Where events are posted, by `https`. An address that isn't public is refused with "
    "`url_not_allowed`, now and at each attempt."
)
_IMPORTS = (
    "Whether events are also sent of what an import, a batch or a feed wrote. Without it only "
    "unsubscriptions, erasures and suppressions are, and the import itself."
)


class NewWebhookEndpoint(RequestBody):
    """A webhook endpoint to create: an address of yours, and the events to send there."""

    url: Url = Field(description=_URL)
    events: Patterns = Field(description=_EVENTS)
    description: Text | None = Field(
        default=None, description="What people call the endpoint, such as who runs it."
    )
    include_imports: StrictBool = Field(default=False, description=_IMPORTS)

    def fields(self) -> dict[str, Any]:
        """Returns the fields by their names."""
        return {name: getattr(self, name) for name in type(self).model_fields}


class WebhookEndpointUpdate(PartialUpdate):
    """What to change of a webhook endpoint; what is left out stays."""

    url: Annotated[Url | None, NotNull()] = Field(
        default=None, description="Where events are posted from now on, by `https`."
    )
    events: Annotated[Patterns | None, NotNull()] = Field(
        default=None,
        description="What is sent from now on: event types, groups such as `order.*`, or `*`.",
    )
    description: Text | None = Field(
        default=None, description="What people call the endpoint; null removes it."
    )
    include_imports: Annotated[StrictBool | None, NotNull()] = Field(
        default=None,
        description="Whether events are also sent of what an import, a batch or a feed writes.",
    )
    status: Annotated[EndpointStatus | None, NotNull()] = Field(
        default=None,
        description="`disabled` stops it, and `enabled` starts it again, whatever had disabled it. "
        "What happens meanwhile isn't sent later.",
    )


class WebhookEndpoint(Shape):
    """An address of yours, to which Storepost posts events as signed messages."""

    id: UUID = Field(description="The endpoint's id, by which paths name it.")
    url: Uri = Field(description="Where events are posted.")
    description: str | None = Field(description="What people call the endpoint.")
    events: list[str] = Field(
        description="What is sent: event types, groups such as `order.*`, or `*` for all."
    )
    include_imports: bool = Field(description=_IMPORTS)
    status: EndpointStatus = Field(
        description="`enabled`, or `disabled`: then nothing is sent, and nothing is sent later."
    )
    disabled_reason: DisabledReason | None = Field(
        description="Why it is disabled: `manual`, somebody did it; `failing`, it accepted nothing "
        "for 5 days; `gone`, it answered 410. Null while it is enabled."
    )
    created_by: str | None = Field(
        description="The name of the person who made it. Null once that account is deleted."
    )
    created_at: Timestamp = Field(description="When it was made.")
    last_success_at: Timestamp | None = Field(
        description="When it last took a message, to the minute. Null as long as it took none."
    )
    failing_since: Timestamp | None = Field(
        description="When the first attempt failed that no success followed. Null while it works."
    )

    @classmethod
    def of(cls, view: EndpointView) -> "WebhookEndpoint":
        """Returns the endpoint in this shape."""
        endpoint = view.endpoint
        return cls.from_model(
            endpoint,
            events=list(endpoint.events),
            created_by=view.created_by,
            last_success_at=endpoint.health.last_success_at,
            failing_since=endpoint.health.failing_since,
        )


class CreatedWebhookEndpoint(SecretAnswer):
    """A webhook endpoint with its new secret, which is shown this once."""

    endpoint: WebhookEndpoint = Field(description="The endpoint, without the secret.")
    secret: str = Field(
        description="What signs the messages, as Standard Webhooks writes it: `whsec_` and base64. "
        "It can't be shown again, so keep it like a password."
    )

    @classmethod
    def of(cls, made: NewSecret) -> "CreatedWebhookEndpoint":
        """Returns the endpoint and its secret in this shape."""
        return cls(endpoint=WebhookEndpoint.of(made.view), secret=made.secret)

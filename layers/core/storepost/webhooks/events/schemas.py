"""Types of events in answers."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.wire import Shape

if TYPE_CHECKING:
    from storepost.webhooks.events.registry import EventType


class WebhookEventType(Shape):
    """A type of events that webhook endpoints can ask for."""

    type: str = Field(
        description="The type's name, such as `order.created`: what an endpoint asks for, and what "
        "its messages have as `type`."
    )
    description: str = Field(description="When it is sent, and what its messages say.")
    json_schema: dict[str, Any] = Field(
        alias="schema",
        description="The JSON Schema (2020-12) of `data` in its messages. Where the resource is "
        "gone when the message is sent, `data` has ids alone: the last of `anyOf`.",
    )
    sample: dict[str, Any] = Field(
        description="A whole message with made-up values, as `webhookEndpoints.test` sends it."
    )

    @classmethod
    def of(cls, each: "EventType") -> "WebhookEventType":
        """Returns the type in this shape."""
        return cls(
            type=each.type,
            description=each.description,
            schema=each.json_schema(),
            sample=each.sample,
        )


def list_event_types(page: PageRequest) -> "Listing[EventType]":
    """Returns a page of the types, those of one group beside each other."""
    # It has the shapes of all resources, a tenth of the function's import.
    from storepost.webhooks.events.registry import EVENT_TYPES  # noqa: PLC0415

    return cut(EVENT_TYPES, page)

"""Which types of events an endpoint asks for. It knows no shapes, so that the relay loads none."""

from collections.abc import Iterable

from storepost.webhooks.events.model import WebhookEvent

ALL = "*"
TEST_TYPE = "webhook.test"


def matches(patterns: Iterable[str], type: str) -> bool:
    """Returns whether a pattern stands for the type: `*`, a group as `order.*`, or itself."""
    group = type.partition(".")[0] + ".*"
    return any(pattern in {ALL, group, type} for pattern in patterns)


def type_for(patterns: Iterable[str], event: WebhookEvent) -> str | None:
    """Returns the type as which these patterns get an event; None where they don't.

    One commit sends one message about a resource. So an order that is cancelled is sent as
    `order.cancelled` to an endpoint that asks for that, and as `order.updated` to one that asks for
    that alone.
    """
    subscribed = tuple(patterns)
    return next((each for each in (event.type, *event.also) if matches(subscribed, each)), None)

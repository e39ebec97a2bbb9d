"""Which types of events an endpoint subscribes to; no shapes, so that the relay imports none."""

from collections.abc import Iterable

from storepost.webhooks.events.model import WebhookEvent

ALL = "*"
TEST_TYPE = "webhook.test"


def matches(patterns: Iterable[str], type: str) -> bool:
    """Returns whether a pattern matches the type: `*`, a group such as `order.*`, or itself."""
    group = type.partition(".")[0] + ".*"
    return any(pattern in {ALL, group, type} for pattern in patterns)


def type_for(patterns: Iterable[str], event: WebhookEvent) -> str | None:
    """Returns the type under which these patterns get an event; None if they don't.

    One commit sends one message about a resource. So a cancelled order is sent as `order.cancelled`
    to an endpoint that subscribes to that, and as `order.updated` to one that subscribes to that
    alone.
    """
    subscribed = tuple(patterns)
    return next((each for each in (event.type, *event.also) if matches(subscribed, each)), None)

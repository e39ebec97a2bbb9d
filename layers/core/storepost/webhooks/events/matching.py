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
    """Returns as what an event is told to whoever asks for these types; None where it isn't.

    One commit tells of a resource once. So an order that is cancelled is told as `order.cancelled`
    to whoever asks for that, and as `order.updated` to whoever asks for that alone.
    """
    subscribed = tuple(patterns)
    return next((each for each in (event.type, *event.also) if matches(subscribed, each)), None)

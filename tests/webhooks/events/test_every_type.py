"""Each type of event, from the operation that causes it to the message at an endpoint."""

import pytest

from storepost.webhooks.events.registry import EVENT_TYPES
from tests.feeds.feeds import feed_store
from tests.feeds.feeds.conftest import running_server, server
from tests.feeds.feeds.serving import FeedServer
from tests.harness.receiver import Receiver
from tests.webhooks.conftest import receiver
from tests.webhooks.events.causes_of_types import CAUSES, Scene
from tests.webhooks.events.shop import SCHEMAS, Shop
from tests.webhooks.receiving import HOOK, URL

__all__ = ["receiver", "running_server", "server"]

TYPES = [each.type for each in EVENT_TYPES]


@pytest.fixture
def scene(
    shop: Shop, receiver: Receiver, server: FeedServer, monkeypatch: pytest.MonkeyPatch
) -> Scene:
    """A workspace with an endpoint that asks for all types, also of imports."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", f"{HOOK},{server.host}")
    body = {"url": URL, "events": ["*"], "includeImports": True}
    endpoint = shop.call("POST", "/webhook-endpoints", body).json["endpoint"]["id"]
    feeds = feed_store.Shop(shop.world, server, shop.owner, shop.workspace, shop.store)
    made = Scene(shop, feeds, receiver, endpoint)
    made.begin()
    return made


def test_every_type_has_a_cause() -> None:
    assert list(CAUSES) == TYPES


@pytest.mark.parametrize("name", TYPES)
def test_event_of_each_type_is_delivered_with_a_valid_payload(scene: Scene, name: str) -> None:
    answered = CAUSES[name](scene)
    scene.shop.world.deliver()
    [sent] = [each for each in scene.receiver.received if each.json["type"] == name]
    assert list(sent.json) == ["type", "timestamp", "data"]
    SCHEMAS[name].validate(sent.json["data"])
    assert sent.json["data"] == answered()
    delivery = scene.shop.get(f"/webhook-endpoints/{scene.endpoint}/deliveries/{sent.id}")
    assert (delivery["type"], delivery["status"]) == (name, "delivered")
    resource = delivery["resource"]
    assert resource is None if name == "webhook.test" else resource["id"] == sent.json["data"]["id"]

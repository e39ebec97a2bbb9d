"""Bodies of Shopify's privacy webhooks, and the rows that a workspace has of a person."""

from typing import Any

from storepost.sync.webhooks.messages import Webhook
from storepost.values import clock
from tests.harness.world import Someone
from tests.shopify.hooks import CUSTOMER, EMAIL, ORDER, PHONE, Hooks
from tests.shopify.shops import SHOP

PERSON = {"id": CUSTOMER, "email": EMAIL, "phone": PHONE}
ASKED = {"shop_id": 954889, "shop_domain": SHOP, "customer": PERSON}


def remove_app(hooks: Hooks) -> None:
    hooks.remove_app()
    hooks.world.advance(hours=48)


def profiles(hooks: Hooks, owner: Someone) -> list[dict[str, Any]]:
    """All of the workspace's profiles."""
    return list(owner.call("GET", "/profiles").json["items"])


def of_profile(hooks: Hooks, owner: Someone, profile_id: str, what: str) -> Any:
    """The items of one of a profile's lists."""
    return owner.call("GET", f"/profiles/{profile_id}/{what}").json["items"]


def put_elsewhere(hooks: Hooks, owner: Someone, **overrides: Any) -> None:
    """Another store of the workspace puts the same person."""
    body = {
        "email": EMAIL,
        "externalCreatedAt": "2026-01-01T00:00:00Z",
        "externalUpdatedAt": "2026-01-01T00:00:00Z",
        **overrides,
    }
    path = f"/stores/{hooks.world.store(owner)}/customers/7"
    assert owner.call("PUT", path, body).status == 201


REDACT = {**ASKED, "orders_to_redact": [ORDER, 5, None]}


def shop_redaction(raw: bytes) -> Webhook:
    return Webhook(SHOP, "shop/redact", clock.now(), raw)

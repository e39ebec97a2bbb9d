"""Webhooks that Shopify never sent, although it signed their bytes, and replayed ones.

Shopify signs the query of an install's callback and a webhook's body with one secret, and a
webhook's shop, topic and time are in headers that aren't signed.
"""

import base64
import json
from functools import partial
from itertools import product
from typing import Any

import pytest
from werkzeug.wrappers import Response

from local.events.pumps import pump_queue
from storepost.shopify.claims import find_claim
from storepost.stores.stores.model import ConnectionStatus, StoreStatus
from storepost.sync.webhooks import deliveries
from storepost.sync.webhooks.topics import SHAPES
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import Someone, World
from tests.shopify.hooks import (
    CUSTOMER,
    ORDER,
    SHOP_BODY,
    Hooks,
    consents,
    customer_body,
    order_body,
    signature,
)
from tests.shopify.shops import OTHER, SHOP, Shopify

REDACTION = {"shop_id": 954889, "shop_domain": SHOP}
PERSON = {**REDACTION, "customer": {"id": CUSTOMER}, "orders_to_redact": [ORDER]}
NAMING = sorted(topic for topic, shape in SHAPES.items() if shape.shop)

GENUINE: dict[str, dict[str, Any]] = {
    "customers/create": customer_body(),
    "customers/update": customer_body(),
    "customers/delete": {"id": CUSTOMER},
    "customers/merge": {
        "admin_graphql_api_customer_kept_id": "gid://shopify/Customer/1",
        "admin_graphql_api_customer_deleted_id": "gid://shopify/Customer/2",
        "status": "completed",
    },
    "customers_email_marketing_consent/update": {
        "customer_id": CUSTOMER,
        "email_marketing_consent": {"state": "subscribed"},
    },
    "customers_marketing_consent/update": {
        "id": CUSTOMER,
        "sms_marketing_consent": {"state": "subscribed"},
    },
    "orders/create": order_body(),
    "orders/updated": order_body(),
    "orders/delete": {"id": ORDER},
    "products/create": {"id": 1, "updated_at": "2026-01-05T10:00:00-05:00"},
    "products/update": {"id": 1, "updated_at": "2026-01-05T10:00:00-05:00"},
    "products/delete": {"id": 1},
    "app/uninstalled": SHOP_BODY,
    "app/scopes_update": {"shop_id": 1, "previous": [], "current": ["read_orders"]},
    "locales/create": {"locale": "fr"},
    "locales/update": {"locale": "fr"},
    "locales/destroy": {"locale": "fr"},
    "shop/update": SHOP_BODY,
    "customers/data_request": PERSON,
    "customers/redact": PERSON,
    "shop/redact": REDACTION,
}
"""A body of each topic, with what Shopify's documentation has in each."""


@pytest.fixture
def known(hooks: Hooks) -> Hooks:
    """A customer with an order."""
    hooks.notify("customers/create", customer_body(**consents("subscribed", "subscribed")))
    hooks.notify("orders/create", order_body())
    return hooks


def queued(world: World) -> int:
    """How many webhooks are on their way."""
    world.deliver_outbox()
    return world.queue_depth("WebhookQueue")


def state(hooks: Hooks) -> list[tuple[str, str]]:
    """All rows except those of installs, which the attacker has begun."""
    return sorted(
        (row.pk, row.sk) for row in hooks.world.rows() if not row.pk.startswith("webhook#")
    )


def forge(hooks: Hooks, topic: str, raw: bytes, hexadecimal: str | None = None) -> Any:
    """Sends bytes that Shopify signed as a webhook of the shop."""
    mac = base64.b64encode(bytes.fromhex(hexadecimal)).decode() if hexadecimal else signature(raw)
    return hooks.post(topic, raw, headers={"Hmac-Sha256": mac})


class TestCallbackQuery:
    """The query of an install's callback, which has Shopify's signature."""

    def test_callback_query_is_refused_as_webhook(self, known: Hooks, shopify: Shopify) -> None:
        stranger = known.world.owner()
        query = shopify.approved(shopify.begin(stranger, OTHER))
        signed = query.pop("hmac")
        raw = "&".join(f"{name}={query[name]}" for name in sorted(query)).encode()
        before = state(known)
        assert shopify.callback({**query, "hmac": "0" * 64}).status == 400
        for topic in sorted(SHAPES):
            assert forge(known, topic, raw, signed).problem() == (401, "signature_invalid")
        assert queued(known.world) == 0
        assert state(known) == before
        assert shopify.store(known.workspace).is_active

    def test_webhook_body_is_refused_as_callback(self, hooks: Hooks, shopify: Shopify) -> None:
        """A body may contain a query, but its first letter sorts after the query's names."""
        stranger = hooks.world.owner()
        query = shopify.approved(shopify.begin(stranger, OTHER))
        query.pop("hmac")
        note = "&".join(f"{name}={value}" for name, value in query.items())
        raw = json.dumps({"note": f"={note}"}).encode()
        mac = base64.b64decode(signature(raw)).hex()
        name, _, rest = raw.decode().partition("=")
        assert shopify.callback({name: rest, "hmac": mac}).problem() == (400, "oauth_invalid")
        split = dict(pair.split("=", 1) for pair in raw.decode().split("&"))
        assert shopify.callback({**split, "hmac": mac}).problem() == (400, "oauth_invalid")


class TestShape:
    @pytest.mark.parametrize(
        "raw",
        [b"", b"[]", b"{", b"null", b'"{}"', b"[" * 30_000, b"\xff{}", "{}".encode("utf-16")],
        ids=["empty", "list", "cut", "null", "text", "deep", "no text", "utf-16"],
    )
    def test_body_that_is_no_json_object_is_refused(self, hooks: Hooks, raw: bytes) -> None:
        for topic in (*sorted(SHAPES), "carts/update"):
            assert forge(hooks, topic, raw).problem() == (401, "signature_invalid")
        assert queued(hooks.world) == 0

    def test_genuine_webhook_is_queued(self, hooks: Hooks) -> None:
        for topic in sorted(SHAPES):
            assert hooks.post(topic, GENUINE[topic]).status == 200
        assert queued(hooks.world) == len(SHAPES)

    def test_webhook_without_required_field_is_dropped(self, hooks: Hooks) -> None:
        """Shopify would send the same one again, and count failures."""
        for topic, shape in SHAPES.items():
            for name in shape.required.keys() - {shape.shop}:
                less = {k: v for k, v in GENUINE[topic].items() if k != name}
                for body in (less, {**less, name: None}):
                    assert hooks.post(topic, body).status == 200
        assert queued(hooks.world) == 0

    @pytest.mark.parametrize("named", [OTHER, "", None, 7, {"": SHOP}, f"{SHOP}.example.com"])
    def test_webhook_naming_other_shop_is_refused(self, known: Hooks, named: object) -> None:
        """A shop's webhook has no effect on another shop."""
        for topic in NAMING:
            body = {**GENUINE[topic], str(SHAPES[topic].shop): named}
            assert known.post(topic, body).problem() == (401, "signature_invalid")
        assert queued(known.world) == 0

    def test_topics_whose_body_names_the_shop(self) -> None:
        assert NAMING == [
            "app/uninstalled",
            "customers/data_request",
            "customers/redact",
            "shop/redact",
            "shop/update",
        ]

    def test_shop_domain_is_case_insensitive(self, hooks: Hooks) -> None:
        body = {**REDACTION, "shop_domain": SHOP.upper()}
        assert hooks.post("shop/redact", body).status == 200
        assert queued(hooks.world) == 1

    def test_record_of_other_type_is_dropped(self, hooks: Hooks) -> None:
        types = ["Customer", "Order", "Product"]
        for topic, type_ in product(("customers", "orders", "products"), types):
            body = {"id": 1, "admin_graphql_api_id": f"gid://shopify/{type_}/1"}
            assert hooks.post(f"{topic}/delete", body).status == 200
        assert queued(hooks.world) == len(types)


class TestUninstalled:
    """app/uninstalled takes effect once the shop itself refuses our tokens."""

    def test_ignored_while_shop_accepts_tokens(self, known: Hooks, shopify: Shopify) -> None:
        known.notify("app/uninstalled", SHOP_BODY)
        store = shopify.store(known.workspace)
        assert (store.is_active, store.connection_status) == (True, ConnectionStatus.CONNECTED)
        assert find_claim(SHOP) is not None
        assert shopify.server.requests[-1].startswith("POST /admin/api/")

    def test_ignored_on_access_denied(self, known: Hooks, shopify: Shopify) -> None:
        shopify.answering(Response(status=403))
        known.notify("app/uninstalled", SHOP_BODY)
        assert shopify.store(known.workspace).is_active

    @pytest.mark.parametrize(("status", "tries"), [(500, 3), (402, 1), (404, 1)])
    def test_retried_while_shop_is_unavailable(
        self, known: Hooks, shopify: Shopify, status: int, tries: int
    ) -> None:
        shopify.shop().installation = None
        shopify.answering(*[Response(status=status)] * tries)
        known.post("app/uninstalled", SHOP_BODY)
        known.world.deliver_outbox()
        pump_queue("WebhookQueue", 0)
        assert shopify.store(known.workspace).is_active
        known.world.deliver()
        assert shopify.store(known.workspace).status is StoreStatus.DISCONNECTED
        assert known.world.queue_depth("WebhookQueue") == 0

    def test_ignored_after_concurrent_token_refresh(self, known: Hooks, shopify: Shopify) -> None:
        """A refreshed token's predecessor is refused too, which says nothing of the app."""
        installation = shopify.shop().installation
        assert installation is not None
        known.notify("app/uninstalled", SHOP_BODY)
        installation.give_tokens(instead_of=installation.refresh_token)
        shopify.answering(Response(status=401))
        known.notify("app/uninstalled", SHOP_BODY)
        assert shopify.store(known.workspace).is_active


class TestShopRedact:
    """shop/redact removes the data of stores that were disconnected two days before."""

    def test_ignored_for_connected_shop(self, known: Hooks) -> None:
        known.notify("shop/redact", REDACTION)
        known.world.advance(days=30)
        known.world.sweep()
        known.world.deliver()
        assert known.order() is not None
        assert known.customer() is not None

    @pytest.mark.parametrize("hours", [0, 1, 47.9])
    def test_data_is_deleted_two_days_after_disconnection(
        self, known: Hooks, owner: Someone, hours: float
    ) -> None:
        known.remove_app()
        known.world.advance(hours=hours)
        known.notify("shop/redact", REDACTION)
        known.world.advance(hours=47.9 - hours)
        known.world.sweep()
        known.world.deliver()
        assert known.order() is not None
        # Records that the stream might have lost are swept two minutes later.
        known.world.advance(hours=0.1, minutes=2)
        known.world.sweep()
        known.world.deliver()
        assert known.order() is None
        assert known.find_customer() is None
        assert known.world.rows("due#outbox#") == []

    def test_cancelled_when_shop_is_reconnected(
        self, known: Hooks, shopify: Shopify, owner: Someone
    ) -> None:
        known.remove_app()
        known.notify("shop/redact", REDACTION)
        known.world.advance(hours=1)
        shopify.connect(owner, known.workspace)
        known.world.deliver()
        known.notify("orders/create", order_body(id=9))
        known.world.advance(hours=50)
        known.world.sweep()
        known.world.deliver()
        assert known.order(9) is not None
        assert known.world.rows("due#outbox#") == []


class TestDelivery:
    """Each webhook is accepted once, by its id."""

    def test_duplicate_webhook_id_is_queued_once(self, hooks: Hooks) -> None:
        headers = {"Webhook-Id": "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043"}
        for _ in range(3):
            assert hooks.post("customers/delete", {"id": 1}, headers=headers).status == 200
        assert queued(hooks.world) == 1

    def test_same_webhook_id_of_other_shop_is_queued(self, hooks: Hooks) -> None:
        id_header = {"Webhook-Id": "1"}
        for shop in (SHOP, OTHER):
            headers = {**id_header, "Shop-Domain": shop}
            assert hooks.post("customers/delete", {"id": 1}, headers=headers).status == 200
        assert queued(hooks.world) == 2

    def test_webhook_id_expires_after_two_days(self, hooks: Hooks) -> None:
        """An id counts for longer than Shopify retries; its row may be read for days after that."""
        headers, before = {"Webhook-Id": "1"}, clock.now().replace(microsecond=0)
        hooks.post("customers/delete", {"id": 1}, headers=headers)
        [row] = hooks.world.rows("webhook#")
        assert before <= row.expiration - deliveries.KEPT_FOR <= clock.now()
        assert (hooks.store.external_id in row.pk, set(row.attribute_values)) == (
            False,
            {"pk", "sk", "kind", "expiration"},
        )
        hooks.world.advance(days=2, seconds=1)
        hooks.post("customers/delete", {"id": 1}, headers=headers)
        assert queued(hooks.world) == 2

    def test_webhook_without_id_is_deduplicated_by_content(self, hooks: Hooks) -> None:
        at = clock.now()
        for topic, body, when in (
            ("customers/delete", {"id": 1}, at),
            ("customers/delete", {"id": 1}, at),
            ("orders/delete", {"id": 1}, at),
            ("customers/delete", {"id": 2}, at),
            ("customers/delete", {"id": 1}, at.replace(year=at.year - 1)),
        ):
            hooks.post(topic, body, at=when, headers={"Webhook-Id": ""})
        assert queued(hooks.world) == 4

    def test_concurrent_duplicates_are_queued_once(self, hooks: Hooks) -> None:
        post = partial(hooks.post, "customers/delete", {"id": 1}, headers={"Webhook-Id": "1"})
        with before_the_commit(post):
            assert post().status == 200
        assert queued(hooks.world) == 1

    def test_killed_at_any_call(self, hooks: Hooks) -> None:
        body = order_body(note="x" * 40_000)

        def work() -> None:
            assert hooks.post("orders/create", body, headers={"Webhook-Id": "1"}).status == 200

        for positions in crashes(hooks.world, work, deliver=False):
            work()
            assert queued(hooks.world) == 1, positions

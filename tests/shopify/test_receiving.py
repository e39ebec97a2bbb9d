"""POST /webhooks/shopify: the signature, both spellings, and the message in the queue."""

import json
from base64 import b64encode

import boto3
import pytest

from local import gateway
from local.shopify.app import APP
from storepost.platform.messaging.outbox import OutboxItem
from storepost.platform.persistence.secrets import clear_secret_cache
from storepost.sync.webhooks.messages import MAX_INLINE_BYTES
from tests.harness.world import World
from tests.shopify.hooks import CUSTOMER, SHOP_BODY, Hooks, customer_body, order_body, signature
from tests.shopify.shops import SHOP

TOPIC = "customers/delete"
BODY = {"id": CUSTOMER}


def waiting(world: World) -> list[list[str]]:
    """The messages in the outbox, each with its group."""
    [row] = world.rows("due#outbox#")
    assert isinstance(row, OutboxItem)
    sent: list[list[str]] = row.sent
    return sent


def queued(world: World) -> int:
    world.deliver_outbox()
    return world.queue_depth("WebhookQueue")


class TestSignature:
    def test_valid_signature_is_accepted(self, hooks: Hooks) -> None:
        answer = hooks.post(TOPIC, BODY)
        assert (answer.status, answer.json) == (200, {})
        assert queued(hooks.world) == 1

    def test_newer_header_names_are_accepted(self, hooks: Hooks) -> None:
        assert hooks.post(TOPIC, BODY, prefix="shopify-").status == 200
        assert queued(hooks.world) == 1

    def test_base64_encoded_body_is_verified_as_bytes(self, hooks: Hooks) -> None:
        """The signature is of the bytes, which the gateway may pass in base64."""
        raw = '{"id": 1, "note": "\u00fc"}'.encode()
        headers = {
            "x-shopify-hmac-sha256": signature(raw),
            "x-shopify-topic": TOPIC,
            "x-shopify-shop-domain": hooks.store.external_id,
        }
        event = gateway.http_event("POST", "/v1/webhooks/shopify", headers=headers, body=b"-")
        event |= {"body": b64encode(raw).decode(), "isBase64Encoded": True}
        assert gateway.handle(event).status == 200
        event["body"] = b64encode(raw + b" ").decode()
        assert gateway.handle(event).status == 401

    @pytest.mark.parametrize(
        "headers",
        [
            {"Hmac-Sha256": ""},
            {"Hmac-Sha256": "x"},
            {"Hmac-Sha256": "ü"},
            {"Hmac-Sha256": signature(b"{}")},
            {"Hmac-Sha256": signature(json.dumps(BODY).encode(), "another secret")},
        ],
    )
    def test_invalid_signature_is_refused(self, hooks: Hooks, headers: dict[str, str]) -> None:
        assert hooks.post(TOPIC, BODY, headers=headers).problem() == (401, "signature_invalid")
        assert queued(hooks.world) == 0

    def test_body_with_extra_byte_is_refused(self, hooks: Hooks) -> None:
        raw = json.dumps(BODY).encode()
        answer = hooks.post(TOPIC, raw + b" ", headers={"Hmac-Sha256": signature(raw)})
        assert answer.problem() == (401, "signature_invalid")

    def test_both_secrets_are_accepted_during_rotation(self, hooks: Hooks) -> None:
        clear_secret_cache()
        boto3.client("ssm").put_parameter(
            Name="/storepost/shopify-client-secret",
            Value=f"new {APP.secret}",
            Type="SecureString",
            Overwrite=True,
        )
        try:
            raw = json.dumps(BODY).encode()
            for secret, status in (("new", 200), (APP.secret, 200), ("older", 401)):
                headers = {"Hmac-Sha256": signature(raw, secret)}
                assert hooks.post(TOPIC, raw, headers=headers).status == status
        finally:
            boto3.client("ssm").put_parameter(
                Name="/storepost/shopify-client-secret",
                Value=APP.secret,
                Type="SecureString",
                Overwrite=True,
            )
            clear_secret_cache()

    def test_missing_secret_refuses_webhooks(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clear_secret_cache()
        monkeypatch.setattr("storepost.sync.webhooks.receiving._secrets", lambda: ())
        assert hooks.post(TOPIC, BODY).problem() == (401, "signature_invalid")


class TestQueue:
    def test_message_content(self, hooks: Hooks) -> None:
        hooks.post("customers/update", customer_body())
        [[text, group]] = waiting(hooks.world)
        message = json.loads(text)
        assert json.loads(message.pop("body")) == customer_body()
        assert message.pop("triggeredAt").endswith("Z")
        assert message == {"shop": hooks.store.external_id, "topic": "customers/update"}
        assert len(group) == 64

    def test_webhooks_of_one_record_share_a_message_group(self, hooks: Hooks) -> None:
        webhooks = [
            ("customers/create", customer_body()),
            ("customers/delete", BODY),
            (
                "customers_email_marketing_consent/update",
                {"customer_id": CUSTOMER, "email_marketing_consent": {}},
            ),
            ("customers_marketing_consent/update", {**BODY, "sms_marketing_consent": {}}),
            ("customers/delete", {"id": 2}),
            ("orders/delete", BODY),
            ("app/uninstalled", SHOP_BODY),
        ]
        groups = []
        for topic, body in webhooks:
            hooks.post(topic, body)
            [[_, group]] = waiting(hooks.world)
            groups.append(group)
            hooks.world.deliver_outbox()
        assert len(set(groups[:4])) == 1
        assert len(set(groups)) == 4

    def test_webhooks_about_the_shop_share_a_message_group(self, hooks: Hooks) -> None:
        """Each reads the shop anew: one that read it before another wrote must not write after."""
        webhooks: list[tuple[str, object]] = [
            ("shop/update", SHOP_BODY),
            ("locales/create", {"locale": "fr"}),
            ("locales/update", {"locale": "de"}),
            ("locales/destroy", {"locale": "fr"}),
            ("app/scopes_update", {"previous": [], "current": []}),
            ("app/uninstalled", SHOP_BODY),
            ("shop/redact", {"shop_id": 548380009, "shop_domain": SHOP}),
        ]
        groups = []
        for topic, body in webhooks:
            hooks.post(topic, body)
            [[_, group]] = waiting(hooks.world)
            groups.append(group)
            hooks.world.deliver_outbox()
        assert len(set(groups[:6])) == 1
        assert len(set(groups)) == 2  # a redaction takes long, and holds nothing up

    def test_large_body_is_stored_on_s3(self, hooks: Hooks) -> None:
        body = order_body(note="x" * MAX_INLINE_BYTES)
        hooks.post("orders/create", body)
        [(name, content)] = hooks.world.objects().items()
        assert name.startswith("webhooks/")
        assert json.loads(content) == body
        hooks.world.deliver()
        order = hooks.order()
        assert order is not None
        assert order.number == "#1001"

    def test_message_without_s3_object_is_dropped(self, hooks: Hooks) -> None:
        hooks.post("orders/create", order_body(note="x" * MAX_INLINE_BYTES))
        hooks.world.delete_objects()
        hooks.world.deliver()
        assert hooks.order() is None
        assert hooks.world.queue_depth("WebhookDeadLetters") == 0

    @pytest.mark.parametrize(
        "headers", [{"Topic": "carts/update"}, {"Topic": ""}, {"Shop-Domain": "example.com"}]
    )
    def test_unknown_topic_or_domain_is_not_queued(
        self, hooks: Hooks, headers: dict[str, str]
    ) -> None:
        assert hooks.post(TOPIC, BODY, headers=headers).status == 200
        assert queued(hooks.world) == 0

    def test_unconnected_shop_is_ignored(self, hooks: Hooks) -> None:
        hooks.post("customers/create", customer_body(), headers={"Shop-Domain": "a.myshopify.com"})
        hooks.world.deliver()
        assert hooks.find_customer() is None
        assert hooks.world.queue_depth("WebhookQueue") == 0

    def test_sweep_sends_messages_missed_by_stream(self, hooks: Hooks) -> None:
        hooks.world.deliver()
        hooks.post(TOPIC, BODY)
        hooks.world.lose_stream()
        hooks.world.advance(minutes=3)
        hooks.world.sweep()
        assert hooks.world.queue_depth("WebhookQueue") == 1

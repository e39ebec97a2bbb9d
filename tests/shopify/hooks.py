"""Webhooks as Shopify sends them, and their bodies."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from local.shopify.app import APP
from storepost.orders.keys import order_id
from storepost.orders.model import Order
from storepost.orders.repository import OrderRepository
from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.stores.stores.model import Store
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Answer, World
from tests.shopify.shops import SHOP, Shopify

EMAIL, PHONE = f"bob.{CANARY}@example.com", "+436641234567"
CUSTOMER, ORDER = 706405506930370084, 820982911946154508
CREATED, UPDATED, LATER = (
    "2026-01-05T10:00:00-05:00",
    "2026-02-05T10:00:00-05:00",
    "2026-03-05T10:00:00-05:00",
)


SHOP_BODY = {"id": 548380009, "name": "Canary", "domain": None, "myshopify_domain": SHOP}
"""As `app/uninstalled` and `shop/update` have it: the shop."""


def signature(raw: bytes, secret: str = APP.secret) -> str:
    """The signature as Shopify computes it."""
    return base64.b64encode(hmac.new(secret.encode(), raw, hashlib.sha256).digest()).decode()


def signed_headers(topic: str, raw: bytes, at: datetime) -> dict[str, str]:
    """The headers of a webhook, by their names without the prefix."""
    return {
        "Topic": topic,
        "Shop-Domain": SHOP,
        "Hmac-Sha256": signature(raw),
        "Triggered-At": at.isoformat(),
        "Webhook-Id": str(uuid4()),
    }


@dataclass
class Hooks:
    """A connected shop that sends webhooks."""

    world: World
    workspace: WorkspaceScope
    store: Store
    shopify: Shopify

    def post(
        self,
        topic: str,
        body: object,
        *,
        at: datetime | None = None,
        prefix: str = "X-Shopify-",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Sends a webhook to the gateway; `headers` replace those of the same names."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        all_headers = {**signed_headers(topic, raw, at or clock.now()), **(headers or {})}
        named = {f"{prefix}{name}": value for name, value in all_headers.items() if value}
        return self.world.call("POST", "/webhooks/shopify", body=raw, headers=named)

    def notify(self, topic: str, body: object, *, at: datetime | None = None) -> None:
        """Sends a webhook, which its worker handles without leaving a message behind."""
        answer = self.post(topic, body, at=at)
        assert (answer.status, answer.json) == (200, {})
        self.world.deliver()
        assert self.world.queue_depth("WebhookQueue") == 0
        assert self.world.queue_depth("WebhookDeadLetters") == 0

    @property
    def rows(self) -> int:
        """How many rows there are, without those of received webhook ids."""
        return len([row for row in self.world.rows() if not row.pk.startswith("webhook#")])

    def remove_app(self, *, at: datetime | None = None) -> None:
        """Removes the app from the shop, whose tokens expire by that; Shopify sends a webhook."""
        self.shopify.shop().installation = None
        self.notify("app/uninstalled", SHOP_BODY, at=at)

    def customer(self, number: int = CUSTOMER) -> Customer:
        """The store's customer, as it is stored."""
        found = self.find_customer(number)
        assert found is not None
        return found

    def find_customer(self, number: int = CUSTOMER) -> Customer | None:
        """The same, if there is one."""
        return CustomerRepository(self.workspace).get(self.store.id, str(number))

    def profile(self, number: int = CUSTOMER) -> Profile:
        """The customer's profile."""
        found = ProfileRepository(self.workspace).get(self.customer(number).profile_id)
        assert found is not None
        return found

    def order(self, number: int = ORDER) -> Order | None:
        """The store's order, as it is stored."""
        return OrderRepository(self.workspace).get(order_id(self.store.id, str(number)))


def customer_body(**overrides: Any) -> dict[str, Any]:
    """The body of `customers/update` since 2025-01: without consent."""
    return {
        "id": CUSTOMER,
        "created_at": CREATED,
        "updated_at": UPDATED,
        "first_name": "Barnabas",
        "last_name": "Biller",
        "state": "disabled",
        "note": None,
        "verified_email": True,
        "email": EMAIL,
        "phone": PHONE,
        "currency": "EUR",
        "addresses": [],
        "tax_exemptions": [],
        "admin_graphql_api_id": f"gid://shopify/Customer/{CUSTOMER}",
        **overrides,
    }


def consents(email: str | None = None, sms: str | None = None, at: str | None = UPDATED) -> Any:
    """The consent in a customer's body before that, and in orders' customers still."""
    channels = {"email_marketing_consent": email, "sms_marketing_consent": sms}
    return {
        name: {"state": state, "opt_in_level": "single_opt_in", "consent_updated_at": at}
        for name, state in channels.items()
        if state
    }


def money(amount: str, currency: str = "EUR", buyers: tuple[str, str] | None = None) -> Any:
    """An amount in both currencies."""
    paid, code = buyers or (amount, currency)
    return {
        "shop_money": {"amount": amount, "currency_code": currency},
        "presentment_money": {"amount": paid, "currency_code": code},
    }


def line_body(**overrides: Any) -> dict[str, Any]:
    """A line of an order."""
    return {
        "id": 466157049,
        "title": "Scarf",
        "variant_title": "green",
        "sku": "SCARF-G",
        "quantity": 2,
        "gift_card": False,
        "product_id": 632910392,
        "variant_id": 39072856,
        "price_set": money("20.00"),
        "discount_allocations": [{"amount": "3.34", "amount_set": money("3.34")}],
        **overrides,
    }


def order_body(**overrides: Any) -> dict[str, Any]:
    """The body of `orders/updated`."""
    return {
        "id": ORDER,
        "name": "#1001",
        "created_at": CREATED,
        "processed_at": CREATED,
        "updated_at": UPDATED,
        "cancelled_at": None,
        "test": False,
        "currency": "EUR",
        "customer_locale": "de-at",
        "source_name": "web",
        "email": EMAIL,
        "phone": None,
        "financial_status": "partially_refunded",
        "fulfillment_status": "partial",
        "total_price_set": money("43.28"),
        "subtotal_price_set": money("36.66"),
        "total_discounts_set": money("3.34"),
        "total_shipping_price_set": money("5.00"),
        "total_tax_set": money("6.11"),
        "customer": {"id": CUSTOMER, "email": EMAIL, "phone": PHONE, "first_name": "Barnabas"},
        "discount_codes": [{"code": "TENOFF", "amount": "3.34", "type": "fixed_amount"}],
        "line_items": [line_body()],
        "refunds": [
            {
                "id": 1,
                "transactions": [
                    {"kind": "refund", "status": "success", "amount": "10.00", "currency": "EUR"},
                    {"kind": "refund", "status": "failure", "amount": "9.00", "currency": "EUR"},
                    {"kind": "sale", "status": "success", "amount": "8.00", "currency": "EUR"},
                ],
            }
        ],
        **overrides,
    }

"""Every field of Shopify's webhooks: it is part of our record, or listed here as not kept."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from storepost.stores.stores.model import Store
from storepost.sync.records import products, rest
from storepost.sync.records.reading import NoRecord
from tests.shopify import webhook_bodies
from tests.shopify.webhook_bodies import VERSIONS, Body, paths_of
from tests.sync.test_phones import store_in

SHOP_MONEY = ("shop_money.amount", "shop_money.currency_code")
KEPT = {
    "customer": {
        *("id", "email", "phone", "first_name", "last_name", "created_at", "updated_at"),
        "default_address.country_code",  # by which a phone without a country code is read
        *(
            f"{channel}_marketing_consent.{name}"
            for channel in ("email", "sms")
            for name in ("state", "opt_in_level", "consent_updated_at")
        ),
    },
    "order": {
        *("id", "name", "processed_at", "updated_at", "cancelled_at", "test", "source_name"),
        *("financial_status", "fulfillment_status", "customer_locale", "email", "phone"),
        *(f"customer.{name}" for name in ("id", "email", "phone", "first_name", "last_name")),
        *(f"{of}.country_code" for of in ("customer.default_address", "billing_address")),
        "shipping_address.country_code",
        *(
            f"{name}_set.{part}"
            for name in ("total_price", "subtotal_price", "total_discounts", "total_tax")
            for part in SHOP_MONEY
        ),
        *(f"total_shipping_price_set.{part}" for part in SHOP_MONEY),
        "total_price_set.presentment_money.amount",  # for the rate of refunds
        *(f"refunds[].transactions[].{name}" for name in ("kind", "status", "amount", "currency")),
        "discount_codes[].code",
        *(
            f"line_items[].{name}"
            for name in ("title", "variant_title", "sku", "quantity", "gift_card")
        ),
        *("line_items[].product_id", "line_items[].variant_id"),
        "line_items[].price_set.shop_money.amount",
        "line_items[].discount_allocations[].amount_set.shop_money.amount",
    },
    "product": {
        *("id", "title", "body_html", "vendor", "product_type", "handle", "status", "tags"),
        *("created_at", "updated_at", "published_at"),
        *("images[].id", "images[].src", "images[].alt", "options[].name"),
        *(
            f"variants[].{name}"
            for name in (
                *("id", "title", "sku", "barcode", "price", "compare_at_price", "position"),
                *("option1", "option2", "option3", "image_id", "inventory_policy"),
                *("inventory_quantity", "inventory_management", "created_at", "updated_at"),
            )
        ),
    },
}
"""What ends in a record, or decides how something else in it is read."""

NOT_KEPT = {
    "customer": {
        "admin_graphql_api_id": "`id` in another form",
        "accepts_marketing": "former names of the consents",
        "accepts_marketing_updated_at": "former names of the consents",
        "marketing_opt_in_level": "former names of the consents",
        "sms_marketing_consent.consent_collected_from": "always Shopify, or another app",
        "addresses[]": "postal addresses aren't needed for emails",
        "default_address": "the same, but for the country of a phone",
        "orders_count": "counted from the orders",
        "total_spent": "counted from the orders",
        "last_order_id": "found from the orders",
        "last_order_name": "found from the orders",
        "currency": "amounts have their own",
        "multipass_identifier": "of sign-in",
        "note": "the merchant's own",
        "state": "of the shop's accounts",
        "tags": "the merchant's own",
        "tax_exempt": "of taxes",
        "tax_exemptions[]": "of taxes",
        "verified_email": "of sign-in",
    },
    "order": {
        "customer": "what isn't kept comes with `customers/update`",
        "billing_address": "postal addresses aren't needed for emails",
        "shipping_address": "postal addresses aren't needed for emails",
        "shipping_lines[]": "`total_shipping_price_set` has their sum",
        "tax_lines[]": "`total_tax_set` has their sum",
        "discount_applications[]": "`discount_codes` and the lines' discounts say it",
        "discount_codes[]": "`total_discounts_set` has the amounts",
        "fulfillments[]": "`fulfillment_status` says how far they are",
        "refunds[]": "its payments have what was paid back",
        "line_items[]": "of shipping and taxes, and texts beside the sets",
        "client_details": "of the buyer's browser",
        "note_attributes[]": "the merchant's own",
        "payment_gateway_names[]": "of payments",
        **dict.fromkeys(
            (
                *("current_subtotal_price", "current_subtotal_price_set"),
                *("current_total_additional_fees_set", "current_total_discounts"),
                *("current_total_discounts_set", "current_total_duties_set"),
                *("current_total_price", "current_total_price_set", "current_total_tax"),
                *("current_total_tax_set", "original_total_additional_fees_set"),
                *("original_total_duties_set", "total_outstanding", "total_tip_received"),
                "total_cash_rounding_payment_adjustment_set",
                "total_cash_rounding_refund_adjustment_set",
            ),
            "the order's amounts are those of when it was placed",
        ),
        **dict.fromkeys(
            (
                *("subtotal_price", "total_discounts", "total_line_items_price"),
                *("total_line_items_price_set", "total_price", "total_tax", "currency"),
                *("presentment_currency", "total_price_set", "subtotal_price_set"),
                *("total_discounts_set", "total_shipping_price_set", "total_tax_set"),
            ),
            "the sets' amounts in the shop's money say it",
        ),
        **dict.fromkeys(
            (
                *("admin_graphql_api_id", "app_id", "browser_ip", "buyer_accepts_marketing"),
                *("cancel_reason", "cart_token", "checkout_id", "checkout_token", "closed_at"),
                *("confirmation_number", "confirmed", "contact_email", "created_at"),
                *("device_id", "duties_included", "estimated_taxes", "landing_site"),
                *("landing_site_ref", "location_id", "merchant_business_entity_id"),
                *("merchant_of_record_app_id", "note", "number", "order_number"),
                *("order_status_url", "payment_terms", "po_number", "reference"),
                *("referring_site", "source_identifier", "source_url", "tags"),
                *("tax_exempt", "taxes_included", "token", "total_weight", "user_id"),
            ),
            "an order has no field for it",
        ),
    },
    "product": {
        "image": "the first of `images`",
        "images[]": "sizes, places and times of images",
        "media[]": "`images` has those that are images",
        "options[]": "ids and values; variants have their own",
        "variant_gids[]": "times of variants; the ids name those that the body leaves out",
        "category": "Shopify's own, beside `product_type`",
        "has_variants_that_requires_components": "of bundles",
        "admin_graphql_api_id": "`id` in another form",
        "published_scope": "of sales channels",
        "template_suffix": "of the shop's theme",
        "variants[]": "of shipping, taxes, and prices in other currencies",
    },
}
"""What isn't kept, and why; each stands for all that is in it and isn't kept."""

CHOICES = {
    "financial_status": "voided",
    "fulfillment_status": None,
    "kind": "sale",
    "status": "draft",
    "state": "unsubscribed",
    "opt_in_level": "confirmed_opt_in",
    "inventory_policy": "continue",
    "inventory_management": None,
    "customer_locale": "fr-CA",
    "country_code": "US",
    "currency": "USD",
    "currency_code": "USD",
    "phone": "+436641234568",
    "email": "ann@example.com",
}
"""Other values of fields that can't have any."""


def customer_of(store: Store, body: Body) -> object:
    return rest.customer_of(store, body)


def order_of(store: Store, body: Body) -> object:
    return rest.order_of(store, body)


READ: dict[str, Callable[[Store, Body], object]] = {
    "customer": customer_of,
    "order": order_of,
    "product": products.product_of,
}


def bodies(kind: str) -> Iterator[Body]:
    """Yields the whole body, and variants in which a field counts that doesn't in the first."""
    whole: Body = getattr(webhook_bodies, kind)()
    yield whole
    if kind == "customer":
        yield whole | {"phone": "0664 1234567"}
    elif kind == "order":
        guest = whole | {"customer": None, "phone": "0664 1234567"}
        yield guest
        yield guest | {"billing_address": None}
        national = whole["customer"] | {"phone": "0664 7654321"}
        yield whole | {"customer": national}
        payment = {"kind": "refund", "status": "success", "amount": "7.00", "currency": "USD"}
        yield whole | {"refunds": [{"transactions": [payment]}]}


def other(name: str, value: object) -> object:
    """Returns another value of the same kind."""
    if name in CHOICES:
        return CHOICES[name]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    text = str(value)
    try:
        return datetime.fromisoformat(text).replace(year=2027).isoformat()
    except ValueError:
        is_amount = text.replace(".", "").isdigit()
        return str(float(text) + 1) if is_amount else f"{text} of another"


def changed(value: Any, path: str, name: str = "") -> Any:
    """Returns the body with another value there; its other parts are the same objects."""
    if not path:
        return other(name, value)
    part, _, rest = path.partition(".")
    inner = part.removesuffix("[]")
    if inner == part:
        return value | {inner: changed(value[inner], rest, inner)}
    items = value[inner]
    return value | {inner: [changed(items[0], rest, inner), *items[1:]]}


def record_of(kind: str, store: Store, body: Body) -> object:
    try:
        return READ[kind](store, body)
    except NoRecord as error:
        return str(error)


@pytest.mark.parametrize("kind", READ)
def test_every_field_is_stored_or_listed_as_ignored(kind: str) -> None:
    """Another value changes the record exactly if the field is kept."""
    store, stored = store_in("de-AT"), set[str]()
    whole, *_ = bodies(kind)
    paths = set(paths_of(whole))
    for body in bodies(kind):
        record = record_of(kind, store, body)
        assert not isinstance(record, str), record
        there = set(paths_of(body)) & paths
        stored |= {p for p in there - stored if record_of(kind, store, changed(body, p)) != record}
    assert stored == KEPT[kind]
    assert {path for path in paths - stored if not is_named(kind, path)} == set()


def is_named(kind: str, path: str) -> bool:
    return any(path == name or path.startswith(f"{name}.") for name in NOT_KEPT[kind])


@pytest.mark.parametrize("kind", READ)
def test_ignored_fields_exist_in_webhooks(kind: str) -> None:
    whole, *_ = bodies(kind)
    paths = set(paths_of(whole)) - KEPT[kind]
    for name in NOT_KEPT[kind]:
        assert any(path == name or path.startswith(f"{name}.") for path in paths), name


@pytest.mark.parametrize("kind", READ)
def test_api_versions_give_the_same_record(kind: str) -> None:
    store = store_in("de-AT")
    records = [READ[kind](store, getattr(webhook_bodies, kind)(version)) for version in VERSIONS]
    assert records[0] == records[1] == records[2]

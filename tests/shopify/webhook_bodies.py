"""Whole bodies of Shopify's webhooks of orders, customers and products, with every field they have.

The names are those of Shopify's reference of its REST resources; the values are made up.
"""

from collections.abc import Iterator
from typing import Any

from tests.shopify.hooks import CREATED, CUSTOMER, LATER, ORDER, PHONE, UPDATED, money

type Body = dict[str, Any]

SINCE = {
    "2025-01": (
        "duties_included",
        "merchant_business_entity_id",
        "total_cash_rounding_payment_adjustment_set",
        "total_cash_rounding_refund_adjustment_set",
        "attributed_staffs",
        "is_removed",
        "category",
        "has_variants_that_requires_components",
        "media",
        "variant_gids",
    )
}
"""Fields of orders and products by the first of these versions that has them."""
UNTIL = {"2025-01": ("accepts_marketing", "accepts_marketing_updated_at", "marketing_opt_in_level")}
"""Fields of customers by the first version without them."""
VERSIONS = ("2024-01", "2025-01", "2026-07")


def of_version(version: str | None, body: Any) -> Any:
    """Returns the body as a version has it; None stands for all of them together."""
    if version is None:
        return body
    without = {name for since, names in SINCE.items() if version < since for name in names}
    without |= {name for until, names in UNTIL.items() if version >= until for name in names}
    if isinstance(body, list):
        return [of_version(version, each) for each in body]
    if not isinstance(body, dict):
        return body
    remaining = ((name, value) for name, value in body.items() if name not in without)
    return {name: of_version(version, value) for name, value in remaining}


def texts(names: str) -> Body:
    """Fields that have some text."""
    return {name: f"some {name}" for name in names.split()}


def numbers(names: str) -> Body:
    """Fields that have a number."""
    return {name: 100 + place for place, name in enumerate(names.split())}


def amounts(names: str) -> Body:
    """Amounts in the shop's money, once as a text and once as a set."""
    return {
        **{name: "7.00" for name in names.split()},
        **{f"{name}_set": money("7.00") for name in names.split()},
    }


def address(**more: object) -> Body:
    """An address."""
    names = "address1 address2 city company country first_name last_name name province zip"
    codes = {"country_code": "AT", "province_code": "W", "phone": "+431234567"}
    return {**texts(names), **codes, **more}


def tax_line() -> Body:
    """A tax on something."""
    return {**texts("title"), "rate": 0.2, "channel_liable": False, **amounts("price")}


def line_item() -> Body:
    """A line of an order, with everything that it has."""
    allocation = {**amounts("amount"), "discount_application_index": 0}
    return {
        **texts("fulfillment_service fulfillment_status name sku title variant_title vendor"),
        **texts("variant_inventory_management admin_graphql_api_id"),
        **numbers("id product_id variant_id current_quantity fulfillable_quantity grams quantity"),
        **{"gift_card": False, "product_exists": True, "requires_shipping": True, "taxable": True},
        **amounts("price total_discount"),
        "attributed_staffs": [texts("id") | {"quantity": 1}],
        "discount_allocations": [allocation],
        "duties": [texts("id harmonized_system_code")],
        "properties": [texts("name value")],
        "tax_lines": [tax_line()],
    }


def consents() -> Body:
    """A customer's consent of both channels."""
    consent = {
        "state": "subscribed",
        "opt_in_level": "single_opt_in",
        "consent_updated_at": CREATED,
    }
    by_sms = {**consent, "consent_collected_from": "SHOPIFY"}
    return {"email_marketing_consent": consent, "sms_marketing_consent": by_sms}


def customer(version: str | None = None) -> Body:
    """A customer of `customers/update`, with the fields of former versions."""
    own = address(id=8, customer_id=CUSTOMER, country_name="Austria", default=True)
    body = {
        **texts("first_name last_name note tags last_order_name multipass_identifier currency"),
        **texts("admin_graphql_api_id"),
        **consents(),
        "id": CUSTOMER,
        "email": "bob@example.com",
        "phone": PHONE,
        "created_at": CREATED,
        "updated_at": UPDATED,
        "state": "disabled",
        "verified_email": True,
        "tax_exempt": False,
        "tax_exemptions": ["CA_STATUS_CARD_EXEMPTION"],
        "orders_count": 1,
        "last_order_id": ORDER,
        "total_spent": "7.00",
        "accepts_marketing": True,
        "accepts_marketing_updated_at": CREATED,
        "marketing_opt_in_level": "single_opt_in",
        "default_address": own,
        "addresses": [own],
    }
    return dict(of_version(version, body))


def _refund() -> Body:
    sets = ("total_additional_fees", "total_duties")
    names = "admin_graphql_api_id authorization error_code gateway message payment_id source_name"
    payment = {
        **texts(names),
        **numbers("device_id id location_id order_id parent_id user_id"),
        **{"kind": "refund", "status": "success", "amount": "7.00", "currency": "EUR"},
        **{"created_at": CREATED, "processed_at": CREATED, "test": False},
        "receipt": numbers("gift_card_id gift_card_last_characters"),
    }
    adjustment = {
        **texts("kind reason"),
        **numbers("id order_id refund_id"),
        **amounts("amount tax_amount"),
    }
    item = {
        **numbers("id line_item_id location_id quantity"),
        **texts("restock_type"),
        **amounts("subtotal total_tax"),
        "line_item": line_item(),
    }
    return {
        **texts("admin_graphql_api_id note"),
        **numbers("id order_id user_id"),
        **{"created_at": CREATED, "processed_at": CREATED, "restock": True},
        **{f"{name}_set": money("7.00") for name in sets},
        "additional_fees": [texts("id name")],
        "duties": [texts("duty_id")],
        "order_adjustments": [adjustment],
        "refund_line_items": [item],
        "transactions": [payment],
    }


def _fulfillment() -> Body:
    names = "admin_graphql_api_id name service shipment_status status tracking_company"
    return {
        **texts(f"{names} tracking_number tracking_url"),
        **numbers("id location_id order_id"),
        **{"created_at": CREATED, "updated_at": UPDATED},
        "line_items": [line_item()],
        "receipt": {"testcase": True, "authorization": "123456"},
        "tracking_numbers": ["1"],
        "tracking_urls": ["https://track.example.com/1"],
    }


def _shipping_line() -> Body:
    names = "carrier_identifier code phone requested_fulfillment_service_id source title"
    return {
        **texts(names),
        **{"id": 9, "is_removed": False},
        **amounts("discounted_price price"),
        "discount_allocations": [{**amounts("amount"), "discount_application_index": 0}],
        "tax_lines": [tax_line()],
    }


def order(version: str | None = None) -> Body:
    """An order of `orders/updated`."""
    sets = "current_total_additional_fees current_total_duties original_total_additional_fees"
    rounding = "total_cash_rounding_payment_adjustment total_cash_rounding_refund_adjustment"
    names = "admin_graphql_api_id browser_ip cancel_reason cart_token checkout_token"
    ours = "confirmation_number landing_site landing_site_ref name note order_status_url"
    more = "payment_terms po_number reference referring_site source_identifier source_name"
    device = "accept_language browser_ip session_hash user_agent"
    discount = "allocation_method code description target_selection target_type title type value"
    body = {
        **texts(f"{names} {ours} {more} source_url tags token"),
        **numbers("app_id checkout_id device_id location_id merchant_of_record_app_id number"),
        **numbers("merchant_business_entity_id order_number total_weight user_id"),
        **amounts("current_subtotal_price current_total_discounts current_total_price"),
        **amounts("current_total_tax subtotal_price total_discounts total_line_items_price"),
        **amounts("total_price total_tax total_shipping_price"),
        **{f"{name}_set": money("7.00") for name in f"{sets} {rounding}".split()},
        **{"original_total_duties_set": money("7.00"), "total_outstanding": "7.00"},
        **{"total_tip_received": "7.00", "currency": "EUR", "presentment_currency": "EUR"},
        **{"buyer_accepts_marketing": True, "confirmed": True, "duties_included": False},
        **{"estimated_taxes": False, "tax_exempt": False, "taxes_included": True, "test": False},
        **{"id": ORDER, "email": "bob@example.com", "contact_email": "bob@example.com"},
        **{"phone": PHONE, "customer_locale": "de-AT"},
        **{"created_at": CREATED, "processed_at": CREATED, "updated_at": UPDATED},
        **{"cancelled_at": LATER, "closed_at": LATER},
        **{"financial_status": "paid", "fulfillment_status": "fulfilled"},
        "billing_address": address(latitude=48.2, longitude=16.4),
        "shipping_address": address(latitude=48.2, longitude=16.4),
        "client_details": {**texts(device), **numbers("browser_height browser_width")},
        "customer": customer(version),
        "discount_applications": [texts(f"{discount} value_type")],
        "discount_codes": [{"code": "TENOFF", "amount": "7.00", "type": "fixed_amount"}],
        "fulfillments": [_fulfillment()],
        "line_items": [line_item()],
        "note_attributes": [texts("name value")],
        "payment_gateway_names": ["bogus"],
        "refunds": [_refund()],
        "shipping_lines": [_shipping_line()],
        "tax_lines": [tax_line()],
    }
    body["total_price_set"] = money("7.00", "EUR", ("14.00", "USD"))
    del body["total_shipping_price"]  # the only one that has no text beside its set
    return dict(of_version(version, body))


def product(version: str | None = None) -> Body:
    """A product of `products/update`."""
    image = {
        **numbers("id product_id position width height"),
        **{"created_at": CREATED, "updated_at": UPDATED, "variant_ids": [7]},
        **texts("admin_graphql_api_id alt"),
        "src": "https://cdn.example.com/1.jpg",
    }
    price = {"amount": "7.00", "currency_code": "USD"}
    variant = {
        **texts("admin_graphql_api_id title sku barcode option1 option2 option3"),
        **texts("fulfillment_service weight_unit"),
        **numbers("image_id product_id position grams weight inventory_item_id id"),
        **numbers("inventory_quantity old_inventory_quantity"),
        **{"price": "7.00", "compare_at_price": "9.00", "inventory_policy": "deny"},
        **{"inventory_management": "shopify", "requires_shipping": True, "taxable": True},
        **{"created_at": CREATED, "updated_at": UPDATED},
        "presentment_prices": [{"price": price, "compare_at_price": "9.00"}],
    }
    body = {
        **texts("admin_graphql_api_id body_html handle product_type published_scope"),
        **texts("template_suffix title vendor tags"),
        **{"id": 632910392, "status": "active"},
        **{"created_at": CREATED, "updated_at": UPDATED, "published_at": CREATED},
        "image": image,
        "images": [image],
        "media": [image],
        "category": texts("admin_graphql_api_id name full_name"),
        "has_variants_that_requires_components": False,
        "variant_gids": [{"admin_graphql_api_id": "some gid", "updated_at": UPDATED}],
        "options": [
            {**numbers("id product_id position"), "name": f"Option {n}", "values": ["a"]}
            for n in range(1, 4)
        ],
        "variants": [variant],
    }
    return dict(of_version(version, body))


def paths_of(body: Any, path: str = "") -> Iterator[str]:
    """Yields the place of each value in a body, as `line_items[].price`."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield from paths_of(value, f"{path}.{name}" if path else name)
    elif isinstance(body, list) and body:
        for value in body:
            yield from paths_of(value, f"{path}[]")
    else:
        yield path

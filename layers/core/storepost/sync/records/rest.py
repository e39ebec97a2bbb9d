"""Records in the format of webhooks: bodies of Shopify's REST resources."""

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from storepost.orders.incoming import IncomingBuyer, IncomingOrder
from storepost.orders.model import LineItem
from storepost.people.customers.model import IncomingConsent, IncomingCustomer
from storepost.stores.stores.model import Store
from storepost.sync.records.amounts import money_of, shop_money, to_decimal
from storepost.sync.records.building import (
    Totals,
    allocated,
    financial_status,
    fulfillment_status,
    limited_codes,
    limited_lines,
    needed_money,
    title_of,
)
from storepost.sync.records.consents import consent_of
from storepost.sync.records.reading import (
    Body,
    NoRecord,
    country_of,
    email_of,
    id_of,
    locale_of,
    moment_of,
    needed_id,
    needed_moment,
    part_of,
    parts_of,
    phone_of,
    text_of,
    whole_of,
)
from storepost.values.money import Money

EMAIL_CONSENT, SMS_CONSENT = "email_marketing_consent", "sms_marketing_consent"


def customer_of(store: Store, body: Body) -> tuple[str, IncomingCustomer]:
    """Returns a customer's id and data. Raises NoRecord.

    These bodies have no locale, and since 2025-01 those of webhooks have no consent, which has
    topics of its own.
    """
    external_id = needed_id(body, "id")
    updated_at = needed_moment(body, "updated_at")
    return external_id, IncomingCustomer(
        external_created_at=moment_of(body.get("created_at")) or updated_at,
        external_updated_at=updated_at,
        email=email_of(body.get("email")),
        phone=phone_of(body.get("phone"), country_of(store, body)),
        first_name=text_of(body.get("first_name")),
        last_name=text_of(body.get("last_name")),
        admin_url=f"{store.admin_url}/customers/{external_id}",
        email_consent=consent_in(body, EMAIL_CONSENT),
        sms_consent=consent_in(body, SMS_CONSENT),
        has_locale_field=False,
    )


def consent_in(body: Body, name: str) -> IncomingConsent:
    """Returns a body's consent data for one channel, if any."""
    consent = part_of(body, name)
    return consent_of(
        consent.get("state"), consent.get("consent_updated_at"), consent.get("opt_in_level")
    )


def order_of(store: Store, body: Body) -> IncomingOrder:
    """Returns an order. Raises NoRecord."""
    external_id = needed_id(body, "id")
    totals = _totals(body)
    return IncomingOrder(
        external_id=external_id,
        number=text_of(body.get("name")) or f"#{external_id}",
        placed_at=needed_moment(body, "processed_at", "created_at"),
        updated_at=needed_moment(body, "updated_at"),
        financial_status=financial_status(body.get("financial_status")),
        fulfillment_status=fulfillment_status(body.get("fulfillment_status")),
        cancelled_at=moment_of(body.get("cancelled_at")),
        is_test=body.get("test") is True,
        locale=locale_of(body.get("customer_locale")),
        source_name=text_of(body.get("source_name")),
        admin_url=f"{store.admin_url}/orders/{external_id}",
        buyer=_buyer(store, body),
        amounts=totals.amounts,
        line_items=limited_lines(_line(each) for each in parts_of(body, "line_items")),
        discount_codes=limited_codes(each.get("code") for each in parts_of(body, "discount_codes")),
        currencies=totals.currencies,
    )


def _buyer(store: Store, body: Body) -> IncomingBuyer | None:
    """The order's customer; without one, the order's contact data."""
    customer = part_of(body, "customer")
    country = country_of(store, customer, body)
    buyer = IncomingBuyer(
        external_id=id_of(customer.get("id")),
        email=email_of(customer.get("email")) or email_of(body.get("email")),
        phone=phone_of(customer.get("phone"), country) or phone_of(body.get("phone"), country),
        first_name=text_of(customer.get("first_name")),
        last_name=text_of(customer.get("last_name")),
    )
    return buyer if buyer != IncomingBuyer() else None


def _totals(body: Body) -> Totals:
    total = needed_money(body, "total_price_set")
    return Totals(
        total=total,
        subtotal=shop_money(body, "subtotal_price_set"),
        discounts=shop_money(body, "total_discounts_set"),
        shipping=shop_money(body, "total_shipping_price_set"),
        tax=shop_money(body, "total_tax_set"),
        refunded=_refunded(body, total),
    )


def _refunded(body: Body, total: Money) -> Money:
    """The refunded amount; one in the buyer's currency is converted at the order's own rate."""
    amounts = [_in_shops(body, total, each) for each in _payments_back(body)]
    return Money(sum(each.amount for each in amounts), total.currency)


def _payments_back(body: Body) -> Iterator[Body]:
    for refund in parts_of(body, "refunds"):
        for payment in parts_of(refund, "transactions"):
            if (payment.get("kind"), payment.get("status")) == ("refund", "success"):
                yield payment


def _in_shops(body: Body, total: Money, payment: Body) -> Money:
    paid, currency = to_decimal(payment.get("amount")), str(payment.get("currency")).upper()
    if currency != total.currency:
        both = part_of(body, "total_price_set")
        shops = to_decimal(part_of(both, "shop_money").get("amount"))
        buyers = to_decimal(part_of(both, "presentment_money").get("amount"))
        rate = shops / buyers if buyers else Decimal(1)
        paid = _rounded(paid * rate)
    return money_of(paid, total.currency)


def _rounded(amount: Decimal) -> Decimal:
    try:
        return amount.quantize(Decimal("0.0001"), ROUND_HALF_UP)
    except InvalidOperation as error:
        raise NoRecord("an amount that can't be") from error


def _line(body: Body) -> LineItem:
    return LineItem(
        title=title_of(body.get("title")),
        variant_title=text_of(body.get("variant_title")),
        sku=text_of(body.get("sku")),
        quantity=max(0, whole_of(body.get("quantity")) or 0),
        unit_price=needed_money(body, "price_set").amount,
        total_discount=allocated(body, "discount_allocations", "amount_set"),
        is_gift_card=body.get("gift_card") is True,
        product_external_id=id_of(body.get("product_id")),
        variant_external_id=id_of(body.get("variant_id")),
    )

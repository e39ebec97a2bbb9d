"""Records in the Admin GraphQL API's format: single ones, and those in files of bulk operations."""

from collections.abc import Sequence

from storepost.orders.incoming import IncomingBuyer, IncomingOrder
from storepost.orders.model import LineItem
from storepost.people.customers.model import IncomingConsent, IncomingCustomer
from storepost.stores.stores.model import Store
from storepost.sync.records.amounts import shop_money
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
    country_of,
    email_of,
    id_of,
    locale_of,
    moment_of,
    needed_id,
    needed_moment,
    part_of,
    phone_of,
    text_of,
    whole_of,
)


def customer_of(store: Store, node: Body) -> tuple[str, IncomingCustomer]:
    """Returns a customer's id and data. Raises NoRecord."""
    external_id = needed_id(node, "id")
    email, phone = part_of(node, "defaultEmailAddress"), part_of(node, "defaultPhoneNumber")
    updated_at = needed_moment(node, "updatedAt")
    return external_id, IncomingCustomer(
        external_created_at=moment_of(node.get("createdAt")) or updated_at,
        external_updated_at=updated_at,
        email=email_of(email.get("emailAddress")),
        phone=phone_of(phone.get("phoneNumber"), country_of(store, node)),
        first_name=text_of(node.get("firstName")),
        last_name=text_of(node.get("lastName")),
        locale=locale_of(node.get("locale")),
        admin_url=f"{store.admin_url}/customers/{external_id}",
        email_consent=_consent_of(email),
        sms_consent=_consent_of(phone),
    )


def _consent_of(address: Body) -> IncomingConsent:
    return consent_of(
        address.get("marketingState"),
        address.get("marketingUpdatedAt"),
        address.get("marketingOptInLevel"),
    )


def order_of(store: Store, node: Body, lines: Sequence[Body]) -> IncomingOrder:
    """Returns an order with its lines. Raises NoRecord."""
    external_id = needed_id(node, "id")
    totals = Totals(
        total=needed_money(node, "totalPriceSet"),
        subtotal=shop_money(node, "subtotalPriceSet"),
        discounts=shop_money(node, "totalDiscountsSet"),
        shipping=shop_money(node, "totalShippingPriceSet"),
        tax=shop_money(node, "totalTaxSet"),
        refunded=shop_money(node, "totalRefundedSet"),
    )
    codes = node.get("discountCodes")
    return IncomingOrder(
        external_id=external_id,
        number=text_of(node.get("name")) or f"#{external_id}",
        placed_at=needed_moment(node, "processedAt", "createdAt"),
        updated_at=needed_moment(node, "updatedAt"),
        financial_status=financial_status(node.get("displayFinancialStatus")),
        fulfillment_status=fulfillment_status(node.get("displayFulfillmentStatus")),
        cancelled_at=moment_of(node.get("cancelledAt")),
        is_test=node.get("test") is True,
        locale=locale_of(node.get("customerLocale")),
        source_name=text_of(node.get("sourceName")),
        admin_url=f"{store.admin_url}/orders/{external_id}",
        buyer=_buyer(store, node),
        amounts=totals.amounts,
        line_items=limited_lines(map(_line, lines)),
        discount_codes=limited_codes(codes if isinstance(codes, list) else ()),
        currencies=totals.currencies,
    )


def _buyer(store: Store, node: Body) -> IncomingBuyer | None:
    customer = part_of(node, "customer")
    country = country_of(store, customer, node)
    email, phone = (
        part_of(customer, "defaultEmailAddress").get("emailAddress"),
        part_of(customer, "defaultPhoneNumber").get("phoneNumber"),
    )
    buyer = IncomingBuyer(
        external_id=id_of(customer.get("id")),
        email=email_of(email) or email_of(node.get("email")),
        phone=phone_of(phone, country) or phone_of(node.get("phone"), country),
        first_name=text_of(customer.get("firstName")),
        last_name=text_of(customer.get("lastName")),
    )
    return buyer if buyer != IncomingBuyer() else None


def _line(node: Body) -> LineItem:
    return LineItem(
        title=title_of(node.get("title")),
        variant_title=text_of(node.get("variantTitle")),
        sku=text_of(node.get("sku")),
        quantity=max(0, whole_of(node.get("quantity")) or 0),
        unit_price=needed_money(node, "originalUnitPriceSet").amount,
        total_discount=allocated(node, "discountAllocations", "allocatedAmountSet"),
        is_gift_card=node.get("isGiftCard") is True,
        product_external_id=id_of(part_of(node, "product").get("id")),
        variant_external_id=id_of(part_of(node, "variant").get("id")),
    )

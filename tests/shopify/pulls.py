"""A shop's export of its orders, and imports that pull it."""

from typing import Any

from local.shopify.customers import Consent, ShopCustomer
from storepost.sync.records.reading import moment_of
from tests.harness.world import CANARY, Answer, Someone
from tests.shopify.hooks import CREATED, UPDATED, Hooks
from tests.shopify.shops import SHOP, Shopify

SCOPE = {"scope": "customers_orders"}


def bag(amount: str, currency: str = "EUR") -> dict[str, Any]:
    """An amount as the Admin API has it."""
    money = {"amount": amount, "currencyCode": currency}
    return {"shopMoney": money, "presentmentMoney": money}


def line_node(number: int, **overrides: Any) -> dict[str, Any]:
    """A line of an order."""
    return {
        "id": f"gid://shopify/LineItem/{number}",
        "title": f"Scarf {number}",
        "variantTitle": "green",
        "sku": "SCARF-G",
        "quantity": 2,
        "isGiftCard": False,
        "product": {"id": "gid://shopify/Product/632910392"},
        "variant": {"id": "gid://shopify/ProductVariant/39072856"},
        "originalUnitPriceSet": bag("20.00"),
        "discountAllocations": [{"allocatedAmountSet": bag("3.34")}],
        **overrides,
    }


def order_node(number: int, customer: ShopCustomer | None, **overrides: Any) -> dict[str, Any]:
    """An order as the Admin API has it."""
    return {
        "id": f"gid://shopify/Order/{number}",
        "name": f"#{number}",
        "createdAt": CREATED,
        "processedAt": CREATED,
        "updatedAt": UPDATED,
        "cancelledAt": None,
        "test": False,
        "customerLocale": "de-AT",
        "sourceName": "web",
        "email": None,
        "phone": None,
        "displayFinancialStatus": "PARTIALLY_REFUNDED",
        "displayFulfillmentStatus": "IN_PROGRESS",
        "discountCodes": ["TENOFF"],
        "totalPriceSet": bag("43.28"),
        "subtotalPriceSet": bag("36.66"),
        "totalDiscountsSet": bag("3.34"),
        "totalShippingPriceSet": bag("5.00"),
        "totalTaxSet": bag("6.11"),
        "totalRefundedSet": bag("10.00"),
        "customer": customer.node() if customer else None,
        "lineItems": [line_node(number * 10), line_node(number * 10 + 1)],
        **overrides,
    }


def fill(shopify: Shopify, customers: int, orders: int) -> None:
    """Adds customers 1 to so many, and orders of theirs."""
    shop, at = shopify.shop(SHOP), moment_of(UPDATED)
    assert at is not None
    for number in range(1, customers + 1):
        email = f"c{number}.{CANARY}@example.com"
        made = ShopCustomer(number, email, first_name=f"C{number}", created_at=at, updated_at=at)
        made.email_consent = Consent("SUBSCRIBED", at)
        shop.customers.append(made)
    for number in range(1, orders + 1):
        buyer = shop.customers[number % customers] if customers else None
        shop.orders.append(order_node(number, buyer))


def ask(hooks: Hooks, owner: Someone, body: object = SCOPE) -> Answer:
    return owner.call("POST", f"/stores/{hooks.store.id}/imports", body)


def state(hooks: Hooks, owner: Someone, import_id: str) -> dict[str, Any]:
    return dict(owner.call("GET", f"/stores/{hooks.store.id}/imports/{import_id}").json)


def pulled(hooks: Hooks, owner: Someone) -> dict[str, Any]:
    """An import, once the worker handled it."""
    answer = ask(hooks, owner)
    assert answer.status == 202, answer.body
    hooks.world.deliver()
    return state(hooks, owner, answer.json["id"])


def imports_of(hooks: Hooks, owner: Someone) -> list[dict[str, Any]]:
    """The store's imports, the newest first."""
    return list(owner.call("GET", f"/stores/{hooks.store.id}/imports").json["items"])


def totals(hooks: Hooks, owner: Someone) -> tuple[int, int]:
    """How many profiles and orders the workspace has."""
    profiles = owner.call("GET", "/profiles").json["total"]
    return int(profiles), int(owner.call("GET", "/orders").json["total"])

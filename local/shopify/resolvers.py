"""What isn't simply a value of the object above: by the type's and the field's name.

A resolver gets the shop and the field's arguments. Everything else is found by itself: a field of
`Shop` in the shop, of a mapping under its name, of an object under its name in Python's spelling.
"""

from collections.abc import Callable
from typing import Any

from local.shopify import customers, exports
from local.shopify.shops import Locale, Shop

type Resolver = Callable[..., Any]


def _shop(shop: Shop) -> Shop:
    return shop


def _shop_locales(shop: Shop, *, published: bool) -> list[Locale]:
    return [locale for locale in shop.locales if locale.published or not published]


def _app_uninstall(shop: Shop) -> dict[str, Any]:
    shop.installation = None
    return {"userErrors": []}


def _customer(shop: Shop, *, id: str) -> dict[str, Any] | None:
    customer = customers.found(shop.customers, id)
    return customer.node() if customer else None


def _installation(shop: Shop) -> dict[str, Any]:
    granted = shop.installation.scopes if shop.installation else ()
    return {"accessScopes": [{"handle": scope} for scope in granted]}


def _email_consent(shop: Shop, *, input: dict[str, Any]) -> dict[str, Any]:
    return customers.update_email_consent(shop.customers, input)


def _sms_consent(shop: Shop, *, input: dict[str, Any]) -> dict[str, Any]:
    return customers.update_sms_consent(shop.customers, input)


def _customers(shop: Shop, *, query: str | None = None, sortKey: str = "ID") -> dict[str, Any]:  # noqa: ARG001, N803
    found = [c for c in shop.customers if exports.wanted(query, c.number)]
    return _edges([c.node() for c in sorted(found, key=lambda c: c.number)])


def _orders(shop: Shop, *, query: str | None = None, sortKey: str = "ID") -> dict[str, Any]:  # noqa: ARG001, N803
    numbered = {int(order["id"].rpartition("/")[2]): order for order in shop.orders}
    found = [numbered[number] for number in sorted(numbered) if exports.wanted(query, number)]
    return _edges([{**order, "lineItems": _edges(order["lineItems"])} for order in found])


def _bulk_operation(shop: Shop, *, id: str) -> dict[str, Any] | None:
    return exports.looked_at(shop.operations, id, shop.files)


def _edges(nodes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"edges": [{"node": node} for node in nodes]}


RESOLVERS: dict[tuple[str, str], Resolver] = {
    ("QueryRoot", "shop"): _shop,
    ("QueryRoot", "shopLocales"): _shop_locales,
    ("QueryRoot", "customer"): _customer,
    ("QueryRoot", "customers"): _customers,
    ("QueryRoot", "orders"): _orders,
    ("QueryRoot", "bulkOperation"): _bulk_operation,
    ("QueryRoot", "currentAppInstallation"): _installation,
    ("Mutation", "appUninstall"): _app_uninstall,
    ("Mutation", "customerEmailMarketingConsentUpdate"): _email_consent,
    ("Mutation", "customerSmsMarketingConsentUpdate"): _sms_consent,
    ("Shop", "contactEmail"): lambda shop: shop.email,
    ("Shop", "myshopifyDomain"): lambda shop: shop.domain,
    ("Shop", "primaryDomain"): lambda shop: {"url": shop.url},
    ("Shop", "shopAddress"): lambda shop: {"countryCodeV2": shop.country_code},
}

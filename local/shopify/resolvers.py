"""Resolvers, by type and field name, of fields that aren't simply a value of the parent object.

A root field's resolver gets the shop and the field's arguments. Fields without a resolver are read
by name: `Shop`'s from the shop, others from the parent mapping, or from the parent object under the
name in Python's spelling.
"""

from collections.abc import Callable
from typing import Any

from local.shopify import customers, discounts, exports, products
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
    found = [c for c in shop.customers if exports.matches(query, c.number)]
    return _edges([c.node() for c in sorted(found, key=lambda c: c.number)])


def _orders(shop: Shop, *, query: str | None = None, sortKey: str = "ID") -> dict[str, Any]:  # noqa: ARG001, N803
    numbered = {int(order["id"].rpartition("/")[2]): order for order in shop.orders}
    found = [numbered[number] for number in sorted(numbered) if exports.matches(query, number)]
    return _edges([{**order, "lineItems": _edges(order["lineItems"])} for order in found])


def _products(shop: Shop, *, query: str | None = None, sortKey: str = "ID") -> dict[str, Any]:  # noqa: ARG001, N803
    found = sorted(shop.products, key=products.number_of)
    return _edges([each for each in found if exports.matches(query, products.number_of(each))])


def _variants(product: dict[str, Any]) -> dict[str, Any]:
    return _edges(product["variants"])


def _media(variant: dict[str, Any], *, first: int | None = None) -> dict[str, Any]:
    return _edges(variant["media"][:first])


def _bulk_operation(shop: Shop, *, id: str) -> dict[str, Any] | None:
    return exports.looked_at(shop.operations, id, shop.files)


def _discount(shop: Shop, *, id: str) -> dict[str, Any] | None:
    return discounts.by_id(shop, id)


def _discount_of_code(shop: Shop, *, code: str) -> dict[str, Any] | None:
    return discounts.of_code(shop, code)


def _creation(shop: Shop, *, id: str) -> dict[str, Any] | None:
    return discounts.creation(shop, id)


def _created(
    made: dict[str, Any], *, first: int | None = None, after: str | None = None
) -> dict[str, Any]:
    return discounts.created(made, first, after)


def _codes(
    discount: dict[str, Any],
    *,
    first: int | None = None,
    after: str | None = None,  # noqa: ARG001
    query: str | None = None,  # noqa: ARG001
) -> dict[str, Any]:
    return {"nodes": discount["codes"]["nodes"][:first]}


def _discount_create(shop: Shop, *, basicCodeDiscount: dict[str, Any]) -> dict[str, Any]:  # noqa: N803
    return discounts.create(shop, basicCodeDiscount)


def _discount_delete(shop: Shop, *, id: str) -> dict[str, Any]:
    return discounts.delete(shop, id)


def _codes_add(shop: Shop, *, discountId: str, codes: list[dict[str, str]]) -> dict[str, Any]:  # noqa: N803
    return discounts.add_codes(shop, discountId, codes)


def _codes_delete(shop: Shop, *, discountId: str, ids: list[str] | None = None) -> dict[str, Any]:  # noqa: N803
    return discounts.delete_codes(shop, discountId, ids)


def _edges(nodes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"edges": [{"node": node} for node in nodes]}


RESOLVERS: dict[tuple[str, str], Resolver] = {
    ("QueryRoot", "shop"): _shop,
    ("QueryRoot", "shopLocales"): _shop_locales,
    ("QueryRoot", "customer"): _customer,
    ("QueryRoot", "customers"): _customers,
    ("QueryRoot", "orders"): _orders,
    ("QueryRoot", "products"): _products,
    ("Product", "translations"): products.translated,
    ("Product", "variants"): _variants,
    ("ProductVariant", "media"): _media,
    ("QueryRoot", "bulkOperation"): _bulk_operation,
    ("QueryRoot", "node"): _discount,
    ("QueryRoot", "codeDiscountNodeByCode"): _discount_of_code,
    ("QueryRoot", "discountRedeemCodeBulkCreation"): _creation,
    ("DiscountCodeBasic", "codes"): _codes,
    ("DiscountRedeemCodeBulkCreation", "codes"): _created,
    ("Mutation", "discountCodeBasicCreate"): _discount_create,
    ("Mutation", "discountCodeDelete"): _discount_delete,
    ("Mutation", "discountRedeemCodeBulkAdd"): _codes_add,
    ("Mutation", "discountCodeRedeemCodeBulkDelete"): _codes_delete,
    ("QueryRoot", "currentAppInstallation"): _installation,
    ("Mutation", "appUninstall"): _app_uninstall,
    ("Mutation", "customerEmailMarketingConsentUpdate"): _email_consent,
    ("Mutation", "customerSmsMarketingConsentUpdate"): _sms_consent,
    ("Shop", "contactEmail"): lambda shop: shop.email,
    ("Shop", "myshopifyDomain"): lambda shop: shop.domain,
    ("Shop", "primaryDomain"): lambda shop: {"url": shop.url},
    ("Shop", "shopAddress"): lambda shop: {"countryCodeV2": shop.country_code},
}

"""What isn't simply a value of the object above: by the type's and the field's name.

A resolver gets the shop and the field's arguments. Everything else is found by itself: a field of
`Shop` in the shop, of a mapping under its name, of an object under its name in Python's spelling.
"""

from collections.abc import Callable
from typing import Any

from local.shopify.shops import Locale, Shop

type Resolver = Callable[..., Any]


def _shop(shop: Shop) -> Shop:
    return shop


def _shop_locales(shop: Shop, *, published: bool) -> list[Locale]:
    return [locale for locale in shop.locales if locale.published or not published]


def _app_uninstall(shop: Shop) -> dict[str, Any]:
    shop.installation = None
    return {"userErrors": []}


RESOLVERS: dict[tuple[str, str], Resolver] = {
    ("QueryRoot", "shop"): _shop,
    ("QueryRoot", "shopLocales"): _shop_locales,
    ("Mutation", "appUninstall"): _app_uninstall,
    ("Shop", "contactEmail"): lambda shop: shop.email,
    ("Shop", "myshopifyDomain"): lambda shop: shop.domain,
    ("Shop", "primaryDomain"): lambda shop: {"url": shop.url},
    ("Shop", "shopAddress"): lambda shop: {"countryCodeV2": shop.country_code},
}

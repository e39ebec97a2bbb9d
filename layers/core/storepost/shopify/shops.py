"""Names of shops, and a shop's addresses."""

import os
import re

API_VERSION = "2026-07"

# A DNS label has up to 63 characters; `fullmatch`, since `$` would accept a trailing newline.
_SHOP = re.compile(r"[a-z0-9][a-z0-9-]{0,62}\.myshopify\.com")


def is_shop(name: str) -> bool:
    """Returns whether the name is a shop's `myshopify.com` name."""
    return _SHOP.fullmatch(name) is not None


def handle_of(shop: str) -> str:
    """Returns the shop's short name: `birch` of `birch.myshopify.com`."""
    return shop.partition(".")[0]


def address_of(shop: str, path: str) -> str:
    """Returns the address of a path at the shop. Raises ValueError for a name that isn't a shop's.

    In the local run a stand-in for Shopify serves `SHOPIFY_STAND_IN`, an address with a path: every
    shop is a folder of it. The variable is read only there, and the guard in `fetching` allows that
    address only in the local run.
    """
    if not is_shop(shop):
        raise ValueError("not a shop's `myshopify.com` name")
    stand_in = os.environ.get("SHOPIFY_STAND_IN")
    if stand_in and os.environ.get("STOREPOST_LOCAL") == "1":
        return f"{stand_in}/{shop}{path}"
    return f"https://{shop}{path}"

"""Which names are shops', and where a shop answers."""

import os
import re

API_VERSION = "2026-07"

# A label of DNS has 63 characters; `fullmatch`, since `$` lets a line's end through.
_SHOP = re.compile(r"[a-z0-9][a-z0-9-]{0,62}\.myshopify\.com")


def is_shop(name: str) -> bool:
    """Returns whether the name is a shop's own."""
    return _SHOP.fullmatch(name) is not None


def handle_of(shop: str) -> str:
    """Returns what people call the shop: `birch` of `birch.myshopify.com`."""
    return shop.partition(".")[0]


def address_of(shop: str, path: str) -> str:
    """Returns where the shop serves the path.

    In the local run a pretend Shopify stands at `SHOPIFY_STAND_IN`, an address with a path: every
    shop is a folder of it. Nowhere else is the variable looked at, and the guard in `fetching` lets
    that address through in the local run alone.
    """
    if not is_shop(shop):
        raise ValueError("not a shop's own name: nothing else is ever opened as one")
    stand_in = os.environ.get("SHOPIFY_STAND_IN")
    if stand_in and os.environ.get("STOREPOST_LOCAL") == "1":
        return f"{stand_in}/{shop}{path}"
    return f"https://{shop}{path}"

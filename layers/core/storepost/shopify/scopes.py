"""Access scopes: what a shop lets the app do."""

from collections.abc import Collection

REQUIRED = ("read_customers", "read_orders", "read_products")
"""Without one of these, connecting the shop would be pointless."""


def covers(granted: Collection[str], needed: str) -> bool:
    """Returns whether the scope was granted, by itself or by the matching write scope.

    `write_customers` implies `read_customers`, and Shopify's list of granted scopes leaves out
    those that another scope implies.
    """
    writing = needed.replace("read_", "write_", 1) if needed.startswith("read_") else needed
    return needed in granted or writing in granted


def lacking(granted: Collection[str]) -> list[str]:
    """Returns the required scopes that weren't granted."""
    return [scope for scope in REQUIRED if not covers(granted, scope)]


def may_make_coupons(granted: Collection[str]) -> bool:
    """Returns whether discounts and their codes can be created in the shop."""
    return covers(granted, "write_discounts")


def may_write_consent(granted: Collection[str]) -> bool:
    """Returns whether consent can be written back to the shop's customers."""
    return covers(granted, "write_customers")

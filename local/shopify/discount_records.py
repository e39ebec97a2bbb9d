"""Code discounts and bulk creations of codes, as a pretend shop stores them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

GID = "gid://shopify/DiscountCodeNode/"
CODE_GID = "gid://shopify/DiscountRedeemCode/"
CREATION_GID = "gid://shopify/DiscountRedeemCodeBulkCreation/"
MAX_CODES = 250


@dataclass
class Discount:
    """A code discount as the shop stores it."""

    number: int
    content: Mapping[str, Any]
    """The payload that created it."""
    codes: dict[str, int] = field(default_factory=dict)
    """The numbers of its codes, by code."""

    def node(self, query: str | None = None) -> dict[str, Any]:
        """Returns it as the Admin API does, with the codes that match a search."""
        found = [
            {"id": f"{CODE_GID}{number}", "code": code}
            for code, number in self.codes.items()
            if query is None or code.casefold() == query.casefold()
        ]
        return {
            "__typename": "DiscountCodeNode",
            "id": f"{GID}{self.number}",
            "codeDiscount": {"__typename": "DiscountCodeBasic", "codes": {"nodes": found}},
        }


@dataclass
class Creation:
    """A bulk creation with each code's result; it is done after `looks` polls."""

    number: int
    results: Sequence[dict[str, Any]]
    looks: int = 1

    def node(self) -> dict[str, Any]:
        """Returns it as the Admin API does."""
        return {"id": f"{CREATION_GID}{self.number}", "done": self.looks <= 0, "of": self}

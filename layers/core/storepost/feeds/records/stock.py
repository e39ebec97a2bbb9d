"""Whether a row's variant can be bought, and how many there are."""

from collections.abc import Iterable, Mapping
from typing import Any

from storepost.feeds.records import values
from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.names import compared_name, compared_names

_TRACKERS = compared_names(
    "variant_inventory_tracker", "track_inventory", "inventory_tracking", "manage_stock"
)
_UNTRACKED = frozenset({"none", "false", "no", "0", "n", "not tracked"})
_DAYS = compared_names("delivery_date", "delivery_time", "delivery_days")
"""Days until it is sent, as Heureka and Zboží state them: 0 means in stock."""
_CENEO = compared_names("avail")
_KELKOO = compared_names("product_url", "merchant_category", "availability")
"""Columns that only Kelkoo's files have together."""
_IN_STOCK, _TO_ORDER, _SOLD_OUT = (True, False), (True, True), (False, False)
_CENEO_CODES = {
    "1": _IN_STOCK,
    **dict.fromkeys(("3", "7", "14", "90", "110"), _TO_ORDER),
}
"""In stock; days until it is sent; on order; preorder. 99 says nothing."""
_KELKOO_CODES = {
    "1": _IN_STOCK,
    **dict.fromkeys(("2", "4", "5"), _TO_ORDER),
    "6": _SOLD_OUT,
}
"""In stock; on order, preorder, available on order; sold out. 3 says nothing."""
_ALLOWED = compared_names("allow_purchases", "available_for_order")
"""Whether it may be bought at all; the quantity says whether there is any."""
_DENY = "deny"
"""Shopify's word for a variant that isn't sold without stock."""

_OF_STOCK = frozenset({FeedField.QUANTITY, FeedField.AVAILABILITY})


class Stock:
    """Reads from rows whether variants can be bought."""

    def __init__(self, columns: Iterable[str], available: Iterable[str], point: str | None) -> None:
        """`columns` are all those that the mapping names, `available` those of availability.

        `point` is the decimal separator of quantities, if they show it.
        """
        self._point = point
        self._trackers = [each for each in columns if compared_name(each) in _TRACKERS]
        self._allowed = any(compared_name(each) in _ALLOWED for each in available)
        self._days = {each for each in available if compared_name(each) in _DAYS}
        self._codes = _codes(map(compared_name, columns), map(compared_name, available))

    def read(self, mapped: Mapping[str, str], cells: Mapping[str, str]) -> dict[str, Any]:
        """Returns the variant's fields of its stock."""
        if not (self._trackers or self._days or mapped.keys() & _OF_STOCK):
            return {}
        tracked = not any(_is_untracked(name, cells) for name in self._trackers)
        stated = mapped.get(FeedField.QUANTITY, "")
        quantity = values.quantity(stated, self._point) if tracked else None
        text = mapped.get(FeedField.AVAILABILITY, "")
        is_allowed = self._allowed and values.availability(text) == (True, False)
        if text.lower() == _DENY or is_allowed:
            return {
                "inventoryQuantity": quantity,
                "availableForSale": quantity is None or quantity > 0,
            }
        bought = self._in_days(cells) if self._days else self._availability(text)
        return {
            "inventoryQuantity": quantity,
            "availableForSale": bought[0] if bought else None,
            "continueSellingWhenOutOfStock": True if bought and bought[1] else None,
        }

    def _availability(self, text: str) -> tuple[bool, bool] | None:
        if self._codes and text.isdigit():
            return self._codes.get(text)
        return values.availability(text)

    def _in_days(self, cells: Mapping[str, str]) -> tuple[bool, bool] | None:
        for column in self._days:
            text = cells.get(column, "").strip()
            if text[:1].isdigit():
                return (True, text != "0")
        return None


def _codes(columns: Iterable[str], available: Iterable[str]) -> Mapping[str, tuple[bool, bool]]:
    """Returns what numbers mean as availability, if a maker's columns are known by their names."""
    if not _CENEO.isdisjoint(available):
        return _CENEO_CODES
    return _KELKOO_CODES if set(columns) >= _KELKOO else {}


def _is_untracked(column: str, cells: Mapping[str, str]) -> bool:
    text = cells.get(column, "").strip().lower()
    if compared_name(column) == "variantinventorytracker":
        return not text and column in cells
    return text in _UNTRACKED

"""What a feed's words mean: availability, quantities, addresses, locales, texts."""

import re
from functools import lru_cache

from storepost.values.locale_codes import canonical

MAX_TEXT = 255
MAX_DESCRIPTION = 65_536
MAX_CUSTOM = 5_000
_MAX_URL = 2_048
_MAX_QUANTITY = 10**9
_URL = re.compile(r"https?://[^\s/]+\S*", re.IGNORECASE)
_QUANTITY = re.compile(r"([+-]?\d{1,12})(?:[.,]0+)?")
_OTHER = re.compile(r"[^a-z0-9]+")

_ON_ORDER = frozenset({"preorder", "backorder", "backordered", "availablefororder", "onorder"})
_IN_STOCK = frozenset({"instock", "available", "yes", "true", "1", "limitedavailability", "y"})
_OUT_OF_STOCK = frozenset(
    {
        "outofstock",
        "soldout",
        "unavailable",
        "notavailable",
        "discontinued",
        "no",
        "false",
        "0",
        "n",
    }
)


def availability(text: str) -> tuple[bool, bool] | None:
    """Whether it can be bought, and whether also when there is none; None for no such word."""
    word = _OTHER.sub("", text.rpartition("/")[2].lower())
    if word in _ON_ORDER:
        return True, True
    if word in _IN_STOCK:
        return True, False
    return (False, False) if word in _OUT_OF_STOCK else None


def quantity(text: str) -> int | None:
    """A whole number; None for anything else."""
    found = _QUANTITY.fullmatch(text.strip())
    number = int(found[1]) if found else None
    return number if number is not None and abs(number) <= _MAX_QUANTITY else None


def address(text: str) -> str | None:
    """A web address; None for anything else."""
    url = text.strip().replace(" ", "%20")
    return url if len(url) <= _MAX_URL and _URL.fullmatch(url) else None


@lru_cache(maxsize=1_000)
def locale(text: str) -> str | None:
    """A locale in its canonical case; None for what BCP 47 doesn't know."""
    try:
        return canonical(text.strip().replace("_", "-"))
    except ValueError:
        return None

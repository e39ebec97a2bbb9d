"""Reads single values of a shop's records. An unreadable value is None."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from storepost.stores.stores.model import Store
from storepost.values import clock, emails, locale_codes, phones
from storepost.values.placeholders import names_nobody
from storepost.values.text import visible
from storepost.values.wire import TEXT_LENGTH, URL_LENGTH

_ADDRESSES = (
    "default_address",
    "defaultAddress",
    "billing_address",
    "billingAddress",
    "shipping_address",
    "shippingAddress",
)
_COUNTRIES = ("country_code", "countryCodeV2")
_ID_DIGITS = 20
"""As many as a number of 64 bits has; a longer one fits in no key."""
_MAX_WHOLE = 1_000_000_000
"""As in requests."""
_ADDRESS = re.compile(r"https?://[^\s\\]+", re.IGNORECASE)

type Body = Mapping[str, Any]


class NoRecord(ValueError):  # noqa: N818 - it is what it is
    """A record without a necessary value; another try would fail the same way."""


def text_of(value: object) -> str | None:
    """Returns a text with visible characters, cut to the length that is stored, or None."""
    if not isinstance(value, str):
        return None
    return visible(value)[:TEXT_LENGTH].strip() or None


def address_of(value: object) -> str | None:
    """Returns a web address, or None: any other one may run a script where it is opened."""
    if not isinstance(value, str) or len(value) > URL_LENGTH:
        return None
    return value if _ADDRESS.fullmatch(value) else None


def email_of(value: object) -> str | None:
    """Returns a normalised email address, or None."""
    return _normalised(value, emails.normalised, emails.LENGTH)


def phone_of(value: object, country: str | None = None) -> str | None:
    """Returns a number in E.164, or None; one without a country code is read as `country`'s."""
    return _normalised(value, lambda text: phones.normalised(text, country), 32)


def country_of(store: Store, *bodies: Body) -> str:
    """Returns the country of the first address that names one, else the shop's."""
    addresses = (part_of(body, name) for body in bodies for name in _ADDRESSES)
    codes = (each.get(name) for each in addresses for name in _COUNTRIES)
    found = next((code for code in codes if isinstance(code, str) and len(code) == 2), None)
    return found or store.country


def locale_of(value: object) -> str | None:
    """Returns a language tag in its canonical case, or None."""
    return _normalised(value, locale_codes.canonical, 35)


def moment_of(value: object) -> datetime | None:
    """Returns a time in UTC, cut to milliseconds, or None."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        return clock.to_milliseconds(moment) if moment and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def needed_moment(body: Body, *names: str) -> datetime:
    """Returns the first of these times that can be read. Raises NoRecord."""
    found = next((moment for name in names if (moment := moment_of(body.get(name)))), None)
    if found is None:
        raise NoRecord(f"no readable {names[0]}")
    return found


def id_of(value: object) -> str | None:
    """Returns a record's number, from the end of a `gid://…` or as it is, or None."""
    text = str(value).rpartition("/")[2] if isinstance(value, int | str) else ""
    is_number = text.isascii() and text.isdigit() and len(text) <= _ID_DIGITS
    return text if is_number and not names_nobody(text) else None


def whole_of(value: object) -> int | None:
    """Returns a whole number, or None for one that can't be a quantity, a stock or a position."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if abs(value) <= _MAX_WHOLE else None


def needed_id(body: Body, *names: str) -> str:
    """Returns the first of these ids that can be read. Raises NoRecord."""
    found = next((value for name in names if (value := id_of(body.get(name)))), None)
    if found is None:
        raise NoRecord(f"no readable {names[0]}")
    return found


def part_of(body: Body, name: str) -> Body:
    """Returns an object within the record; an empty one where there is none."""
    value = body.get(name)
    return value if isinstance(value, Mapping) else {}


def parts_of(body: Body, name: str) -> list[Body]:
    """Returns the objects of a list within the record."""
    value = body.get(name)
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _normalised(value: object, normalised: Callable[[str], str], max_length: int) -> str | None:
    if not isinstance(value, str) or len(value) > max_length or names_nobody(value):
        return None
    try:
        return normalised(value)
    except ValueError:
        return None

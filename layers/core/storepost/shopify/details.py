"""A shop's details, which become a store's when the shop is connected."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from storepost.shopify import documents
from storepost.shopify.admin import AdminClient
from storepost.shopify.answers import whole_answer
from storepost.shopify.scopes import covers
from storepost.stores.stores.model import StoreLocale
from storepost.values.locale_codes import canonical, parts
from storepost.values.text import visible
from storepost.values.wire import TEXT_LENGTH

MAX_LOCALES = 40
_ASKING = "read_locales"
_UNNAMED = "-"
_FALLBACK = "en"
"""The primary locale where the shop sends none: every shop starts with it."""


@dataclass(frozen=True)
class ShopDetails:
    """A shop's details, as it states them."""

    name: str
    currency: str
    contact_email: str | None
    storefront_url: str | None
    locales: tuple[StoreLocale, ...]
    """At least one; the first is the primary one, and the only primary one."""


def shop_details(admin: AdminClient, granted: Collection[str]) -> ShopDetails:
    """Requests the shop's details; its locales only where the granted scopes allow that.

    Raises what `AdminClient.run` raises.
    """
    with whole_answer():
        return _details(admin, granted)


def _details(admin: AdminClient, granted: Collection[str]) -> ShopDetails:
    shop = admin.run(documents.SHOP)["shop"]
    locale_rows: list[dict[str, Any]] = []
    if covers(granted, _ASKING):
        locale_rows = admin.run(documents.SHOP_LOCALES)["shopLocales"]
    url = shop["primaryDomain"]["url"]
    return ShopDetails(
        name=visible(shop["name"])[:TEXT_LENGTH] or _UNNAMED,
        currency=shop["currencyCode"],
        contact_email=shop["contactEmail"] or shop["email"] or None,
        storefront_url=url,
        locales=_locales(
            locale_rows, shop["currencyCode"], shop["shopAddress"]["countryCodeV2"], url
        ),
    )


def locales_of(
    details: ShopDetails, granted: Collection[str], stored: Sequence[StoreLocale]
) -> tuple[StoreLocale, ...]:
    """Returns a store's locales, the primary one first.

    They are the shop's if the scopes allow reading them. Else the store keeps its own; a store
    without any gets those of the details.
    """
    if covers(granted, _ASKING) or not stored:
        return details.locales
    currency, url = details.currency, details.storefront_url
    return tuple(
        replace(row, currency=currency, url=url if row.is_primary else None)
        for row in sorted(stored, key=lambda row: not row.is_primary)
    )


def granted_scopes(admin: AdminClient) -> tuple[str, ...]:
    """Requests the scopes that the shop grants now. Raises what `AdminClient.run` raises."""
    with whole_answer():
        installation = admin.run(documents.ACCESS_SCOPES)["currentAppInstallation"]
        return tuple(scope["handle"] for scope in installation["accessScopes"])


def _locales(
    locale_rows: Iterable[dict[str, Any]], currency: str, country: str | None, url: str
) -> tuple[StoreLocale, ...]:
    """The shop's locales, the primary one first; values that aren't language tags are left out."""
    known: dict[str, StoreLocale] = {}
    for row in sorted(locale_rows, key=lambda row: not row["primary"]):
        code = _code(row["locale"])
        if code is not None and code not in known:
            known[code] = _locale(code, row["name"], not known, currency, country, url)
    if not known:
        known[_FALLBACK] = _locale(_FALLBACK, "", True, currency, country, url)  # noqa: FBT003
    return tuple(known.values())[:MAX_LOCALES]


def _locale(
    code: str,
    label: str,
    is_primary: bool,  # noqa: FBT001 - a field's value
    currency: str,
    country: str | None,
    url: str,
) -> StoreLocale:
    parsed = parts(code)
    # The primary locale has the shop's own country, unless it names one itself.
    home = country if is_primary and parsed.region != parsed.country else None
    return StoreLocale(
        locale=code,
        label=label or parsed.label,
        is_primary=is_primary,
        country=home or parsed.country,
        currency=currency,
        url=url if is_primary else None,
    )


def _code(tag: str) -> str | None:
    try:
        return canonical(tag)
    except ValueError:
        return None

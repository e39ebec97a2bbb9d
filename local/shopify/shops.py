"""A pretend shop, and the app's installation in it."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from local.shopify.bucket import Bucket
from local.shopify.customers import ShopCustomer
from local.shopify.discount_records import Creation, Discount
from local.shopify.exports import Operation
from local.shopify.products import Node, demo_products
from storepost.values import clock

ACCESS_FOR = timedelta(hours=1)
REFRESH_FOR = timedelta(days=90)


@dataclass(frozen=True)
class Locale:
    """A language that a shop is or will be published in."""

    locale: str
    name: str
    primary: bool = False
    published: bool = True


@dataclass
class Installation:
    """The app in a shop: its valid pair of tokens, and the previous refresh token."""

    scopes: tuple[str, ...]
    access_token: str = ""
    access_ends_at: datetime = field(default_factory=clock.now)
    refresh_token: str = ""
    refresh_ends_at: datetime = field(default_factory=clock.now)
    previous_refresh_token: str | None = None
    """It is valid until the refresh token that replaced it is used."""

    def give_tokens(self, *, instead_of: str | None) -> None:
        """Issues a new pair. Every earlier access token ends."""
        now = clock.now()
        self.previous_refresh_token = instead_of
        self.access_token, self.access_ends_at = f"shpat_{secrets.token_hex(16)}", now + ACCESS_FOR
        self.refresh_token = f"shprt_{secrets.token_hex(16)}"
        self.refresh_ends_at = now + REFRESH_FOR

    def takes(self, access_token: str) -> bool:
        """Whether the access token is valid."""
        return access_token == self.access_token and clock.now() < self.access_ends_at

    def refreshes(self, refresh_token: str) -> bool:
        """Whether the refresh token is valid."""
        known = {self.refresh_token, self.previous_refresh_token}
        return refresh_token in known and clock.now() < self.refresh_ends_at


@dataclass
class Shop:
    """A shop. Its fields are named as the Admin API's, in Python's spelling."""

    domain: str
    name: str
    email: str
    currency_code: str = "EUR"
    country_code: str | None = "DE"
    url: str = "https://shop.example.com"
    locales: tuple[Locale, ...] = (Locale("en", "English", primary=True),)
    bucket: Bucket = field(default_factory=Bucket)
    installation: Installation | None = None
    customers: list[ShopCustomer] = field(default_factory=list)
    orders: list[dict[str, Any]] = field(default_factory=list)
    """As the Admin API returns them, their lines as a list under `lineItems`."""
    products: list[Node] = field(default_factory=list)
    """As the Admin API returns them, too."""
    operations: list[Operation] = field(default_factory=list)
    discounts: list[Discount] = field(default_factory=list)
    creations: list[Creation] = field(default_factory=list)
    numbers: int = 0
    """The last number given to a discount or one of its codes."""
    files: str = ""
    """The base URL of the shop's export files."""
    codes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Authorization codes that can be exchanged, with the approved scopes."""


def demo_shops() -> tuple[Shop, ...]:
    """Returns the local run's shops: the demo connects one, the developer may connect the other."""
    return (
        Shop(
            "birch-loom.myshopify.com",
            "Birch & Loom on Shopify",
            "hello@birch-loom.example.com",
            url="https://birch-loom.example.com",
            locales=(Locale("en", "English", primary=True), Locale("de", "German")),
            products=demo_products(),
        ),
        Shop(
            "linden-house.myshopify.com",
            "Linden House",
            "hello@linden-house.example.com",
            url="https://linden-house.example.com",
            locales=(Locale("de", "German", primary=True), Locale("fr", "French")),
        ),
    )

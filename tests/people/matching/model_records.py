"""What the model of a workspace's people consists of."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from storepost.people.profiles.model import Identity
from tests.people.matching.rules import EMAIL, PHONE

type Channel = Literal["email", "sms"]
type Key = tuple[str, str]
"""A store and the store's own id."""

CHANNELS: dict[Channel, str] = {"email": "email", "sms": "phone"}
"""The field that has each channel's address."""
RANK = {"subscribed": 0, "pending": 1, "unsubscribed": 2}
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class ConsentStatement:
    """A statement about an address."""

    at: datetime
    state: str
    yields: bool
    """`subscribed` of a store without a consent time."""
    dated: bool = True

    @property
    def order(self) -> tuple[datetime, int]:
        """The key of the order in which the greater statement holds."""
        return (self.at, RANK[self.state])


@dataclass(frozen=True)
class Change:
    """A change as a history shows it."""

    channel: str
    address: str
    state: str
    at: datetime
    store: str | None
    write_back_stores: frozenset[str]


@dataclass(frozen=True)
class Locale:
    """A locale and its source; without a source it was set by hand."""

    code: str
    source: tuple[str, str, str, datetime] | None
    """What kind of record, the store, `hard` or `soft`, and when."""

    def yields_to(self, other: "Locale") -> bool:
        """Semantics, section 1.7."""
        if self.source is None or other.source is None:
            return self.source is not None
        own, others = ((each[2] == "hard", each[3]) for each in (self.source, other.source))
        return others > own


@dataclass
class Person:
    """A person."""

    id: str
    first_seen: datetime
    last_seen: datetime
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None
    locale: Locale | None = None
    seen: dict[Identity, tuple[datetime, datetime]] = field(default_factory=dict)
    history: list[Change] = field(default_factory=list)
    merged: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Who became part of this one, and the cause's source and reference."""

    def at(self, *moments: datetime) -> None:
        """Widens the time in which the person was seen."""
        self.first_seen = min(self.first_seen, *moments)
        self.last_seen = max(self.last_seen, *moments)

    def takes(self, identity: Identity, *moments: datetime) -> None:
        """Gives the person the identity, seen then; an address is shown if none is."""
        if identity not in self.seen:
            if identity.type is EMAIL:
                self.email = self.email or identity.value
            if identity.type is PHONE:
                self.phone = self.phone or identity.value
        known = self.seen.get(identity, (moments[0], moments[0]))
        self.seen[identity] = (min(known[0], *moments), max(known[1], *moments))

    def hears(self, locale: Locale) -> None:
        """An order or customer states a language; the same one may correct its own."""
        current = self.locale
        if (
            current is None
            or (current.source and current.source == locale.source)
            or (current.yields_to(locale))
        ):
            self.locale = locale


@dataclass
class Customer:
    """The customer as its store sent it last."""

    owner: str
    created: datetime
    updated: datetime
    body: dict[str, Any]
    states: dict[Channel, str]
    since: dict[Channel, datetime | None]
    """The store's own time of each."""
    refused: dict[Channel, datetime]
    """When an address of before was unsubscribed."""
    deleted: bool = False


@dataclass
class Order:
    """An order of a store, also a deleted one."""

    owner: str | None
    placed: datetime
    updated: datetime
    spent: int
    deleted: bool = False
    is_erased: bool = False
    """It was somebody's who was erased, and stays without a buyer."""


class Refused(Exception):  # noqa: N818 - it is what happened
    """The operation answers with this code and has no effect."""

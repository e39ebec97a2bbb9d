"""Profiles and what identifies them, as values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from storepost.people.consent.evidence import Series, SeriesKey
from storepost.people.consent.states import Channel, ConsentState
from storepost.values.money import Money
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum


class IdentityType(StoredEnum):
    """What kind of value names a person, the strongest first. `platform_customer_id`: what a
    store calls its customer. `email` and `phone`. `shopify_client_id`: what a Shopify store's
    shop window calls a browser. `anonymous_id`: what your site calls a browser before anybody
    signs in.
    """

    PLATFORM_CUSTOMER_ID = "platform_customer_id"
    EMAIL = "email"
    PHONE = "phone"
    SHOPIFY_CLIENT_ID = "shopify_client_id"
    ANONYMOUS_ID = "anonymous_id"

    @property
    def strength(self) -> int:
        """Greater is stronger; the last two are equal."""
        return {"platform_customer_id": 4, "email": 3, "phone": 2}.get(self.value, 1)

    @property
    def is_weak(self) -> bool:
        """Returns whether it is a browser's or device's, which several people may share."""
        return self.strength == 1


@dataclass(frozen=True, order=True)
class Identity:
    """A value that names one person: in the workspace, or in one store where `store_id` is set."""

    type: IdentityType
    value: str
    store_id: UUID | None = None


def strongest_first(identities: Iterable[Identity]) -> tuple[Identity, ...]:
    """Returns the identities by strength;
    equally strong ones by type and value, so that all agree.
    """
    return tuple(sorted(identities, key=lambda each: (-each.type.strength, each)))


class LocaleSignal(StoredEnum):
    """How sure a locale is. `hard`: an order or a customer states it. `soft`: an order states
    none, so its store's primary locale was taken.
    """

    HARD = "hard"
    SOFT = "soft"


class LocaleOrigin(StoredEnum):
    """What kind of record a locale comes from: an `order` or a `customer`."""

    ORDER = "order"
    CUSTOMER = "customer"


@dataclass(frozen=True)
class LocaleSource:
    """Where a profile's locale comes from; None on the profile for one that was set by hand."""

    source: LocaleOrigin
    store_id: UUID | None
    signal: LocaleSignal
    at: datetime

    def beats(self, other: "LocaleSource") -> bool:
        """Returns whether the signal holds against another one."""
        is_hard, other_is_hard = (each.signal is LocaleSignal.HARD for each in (self, other))
        return (is_hard, self.at) > (other_is_hard, other.at)


@dataclass(frozen=True)
class Sighting:
    """Says when an identity was seen first and last."""

    first: datetime
    last: datetime

    def widened(self, moments: Iterable[datetime]) -> "Sighting":
        """Returns the sighting once the identity was seen at these moments too."""
        return Sighting(min(self.first, *moments), max(self.last, *moments))


type IndexEntry = tuple[datetime, UUID]
"""Where a list by moment has a profile: the moment, and the id that it has there."""


@dataclass(frozen=True)
class StoreLink:
    """Counts a profile's customers (deleted ones too) and orders of one store."""

    customers: int = 0
    orders: int = 0
    listed_at: datetime | None = field(default=None, compare=False)
    """Under which moment the store's list has the profile; None while it hasn't."""
    stale_entries: tuple[IndexEntry, ...] = field(default=(), compare=False)
    """Where the store's list still has profiles that were merged into this one."""


@dataclass(frozen=True)
class Profile:
    """A person as a workspace knows them."""

    id: UUID
    workspace: WorkspaceScope
    first_seen_at: datetime
    last_seen_at: datetime
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    """The address that is shown; `identities` may hold others."""
    phone: str | None = None
    locale: str | None = None
    locale_source: LocaleSource | None = None
    email_consent: ConsentState = ConsentState.NOT_SUBSCRIBED
    """The state of the address that is shown: a copy, kept true in each change's transaction."""
    sms_consent: ConsentState = ConsentState.NOT_SUBSCRIBED
    suppressed: frozenset[Channel] = frozenset()
    """Of which channels the address that is shown is suppressed: a copy as of the consents."""
    sightings: Mapping[Identity, Sighting] = field(default_factory=dict)
    """Of all its identities, in the order in which they came."""
    former: frozenset[Identity] = frozenset()
    """Customer ids whose customers their stores deleted: they speak against no other one."""
    links: Mapping[UUID, StoreLink] = field(default_factory=dict)
    orders: int = 0
    spent: Mapping[str, int] = field(default_factory=dict)
    """Minor units by currency: total less refunds of orders neither test nor cancelled."""
    consent_changes: int = 0
    """How many changes of consent its history has."""
    histories: tuple[UUID, ...] = ()
    """Profiles that were merged into it and whose changes of consent are part of its history."""
    evidence: Mapping[SeriesKey, Series] = field(default_factory=dict)
    """Where evidence of consent stands, also what profiles had that were merged into it."""
    events: int = 0
    """How many events it has."""
    merges: int = 0
    """How many profiles were merged into it, and into those."""
    pending_sources: tuple[UUID, ...] = ()
    """Merged profiles that may still have rows of its own: those that went into another first."""
    version: int | None = field(default=None, compare=False, repr=False)
    """Of the row that was read; None for a new profile."""

    @property
    def name(self) -> str | None:
        """Returns first and last name, as far as there are any."""
        return " ".join(part for part in (self.first_name, self.last_name) if part) or None

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Returns what identifies the person."""
        return tuple(self.sightings)

    @property
    def partitions(self) -> tuple[UUID, ...]:
        """Returns whose partitions may have rows of the profile;
        rows only ever move to later ones.
        """
        return (*self.pending_sources, self.id)

    @property
    def consent_partitions(self) -> tuple[UUID, ...]:
        """Returns whose partitions have its changes and evidence of consent:
        these rows never move.
        """
        merged_ids = (profile_id for profile_id, _ in self.evidence)
        merged = dict.fromkeys((*self.histories, *merged_ids))
        return (*(each for each in merged if each != self.id), self.id)

    @property
    def is_anonymous(self) -> bool:
        """Returns whether nothing says who it is but what a browser or device is known by."""
        return all(each.type.is_weak for each in self.identities)

    @property
    def is_customer(self) -> bool:
        """Returns whether the person has a customer or an order in any store."""
        return bool(self.links)

    def consent_of(self, channel: Channel) -> ConsentState:
        """Returns the consent of the address that is shown for a channel."""
        return self.email_consent if channel is Channel.EMAIL else self.sms_consent

    def is_reachable(self, channel: Channel) -> bool:
        """Returns whether the address that is shown may get marketing."""
        is_subscribed = self.consent_of(channel) is ConsentState.SUBSCRIBED
        return is_subscribed and channel not in self.suppressed

    @property
    def store_ids(self) -> tuple[UUID, ...]:
        """Returns the stores that know the person."""
        return tuple(sorted(self.links))

    @property
    def spent_money(self) -> tuple[Money, ...]:
        """Returns what the person spent, a sum a currency."""
        return tuple(Money(amount, code) for code, amount in sorted(self.spent.items()) if amount)

    def values_of(self, kind: IdentityType) -> frozenset[str]:
        """Returns the values of the profile's identities of a type, whatever store they are of."""
        return frozenset(each.value for each in self.identities if each.type is kind)

    @property
    def live_customers(self) -> frozenset[Identity]:
        """Returns the customer ids that belong to the profile, without deleted customers'."""
        kind = IdentityType.PLATFORM_CUSTOMER_ID
        return frozenset(
            each for each in self.identities if each.type is kind and each not in self.former
        )

    def identified(self, seen: Mapping[Identity, Sequence[datetime]]) -> "Profile":
        """Returns the profile with these identities too, seen at these moments.

        An address is shown where none is yet.
        """
        added = [each for each in seen if each not in self.sightings]
        sightings = dict(self.sightings)
        for identity, moments in seen.items():
            known = sightings.get(identity, Sighting(moments[0], moments[0]))
            sightings[identity] = known.widened(moments)
        emails = [each.value for each in added if each.type is IdentityType.EMAIL]
        phones = [each.value for each in added if each.type is IdentityType.PHONE]
        return replace(
            self,
            sightings=sightings,
            email=self.email or next(iter(emails), None),
            phone=self.phone or next(iter(phones), None),
        )

    def seen(self, *moments: datetime) -> "Profile":
        """Returns the profile once it was seen at these moments too."""
        if all(self.first_seen_at <= each <= self.last_seen_at for each in moments):
            return self
        return replace(
            self,
            first_seen_at=min(self.first_seen_at, *moments),
            last_seen_at=max(self.last_seen_at, *moments),
        )

    def linked(self, store_id: UUID, *, customers: int = 0, orders: int = 0) -> "Profile":
        """Returns the profile with so many more customers and orders of a store;
        none left, no link.
        """
        link = self.links.get(store_id, StoreLink())
        after = replace(link, customers=link.customers + customers, orders=link.orders + orders)
        links = {key: value for key, value in self.links.items() if key != store_id}
        if after != StoreLink():
            links[store_id] = after
        return replace(self, links=links, orders=self.orders + orders)

    def with_locale(self, locale: str, source: LocaleSource) -> "Profile":
        """Returns the profile after a locale signal: one set by hand stays, hard beats soft,
        then newer.

        The same signal again, of the same store and moment, is a correction and holds.
        """
        if self.locale is not None and self.locale_source is None:
            return self
        current = self.locale_source
        if current is not None and current != source and not source.beats(current):
            return self
        return replace(self, locale=locale, locale_source=source)


def visible_fields(profile: Profile) -> tuple[object, ...]:
    """Returns what `GET /profiles/{id}` shows, in values that can be compared.

    When the person was seen last is left out: each of their events changes that.
    """
    return (
        profile.first_name,
        profile.last_name,
        profile.email,
        profile.phone,
        profile.locale,
        profile.locale_source,
        profile.email_consent,
        profile.sms_consent,
        profile.first_seen_at,
        tuple(profile.store_ids),
        profile.is_customer,
        profile.orders,
        tuple(profile.spent_money),
    )

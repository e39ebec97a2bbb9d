"""Profiles and their identities, as values."""

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
    """Returns the identities by strength; equally strong ones by type and value."""
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
    """The record that a profile's locale is from; None for one that was set manually."""

    source: LocaleOrigin
    store_id: UUID | None
    signal: LocaleSignal
    at: datetime

    def beats(self, other: "LocaleSource") -> bool:
        """Returns whether this signal overrides another one."""
        is_hard, other_is_hard = (each.signal is LocaleSignal.HARD for each in (self, other))
        return (is_hard, self.at) > (other_is_hard, other.at)


@dataclass(frozen=True)
class Sighting:
    """When an identity was first and last seen."""

    first: datetime
    last: datetime

    def widened(self, moments: Iterable[datetime]) -> "Sighting":
        """Returns the sighting, extended to these times."""
        return Sighting(min(self.first, *moments), max(self.last, *moments))


type IndexEntry = tuple[datetime, UUID]
"""A profile's entry in a list by time: the time, and the profile's id in the entry."""


@dataclass(frozen=True)
class StoreLink:
    """A profile's numbers of customers (deleted ones too) and orders of one store."""

    customers: int = 0
    orders: int = 0
    listed_at: datetime | None = field(default=None, compare=False)
    """The time of the profile's entry in the store's list; None while it has none."""
    stale_entries: tuple[IndexEntry, ...] = field(default=(), compare=False)
    """Entries in the store's list of profiles that were merged into this one."""


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
    """The shown address; `identities` may have others."""
    phone: str | None = None
    locale: str | None = None
    locale_source: LocaleSource | None = None
    email_consent: ConsentState = ConsentState.NOT_SUBSCRIBED
    """The shown address's state: a copy, which each change's transaction updates."""
    sms_consent: ConsentState = ConsentState.NOT_SUBSCRIBED
    suppressed: frozenset[Channel] = frozenset()
    """The channels whose shown address is suppressed: a copy, like the consents."""
    sightings: Mapping[Identity, Sighting] = field(default_factory=dict)
    """All its identities, in the order in which they were added."""
    former: frozenset[Identity] = frozenset()
    """Customer ids whose customers their stores deleted: they don't prevent a merge."""
    links: Mapping[UUID, StoreLink] = field(default_factory=dict)
    orders: int = 0
    spent: Mapping[str, int] = field(default_factory=dict)
    """Minor units by currency: totals less refunds, of orders neither test nor cancelled."""
    consent_changes: int = 0
    """The number of consent changes in its history."""
    histories: tuple[UUID, ...] = ()
    """Merged profiles whose changes of consent are part of its history."""
    evidence: Mapping[SeriesKey, Series] = field(default_factory=dict)
    """The series of its evidence of consent, including those of merged profiles."""
    events: int = 0
    """The number of its events."""
    merges: int = 0
    """The number of profiles merged into it, directly or indirectly."""
    pending_sources: tuple[UUID, ...] = ()
    """Merged profiles that may still have its rows; in a chain of merges, the earliest is first."""
    version: int | None = field(default=None, compare=False, repr=False)
    """The version of the row that was read; None for a new profile."""

    @property
    def name(self) -> str | None:
        """Returns the first and last name, as far as it has them."""
        return " ".join(part for part in (self.first_name, self.last_name) if part) or None

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Returns the identities of the person."""
        return tuple(self.sightings)

    @property
    def partitions(self) -> tuple[UUID, ...]:
        """Returns the ids of the partitions that may have the profile's rows.

        Rows only move to later ones.
        """
        return (*self.pending_sources, self.id)

    @property
    def consent_partitions(self) -> tuple[UUID, ...]:
        """Returns the ids of the partitions with its changes and evidence of consent.

        These rows never move.
        """
        merged_ids = (profile_id for profile_id, _ in self.evidence)
        merged = dict.fromkeys((*self.histories, *merged_ids))
        return (*(each for each in merged if each != self.id), self.id)

    @property
    def is_anonymous(self) -> bool:
        """Returns whether it has only identities of browsers and devices."""
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
        """Returns the ids of the stores that know the person."""
        return tuple(sorted(self.links))

    @property
    def spent_money(self) -> tuple[Money, ...]:
        """Returns the money that the person spent, a sum for each currency."""
        return tuple(Money(amount, code) for code, amount in sorted(self.spent.items()) if amount)

    def values_of(self, kind: IdentityType) -> frozenset[str]:
        """Returns the values of the profile's identities of a type, of all stores."""
        return frozenset(each.value for each in self.identities if each.type is kind)

    @property
    def live_customers(self) -> frozenset[Identity]:
        """Returns the customer ids that belong to the profile, without deleted customers' ids."""
        kind = IdentityType.PLATFORM_CUSTOMER_ID
        return frozenset(
            each for each in self.identities if each.type is kind and each not in self.former
        )

    def identified(self, seen: Mapping[Identity, Sequence[datetime]]) -> "Profile":
        """Returns the profile with these identities added, seen at these times.

        An address is shown if none is yet.
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
        """Returns the profile, seen at these times too."""
        if all(self.first_seen_at <= each <= self.last_seen_at for each in moments):
            return self
        return replace(
            self,
            first_seen_at=min(self.first_seen_at, *moments),
            last_seen_at=max(self.last_seen_at, *moments),
        )

    def linked(self, store_id: UUID, *, customers: int = 0, orders: int = 0) -> "Profile":
        """Returns the profile with its numbers of a store's customers and orders changed.

        Without any left, the link is removed.
        """
        link = self.links.get(store_id, StoreLink())
        after = replace(link, customers=link.customers + customers, orders=link.orders + orders)
        links = {key: value for key, value in self.links.items() if key != store_id}
        if after != StoreLink():
            links[store_id] = after
        return replace(self, links=links, orders=self.orders + orders)

    def with_locale(self, locale: str, source: LocaleSource) -> "Profile":
        """Returns the profile after a locale signal.

        A locale that was set manually stays; a hard signal overrides a soft one, then a newer one
        an older one. The same signal again, of the same store and time, is a correction and
        overrides.
        """
        if self.locale is not None and self.locale_source is None:
            return self
        current = self.locale_source
        if current is not None and current != source and not source.beats(current):
            return self
        return replace(self, locale=locale, locale_source=source)


def visible_fields(profile: Profile) -> tuple[object, ...]:
    """Returns the values that `GET /profiles/{id}` shows, for comparison.

    `lastSeenAt` is left out: every event of the person changes it.
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

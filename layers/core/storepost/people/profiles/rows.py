"""Rows of profiles: live, merged and erased ones, the claims of identities, and merges."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.people.consent.evidence import Series, SeriesKey
from storepost.people.consent.states import Channel
from storepost.people.profiles.erased_names import sealed_words
from storepost.people.profiles.erasure import Erasure, StoreIndexEntry
from storepost.people.profiles.merges import MergeCause, ProfileMerge
from storepost.people.profiles.model import (
    Identity,
    IdentityType,
    LocaleOrigin,
    LocaleSignal,
    LocaleSource,
    Profile,
    Sighting,
    StoreLink,
)
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.records import Json, Record, Records, RecordsByKey
from storepost.platform.persistence.write_marks import MarkedItem
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope

type _Row = list[Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


_IDENTITY = ("type", "value", "store")


class ProfileRow(VersionedItem, MarkedItem):
    """The row under a profile's key, whether the profile is live, merged or erased."""

    id = Identifier()


class ProfileItem(ProfileRow, discriminator="profile"):
    """A profile; links are by store."""

    first_seen_at = UtcDateTimeAttribute()
    last_seen_at = UtcDateTimeAttribute()
    first_name = UnicodeAttribute(null=True)
    last_name = UnicodeAttribute(null=True)
    email = UnicodeAttribute(null=True)
    phone = UnicodeAttribute(null=True)
    locale = UnicodeAttribute(null=True)
    locale_source = Record("source", "store", "signal", "at", null=True)
    email_consent = UnicodeAttribute()
    sms_consent = UnicodeAttribute()
    suppressed = Json(null=True)
    """Channels whose shown address is suppressed."""
    identities = Records(*_IDENTITY, "first_seen", "last_seen", named_by=_IDENTITY)
    former = Records(*_IDENTITY, named_by=_IDENTITY)
    links = RecordsByKey(
        "customers", "orders", "listed_at", "stale_entries", defaults={"stale_entries": []}
    )
    orders = NumberAttribute(default=0)
    spent = Json()
    consent_changes = NumberAttribute(default=0)
    histories = Json(null=True)
    evidence = Json(null=True)
    """`[last number, *removed numbers]` by the channel; for other profiles' series by
    `channel#short id`.
    """
    events = NumberAttribute(null=True)
    merges = NumberAttribute(null=True)
    pending_sources = Json(null=True)
    """Short ids, like those in `histories`."""
    search_entry = UnicodeAttribute(null=True)
    """`changed` where this write changed what is searched; the stream's filter matches it."""
    answer = UnicodeAttribute(null=True)
    """`changed` where this write changed the profile's answer; the relay's filter matches it."""


class MergedProfileItem(ProfileRow, discriminator="merged_profile"):
    """Names, in a merged profile's place, the profile that it was merged into.

    Reads continue there.
    """

    into = Identifier()
    identities = Records(*_IDENTITY, named_by=_IDENTITY, null=True)
    """Kept as long as claims and customers may still name this profile."""


class ErasedProfileItem(ProfileRow, discriminator="erased_profile"):
    """An erased profile's row, kept until the worker has removed the rest.

    It has the data that locates the rest.
    """

    identities = Records(*_IDENTITY, named_by=_IDENTITY)
    partitions = Json()
    histories = Json()
    index_entries = Records("store", "at", "id", named_by=["store", "at", "id"], attr_name="places")
    words = UnicodeAttribute(null=True)
    """The words of the name, sealed, by which the search finds it: nothing else in the row names
    the person.
    """
    merged = Json(null=True)
    """Short ids of all profiles merged into it: the message of the erasure names them."""


class MergeItem(Item, discriminator="profile_merge"):
    """Records a merge, in the partition of the survivor."""

    id = Identifier()
    merged_profile_id = Identifier()
    merged_at = UtcDateTimeAttribute()
    source = UnicodeAttribute()
    reference = UnicodeAttribute(null=True)


class IdentityItem(Item, discriminator="identity"):
    """The claim of an identity by a profile, which has the identity's sightings."""

    id = Identifier()
    profile_id = Identifier()


def profile_row(key: Key, profile: Profile) -> ProfileItem:
    """Returns the profile as its row, with the version that was read."""
    item = as_row(
        ProfileItem,
        key,
        profile,
        locale_source=_locale_row(profile.locale_source),
        suppressed=sorted(profile.suppressed) or None,
        identities=[
            [*_identity_row(identity), _number(seen.first), _number(seen.last)]
            for identity, seen in profile.sightings.items()
        ],
        former=_identity_rows(sorted(profile.former)),
        links={short(store_id): _link_row(link) for store_id, link in profile.links.items()},
        spent=dict(profile.spent),
        histories=_ids_row(profile.histories),
        evidence=evidence_row(profile.id, profile.evidence),
        events=profile.events or None,
        merges=profile.merges or None,
        pending_sources=_ids_row(profile.pending_sources),
    )
    if profile.version is not None:
        item.version = profile.version
    return item


def as_profile(workspace: WorkspaceScope, item: ProfileItem) -> Profile:
    """Returns the profile that `profile_row` wrote."""
    return as_value(
        Profile,
        item,
        workspace=workspace,
        locale_source=_locale_source(item.locale_source),
        suppressed=frozenset(map(Channel, item.suppressed or ())),
        sightings={
            _identity(row): Sighting(_moment(first), _moment(last))
            for *row, first, last in item.identities
        },
        former=frozenset(as_identities(item.former)),
        links={from_short(store_id): _link(row) for store_id, row in item.links.items()},
        histories=tuple(map(from_short, item.histories or ())),
        evidence=as_evidence(item.id, item.evidence),
        events=int(item.events or 0),
        merges=int(item.merges or 0),
        pending_sources=tuple(map(from_short, item.pending_sources or ())),
    )


def evidence_row(
    profile_id: UUID, evidence: Mapping[SeriesKey, Series]
) -> dict[str, list[int]] | None:
    """Returns the series of evidence as a profile's row has them."""
    rows = {
        channel.value if where == profile_id else f"{channel}#{short(where)}": [
            series.last,
            *series.removed,
        ]
        for (where, channel), series in evidence.items()
    }
    return rows or None


def as_evidence(profile_id: UUID, rows: Mapping[str, list[int]] | None) -> dict[SeriesKey, Series]:
    """Returns the series that `evidence_row` wrote."""
    found = dict[SeriesKey, Series]()
    for name, (last, *removed) in (rows or {}).items():
        channel, _, where = name.partition("#")
        series_key = (from_short(where) if where else profile_id, Channel(channel))
        found[series_key] = Series(last, tuple(removed))
    return found


def merged_row(key: Key, merged: Profile, into: UUID) -> MergedProfileItem:
    """Returns a merged profile's row, which overwrites the version that was read."""
    identities = _identity_rows(merged.identities)
    item = MergedProfileItem(*key, id=merged.id, into=into, identities=identities)
    if merged.version is not None:
        item.version = merged.version
    return item


def erased_row(
    key: Key,
    profile: Profile,
    index_entries: Iterable[StoreIndexEntry],
    merged_ids: Iterable[UUID],
) -> ErasedProfileItem:
    """Returns an erased profile's row, which overwrites the version that was read."""
    item = ErasedProfileItem(
        *key,
        id=profile.id,
        identities=_identity_rows(profile.identities),
        partitions=_ids_row(profile.partitions),
        histories=_ids_row(profile.consent_partitions),
        index_entries=index_entry_rows(index_entries),
        words=sealed_words(profile),
        merged=_ids_row(merged_ids),
    )
    item.version = profile.version
    return item


def index_entry_rows(entries: Iterable[StoreIndexEntry]) -> list[_Row]:
    """Returns index entries of stores' lists in their row format."""
    return [[short(store), _number(at), short(listed)] for store, (at, listed) in entries]


def as_erasure(workspace: WorkspaceScope, item: ErasedProfileItem) -> Erasure:
    """Returns the erasure that `erased_row` wrote."""
    return Erasure(
        workspace=workspace,
        profile_id=item.id,
        identities=as_identities(item.identities),
        partitions=tuple(map(from_short, item.partitions)),
        histories=tuple(map(from_short, item.histories)),
        index_entries=tuple(
            (from_short(store), (_moment(at), from_short(listed)))
            for store, at, listed in item.index_entries
        ),
        words=item.words,
        version=int(item.version),
    )


def merge_row(key: Key, merge: ProfileMerge) -> MergeItem:
    """Returns a merge as its row."""
    return MergeItem(
        *key,
        id=merge.id,
        merged_profile_id=merge.merged_profile_id,
        merged_at=merge.merged_at,
        source=merge.cause.source,
        reference=merge.cause.reference,
    )


def as_merge(item: MergeItem) -> ProfileMerge:
    """Returns the merge that `merge_row` wrote."""
    cause = MergeCause(item.source, item.reference)
    return ProfileMerge(item.id, item.merged_profile_id, item.merged_at, cause)


def as_identities(rows: Iterable[_Row]) -> tuple[Identity, ...]:
    """Returns the identities in a row."""
    return tuple(map(_identity, rows))


def _identity_rows(identities: Iterable[Identity]) -> list[_Row]:
    return [_identity_row(identity) for identity in identities]


def _ids_row(ids: Iterable[UUID]) -> list[str] | None:
    return [short(identifier) for identifier in ids] or None


def _identity_row(identity: Identity) -> _Row:
    return [identity.type, identity.value, short(identity.store_id) if identity.store_id else None]


def _identity(row: _Row) -> Identity:
    kind, value, store_id = row
    return Identity(IdentityType(kind), value, from_short(store_id) if store_id else None)


def _link_row(link: StoreLink) -> _Row:
    listed_at = _number(link.listed_at) if link.listed_at else None
    row: _Row = [link.customers, link.orders, listed_at]
    return (
        [*row, [[_number(at), short(each)] for at, each in link.stale_entries]]
        if link.stale_entries
        else row
    )


def _link(row: _Row) -> StoreLink:
    customers, orders, listed_at, stale = row
    return StoreLink(
        customers,
        orders,
        None if listed_at is None else _moment(listed_at),
        tuple((_moment(at), from_short(each)) for at, each, *_ in stale or ()),
    )


def _locale_row(source: LocaleSource | None) -> _Row | None:
    if source is None:
        return None
    store_id = short(source.store_id) if source.store_id else None
    return [source.source, store_id, source.signal, _number(source.at)]


def _locale_source(row: _Row | None) -> LocaleSource | None:
    if row is None:
        return None
    source, store_id, signal, at = row
    return LocaleSource(
        LocaleOrigin(source),
        from_short(store_id) if store_id else None,
        LocaleSignal(signal),
        _moment(at),
    )


def _number(moment: datetime) -> int:
    """Milliseconds since 1970: half the size of the text, in a row with many times."""
    return (moment - _EPOCH) // _MILLISECOND


def _moment(number: int) -> datetime:
    return _EPOCH + number * _MILLISECOND

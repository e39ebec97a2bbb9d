"""Rows of profiles and the claims of their identities."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import PynamoDBException

from storepost.consent.repository import added_to
from storepost.consent.states import ConsentState
from storepost.ids import from_short, new_id, short
from storepost.logs import log_unexpected
from storepost.persistence.changes import Changes, commit_anew
from storepost.persistence.item import (
    Identifier,
    Item,
    Json,
    Key,
    Moment,
    VersionedItem,
    find_in,
)
from storepost.persistence.reads import Reads
from storepost.problems import Conflict
from storepost.profiles.keys import claim_key, profile_key
from storepost.profiles.lists import ProfileLists, is_settled, settled
from storepost.profiles.model import (
    Identity,
    IdentityType,
    LocaleOrigin,
    LocaleSignal,
    LocaleSource,
    Profile,
    Sighting,
    StoreLink,
)
from storepost.scope import WorkspaceScope

type _Row = list[Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class ProfileItem(VersionedItem, discriminator="profile"):
    """A profile; identities are `[type, value, store, first seen, last]`, links by store."""

    id = Identifier()
    first_seen_at = Moment()
    last_seen_at = Moment()
    first_name = UnicodeAttribute(null=True)
    last_name = UnicodeAttribute(null=True)
    email = UnicodeAttribute(null=True)
    phone = UnicodeAttribute(null=True)
    locale = UnicodeAttribute(null=True)
    locale_source = Json(null=True)
    email_consent = UnicodeAttribute()
    sms_consent = UnicodeAttribute()
    identities = Json()
    former = Json()
    links = Json()
    orders = NumberAttribute(default=0)
    spent = Json()
    consent_changes = NumberAttribute(default=0)


class IdentityItem(Item, discriminator="identity"):
    """The claim of an identity: whose it is. When it was seen stands with the profile."""

    id = Identifier()
    profile_id = Identifier()


@dataclass(frozen=True)
class Claim:
    """Whose an identity is."""

    id: UUID
    identity: Identity
    profile_id: UUID


class ProfileRepository:
    """A workspace's profiles."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Of one workspace; `reads` is a unit of work's own."""
        self._scope = workspace
        self._reads = reads or Reads()

    @property
    def lists(self) -> ProfileLists:
        """The lists that have the profiles in order."""
        return ProfileLists(self._scope)

    def get(self, profile_id: UUID) -> Profile | None:
        """The profile, or None."""
        item = self._reads.find(ProfileItem, profile_key(self._scope, profile_id))
        return self._as_profile(item) if item else None

    def get_many(self, profile_ids: Iterable[UUID]) -> list[Profile]:
        """Those of the profiles that exist, in the order asked for."""
        keys = [profile_key(self._scope, profile_id) for profile_id in profile_ids]
        rows = self._reads.find_all(keys)
        found = (find_in(rows, ProfileItem, key) for key in keys)
        return [self._as_profile(item) for item in found if item]

    def claims_of(self, identities: Iterable[Identity]) -> dict[Identity, Claim]:
        """The claims of those of the identities that somebody has, in one batch get."""
        keys = {identity: claim_key(self._scope, identity) for identity in identities}
        rows = self._reads.find_all(keys.values())
        claims = {identity: _as_claim(identity, rows, key) for identity, key in keys.items()}
        return {identity: claim for identity, claim in claims.items() if claim}

    def save(self, changes: Changes, before: Profile | None, after: Profile) -> None:
        """Writes the profile if nobody changed it since `before` was read, and moves its entries.

        It is called at most once for a profile in a unit of work, and counts the changes of consent
        that the unit adds to its history.
        """
        after = settled(after)
        item = self._item(before, after)
        changes.save(item)
        added = added_to(changes, after.id)
        # What is added after this counts too.
        changes.before_commit(lambda: _count(item, len(added)), items=lambda: 0)
        self.lists.follow(changes, before, after)
        if not is_settled(after):
            changes.after_commit(lambda: self._settle(after.id))

    def _settle(self, profile_id: UUID) -> None:
        """Moves the profile in what is left of its stores' lists, a few a transaction.

        What it follows is committed by now, so nothing here may fail the request; the profile's
        next save moves on with what was left.
        """

        def move(changes: Changes) -> bool:
            profile = ProfileRepository(self._scope).get(profile_id)
            if profile is None or is_settled(profile):
                return False
            after = settled(profile)
            changes.save(self._item(profile, after))
            self.lists.follow(changes, profile, after)
            return not is_settled(after)

        try:
            while commit_anew(move):
                pass
        except (Conflict, PynamoDBException) as error:
            log_unexpected(error)

    def claim(
        self,
        changes: Changes,
        profile: Profile,
        claims: Mapping[Identity, Claim],
        identities: Iterable[Identity],
    ) -> None:
        """Claims those of the profile's identities that are nobody's.

        `claims` is what `claims_of` gave for them. What another profile has is left alone; what
        somebody claims meanwhile is a lost race.
        """
        for identity in identities:
            if identity not in claims and identity in profile.sightings:
                changes.create(
                    IdentityItem(
                        *claim_key(self._scope, identity), id=new_id(), profile_id=profile.id
                    )
                )

    def _item(self, before: Profile | None, after: Profile) -> ProfileItem:
        item = ProfileItem(
            *profile_key(self._scope, after.id),
            id=after.id,
            first_seen_at=after.first_seen_at,
            last_seen_at=after.last_seen_at,
            first_name=after.first_name,
            last_name=after.last_name,
            email=after.email,
            phone=after.phone,
            locale=after.locale,
            locale_source=_locale_row(after.locale_source),
            email_consent=after.email_consent,
            sms_consent=after.sms_consent,
            identities=[
                [*_identity_row(identity), _number(seen.first), _number(seen.last)]
                for identity, seen in after.sightings.items()
            ],
            former=[_identity_row(identity) for identity in sorted(after.former)],
            links={short(store_id): _link_row(link) for store_id, link in after.links.items()},
            orders=after.orders,
            spent=dict(after.spent),
            consent_changes=after.consent_changes,
        )
        if before and before.version is not None:
            item.version = before.version
        return item

    def _as_profile(self, item: ProfileItem) -> Profile:
        return Profile(
            id=item.id,
            workspace=self._scope,
            first_seen_at=item.first_seen_at,
            last_seen_at=item.last_seen_at,
            first_name=item.first_name,
            last_name=item.last_name,
            email=item.email,
            phone=item.phone,
            locale=item.locale,
            locale_source=_locale_source(item.locale_source),
            email_consent=ConsentState(item.email_consent),
            sms_consent=ConsentState(item.sms_consent),
            sightings={
                _identity(row): Sighting(_moment(first), _moment(last))
                for *row, first, last in item.identities
            },
            former=frozenset(_identity(row) for row in item.former),
            links={from_short(store_id): _link(row) for store_id, row in item.links.items()},
            orders=int(item.orders),
            spent=item.spent,
            consent_changes=int(item.consent_changes),
            version=int(item.version),
        )


def _count(item: ProfileItem, added: int) -> None:
    item.consent_changes += added


def _as_claim(identity: Identity, rows: dict[Key, Item], key: Key) -> Claim | None:
    item = find_in(rows, IdentityItem, key)
    return Claim(item.id, identity, item.profile_id) if item else None


def _identity_row(identity: Identity) -> _Row:
    return [identity.type, identity.value, short(identity.store_id) if identity.store_id else None]


def _identity(row: _Row) -> Identity:
    kind, value, store_id = row
    return Identity(IdentityType(kind), value, from_short(store_id) if store_id else None)


def _link_row(link: StoreLink) -> _Row:
    listed_at = _number(link.listed_at) if link.listed_at else None
    return [link.customers, link.orders, listed_at]


def _link(row: _Row) -> StoreLink:
    customers, orders, listed_at = row
    return StoreLink(customers, orders, None if listed_at is None else _moment(listed_at))


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
    """Milliseconds since 1970: half of what the text takes, in a row that holds many moments."""
    return (moment - _EPOCH) // _MILLISECOND


def _moment(number: int) -> datetime:
    return _EPOCH + number * _MILLISECOND

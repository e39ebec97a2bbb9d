"""Rows of profiles and the claims of their identities."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import PynamoDBException

from storepost import clock
from storepost.consent.repository import added_to
from storepost.consent.states import ConsentState
from storepost.ids import new_id
from storepost.logs import log_unexpected
from storepost.persistence.changes import Changes, commit_anew
from storepost.persistence.item import (
    Identifier,
    Item,
    Key,
    Moment,
    VersionedItem,
    find,
    find_all,
    find_in,
)
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
    StoreLink,
)
from storepost.scope import WorkspaceScope

type _Row = list[Any]


class ProfileItem(VersionedItem, discriminator="profile"):
    """A profile; identities are `[type, value, store]`, links by the store's id."""

    id = Identifier()
    first_seen_at = Moment()
    last_seen_at = Moment()
    first_name = UnicodeAttribute(null=True)
    last_name = UnicodeAttribute(null=True)
    email = UnicodeAttribute(null=True)
    phone = UnicodeAttribute(null=True)
    locale = UnicodeAttribute(null=True)
    locale_source = JSONAttribute(null=True)
    email_consent = UnicodeAttribute()
    sms_consent = UnicodeAttribute()
    identities = JSONAttribute()
    former = JSONAttribute()
    links = JSONAttribute()
    orders = NumberAttribute(default=0)
    spent = JSONAttribute()
    consent_changes = NumberAttribute(default=0)


class IdentityItem(Item, discriminator="identity"):
    """The claim of an identity: whose it is, and when it was seen."""

    id = Identifier()
    profile_id = Identifier()
    first_seen_at = Moment()
    last_seen_at = Moment()


@dataclass(frozen=True)
class Claim:
    """Whose an identity is, and when it was seen first and last."""

    id: UUID
    identity: Identity
    profile_id: UUID
    first_seen_at: datetime
    last_seen_at: datetime

    def seen(self, *moments: datetime) -> "Claim":
        """The claim once the identity was seen at these moments too."""
        return replace(
            self,
            first_seen_at=min(self.first_seen_at, *moments),
            last_seen_at=max(self.last_seen_at, *moments),
        )


class ProfileRepository:
    """A workspace's profiles."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Of one workspace."""
        self._scope = workspace

    @property
    def lists(self) -> ProfileLists:
        """The lists that have the profiles in order."""
        return ProfileLists(self._scope)

    def get(self, profile_id: UUID) -> Profile | None:
        """The profile, or None."""
        item = find(ProfileItem, profile_key(self._scope, profile_id))
        return self._as_profile(item) if item else None

    def get_many(self, profile_ids: Iterable[UUID]) -> list[Profile]:
        """Those of the profiles that exist, in the order asked for."""
        keys = [profile_key(self._scope, profile_id) for profile_id in profile_ids]
        rows = find_all(keys)
        found = (find_in(rows, ProfileItem, key) for key in keys)
        return [self._as_profile(item) for item in found if item]

    def claims_of(self, identities: Iterable[Identity]) -> dict[Identity, Claim]:
        """The claims of those of the identities that somebody has, in one batch get."""
        keys = {identity: claim_key(self._scope, identity) for identity in identities}
        rows = find_all(keys.values())
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
        changes.before_commit(lambda: _count(item, len(added)))
        self.lists.follow(changes, before, after)
        if not is_settled(after):
            changes.after_commit(lambda: self._settle(after.id))

    def _settle(self, profile_id: UUID) -> None:
        """Moves the profile in what is left of its stores' lists, a few a transaction.

        What it follows is committed by now, so nothing here may fail the request; the profile's
        next save moves on with what was left.
        """

        def move(changes: Changes) -> bool:
            profile = self.get(profile_id)
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
        seen: Mapping[Identity, tuple[datetime, ...]],
    ) -> None:
        """Claims what was seen of the profile's identities and is nobody's; widens its own claims.

        `claims` is what `claims_of` gave for them. What another profile has is left alone; what
        somebody claims meanwhile is a lost race.
        """
        for identity, moments in seen.items():
            held = claims.get(identity)
            if held is None and identity in profile.identities:
                claim = Claim(new_id(), identity, profile.id, min(moments), max(moments))
                changes.create(self._claim_item(claim))
            elif held and held.profile_id == profile.id and held != held.seen(*moments):
                changes.save(
                    self._claim_item(held.seen(*moments)), IdentityItem.profile_id == profile.id
                )

    def _claim_item(self, claim: Claim) -> IdentityItem:
        return IdentityItem(
            *claim_key(self._scope, claim.identity),
            id=claim.id,
            profile_id=claim.profile_id,
            first_seen_at=claim.first_seen_at,
            last_seen_at=claim.last_seen_at,
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
            identities=[_identity_row(identity) for identity in after.identities],
            former=[_identity_row(identity) for identity in sorted(after.former)],
            links={str(store_id): _link_row(link) for store_id, link in after.links.items()},
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
            identities=tuple(_identity(row) for row in item.identities),
            former=frozenset(_identity(row) for row in item.former),
            links={UUID(store_id): _link(row) for store_id, row in item.links.items()},
            orders=int(item.orders),
            spent=item.spent,
            consent_changes=int(item.consent_changes),
            version=int(item.version),
        )


def _count(item: ProfileItem, added: int) -> None:
    item.consent_changes += added


def _as_claim(identity: Identity, rows: dict[Key, Item], key: Key) -> Claim | None:
    item = find_in(rows, IdentityItem, key)
    if item is None:
        return None
    return Claim(item.id, identity, item.profile_id, item.first_seen_at, item.last_seen_at)


def _identity_row(identity: Identity) -> _Row:
    return [identity.type, identity.value, str(identity.store_id) if identity.store_id else None]


def _identity(row: _Row) -> Identity:
    kind, value, store_id = row
    return Identity(IdentityType(kind), value, UUID(store_id) if store_id else None)


def _link_row(link: StoreLink) -> _Row:
    listed_at = clock.to_text(link.listed_at) if link.listed_at else None
    return [link.customers, link.orders, listed_at]


def _link(row: _Row) -> StoreLink:
    customers, orders, listed_at = row
    return StoreLink(customers, orders, clock.from_text(listed_at) if listed_at else None)


def _locale_row(source: LocaleSource | None) -> _Row | None:
    if source is None:
        return None
    store_id = str(source.store_id) if source.store_id else None
    return [source.source, store_id, source.signal, clock.to_text(source.at)]


def _locale_source(row: _Row | None) -> LocaleSource | None:
    if row is None:
        return None
    source, store_id, signal, at = row
    return LocaleSource(
        LocaleOrigin(source),
        UUID(store_id) if store_id else None,
        LocaleSignal(signal),
        clock.from_text(at),
    )

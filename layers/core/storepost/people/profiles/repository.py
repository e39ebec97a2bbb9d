"""Profiles and the claims of their identities, as they are stored.

Whoever asks for a merged profile gets the one that it became part of.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from uuid import UUID

from pynamodb.exceptions import PynamoDBException

from storepost.people.consent.evidence import Evidence
from storepost.people.consent.evidence_rows import (
    pending_evidence,
    rows_of_evidence,
    write_evidence,
)
from storepost.people.consent.repository import added_to
from storepost.people.profiles.absent_consents import waive_absence
from storepost.people.profiles.erasure import Erasure, index_entries_of
from storepost.people.profiles.keys import claim_key, merge_key, merge_prefix, profile_key
from storepost.people.profiles.lists import MAX_INDEX_ENTRIES, ProfileLists, drained, is_drained
from storepost.people.profiles.merges import MAX_ABSORBING, ProfileMerge
from storepost.people.profiles.model import Identity, Profile, visible_fields
from storepost.people.profiles.rows import (
    ErasedProfileItem,
    IdentityItem,
    MergedProfileItem,
    MergeItem,
    ProfileItem,
    ProfileRow,
    as_erasure,
    as_evidence,
    as_identities,
    as_merge,
    as_profile,
    erased_row,
    evidence_row,
    index_entry_rows,
    merge_row,
    merged_row,
    profile_row,
)
from storepost.people.profiles.searching import searched
from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.platform.persistence.item import Item, Key, find_in
from storepost.platform.persistence.reads import Reads
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.logs import log_unexpected
from storepost.values.problems import Conflict
from storepost.values.scope import WorkspaceScope

MAX_STEPS = MAX_ABSORBING + 2
"""From a merged profile to the one that answers for it: see `merge`."""

INDEX_ENTRIES_OF_A_MERGE = 6
"""Index entries in stores' lists that a merge changes: fewer, as it also changes both profiles'
entries in the lists of all."""

INDEX_ENTRIES_OF_AN_ERASURE = 6
"""Places of stores' lists that an erasure leaves at once: it has addresses to take away, too."""

NOBODYS_CLAIM_LASTS = timedelta(days=1)
"""How long a claim of nobody's is kept: longer than any run takes that read that there is none."""


@dataclass(frozen=True)
class Claim:
    """Says whose an identity is."""

    id: UUID
    identity: Identity
    profile_id: UUID
    """The holder's, or a merged profile's for which the holder answers."""
    is_free: bool = False
    """Whether it names a profile that was erased, and so anybody may have it."""


class ProfileRepository:
    """A workspace's profiles."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Of one workspace; `reads` is a unit of work's own."""
        self._scope = workspace
        self._reads = reads or Reads()

    @property
    def lists(self) -> ProfileLists:
        """Returns the lists that have the profiles in order."""
        return ProfileLists(self._scope)

    def get(self, profile_id: UUID) -> Profile | None:
        """Returns the profile, the one that it became part of, or None."""
        for _ in range(MAX_STEPS):
            row = self._reads.find(ProfileRow, profile_key(self._scope, profile_id))
            if not isinstance(row, MergedProfileItem):
                return as_profile(self._scope, row) if isinstance(row, ProfileItem) else None
            profile_id = row.into
        raise RuntimeError("a merged profile leads nowhere")

    def was_erased(self, profile_id: UUID) -> bool:
        """Returns whether the profile, or what it became part of, is erased and still removed."""
        for _ in range(MAX_STEPS):
            row = self._reads.find(ProfileRow, profile_key(self._scope, profile_id))
            if not isinstance(row, MergedProfileItem):
                return isinstance(row, ErasedProfileItem)
            profile_id = row.into
        raise RuntimeError("a merged profile leads nowhere")

    def by_id(self, profile_ids: Iterable[UUID]) -> dict[UUID, Profile]:
        """Returns those of the profiles that exist, or what they became part of,
        by the ids asked for.
        """
        found = dict[UUID, Profile]()
        targets = {profile_id: profile_id for profile_id in profile_ids}
        for _ in range(MAX_STEPS):
            keys = {profile_id: profile_key(self._scope, at) for profile_id, at in targets.items()}
            rows = self._reads.find_all(keys.values())
            targets = {}
            for profile_id, key in keys.items():
                row = find_in(rows, ProfileRow, key)
                if isinstance(row, ProfileItem):
                    found[profile_id] = as_profile(self._scope, row)
                elif isinstance(row, MergedProfileItem):
                    targets[profile_id] = row.into
            if not targets:
                return found
        raise RuntimeError("a merged profile leads nowhere")

    def get_many(self, profile_ids: Iterable[UUID]) -> list[Profile]:
        """Returns the profiles in the order asked for, or what they became part of, each once."""
        ids = list(profile_ids)
        found = self.by_id(ids)
        profiles = (found[each] for each in ids if each in found)
        return list({profile.id: profile for profile in profiles}.values())

    def claims_of(self, identities: Iterable[Identity]) -> dict[Identity, Claim]:
        """Returns the claims of those of the identities that somebody has, in one batch get."""
        keys = {identity: claim_key(self._scope, identity) for identity in identities}
        rows = self._reads.find_all(keys.values())
        claims = {identity: _as_claim(identity, rows, key) for identity, key in keys.items()}
        return {identity: claim for identity, claim in claims.items() if claim}

    def merges_of(self, profile: Profile, limit: int) -> Iterator[ProfileMerge]:
        """Returns the profile's merges in each of its partitions; so many of the newest of each.

        One that is moved meanwhile may come twice.
        """
        return chain.from_iterable(self.own_merges_of(each, limit) for each in profile.partitions)

    def own_merges_of(self, profile_id: UUID, limit: int | None) -> Iterator[ProfileMerge]:
        """Returns the merges in one partition, so many of the newest, or all."""
        pk, _ = profile_key(self._scope, profile_id)
        rows = MergeItem.query(
            pk,
            MergeItem.sk.startswith(merge_prefix()),
            consistent_read=True,
            scan_index_forward=False,
            limit=limit,
        )
        return map(as_merge, rows)

    def residual_identities(self, merged_id: UUID) -> tuple[Identity, ...]:
        """Returns the identities that a merged profile had, as long as rows may still name it."""
        row = self._reads.find(ProfileRow, profile_key(self._scope, merged_id))
        identities = row.identities if isinstance(row, MergedProfileItem) else None
        return as_identities(identities or ())

    def save(self, changes: Changes, before: Profile | None, after: Profile) -> None:
        """Writes the profile if nobody changed it since `before` was read, and moves its entries.

        It is called at most once for a profile in a unit of work, counts the changes of consent
        that the unit adds to its history, and writes the evidence that it leaves.
        """
        after = drained(after)
        item = self._row(before, after)
        changes.save(item)
        added, pending = added_to(changes, after.id), pending_evidence(changes, after.id)

        # What is added after this counts too.
        def count() -> None:
            item.consent_changes += len(added)
            self._write_evidence(changes, item, pending)

        changes.before_commit(count, items=lambda: rows_of_evidence(pending))
        self.lists.update_index(changes, before, after)
        self._drain_later(changes, after)

    def expect_live(self, changes: Changes, profile: Profile) -> None:
        """Demands that the profile is still one, neither merged nor erased meanwhile."""
        row = ProfileItem(*profile_key(self._scope, profile.id))
        changes.expect(row, ProfileItem.first_seen_at.exists())

    def merge(self, changes: Changes, survivor: Profile, merged: Profile, after: Profile) -> None:
        """Writes `after` in the survivor's place, and the way to it in the other one's.

        Raises LostRace where the other one is still absorbing so many profiles that a chain would
        become too long: their rows move on within seconds.
        """
        if len(merged.pending_sources) > MAX_ABSORBING:
            raise LostRace()
        after = drained(after, INDEX_ENTRIES_OF_A_MERGE)
        changes.save(self._row(survivor, after))
        changes.save(merged_row(profile_key(self._scope, merged.id), merged, survivor.id))
        self.lists.update_index_of_merge(changes, survivor, merged, after)
        self._drain_later(changes, after)

    def add_merge(self, changes: Changes, survivor: Profile, made: ProfileMerge) -> None:
        """Keeps that a profile was merged into this one."""
        changes.create(merge_row(merge_key(self._scope, survivor.id, made.id), made))

    def move_merge(self, changes: Changes, made: ProfileMerge, source: UUID, into: UUID) -> None:
        """Moves a merge from one partition to another, as long as it is there.

        What was merged then leads there, too.
        """
        old, new = (merge_key(self._scope, where, made.id) for where in (source, into))
        changes.delete(MergeItem(*old), MergeItem.pk.exists())
        changes.create(merge_row(new, made))
        row = MergedProfileItem(*profile_key(self._scope, made.merged_profile_id))
        changes.update(row, [MergedProfileItem.into.set(into)], MergedProfileItem.pk.exists())

    def repoint(self, changes: Changes, merged_id: UUID, into: UUID) -> None:
        """Lets a merged profile name the one that has everything of it by now."""
        row = MergedProfileItem(*profile_key(self._scope, merged_id))
        leads, drop_identities = (
            MergedProfileItem.into.set(into),
            MergedProfileItem.identities.remove(),
        )
        changes.update(row, [leads, drop_identities], MergedProfileItem.pk.exists())

    def erase(self, changes: Changes, profile: Profile) -> None:
        """Erases the profile, if nobody changed it since it was read; a worker does the rest.

        The lists of all profiles have it no more; some stores' may for a moment.
        """
        entries = tuple(index_entries_of(profile))
        now, later = entries[:INDEX_ENTRIES_OF_AN_ERASURE], entries[INDEX_ENTRIES_OF_AN_ERASURE:]
        merges = self.merges_of(profile, profile.merges) if profile.merges else ()
        merged_ids = dict.fromkeys(merge.merged_profile_id for merge in merges)
        key = profile_key(self._scope, profile.id)
        changes.save(erased_row(key, profile, later, merged_ids))
        self.lists.delete_from_lists(changes, profile)
        self.lists.delete_from_stores(changes, now)

    def erasure_of(self, profile_id: UUID) -> Erasure | None:
        """Returns what may be left of an erased profile; None once nothing is."""
        row = self._reads.find(ProfileRow, profile_key(self._scope, profile_id))
        return as_erasure(self._scope, row) if isinstance(row, ErasedProfileItem) else None

    def delete_index_entries(self, changes: Changes, erasure: Erasure) -> bool:
        """Deletes some more of an erased profile's entries in stores' lists;
        returns whether others are left.

        The erasure is the one that was read last.
        """
        now, later = (
            erasure.index_entries[:MAX_INDEX_ENTRIES],
            erasure.index_entries[MAX_INDEX_ENTRIES:],
        )
        if now:
            row = ErasedProfileItem(*profile_key(self._scope, erasure.profile_id))
            unchanged = ErasedProfileItem.version == erasure.version
            changes.update(
                row, [ErasedProfileItem.index_entries.set(index_entry_rows(later))], unchanged
            )
            self.lists.delete_from_stores(changes, now)
        return bool(later)

    def delete_merge(self, changes: Changes, made: ProfileMerge, from_id: UUID) -> None:
        """Deletes the merge and the row that leads from the merged id."""
        changes.delete(MergeItem(*merge_key(self._scope, from_id, made.id)))
        changes.delete(MergedProfileItem(*profile_key(self._scope, made.merged_profile_id)))

    def delete_erased_row(self, changes: Changes, profile_id: UUID) -> None:
        """Deletes the row that stands in an erased profile's place."""
        row = ErasedProfileItem(*profile_key(self._scope, profile_id))
        changes.delete(row, ErasedProfileItem.partitions.exists())

    def claim(
        self,
        changes: Changes,
        profile: Profile,
        claims: Mapping[Identity, Claim],
        identities: Iterable[Identity],
    ) -> None:
        """Claims those of the profile's identities that are nobody's.

        `claims` is what is known of them. What another profile has is left alone; what somebody
        claims meanwhile is a lost race.
        """
        for identity in identities:
            stored = claims.get(identity)
            if identity not in profile.sightings or (stored and not stored.is_free):
                continue
            key = claim_key(self._scope, identity)
            row = IdentityItem(*key, id=new_id(), profile_id=profile.id)
            if stored is None:
                changes.create(row)
                waive_absence(changes, self._scope, identity)
            else:
                changes.save(row, IdentityItem.profile_id == stored.profile_id)

    def hold_back(self, changes: Changes, identity: Identity, stored: Claim | None) -> None:
        """Makes whoever is about to claim an identity lose that race.

        `stored` is its claim as it was read. It is nobody's from then on: the claim names a profile
        that never was.
        """
        nobodys = IdentityItem(
            *claim_key(self._scope, identity),
            id=new_id(),
            profile_id=new_id(),
            expiration=clock.now() + NOBODYS_CLAIM_LASTS,
        )
        if stored is None:
            changes.create(nobodys)
        else:
            changes.save(nobodys, IdentityItem.profile_id == stored.profile_id)

    def expect_nobodys(self, changes: Changes, identity: Identity, stored: Claim | None) -> None:
        """Demands that nobody claims an identity that is nobody's; else a lost race.

        `stored` is its claim as it was read. Nothing is written that names the identity.
        """
        row = IdentityItem(*claim_key(self._scope, identity))
        if stored is None:
            changes.expect(row, IdentityItem.pk.does_not_exist())
        else:
            changes.expect(row, IdentityItem.profile_id == stored.profile_id)

    def release(self, changes: Changes, claims: Iterable[Claim]) -> None:
        """Makes identities nobody's, as long as their claims are as they were read.

        Nothing that was said of an address may stay, or its claim has to: see `hold_back`.
        """
        for claim in claims:
            row = IdentityItem(*claim_key(self._scope, claim.identity))
            changes.delete(row, IdentityItem.profile_id == claim.profile_id)

    def _row(self, before: Profile | None, after: Profile) -> ProfileItem:
        """The row of `after`, which passes only over the version of `before`."""
        version = before.version if before else None
        row = profile_row(profile_key(self._scope, after.id), replace(after, version=version))
        if before is None or searched(before) != searched(after):
            row.search_entry = "changed"
        if before is None or visible_fields(before) != visible_fields(after):
            row.answer = "changed"
        return row

    def _write_evidence(
        self, changes: Changes, item: ProfileItem, pending: Sequence[Evidence]
    ) -> None:
        series = as_evidence(item.id, item.evidence)
        write_evidence(changes, self._scope, item.id, series, pending)
        item.evidence = evidence_row(item.id, series)

    def _drain_later(self, changes: Changes, after: Profile) -> None:
        if not is_drained(after):
            changes.after_commit(lambda: self._drain(after.id))

    def _drain(self, profile_id: UUID) -> None:
        """Moves the profile in what is left of its stores' lists, a few a transaction.

        What it follows is committed by now, so nothing here may fail the request; the profile's
        next save moves on with what was left.
        """

        def move(changes: Changes) -> bool:
            profile = ProfileRepository(self._scope).get(profile_id)
            if profile is None or is_drained(profile):
                return False
            after = drained(profile)
            changes.save(self._row(profile, after))
            self.lists.update_index(changes, profile, after)
            return not is_drained(after)

        try:
            while commit_anew(move):
                pass
        except (Conflict, PynamoDBException) as error:
            log_unexpected(error)


def _as_claim(identity: Identity, rows: dict[Key, Item], key: Key) -> Claim | None:
    item = find_in(rows, IdentityItem, key)
    return Claim(item.id, identity, item.profile_id) if item else None

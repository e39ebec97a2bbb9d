"""Rows of profiles and the claims of their identities.

Reading a merged profile returns the profile that it was merged into.
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
"""The most steps from a merged profile to its survivor: see `merge`."""

INDEX_ENTRIES_OF_A_MERGE = 6
"""Index entries in stores' lists that a merge changes: fewer, as it also changes both profiles'
entries in the lists of all profiles.
"""

INDEX_ENTRIES_OF_AN_ERASURE = 6
"""Index entries in stores' lists that an erasure deletes at once: fewer, as it also deletes rows of
addresses.
"""

NOBODYS_CLAIM_LASTS = timedelta(days=1)
"""How long a free claim is kept: longer than any run that read that there is none."""


@dataclass(frozen=True)
class Claim:
    """The claim of an identity by a profile."""

    id: UUID
    identity: Identity
    profile_id: UUID
    """The holder's id, or that of a profile merged into the holder."""
    is_free: bool = False
    """Whether it names a profile that was erased or has lost the identity: any may take it."""


class ProfileRepository:
    """A workspace's profiles."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` belongs to a unit of work."""
        self._scope = workspace
        self._reads = reads or Reads()

    @property
    def lists(self) -> ProfileLists:
        """Returns the sorted lists of profiles."""
        return ProfileLists(self._scope)

    def get(self, profile_id: UUID) -> Profile | None:
        """Returns the profile, the one that it was merged into, or None."""
        for _ in range(MAX_STEPS):
            row = self._reads.find(ProfileRow, profile_key(self._scope, profile_id))
            if not isinstance(row, MergedProfileItem):
                return as_profile(self._scope, row) if isinstance(row, ProfileItem) else None
            profile_id = row.into
        raise RuntimeError("a merged profile leads nowhere")

    def was_erased(self, profile_id: UUID) -> bool:
        """Returns whether the profile, or its survivor, is erased and still being removed."""
        for _ in range(MAX_STEPS):
            row = self._reads.find(ProfileRow, profile_key(self._scope, profile_id))
            if not isinstance(row, MergedProfileItem):
                return isinstance(row, ErasedProfileItem)
            profile_id = row.into
        raise RuntimeError("a merged profile leads nowhere")

    def by_id(self, profile_ids: Iterable[UUID]) -> dict[UUID, Profile]:
        """Returns the profiles that exist, or their survivors, by the given ids."""
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
        """Returns the profiles in the order of the ids, or their survivors, each once."""
        ids = list(profile_ids)
        found = self.by_id(ids)
        profiles = (found[each] for each in ids if each in found)
        return list({profile.id: profile for profile in profiles}.values())

    def claims_of(self, identities: Iterable[Identity]) -> dict[Identity, Claim]:
        """Returns the claims of those of the identities that have one, in one batch get."""
        keys = {identity: claim_key(self._scope, identity) for identity in identities}
        rows = self._reads.find_all(keys.values())
        claims = {identity: _as_claim(identity, rows, key) for identity, key in keys.items()}
        return {identity: claim for identity, claim in claims.items() if claim}

    def merges_of(self, profile: Profile, limit: int) -> Iterator[ProfileMerge]:
        """Returns the profile's merges in each of its partitions; the newest `limit` of each.

        A merge that is moved meanwhile may be returned twice.
        """
        return chain.from_iterable(self.own_merges_of(each, limit) for each in profile.partitions)

    def own_merges_of(self, profile_id: UUID, limit: int | None) -> Iterator[ProfileMerge]:
        """Returns the merges in one partition: the newest `limit`, or all."""
        pk, _ = profile_key(self._scope, profile_id)
        rows = MergeItem.rows_in(pk, merge_prefix(), newest_first=True, limit=limit)
        return map(as_merge, rows)

    def residual_identities(self, merged_id: UUID) -> tuple[Identity, ...]:
        """Returns a merged profile's identities, as long as rows may still name it."""
        row = self._reads.find(ProfileRow, profile_key(self._scope, merged_id))
        identities = row.identities if isinstance(row, MergedProfileItem) else None
        return as_identities(identities or ())

    def save(self, changes: Changes, before: Profile | None, after: Profile) -> None:
        """Writes the profile, if it is unchanged since `before` was read, and updates its entries.

        A unit of work calls it at most once per profile. It counts the changes of consent that the
        unit adds to the history, and writes the evidence that the unit adds.
        """
        after = drained(after)
        item = self._row(before, after)
        changes.save(item)
        added, pending = added_to(changes, after.id), pending_evidence(changes, after.id)

        # Runs before the commit, so that it counts changes added after this call, too.
        def count() -> None:
            item.consent_changes += len(added)
            self._write_evidence(changes, item, pending)

        changes.before_commit(count, items=lambda: rows_of_evidence(pending))
        self.lists.update_index(changes, before, after)
        self._drain_later(changes, after)

    def expect_live(self, changes: Changes, profile: Profile) -> None:
        """Expects the profile to be neither merged nor erased meanwhile."""
        row = ProfileItem(*profile_key(self._scope, profile.id))
        changes.expect(row, ProfileItem.first_seen_at.exists())

    def merge(self, changes: Changes, survivor: Profile, merged: Profile, after: Profile) -> None:
        """Writes `after` in the survivor's place, and a reference to it in the merged one's.

        Raises LostRace where the merged one is itself absorbing so many profiles that a chain would
        become too long: their rows are moved within seconds.
        """
        if len(merged.pending_sources) > MAX_ABSORBING:
            raise LostRace()
        after = drained(after, INDEX_ENTRIES_OF_A_MERGE)
        changes.save(self._row(survivor, after))
        changes.save(merged_row(profile_key(self._scope, merged.id), merged, survivor.id))
        self.lists.update_index_of_merge(changes, survivor, merged, after)
        self._drain_later(changes, after)

    def add_merge(self, changes: Changes, survivor: Profile, made: ProfileMerge) -> None:
        """Adds the record that a profile was merged into this one."""
        changes.create(merge_row(merge_key(self._scope, survivor.id, made.id), made))

    def move_merge(self, changes: Changes, made: ProfileMerge, source: UUID, into: UUID) -> None:
        """Moves a merge from one partition to another, on the condition that it is still there.

        The merged profile's row then names that profile, too.
        """
        old, new = (merge_key(self._scope, where, made.id) for where in (source, into))
        changes.delete(MergeItem(*old), MergeItem.pk.exists())
        changes.create(merge_row(new, made))
        row = MergedProfileItem(*profile_key(self._scope, made.merged_profile_id))
        changes.update(row, [MergedProfileItem.into.set(into)], MergedProfileItem.pk.exists())

    def repoint(self, changes: Changes, merged_id: UUID, into: UUID) -> None:
        """Sets, in a merged profile's row, the profile that has all its rows by now."""
        row = MergedProfileItem(*profile_key(self._scope, merged_id))
        leads, drop_identities = (
            MergedProfileItem.into.set(into),
            MergedProfileItem.identities.remove(),
        )
        changes.update(row, [leads, drop_identities], MergedProfileItem.pk.exists())

    def erase(self, changes: Changes, profile: Profile) -> None:
        """Erases the profile, if it is unchanged since it was read; a worker does the rest.

        The lists of all profiles no longer have it; some stores' lists may for a moment.
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
        """Returns the rest of an erased profile; None once it is removed."""
        row = self._reads.find(ProfileRow, profile_key(self._scope, profile_id))
        return as_erasure(self._scope, row) if isinstance(row, ErasedProfileItem) else None

    def delete_index_entries(self, changes: Changes, erasure: Erasure) -> bool:
        """Deletes more of an erased profile's entries in stores' lists.

        Returns whether others are left. The erasure is the one that was read last.
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
        """Deletes the merge, and the merged profile's row."""
        changes.delete(MergeItem(*merge_key(self._scope, from_id, made.id)))
        changes.delete(MergedProfileItem(*profile_key(self._scope, made.merged_profile_id)))

    def delete_erased_row(self, changes: Changes, profile_id: UUID) -> None:
        """Deletes the row in an erased profile's place."""
        row = ErasedProfileItem(*profile_key(self._scope, profile_id))
        changes.delete(row, ErasedProfileItem.partitions.exists())

    def claim(
        self,
        changes: Changes,
        profile: Profile,
        claims: Mapping[Identity, Claim],
        identities: Iterable[Identity],
    ) -> None:
        """Claims those of the profile's identities that no profile has.

        `claims` is what was read of them. An identity that another profile has is skipped; the
        commit loses the race to a concurrent claim.
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
        """Makes a concurrent writer that claims an identity lose the race.

        `stored` is its claim as it was read. The identity is free afterwards: the claim names a
        profile that never existed.
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
        """Expects a free identity to stay free; else the commit loses the race.

        `stored` is its claim as it was read. Nothing is written that names the identity.
        """
        row = IdentityItem(*claim_key(self._scope, identity))
        if stored is None:
            changes.expect(row, IdentityItem.pk.does_not_exist())
        else:
            changes.expect(row, IdentityItem.profile_id == stored.profile_id)

    def release(self, changes: Changes, claims: Iterable[Claim]) -> None:
        """Frees identities, if their claims are unchanged since they were read.

        An address with any consent needs its claim: see `hold_back`.
        """
        for claim in claims:
            row = IdentityItem(*claim_key(self._scope, claim.identity))
            changes.delete(row, IdentityItem.profile_id == claim.profile_id)

    def _row(self, before: Profile | None, after: Profile) -> ProfileItem:
        """The row of `after`, which only overwrites the version of `before`."""
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
        """Updates the remaining entries in its stores' lists, a few per transaction.

        The unit of work is already committed, so an error here mustn't fail the request; the
        profile's next save continues with what is left.
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

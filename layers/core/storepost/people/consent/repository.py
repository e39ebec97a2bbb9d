"""Rows of consent: the state of each address, and the changes of each profile.

A change is stored in its profile's partition under an id that sorts by recording time. It holds its
write-backs, each under its store's short id, so that concurrent messages of several stores update
theirs without overwriting the others'.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from heapq import merge
from uuid import UUID

from storepost.people.consent.decision import (
    AddressConsent,
    ChangeRef,
    CustomerRef,
    EffectiveConsent,
)
from storepost.people.consent.items import ConsentAddressItem, ConsentChangeItem, ErasedAddressItem
from storepost.people.consent.keys import address_key, change_key, erased_key
from storepost.people.consent.model import Address, ConsentChange
from storepost.people.consent.rows import (
    as_change,
    as_effective,
    change_row,
    effective_row,
    proof_row,
    write_back_row,
)
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_index import index_new_change, unindex_change
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find_in
from storepost.platform.persistence.mapping import as_row
from storepost.platform.persistence.reads import Reads
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class ConsentRepository:
    """A workspace's addresses and changes."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` belongs to a unit of work."""
        self._scope = workspace
        self._reads = reads or Reads()
        self._read: dict[Address, ConsentAddressItem] = {}
        self._erased: dict[Address, datetime | None] = {}

    def consent_of(self, address: Address) -> AddressConsent:
        """Returns the consent of an address."""
        item = self._reads.find(ConsentAddressItem, address_key(self._scope, address))
        return self._as_consent(address, item)

    def consents_of(self, addresses: Iterable[Address]) -> dict[Address, AddressConsent]:
        """Returns the consent of each of the addresses; reads a hundred per call."""
        keys = {address: address_key(self._scope, address) for address in addresses}
        rows = self._reads.find_all(keys.values())
        found = ((each, find_in(rows, ConsentAddressItem, key)) for each, key in keys.items())
        return {address: self._as_consent(address, item) for address, item in found}

    def save_consent(self, changes: Changes, address: Address, consent: AddressConsent) -> None:
        """Writes an address's state, if it is unchanged since it was read here."""
        item = self._read.get(address) or ConsentAddressItem(*address_key(self._scope, address))
        item.dated, item.undated = effective_row(consent.dated), effective_row(consent.undated)
        item.erased_at = consent.erased_at
        item.confirmed_at, item.unsubscribed_at = consent.confirmed_at, consent.unsubscribed_at
        item.last_statement = consent.last_statement
        others = sorted(consent.other_customers)
        item.other_customers = [[str(c.store_id), c.external_id] for c in others] or None
        changes.save(item)
        saved_states(changes, self._scope)[address] = consent.state

    def is_saved(self, changes: Changes, address: Address) -> bool:
        """Returns whether a unit of work writes an address's state."""
        return changes.has(ConsentAddressItem(*address_key(self._scope, address)))

    def expect_consent(self, changes: Changes, address: Address) -> ConsentAddressItem | None:
        """Expects an address's state to stay as it was read here; else the commit loses the race.

        Returns the unread row where the condition is that it doesn't exist.
        """
        item = self._read.get(address)
        unread = ConsentAddressItem(*address_key(self._scope, address))
        if item is not None:
            changes.expect(unread, ConsentAddressItem.version == item.version)
            return None
        changes.expect(unread, ConsentAddressItem.pk.does_not_exist())
        return unread

    def _as_consent(self, address: Address, item: ConsentAddressItem | None) -> AddressConsent:
        if item is None:
            return AddressConsent()
        self._read[address] = item
        others = (CustomerRef(UUID(store), value) for store, value in item.other_customers or ())
        dated, undated = as_effective(item.dated), as_effective(item.undated)
        return AddressConsent(
            dated,
            undated,
            item.erased_at,
            frozenset(others),
            item.confirmed_at,
            item.unsubscribed_at,
            item.last_statement,
        )

    def with_erasure(self, address: Address, consent: AddressConsent) -> AddressConsent:
        """Returns the consent, with the erasure time if the address has no row.

        It is read only before assertions: other readers don't need it, as nothing holds either way.
        """
        if address in self._read:
            return consent
        if address not in self._erased:
            row = self._reads.find(ErasedAddressItem, erased_key(self._scope, address))
            self._erased[address] = row.at if row else None
        return replace(consent, erased_at=self._erased[address])

    def look_for_erasures(self, addresses: Iterable[Address]) -> None:
        """Reads what `with_erasure` needs for many addresses; reads a hundred per call."""
        unread = [address for address in addresses if address not in self._read]
        keys = {address: erased_key(self._scope, address) for address in unread}
        rows = self._reads.find_all(keys.values())
        found = ((each, find_in(rows, ErasedAddressItem, key)) for each, key in keys.items())
        self._erased |= {address: row.at if row else None for address, row in found}

    def erase(
        self, changes: Changes, address: Address, customers: Collection[CustomerRef] = frozenset()
    ) -> None:
        """Erases an address's consent; the keyed hash and the time stay.

        The commit loses the race if the consent was changed since it was read here. `customers` are
        the erased person's own; where customers of other people have the address, the row stays for
        these.
        """
        now = clock.now()
        changes.save(ErasedAddressItem(*erased_key(self._scope, address), at=now))
        item = self._read.get(address)
        if item is None:
            return
        others = self._as_consent(address, item).other_customers - frozenset(customers)
        if others:
            erased = AddressConsent(erased_at=now, other_customers=others)
            self.save_consent(changes, address, erased)
        else:
            changes.delete(item)

    def erase_history(
        self,
        changes: Changes,
        address: Address,
        consent: AddressConsent,
        histories: Collection[UUID],
        customers: Collection[CustomerRef] = frozenset(),
    ) -> AddressConsent:
        """Erases what changes of these profiles assert about an address; returns what is left.

        `consent` was read here. If no other profile's change asserts anything, the keyed hash is
        left: the erasure's own, if that committed first. An opt-in that yielded to an erased
        unsubscription is erased with it.
        """
        dated, undated = _not_of(histories, consent.dated), _not_of(histories, consent.undated)
        if dated is None and consent.needs_proof:
            undated = None
        is_changed = (dated, undated) != (consent.dated, consent.undated)
        after = replace(consent, dated=dated, undated=undated)
        if dated or undated:
            if is_changed:
                self.save_consent(changes, address, after)
        elif is_changed or self.with_erasure(address, consent).erased_at is None:
            self.erase(changes, address, customers)
        return after

    def delete(self, changes: Changes, change: ConsentChange) -> None:
        """Deletes a change from its profile's history."""
        ref = ChangeRef(change.profile_id, change.id)
        changes.delete(ConsentChangeItem(*change_key(self._scope, ref)))
        unindex_change(changes, self._scope, change)

    def add(
        self,
        changes: Changes,
        change: ConsentChange,
        *,
        holds: bool = True,
        restored: ChangeRef | None = None,
    ) -> None:
        """Adds a new change; the same unit of work saves its profile, which counts it.

        The row keeps whether the change holds now, and which change it makes hold again.
        """
        origin = change.origin
        row = as_row(
            ConsentChangeItem,
            change_key(self._scope, ChangeRef(change.profile_id, change.id)),
            change,
            source=origin.source,
            store_id=origin.store_id,
            proof=proof_row(origin.proof),
            by=origin.by,
            write_backs={short(each.store_id): write_back_row(each) for each in change.write_backs},
            follows=change_row(change.follows),
            superseded=None if holds else "y",
            restored=change_row(restored),
        )
        added_to(changes, change.profile_id)[change.id] = row
        index_new_change(changes, self._scope, change)
        changes.create(row)

    def get(self, change: ChangeRef) -> ConsentChange | None:
        """Returns the change, or None."""
        item = self._reads.find(ConsentChangeItem, change_key(self._scope, change))
        return as_change(item) if item else None

    def get_many(self, changes: Iterable[ChangeRef]) -> dict[ChangeRef, ConsentChange]:
        """Returns those of the changes that exist; reads a hundred per call."""
        keys = {change: change_key(self._scope, change) for change in changes}
        rows = self._reads.find_all(keys.values())
        found = ((ref, find_in(rows, ConsentChangeItem, key)) for ref, key in keys.items())
        return {ref: as_change(row) for ref, row in found if row}

    def get_in(self, profile_ids: Iterable[UUID], change_id: UUID) -> ConsentChange | None:
        """Returns the change with that id in the history of one of the profiles, or None."""
        refs = (ChangeRef(profile_id, change_id) for profile_id in profile_ids)
        rows = self._reads.find_all(change_key(self._scope, ref) for ref in refs).values()
        return next((as_change(row) for row in rows if isinstance(row, ConsentChangeItem)), None)

    def history(self, profile_id: UUID, limit: int | None = None) -> Iterator[ConsentChange]:
        """Returns the profile's own changes, the last recorded first; up to `limit`, or all."""
        return map(as_change, self.rows_of(profile_id, limit))

    def rows_of(self, profile_id: UUID, limit: int | None = None) -> Iterator[ConsentChangeItem]:
        """Returns the rows of the profile's own changes, in the same order."""
        pk = self._scope.partition("profile", short(profile_id))
        return ConsentChangeItem.rows_in(pk, "consent#", newest_first=True, limit=limit)

    def histories(
        self, profile_ids: Iterable[UUID], limit: int | None = None
    ) -> Iterator[ConsentChange]:
        """Returns the changes of several profiles, merged by time; `limit` is for each profile."""
        histories = (self.history(profile_id, limit) for profile_id in profile_ids)
        return merge(*histories, key=lambda change: change.id, reverse=True)


def saved_states(changes: Changes, workspace: WorkspaceScope) -> dict[Address, ConsentState]:
    """Returns the states of the addresses that a unit of work has saved so far."""
    return changes.shared(("consent_states", workspace), dict[Address, ConsentState])


def added_to(changes: Changes, profile_id: UUID) -> dict[UUID, ConsentChangeItem]:
    """Returns the changes that a unit of work has added to a profile's history so far."""
    return changes.shared(("consent_changes", profile_id), dict[UUID, ConsentChangeItem])


def _not_of(
    profile_ids: Collection[UUID], effective: EffectiveConsent | None
) -> EffectiveConsent | None:
    return None if effective is None or effective.change.profile_id in profile_ids else effective

"""Rows of suppressions: by address, by id, and in their lists."""

from collections.abc import Callable, Iterable
from uuid import UUID

from storepost.people.consent.keys import erased_key
from storepost.people.consent.model import Address
from storepost.people.suppressions.due import note_end
from storepost.people.suppressions.keys import (
    PAST,
    digest_of,
    past_id,
    past_key,
    suppressed_key,
    suppressed_partition,
    suppression_key,
)
from storepost.people.suppressions.model import AddressSuppressions, Suppression
from storepost.people.suppressions.rows import (
    PastSuppressionItem,
    SuppressedAddressItem,
    SuppressionItem,
    address_row,
    as_state,
    as_suppression,
    suppression_row,
)
from storepost.people.suppressions.trees import SuppressionLists
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, find_in, find_recent
from storepost.platform.persistence.reads import UnitRepository


class SuppressionRepository(UnitRepository):
    """A workspace's suppressions."""

    @property
    def lists(self) -> SuppressionLists:
        """Returns the sorted lists of suppressions."""
        return SuppressionLists(self._scope)

    def state_of(self, address: Address) -> AddressSuppressions:
        """Returns the suppressions of an address."""
        return self.states_of([address])[address]

    def states_of(self, addresses: Iterable[Address]) -> dict[Address, AddressSuppressions]:
        """Returns the suppressions of each of the addresses; reads a hundred per call."""
        return self._states(addresses, self._reads.find_all)

    def recent_states_of(self, addresses: Iterable[Address]) -> dict[Address, AddressSuppressions]:
        """Returns the suppressions of each of the addresses, eventually consistent.

        They may be about a second old, for half the price.
        """
        return self._states(addresses, find_recent)

    def _states(
        self, addresses: Iterable[Address], read: Callable[[Iterable[Key]], dict[Key, Item]]
    ) -> dict[Address, AddressSuppressions]:
        digests = {each: digest_of(self._scope, each) for each in addresses}
        keys = {each: suppressed_key(self._scope, digest) for each, digest in digests.items()}
        rows = read(keys.values())
        found = {each: find_in(rows, SuppressedAddressItem, key) for each, key in keys.items()}
        return {
            each: as_state(row) if row else AddressSuppressions(digests[each], each.channel)
            for each, row in found.items()
        }

    def state_and_erasure(self, address: Address) -> tuple[AddressSuppressions, bool]:
        """Returns an address's suppressions, and whether its person was erased; in one call."""
        digest, erased = digest_of(self._scope, address), erased_key(self._scope, address)
        key = suppressed_key(self._scope, digest)
        rows = self._reads.find_all([key, erased])
        row = find_in(rows, SuppressedAddressItem, key)
        state = as_state(row) if row else AddressSuppressions(digest, address.channel)
        return state, erased in rows

    def state_behind(self, digest: str) -> AddressSuppressions | None:
        """Returns the suppressions of the address with this keyed hash, or None."""
        row = self._reads.find(SuppressedAddressItem, suppressed_key(self._scope, digest))
        return as_state(row) if row else None

    def get(self, suppression_id: UUID) -> tuple[Suppression, str] | None:
        """Returns a suppression with its address's keyed hash, or None."""
        row = self._reads.find(SuppressionItem, suppression_key(self._scope, suppression_id))
        return (as_suppression(row), row.digest) if row else None

    def get_many(self, ids: Iterable[UUID]) -> list[Suppression]:
        """Returns those of the suppressions that exist, in the order of the ids."""
        keys = [suppression_key(self._scope, each) for each in dict.fromkeys(ids)]
        rows = self._reads.find_all(keys)
        found = (find_in(rows, SuppressionItem, key) for key in keys)
        return [as_suppression(row) for row in found if row]

    def past_of(self, digest: str) -> list[Suppression]:
        """Returns an address's lifted suppressions, oldest first."""
        rows = PastSuppressionItem.rows_in(suppressed_partition(self._scope, digest), PAST)
        return self.get_many(past_id(row.sk) for row in rows)

    def save(self, changes: Changes, state: AddressSuppressions) -> None:
        """Writes an address's suppressions, if they are unchanged since they were read."""
        changes.save(address_row(suppressed_key(self._scope, state.digest), state))

    def expect(self, changes: Changes, state: AddressSuppressions) -> None:
        """Expects an address's suppressions to stay as they were read; else a lost race."""
        row = SuppressedAddressItem(*suppressed_key(self._scope, state.digest))
        if state.version is None:
            changes.expect(row, SuppressedAddressItem.pk.does_not_exist())
        else:
            changes.expect(row, SuppressedAddressItem.version == state.version)

    def rewrite(self, changes: Changes, suppression: Suppression, digest: str) -> None:
        """Rewrites a suppression; the unit also writes its address's row, which guards it."""
        key = suppression_key(self._scope, suppression.id)
        changes.save(suppression_row(key, suppression, digest))

    def change(
        self, changes: Changes, before: Suppression | None, after: Suppression, digest: str
    ) -> None:
        """Writes a suppression that is new, or whose address or end has changed."""
        self.rewrite(changes, after, digest)
        note_end(changes, self._scope, before, after, digest)
        if before is None:
            self.lists.insert(changes, after)

    def add_to_history(self, changes: Changes, lifted: Suppression, digest: str) -> None:
        """Writes a lifted suppression, and moves it to the history."""
        self.rewrite(changes, lifted, digest)
        note_end(changes, self._scope, lifted, lifted, digest)
        changes.save(PastSuppressionItem(*past_key(self._scope, digest, lifted.id)))
        self.lists.move_to_history(changes, lifted)

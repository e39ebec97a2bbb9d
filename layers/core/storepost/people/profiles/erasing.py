"""Erases a profile's own rows, and its rows of consent.

An eraser removes some rows of one kind and returns whether there may be more. Each row is deleted
by its own write or in a transaction, on the condition that it still is the erased profile's. So an
eraser may be killed anywhere and run twice, late, or beside another eraser or a mover: a mover's
rows go to a partition that is emptied later.
"""

from collections.abc import Collection, Iterable
from datetime import timedelta
from functools import partial
from itertools import batched, islice
from typing import Protocol
from uuid import UUID

from storepost.people.consent.decision import CustomerRef
from storepost.people.consent.evidence_items import EvidenceItem, evidence_in
from storepost.people.consent.evidence_rows import EvidenceRepository
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.rows import as_change
from storepost.people.consent.sealed_evidence import seal_evidence
from storepost.people.consent.settings import find_settings
from storepost.people.consent.states import Channel
from storepost.people.profiles.consent_summary import identity_of, show_consents
from storepost.people.profiles.erased_names import opened_words
from storepost.people.profiles.erasure import Erasure
from storepost.people.profiles.keys import claim_key
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import KnownIdentities, look_up
from storepost.people.profiles.rows import IdentityItem
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import remove
from storepost.platform.persistence.write_marks import marking
from storepost.platform.postings.entries import SearchKind, key_word
from storepost.platform.postings.repository import PostingRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

MAX_ADDRESSES = 10
"""Addresses whose rows the erasure itself deletes, two each."""

_MAX_CHANGES = 16
"""Changes or rows of evidence per transaction: each takes two rows at most, its address may take
three, and its sealed evidence one.
"""

_ADDRESSES_AT_ONCE = 33
"""Addresses per transaction: each takes its state, its keyed hash and its claim."""

_MAX_MERGES = 40
"""Merges per transaction: each takes two rows."""

MAX_NAMES = 90
"""Partitions in one condition, which may have a hundred operands."""

_CHANNELS = {IdentityType.EMAIL: Channel.EMAIL, IdentityType.PHONE: Channel.SMS}


class EraseSome(Protocol):
    """Deletes some rows of one profile's partition, in one transaction."""

    def __call__(self, changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
        """Returns whether there may be more."""


def erase_from(profile_ids: Iterable[UUID], erasure: Erasure, erase_some: EraseSome) -> bool:
    """Deletes some rows of these partitions, in their order; returns whether there may be more."""
    return any(
        commit_anew(partial(erase_some, erasure=erasure, profile_id=each)) for each in profile_ids
    )


def addresses_of(identities: Iterable[Identity]) -> list[Address]:
    """Returns the addresses among the identities."""
    return [
        Address(_CHANNELS[each.type], each.value) for each in identities if each.type in _CHANNELS
    ]


def customers_of(identities: Iterable[Identity]) -> frozenset[CustomerRef]:
    """Returns the stores' customers among the identities."""
    kind = IdentityType.PLATFORM_CUSTOMER_ID
    own = ((each.store_id, each.value) for each in identities if each.type is kind)
    return frozenset(CustomerRef(store_id, value) for store_id, value in own if store_id)


def erase_index_entries(erasure: Erasure) -> bool:
    """Deletes some of the profile's entries in stores' lists; returns whether others are left."""
    return commit_anew(lambda changes: _delete_index_entries(changes, erasure))


def _delete_index_entries(changes: Changes, erasure: Erasure) -> bool:
    repository = ProfileRepository(erasure.workspace)
    erasure_row = repository.erasure_of(erasure.profile_id)
    return repository.delete_index_entries(changes, erasure_row) if erasure_row else False


def erase_postings(erasure: Erasure) -> bool:
    """Deletes the postings of the profile, and of the profiles merged into it.

    The stream's handler does so too, as long as none of its records fails for good.
    """
    postings = PostingRepository(erasure.workspace, SearchKind.PROFILE)
    words = [key_word(each.value) for each in addresses_of(erasure.identities)]
    words += opened_words(erasure.words, erasure.workspace, erasure.profile_id)
    for each in erasure.partitions if words else ():
        postings.delete_entry(each, words)
    return False


def erase_addresses(erasure: Erasure) -> bool:
    """Deletes what the profile's changes assert about the addresses that it had."""
    for some in batched(addresses_of(erasure.identities), _ADDRESSES_AT_ONCE, strict=False):
        commit_anew(partial(_erase_history, erasure=erasure, addresses=some))
    return False


def erase_history(erasure: Erasure) -> bool:
    """Deletes some of the profile's changes of consent, with their effects on the addresses.

    The evidence in them is sealed in the same transaction.
    """
    return erase_from(erasure.histories, erasure, _erase_changes)


def _erase_changes(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    repository = ConsentRepository(erasure.workspace)
    rows = list(islice(repository.rows_of(profile_id, _MAX_CHANGES), _MAX_CHANGES))
    some = list(map(as_change, rows))
    addresses = {Address(change.channel, change.address) for change in some if change.address}
    _erase_history(changes, erasure, addresses)
    seal_rows(changes, erasure.workspace, list(filter(None, map(evidence_in, rows))))
    for change in some:
        repository.delete(changes, change)
    return len(some) == _MAX_CHANGES


def _erase_of_others(erasure: Erasure, addresses: Iterable[Address]) -> KnownIdentities:
    """Erases the history of addresses that another profile has now, before all others.

    Each takes its own transaction, as the consent that such a profile shows changes with it: that
    is a change of another person, and no upkeep. Returns the holders of the addresses.
    """
    identities = {identity_of(address): address for address in addresses}
    known = look_up(ProfileRepository(erasure.workspace), identities)
    for identity, address in identities.items():
        if known.holder_of(identity):
            with marking(None):
                commit_anew(partial(_erase_of_holder, erasure=erasure, address=address))
    return known


def _erase_of_holder(changes: Changes, erasure: Erasure, address: Address) -> None:
    profiles, consents = ProfileRepository(erasure.workspace), ConsentRepository(erasure.workspace)
    holder = look_up(profiles, [identity_of(address)]).holder_of(identity_of(address))
    before, customers = consents.consent_of(address), customers_of(erasure.identities)
    after = consents.erase_history(changes, address, before, erasure.histories, customers)
    if holder and after.state is not before.state:
        with_state = show_consents(changes, holder, holder, {address: after.state})
        profiles.save(changes, holder, with_state)


def _erase_history(changes: Changes, erasure: Erasure, addresses: Collection[Address]) -> None:
    """Erases the history of addresses; loses the race to a concurrent writer that claims one.

    That profile would show the consent that is erased.
    """
    known = _erase_of_others(erasure, addresses)
    repository, profiles = (
        ConsentRepository(erasure.workspace),
        ProfileRepository(erasure.workspace),
    )
    customers = customers_of(erasure.identities)
    for address, consent in repository.consents_of(addresses).items():
        repository.erase_history(changes, address, consent, erasure.histories, customers)
        identity = identity_of(address)
        if repository.is_saved(changes, address) and known.holder_of(identity) is None:
            profiles.expect_nobodys(changes, identity, known.claims.get(identity))


def erase_evidence(erasure: Erasure) -> bool:
    """Deletes some of the evidence that isn't stored in changes.

    Evidence that the workspace keeps is sealed in the same transaction.
    """
    return erase_from(erasure.histories, erasure, _erase_evidence)


def _erase_evidence(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    some = EvidenceRepository(erasure.workspace).some_of(profile_id, _MAX_CHANGES)
    seal_rows(changes, erasure.workspace, some)
    for row in some:
        changes.delete(EvidenceItem(*row.key))
    return len(some) == _MAX_CHANGES


def seal_rows(changes: Changes, workspace: WorkspaceScope, rows: Collection[EvidenceItem]) -> None:
    """Keeps evidence that is deleted, sealed, for as long as the workspace's settings say."""
    retention = find_settings(workspace).evidence_retention if rows else timedelta()
    if retention:
        for row in rows:
            seal_evidence(changes, workspace, row, clock.now() + retention)


def erase_merges(erasure: Erasure) -> bool:
    """Deletes some of the merges into the profile; the merged ids can't be resolved any more."""
    return erase_from(erasure.partitions, erasure, _erase_merges)


def _erase_merges(changes: Changes, erasure: Erasure, profile_id: UUID) -> bool:
    repository = ProfileRepository(erasure.workspace)
    some = list(islice(repository.own_merges_of(profile_id, _MAX_MERGES), _MAX_MERGES))
    for merge in some:
        repository.delete_merge(changes, merge, profile_id)
    return len(some) == _MAX_MERGES


def erase_claims(erasure: Erasure) -> bool:
    """Deletes the claims of its identities, except those that another profile has taken."""
    for identity in erasure.identities:
        row = IdentityItem(*claim_key(erasure.workspace, identity))
        for some in batched(erasure.partitions, MAX_NAMES, strict=False):
            remove(row, IdentityItem.profile_id.is_in(*some))
    return False

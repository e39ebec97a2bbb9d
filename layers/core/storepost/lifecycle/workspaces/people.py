"""Deletes people with all their rows, and the rest of erased people."""

from collections.abc import Iterable, Iterator
from uuid import UUID

from storepost.lifecycle.workspaces.rows import delete_rows, delete_some, empty, few_listed
from storepost.people.consent.keys import address_key, erased_partitions
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel
from storepost.people.customers.repository import (
    CustomerRepository,
    customer_key,
    redacted_partitions,
)
from storepost.people.email_feedback.repository import feedback_partition
from storepost.people.opt_in.repository import sends_partition
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.erasing import addresses_of
from storepost.people.profiles.keys import claim_key, profile_key
from storepost.people.profiles.lists import ProfileLists
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import ProfileItem, ProfileRow, as_profile
from storepost.people.suppressions.due import due_key
from storepost.people.suppressions.keys import suppressed_partition, suppression_key
from storepost.people.suppressions.model import address_of
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.trees import SuppressionLists
from storepost.platform.persistence.item import Key, find
from storepost.values.scope import WorkspaceScope


def delete_people(workspace: WorkspaceScope) -> bool:
    """Deletes some profiles of the list of all, each with its other rows."""
    listed = few_listed(ProfileLists(workspace).by_first_seen)
    for row in listed:
        for profile in row.ids:
            _delete_person(workspace, profile)
        delete_rows([row.key])
    return bool(listed)


def delete_hashes(workspace: WorkspaceScope) -> bool:
    """Deletes some rows under keyed hashes or of redacted customers.

    They are erased people's addresses, redacted customers, the times of opt-in requests, and the
    events about emails.
    """
    partitions = (
        *erased_partitions(workspace),
        *redacted_partitions(workspace),
        sends_partition(workspace),
        feedback_partition(workspace),
    )
    return any(delete_some(partition) for partition in partitions)


def delete_suppressions(workspace: WorkspaceScope) -> bool:
    """Deletes some suppressions of the lists, each with all rows of its address."""
    lists = SuppressionLists(workspace)
    listed = few_listed(lists.in_force) or few_listed(lists.lifted)
    for row in listed:
        for suppression_id in row.ids:
            _delete_suppression(workspace, suppression_id)
        delete_rows([row.key])
    return bool(listed)


def _delete_suppression(workspace: WorkspaceScope, suppression_id: UUID) -> None:
    """Deletes a suppression, its address's rows, and a free claim of the address."""
    found = SuppressionRepository(workspace).get(suppression_id)
    if found is None:
        return
    suppression, digest = found
    empty(suppressed_partition(workspace, digest))
    keys = [suppression_key(workspace, suppression_id)]
    if suppression.ends_at:
        keys.append(due_key(suppression_id, suppression.ends_at))
    if address := address_of(suppression):
        keys.append(claim_key(workspace, identity_of(address)))
    delete_rows(keys)


def _delete_person(workspace: WorkspaceScope, profile_id: UUID) -> None:
    """Deletes all rows that one profile leads to, and its partition; the profile's row last."""
    row = find(ProfileRow, profile_key(workspace, profile_id))
    if isinstance(row, ProfileItem):
        profile = as_profile(workspace, row)
        merged = _merged_into(workspace, profile.partitions)
        for each in dict.fromkeys((*merged, *profile.pending_sources, *profile.consent_partitions)):
            if each != profile_id:
                _delete_partition(workspace, each)
        delete_rows(_addresses_of_customers(workspace, profile))
        delete_rows(_rows_of(workspace, profile.identities))
    _delete_partition(workspace, profile_id)


def _merged_into(workspace: WorkspaceScope, partitions: Iterable[UUID]) -> Iterator[UUID]:
    """The profiles merged into a profile, directly or indirectly."""
    repository, pending = ProfileRepository(workspace), list(partitions)
    known = set(pending)
    while pending:
        for merge in repository.own_merges_of(pending.pop(), None):
            if merge.merged_profile_id not in known:
                known.add(merge.merged_profile_id)
                pending.append(merge.merged_profile_id)
                yield merge.merged_profile_id


def _addresses_of_customers(workspace: WorkspaceScope, profile: Profile) -> Iterator[Key]:
    """The rows of the customers' addresses, which may be identities of no profile."""
    for customer in CustomerRepository(workspace).of_profile(profile):
        for channel in Channel:
            if value := customer.address(channel):
                yield address_key(workspace, Address(channel, value))


def _rows_of(workspace: WorkspaceScope, identities: Iterable[Identity]) -> Iterator[Key]:
    for each in identities:
        yield claim_key(workspace, each)
        if each.type is IdentityType.PLATFORM_CUSTOMER_ID and each.store_id:
            yield customer_key(workspace, each.store_id, each.value)
        for address in addresses_of([each]):
            yield address_key(workspace, address)


def _delete_partition(workspace: WorkspaceScope, profile_id: UUID) -> None:
    """Deletes a profile's partition, with the rows of the addresses that its changes name.

    `profile`, by which it is found, is the last sort key.
    """
    history = ConsentRepository(workspace).history(profile_id)
    addresses = {Address(c.channel, c.address) for c in history if c.address}
    delete_rows(address_key(workspace, each) for each in addresses)
    empty(profile_key(workspace, profile_id)[0])

"""Removes an erased profile's customers of stores."""

from functools import partial
from itertools import batched
from uuid import UUID

from storepost.people.consent.model import Address
from storepost.people.consent.other_customers import detach_customer
from storepost.people.consent.states import Channel
from storepost.people.customers.repository import CustomerItem, CustomerRepository, customer_key
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.erasing import MAX_NAMES
from storepost.people.profiles.erasure import Erasure
from storepost.people.profiles.model import IdentityType
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import remove
from storepost.stores.stores.repository import StoreRepository


def erase_customers(erasure: Erasure) -> bool:
    """Removes the erased person's customers; a store may put one again that it still has.

    The tombstone of a shop's deleted customer stays, so that no older data restores it.
    """
    for each in erasure.identities:
        if each.type is not IdentityType.PLATFORM_CUSTOMER_ID or each.store_id is None:
            continue
        _detach_from_addresses(erasure, each.store_id, each.value)
        if not _is_deleted(erasure, each.store_id, each.value):
            commit_anew(partial(_end_deleted, erasure, each.store_id, each.value))
    return False


def _detach_from_addresses(erasure: Erasure, store_id: UUID, external_id: str) -> None:
    """Removes the customer from the other customers of addresses that another person has."""
    customer = CustomerRepository(erasure.workspace).get(store_id, external_id)
    if customer is None or customer.profile_id not in erasure.partitions:
        return
    for channel in Channel:
        value = customer.address(channel)
        address = Address(channel, value) if value else None
        if address and identity_of(address) not in erasure.identities:
            commit_anew(
                partial(
                    detach_customer,
                    workspace=erasure.workspace,
                    address=address,
                    customer=customer.ref,
                )
            )


def _is_deleted(erasure: Erasure, store_id: UUID, external_id: str) -> bool:
    """Deletes the person's row unless a deletion by the store is stored; returns whether it did."""
    row = CustomerItem(*customer_key(erasure.workspace, store_id, external_id))
    is_there = CustomerItem.deleted_at.does_not_exist()
    return any(
        remove(row, CustomerItem.profile_id.is_in(*some) & is_there)
        for some in batched(erasure.partitions, MAX_NAMES, strict=False)
    )


def _end_deleted(erasure: Erasure, store_id: UUID, external_id: str, changes: Changes) -> None:
    customers = CustomerRepository(erasure.workspace)
    customer = customers.get(store_id, external_id)
    if customer is None or customer.profile_id not in erasure.partitions:
        return
    store = StoreRepository(erasure.workspace).get(store_id)
    if store and not store.is_custom:
        customers.tombstone(changes, store_id, external_id, customer.external_updated_at)
    else:
        customers.delete(changes, customer)

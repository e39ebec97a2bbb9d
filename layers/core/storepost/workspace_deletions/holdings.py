"""What a workspace holds, as the worker removes it: each kind of row is found by one of these.

A table can't be searched by the beginning of its partition keys, so each row must be found from
another: people and orders from the lists that have them all, what belongs to a person from the
person's row, what a store brought from the store's. Rows go before what leads to them. So this may
be killed anywhere and run again.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import batched
from uuid import UUID

from storepost.api_keys.repository import ActiveKeysItem, ApiKeyItem
from storepost.change_proposals.keys import proposals_partition, proposed_partition
from storepost.change_proposals.repository import ProposalCountItem, ProposalItem, ProposedItem
from storepost.connections.service import disconnect
from storepost.consent.model import Address
from storepost.consent.repository import (
    ConsentAddressItem,
    ConsentChangeItem,
    ConsentRepository,
    ErasedAddressItem,
    address_key,
    erased_partitions,
)
from storepost.coupons.keys import (
    CODE_SHARDS,
    codes_partition,
    coupons_partition,
    due_key,
    jobs_partition,
)
from storepost.coupons.model import Code
from storepost.coupons.rows import (
    CodeItem,
    CodePointerItem,
    CodeRemovalItem,
    CodeUseItem,
    CouponDueItem,
    CouponItem,
    CouponWorkItem,
    as_code,
)
from storepost.coupons.trees import CodeList
from storepost.customers.repository import CustomerItem, customer_key
from storepost.definitions.keys import definitions_partition, versions_partition
from storepost.definitions.repository import DefinitionItem, VersionItem
from storepost.identity.repository import ApiKeyTokenItem, token_key
from storepost.ids import from_short
from storepost.invitations.repository import (
    InvitationItem,
    InvitationPointerItem,
    InvitedItem,
    pointer_key,
)
from storepost.locales.repository import LocalesItem
from storepost.orders.keys import deleted_partition, order_key
from storepost.orders.repository import DeletedOrderItem, OrderItem, OrderPointerItem
from storepost.orders.trees import OrderList
from storepost.persistence.changes import Changes, commit_anew
from storepost.persistence.counted_tree.keys import id_of
from storepost.persistence.counted_tree.rows import EntryItem, NodeItem
from storepost.persistence.item import Item, Key, find, find_all, keys_in
from storepost.profile_events.repository import ProfileEventItem, UniqueEventItem
from storepost.profiles.erasing import addresses_of
from storepost.profiles.keys import claim_key, profile_key
from storepost.profiles.lists import ProfileLists
from storepost.profiles.model import Identity, IdentityType
from storepost.profiles.repository import ProfileRepository
from storepost.profiles.rows import (
    ErasedProfileItem,
    IdentityItem,
    MergedProfileItem,
    MergeItem,
    ProfileItem,
    ProfileRow,
    as_profile,
)
from storepost.scope import PersonScope, WorkspaceScope
from storepost.search.entries import SearchKind
from storepost.search.keys import postings_partition
from storepost.search.repository import PostingItem
from storepost.shopify.claims import ShopStoreItem, store_key
from storepost.shopify.installs import InstallItem, InstallStateItem, state_key
from storepost.store_imports.keys import imports_partition, problem_partition
from storepost.store_imports.rows import ImportItem, ImportProblemItem, ImportTurnsItem
from storepost.stores.model import Platform
from storepost.stores.problems import StoreDisconnected
from storepost.stores.repository import StoreClaimItem, StoreItem, StoreRepository
from storepost.stores.write_back import WriteBackItem
from storepost.workspaces.repository import (
    MembershipItem,
    MembershipPointerItem,
    SlugItem,
    WorkspaceItem,
    membership_pointer_key,
    workspace_key,
)

ROWS_AT_ONCE = 80
"""In one transaction."""

FEW = 20
"""Rows that are looked at together where each leads to others."""

type Remover = Callable[[WorkspaceScope], bool]
"""Removes some rows; whether there may be more."""


@dataclass(frozen=True)
class Holding:
    """Some kinds of rows, and what removes them."""

    kinds: tuple[type[Item], ...]
    remove: Remover


def disconnect_stores(workspace: WorkspaceScope) -> bool:
    """Ends the stores' part: nothing is written to them any more, and shops lose the app."""
    for store in StoreRepository(workspace).all():
        if store.is_active:
            commit_anew(partial(_disconnect, workspace, store.id))
    return False


def _disconnect(workspace: WorkspaceScope, store_id: UUID, changes: Changes) -> None:
    with suppress(StoreDisconnected):
        disconnect(workspace, store_id, changes)


def remove_people(workspace: WorkspaceScope) -> bool:
    """Removes some profiles of the list of all, each with what belongs to it."""
    entries = keys_in(ProfileLists(workspace).by_first_seen.rows.partition, FEW)
    for entry in entries:
        _remove_person(workspace, id_of(entry[1]))
        _remove([entry])
    return bool(entries)


def remove_orders(workspace: WorkspaceScope) -> bool:
    """Removes some orders, and then their entries in the list of all."""
    entries = keys_in(OrderList(workspace).tree.rows.partition, FEW)
    _remove(order_key(workspace, id_of(key)) for _, key in entries)
    _remove(entries)
    return bool(entries)


def remove_deleted_orders(workspace: WorkspaceScope) -> bool:
    """Removes what is left of some deleted orders."""
    named = keys_in(deleted_partition(workspace), FEW)
    _remove(order_key(workspace, from_short(key)) for _, key in named)
    _remove(named)
    return bool(named)


def remove_lists(workspace: WorkspaceScope) -> bool:
    """Removes rows of lists whose people and orders are gone."""
    profiles, orders = ProfileLists(workspace), OrderList(workspace)
    trees = [profiles.by_name, profiles.by_email]
    for store in StoreRepository(workspace).all():
        trees += [profiles.of_store(store.id), OrderList(workspace, store.id).tree]
    # What stands in the lists of all leads to people and orders: it goes with those alone.
    partitions = [tree.rows.partition for tree in trees]
    nodes = [tree.rows.nodes_partition for tree in (*trees, profiles.by_first_seen, orders.tree)]
    return any(_remove_some(partition) for partition in (*partitions, *nodes))


def remove_imports(workspace: WorkspaceScope) -> bool:
    """Removes some of each store's imports, with their problems; objects on S3 go by themselves."""
    more = False
    for store in StoreRepository(workspace).all():
        found = keys_in(imports_partition(workspace, store.id), FEW)
        for _, key in found:
            _empty(problem_partition(workspace, from_short(key.partition("#")[2])))
        _remove(found)
        more = more or bool(found)
    return more


def remove_definitions(workspace: WorkspaceScope) -> bool:
    """Removes some definitions, each with its versions, and then proposals."""
    found = keys_in(definitions_partition(workspace), FEW)
    for _, key in found:
        _empty(versions_partition(workspace, from_short(key)))
    _remove(found)
    proposals = (proposed_partition(workspace), proposals_partition(workspace))
    return bool(found) or any(_remove_some(partition) for partition in proposals)


def remove_postings(workspace: WorkspaceScope) -> bool:
    """Removes what the search knows; the stream brings what the rows before have left behind."""
    return any(_remove_some(postings_partition(workspace, kind)) for kind in SearchKind)


def remove_hashes(workspace: WorkspaceScope) -> bool:
    """Removes the hashes of erased people's addresses."""
    return any(_remove_some(partition) for partition in erased_partitions(workspace))


def remove_own(workspace: WorkspaceScope) -> bool:
    """Removes some of the workspace's own partition, but for the stores, and what that names."""
    kept = {workspace_key(workspace)[1]}
    own = [
        key
        for key in keys_in(workspace.key, _most_own(workspace))
        if key[1] not in kept and not key[1].startswith("store#")
    ][:FEW]
    for key, row in find_all(own).items():
        _remove(_named_by(workspace, row))
        _remove([key])
    return bool(own)


def remove_stores(workspace: WorkspaceScope) -> bool:
    """Removes the stores: the last that leads to anything."""
    stores = [key for key in keys_in(workspace.key, ROWS_AT_ONCE) if key[1] != "workspace"]
    for row in find_all(stores).values():
        if isinstance(row, StoreItem) and row.platform == Platform.SHOPIFY.value:
            _remove([store_key(row.external_id, row.id)])
    _remove(stores)
    return bool(stores)


def remove_codes(workspace: WorkspaceScope) -> bool:
    """Removes some codes, when they end, and what orders had of others."""
    more = False
    for shard in range(CODE_SHARDS):
        keys = keys_in(codes_partition(workspace, shard), ROWS_AT_ONCE)
        rows = find_all(keys).values()
        ends = [key for row in rows if isinstance(row, CodeItem) for key in _due(as_code(row))]
        _remove([*ends, *keys])
        more = more or bool(keys)
    return more


def _due(code: Code) -> list[Key]:
    if not code.is_due or code.expires_at is None:
        return []
    return [due_key(code.coupon_id, code.expires_at, code.id)]


def remove_coupons(workspace: WorkspaceScope) -> bool:
    """Removes some coupons, each with the list of its codes, and what was still to be done."""
    coupons = find_all(keys_in(coupons_partition(workspace), FEW))
    for key, row in coupons.items():
        if not isinstance(row, CouponItem):
            continue
        codes = CodeList(workspace, row.id).tree.rows
        jobs = jobs_partition(workspace, row.id)
        for partition in (codes.partition, codes.nodes_partition, jobs):
            _empty(partition)
        _remove([due_key(row.id, row.ends_at), key] if row.ends_at else [key])
    return bool(coupons)


CONTENTS: tuple[Holding, ...] = (
    Holding((), disconnect_stores),
    Holding(
        (
            ProfileItem,
            MergedProfileItem,
            MergeItem,
            IdentityItem,
            CustomerItem,
            ConsentAddressItem,
            ConsentChangeItem,
            OrderPointerItem,
            CodePointerItem,
            ProfileEventItem,
            UniqueEventItem,
        ),
        remove_people,
    ),
    Holding((CodeItem, CodeUseItem), remove_codes),
    Holding((CouponItem, CouponWorkItem, CodeRemovalItem, CouponDueItem), remove_coupons),
    Holding((OrderItem,), remove_orders),
    Holding((DeletedOrderItem,), remove_deleted_orders),
    Holding((EntryItem, NodeItem), remove_lists),
    Holding((ImportItem, ImportProblemItem), remove_imports),
    Holding(
        (DefinitionItem, VersionItem, ProposalItem, ProposedItem, ProposalCountItem),
        remove_definitions,
    ),
    Holding((PostingItem,), remove_postings),
    Holding((ErasedAddressItem,), remove_hashes),
    Holding(
        (
            MembershipItem,
            MembershipPointerItem,
            InvitationItem,
            InvitationPointerItem,
            InvitedItem,
            ApiKeyItem,
            ApiKeyTokenItem,
            ActiveKeysItem,
            LocalesItem,
            StoreClaimItem,
            WriteBackItem,
            ImportTurnsItem,
            InstallItem,
            InstallStateItem,
        ),
        remove_own,
    ),
)
"""In this order, as often as it takes."""

ENDS: tuple[Holding, ...] = (Holding((StoreItem, ShopStoreItem), remove_stores),)
"""What leads to the rest; once nobody can write anything more."""

BESIDE: tuple[type[Item], ...] = (WorkspaceItem, SlugItem, ErasedProfileItem)
"""The deletion's own transaction or the worker's last one has these, or the erasure's worker."""


def _remove_person(workspace: WorkspaceScope, profile_id: UUID) -> None:
    """Removes everything that one profile leads to, and its partition; the profile's row last."""
    row = find(ProfileRow, profile_key(workspace, profile_id))
    if isinstance(row, ProfileItem):
        profile = as_profile(workspace, row)
        merged = _merged_into(workspace, profile.partitions)
        for each in dict.fromkeys((*merged, *profile.absorbing, *profile.histories)):
            _remove_partition(workspace, each)
        _remove(_rows_of(workspace, profile.identities))
    _remove_partition(workspace, profile_id)


def _merged_into(workspace: WorkspaceScope, partitions: Iterable[UUID]) -> Iterator[UUID]:
    """What was merged into a profile, and into that."""
    repository, going = ProfileRepository(workspace), list(partitions)
    known = set(going)
    while going:
        for merge in repository.own_merges_of(going.pop(), None):
            if merge.merged_profile_id not in known:
                known.add(merge.merged_profile_id)
                going.append(merge.merged_profile_id)
                yield merge.merged_profile_id


def _rows_of(workspace: WorkspaceScope, identities: Iterable[Identity]) -> Iterator[Key]:
    for each in identities:
        yield claim_key(workspace, each)
        if each.type is IdentityType.PLATFORM_CUSTOMER_ID and each.store_id:
            yield customer_key(workspace, each.store_id, each.value)
        for address in addresses_of([each]):
            yield address_key(workspace, address)


def _remove_partition(workspace: WorkspaceScope, profile_id: UUID) -> None:
    """Removes a profile's partition, with what is held of the addresses that its changes name.

    `profile`, by which it is found, comes last in the order of the sort keys.
    """
    history = ConsentRepository(workspace).history(profile_id)
    addresses = {Address(c.channel, c.address) for c in history if c.address}
    _remove(address_key(workspace, each) for each in addresses)
    _empty(profile_key(workspace, profile_id)[0])


def _named_by(workspace: WorkspaceScope, row: Item) -> list[Key]:
    """The rows elsewhere to which one of the workspace's own leads."""
    if isinstance(row, MembershipItem):
        return [membership_pointer_key(PersonScope(row.person_id), workspace)]
    if isinstance(row, InvitationItem):
        return [pointer_key(row.id)]
    if isinstance(row, ApiKeyItem):
        return [token_key(digest) for digest in row.digests]
    if isinstance(row, InstallItem):
        return [state_key(row.state_digest)]
    return []


def _most_own(workspace: WorkspaceScope) -> int:
    """Enough rows to see past the stores, which stay."""
    return len(StoreRepository(workspace).all()) + 1 + FEW


def _remove_some(partition: str) -> bool:
    keys = keys_in(partition, ROWS_AT_ONCE)
    _remove(keys)
    return bool(keys)


def _empty(partition: str) -> None:
    while _remove_some(partition):
        pass


def _remove(keys: Iterable[Key]) -> None:
    """Deletes rows, whatever they hold."""
    for some in batched(dict.fromkeys(keys), ROWS_AT_ONCE, strict=False):
        commit_anew(partial(_delete, keys=some))


def _delete(changes: Changes, keys: Iterable[Key]) -> None:
    for key in keys:
        changes.delete(Item(*key))

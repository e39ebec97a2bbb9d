"""Deletes the workspace's own rows, its stores, and their data."""

from contextlib import suppress
from functools import partial
from itertools import chain
from uuid import UUID

from storepost.accounts.api_keys.repository import ApiKeyItem
from storepost.accounts.identity.repository import token_key
from storepost.accounts.invitations.repository import InvitationItem, pointer_key
from storepost.accounts.workspaces.repository import (
    MembershipItem,
    membership_pointer_key,
    workspace_key,
)
from storepost.catalog.products.trees import ProductLists
from storepost.connections.connections.service import disconnect
from storepost.definitions.definitions.keys import definitions_partition, versions_partition
from storepost.definitions.proposals.keys import proposals_partition, proposed_partition
from storepost.feeds.feeds.keys import due_key
from storepost.feeds.feeds.rows import FeedItem
from storepost.lifecycle.workspaces import rows
from storepost.lifecycle.workspaces.rows import delete_rows, delete_some, empty, few
from storepost.orders.trees import OrderList
from storepost.people.consent.evidence_rows import wording_partition
from storepost.people.consent.missed_write_backs import missed_partition
from storepost.people.consent.write_back_index import index_partition
from storepost.people.profiles.lists import ProfileLists
from storepost.people.suppressions.trees import SuppressionLists
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import Item, Key, find_all, keys_in
from storepost.platform.postings.entries import SearchKind
from storepost.platform.postings.keys import (
    PACKED_KINDS,
    Indexed,
    packed_partitions,
    postings_partition,
)
from storepost.shopify.claims import keep_shops, store_key
from storepost.shopify.installs import InstallItem, state_key
from storepost.stores.imports.keys import imports_partition, problem_partition
from storepost.stores.stores.model import Platform
from storepost.stores.stores.problems import StoreDisconnected
from storepost.stores.stores.repository import StoreItem, StoreRepository
from storepost.stores.stores.sweeping import swept_key
from storepost.values.ids import from_short
from storepost.values.scope import PersonScope, WorkspaceScope
from storepost.webhooks.deliveries.rows import deliveries_partition
from storepost.webhooks.endpoints.repository import EndpointRepository


def disconnect_stores(workspace: WorkspaceScope) -> bool:
    """Disconnects the stores: nothing is written to them any more, and shops lose the app."""
    for store in StoreRepository(workspace).all():
        if store.is_active:
            commit_anew(partial(_disconnect, workspace, store.id))
    return False


def _disconnect(workspace: WorkspaceScope, store_id: UUID, changes: Changes) -> None:
    with suppress(StoreDisconnected):
        disconnect(workspace, store_id, changes)


def delete_webhooks(workspace: WorkspaceScope) -> bool:
    """Deletes the webhook endpoints first, so that they get no events of the deletion.

    Then deletes deliveries.
    """
    endpoints = EndpointRepository(workspace)
    for endpoint in endpoints.all():
        commit_anew(partial(endpoints.delete, endpoint=endpoint))
    return delete_some(deliveries_partition(workspace))


def delete_lists(workspace: WorkspaceScope) -> bool:
    """Deletes some rows of lists whose people, orders and products are gone."""
    profiles, products = ProfileLists(workspace), ProductLists(workspace)
    trees = [profiles.by_name, profiles.by_email, products.by_changed, products.by_title]
    for store in StoreRepository(workspace).all():
        trees += [profiles.of_store(store.id), OrderList(workspace, store.id).tree]
        trees += ProductLists(workspace, store.id).trees
    # Entries in the lists of all lead to people and orders: they are deleted only with those.
    suppressions = SuppressionLists(workspace)
    leading = (
        profiles.by_first_seen,
        suppressions.in_force,
        suppressions.lifted,
        OrderList(workspace).tree,
        products.by_added,
    )
    partitions = [tree.rows.partition for tree in trees]
    nodes = [tree.rows.nodes_partition for tree in (*trees, *leading, products.removed)]
    return any(delete_some(partition) for partition in (*partitions, *nodes))


def delete_imports(workspace: WorkspaceScope) -> bool:
    """Deletes some of each store's imports, with their problems; S3 objects expire."""
    more = False
    for store in StoreRepository(workspace).all():
        found = few(imports_partition(workspace, store.id))
        for _, key in found:
            empty(problem_partition(workspace, from_short(key.partition("#")[2])))
        delete_rows(found)
        more = more or bool(found)
    return more


def delete_missed(workspace: WorkspaceScope) -> bool:
    """Deletes some rows of stores' missed changes, and of the index of write-backs."""
    stores = StoreRepository(workspace).all()
    partitions = [missed_partition(workspace, store.id) for store in stores]
    return any(delete_some(each) for each in (*partitions, index_partition(workspace)))


def delete_definitions(workspace: WorkspaceScope) -> bool:
    """Deletes some definitions, each with its versions, and then proposals."""
    found = few(definitions_partition(workspace))
    for _, key in found:
        empty(versions_partition(workspace, from_short(key)))
    delete_rows(found)
    proposals = (proposed_partition(workspace), proposals_partition(workspace))
    return bool(found) or any(delete_some(partition) for partition in proposals)


def delete_postings(workspace: WorkspaceScope) -> bool:
    """Deletes some postings; the stream then delivers records for the rows deleted before.

    The rows that name runs are deleted first: after that, the stream's reader starts no run, and
    deletes postings as if there had never been a run.
    """
    packed = (packed_partitions(Indexed(workspace, kind)) for kind in PACKED_KINDS)
    rows = (postings_partition(workspace, kind) for kind in SearchKind)
    return any(
        delete_some(each) for each in (*chain.from_iterable(zip(*packed, strict=True)), *rows)
    )


def delete_wordings(workspace: WorkspaceScope) -> bool:
    """Deletes some of the wordings that people agreed to."""
    return delete_some(wording_partition(workspace))


def delete_own(workspace: WorkspaceScope) -> bool:
    """Deletes some rows of the workspace's own partition, and the rows that they name.

    The stores stay.
    """
    workspace_row = {workspace_key(workspace)[1]}
    own = [
        key
        for key in keys_in(workspace.key, _count_past_stores(workspace))
        if key[1] not in workspace_row and not key[1].startswith("store#")
    ][: rows.FEW]
    for key, row in find_all(own).items():
        delete_rows(_named_by(workspace, row))
        delete_rows([key])
    return bool(own)


def _named_by(workspace: WorkspaceScope, row: Item) -> list[Key]:
    """The rows in other partitions that a row of the workspace's own names."""
    if isinstance(row, MembershipItem):
        return [membership_pointer_key(PersonScope(row.person_id), workspace)]
    if isinstance(row, InvitationItem):
        return [pointer_key(row.id)]
    if isinstance(row, ApiKeyItem):
        return [token_key(digest) for digest in row.digests]
    if isinstance(row, FeedItem):
        return [due_key(row.id, row.next_import_at)]
    if isinstance(row, InstallItem):
        return [state_key(row.state_digest)]
    return []


def _count_past_stores(workspace: WorkspaceScope) -> int:
    """A limit high enough to read past the stores, which stay."""
    return len(StoreRepository(workspace).all()) + 1 + rows.FEW


def delete_stores(workspace: WorkspaceScope) -> bool:
    """Deletes the stores, the last rows that lead to others; keeps which shops they were."""
    stores = [key for key in keys_in(workspace.key, rows.ROWS_AT_ONCE) if key[1] != "workspace"]
    found = [row for row in find_all(stores).values() if isinstance(row, StoreItem)]
    of_shops = [row for row in found if row.platform == Platform.SHOPIFY.value]
    shops = [row.external_id for row in of_shops]
    commit_anew(partial(keep_shops, workspace=workspace, shops=shops))
    delete_rows(store_key(row.external_id, row.id) for row in of_shops)
    delete_rows([*stores, swept_key(workspace)])
    return bool(stores)

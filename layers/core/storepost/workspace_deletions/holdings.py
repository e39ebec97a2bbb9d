"""What a workspace holds, as the worker removes it: each kind of row is found by one of these.

A table can't be searched by the beginning of its partition keys, so each row must be found from
another: people and orders from the lists that have them all, what belongs to a person from the
person's row, what a store brought from the store's. Rows go before what leads to them. So this may
be killed anywhere and run again.
"""

from collections.abc import Callable
from dataclasses import dataclass

from storepost.api_keys.repository import ActiveKeysItem, ApiKeyItem
from storepost.budgets.repository import BudgetItem
from storepost.budgets.slots import FetchSlotsItem
from storepost.change_proposals.repository import ProposalCountItem, ProposalItem, ProposedItem
from storepost.consent.evidence_rows import EvidenceItem, WordingItem
from storepost.consent.missed import MissedWriteBackItem
from storepost.consent.owed import OwedRefusalItem
from storepost.consent.repository import ConsentAddressItem, ConsentChangeItem, ErasedAddressItem
from storepost.consent.sealed_evidence import SealedEvidenceItem
from storepost.consent.settings import ConsentSettingsItem
from storepost.coupons.rows import (
    CodeItem,
    CodePointerItem,
    CodeRemovalItem,
    CodeUseItem,
    CouponDueItem,
    CouponItem,
    CouponWorkItem,
)
from storepost.customers.repository import CustomerItem, DeletedCustomerItem, RedactedCustomerItem
from storepost.definitions.repository import DefinitionItem, VersionItem
from storepost.feeds.rows import (
    FeedAddressItem,
    FeedDueItem,
    FeedImportItem,
    FeedItem,
    SkippedRowsItem,
)
from storepost.identity.repository import ApiKeyTokenItem
from storepost.invitations.repository import InvitationItem, InvitationPointerItem, InvitedItem
from storepost.locales.repository import LocalesItem
from storepost.orders.repository import DeletedOrderItem, OrderItem, OrderPointerItem
from storepost.persistence.counted_tree.rows import EntryItem, NodeItem
from storepost.persistence.item import Item
from storepost.postings.repository import PostingItem
from storepost.priorities.repository import (
    ChangedProductItem,
    NamedChangeItem,
    PriorityChangeItem,
    StoreChangesItem,
)
from storepost.product_sales.repository import CountedOrderItem, SalesItem
from storepost.products.rows import (
    CustomFieldsItem,
    DeletedProductItem,
    LayerItem,
    MarkItem,
    NameItem,
    ProductItem,
    RulesItem,
)
from storepost.profile_events.repository import ProfileEventItem, UniqueEventItem
from storepost.profiles.rows import (
    ErasedProfileItem,
    IdentityItem,
    MergedProfileItem,
    MergeItem,
    ProfileItem,
)
from storepost.scope import WorkspaceScope
from storepost.shopify.claims import ShopStoreItem
from storepost.shopify.installs import InstallItem, InstallStateItem
from storepost.store_imports.rows import ImportItem, ImportProblemItem, ImportTurnsItem
from storepost.stores.repository import StoreClaimItem, StoreItem
from storepost.stores.write_back import WriteBackItem
from storepost.workspace_deletions.goods import (
    remove_feeds,
    remove_priority_changes,
    remove_product_stores,
    remove_products,
)
from storepost.workspace_deletions.own import (
    disconnect_stores,
    remove_definitions,
    remove_imports,
    remove_lists,
    remove_missed,
    remove_own,
    remove_postings,
    remove_stores,
    remove_wordings,
)
from storepost.workspace_deletions.people import remove_hashes, remove_people
from storepost.workspace_deletions.selling import (
    remove_codes,
    remove_coupons,
    remove_deleted_orders,
    remove_orders,
)
from storepost.workspaces.repository import (
    MembershipItem,
    MembershipPointerItem,
    SlugItem,
    WorkspaceItem,
)

type Remover = Callable[[WorkspaceScope], bool]
"""Removes some rows; whether there may be more."""


@dataclass(frozen=True)
class Holding:
    """Some kinds of rows, and what removes them."""

    kinds: tuple[type[Item], ...]
    remove: Remover


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
            EvidenceItem,
            OrderPointerItem,
            CodePointerItem,
            ProfileEventItem,
            UniqueEventItem,
        ),
        remove_people,
    ),
    Holding((CodeItem, CodeUseItem), remove_codes),
    Holding((CouponItem, CouponWorkItem, CodeRemovalItem, CouponDueItem), remove_coupons),
    Holding((OrderItem, CountedOrderItem), remove_orders),
    Holding((DeletedOrderItem,), remove_deleted_orders),
    Holding((ProductItem, LayerItem), remove_products),
    Holding((PriorityChangeItem, ChangedProductItem), remove_priority_changes),
    Holding(
        (
            RulesItem,
            MarkItem,
            CustomFieldsItem,
            NameItem,
            SalesItem,
            StoreChangesItem,
            NamedChangeItem,
        ),
        remove_product_stores,
    ),
    Holding((EntryItem, NodeItem), remove_lists),
    Holding((ImportItem, ImportProblemItem), remove_imports),
    Holding((MissedWriteBackItem,), remove_missed),
    Holding((WordingItem,), remove_wordings),
    Holding(
        (DefinitionItem, VersionItem, ProposalItem, ProposedItem, ProposalCountItem),
        remove_definitions,
    ),
    Holding((PostingItem,), remove_postings),
    Holding((FeedImportItem, SkippedRowsItem), remove_feeds),
    Holding(
        (ErasedAddressItem, OwedRefusalItem, RedactedCustomerItem, SealedEvidenceItem),
        remove_hashes,
    ),
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
            ConsentSettingsItem,
            StoreClaimItem,
            WriteBackItem,
            ImportTurnsItem,
            FeedItem,
            FeedAddressItem,
            FeedDueItem,
            InstallItem,
            InstallStateItem,
            BudgetItem,
            FetchSlotsItem,
        ),
        remove_own,
    ),
)
"""In this order, as often as it takes."""

ENDS: tuple[Holding, ...] = (Holding((StoreItem, ShopStoreItem), remove_stores),)
"""What leads to the rest; once nobody can write anything more."""

BESIDE: tuple[type[Item], ...] = (
    WorkspaceItem,
    SlugItem,
    ErasedProfileItem,
    DeletedCustomerItem,
    DeletedProductItem,
)
"""The deletion's own transaction or the worker's last one has these, or the erasure's worker; what
is left of what was never known, a number and a moment, ends by itself within 30 days. So does a
claim that names nobody."""

"""What a workspace holds, as the worker removes it: each kind of row is found by one of these.

A table can't be searched by the beginning of its partition keys, so each row must be found from
another: people and orders from the lists that have them all, what belongs to a person from the
person's row, what a store brought from the store's. Rows go before what leads to them. So this may
be killed anywhere and run again.
"""

from collections.abc import Callable
from dataclasses import dataclass

from storepost.accounts.api_keys.repository import ActiveKeysItem, ApiKeyItem
from storepost.accounts.identity.repository import ApiKeyTokenItem
from storepost.accounts.invitations.repository import (
    InvitationItem,
    InvitationPointerItem,
    InvitedItem,
)
from storepost.accounts.workspaces.repository import (
    MembershipItem,
    MembershipPointerItem,
    SlugItem,
    WorkspaceItem,
)
from storepost.catalog.priorities.repository import (
    ChangedProductItem,
    NamedChangeItem,
    PriorityChangeItem,
    StoreChangesItem,
)
from storepost.catalog.products.rows import (
    CustomFieldsItem,
    DeletedProductItem,
    LayerItem,
    MarkItem,
    NameItem,
    ProductItem,
    RulesItem,
)
from storepost.coupons.rows import (
    CodeItem,
    CodePointerItem,
    CodeRemovalItem,
    CodeUseItem,
    CouponDueItem,
    CouponItem,
    CouponWorkItem,
)
from storepost.definitions.definitions.repository import DefinitionItem, VersionItem
from storepost.definitions.proposals.repository import ProposalCountItem, ProposalItem, ProposedItem
from storepost.feeds.feeds.rows import (
    FeedAddressItem,
    FeedDueItem,
    FeedImportItem,
    FeedItem,
    SkippedRowsItem,
)
from storepost.lifecycle.workspaces.goods import (
    remove_feeds,
    remove_priority_changes,
    remove_product_stores,
    remove_products,
)
from storepost.lifecycle.workspaces.own import (
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
from storepost.lifecycle.workspaces.people import remove_hashes, remove_people
from storepost.lifecycle.workspaces.selling import (
    remove_codes,
    remove_coupons,
    remove_deleted_orders,
    remove_orders,
)
from storepost.orders.repository import DeletedOrderItem, OrderItem, OrderPointerItem
from storepost.overview.product_sales.repository import CountedOrderItem, SalesItem
from storepost.people.consent.evidence_rows import EvidenceItem, WordingItem
from storepost.people.consent.missed import MissedWriteBackItem
from storepost.people.consent.owed import OwedRefusalItem
from storepost.people.consent.repository import (
    ConsentAddressItem,
    ConsentChangeItem,
    ErasedAddressItem,
)
from storepost.people.consent.sealed_evidence import SealedEvidenceItem
from storepost.people.consent.settings import ConsentSettingsItem
from storepost.people.consent.write_back_index import IndexedChangeItem
from storepost.people.customers.repository import (
    CustomerItem,
    DeletedCustomerItem,
    RedactedCustomerItem,
)
from storepost.people.events.repository import ProfileEventItem, UniqueEventItem
from storepost.people.profiles.rows import (
    ErasedProfileItem,
    IdentityItem,
    MergedProfileItem,
    MergeItem,
    ProfileItem,
)
from storepost.platform.budgets.repository import BudgetItem
from storepost.platform.budgets.slots import FetchSlotsItem
from storepost.platform.persistence.counted_tree.rows import EntryItem, NodeItem
from storepost.platform.persistence.item import Item
from storepost.platform.postings.repository import PostingItem
from storepost.shopify.claims import ShopStoreItem
from storepost.shopify.installs import InstallItem, InstallStateItem
from storepost.stores.imports.rows import ImportItem, ImportProblemItem, ImportTurnsItem
from storepost.stores.locales.repository import LocalesItem
from storepost.stores.stores.repository import StoreClaimItem, StoreItem
from storepost.stores.stores.write_back import WriteBackItem
from storepost.values.scope import WorkspaceScope

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
    Holding((MissedWriteBackItem, IndexedChangeItem), remove_missed),
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

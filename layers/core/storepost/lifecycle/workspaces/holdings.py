"""The holdings of a workspace, as the worker removes them: each kind of row belongs to one.

A table can't be searched by a prefix of partition keys, so each row must be found from another row:
people and orders from the lists of all, a person's rows from the person's own, a store's data from
the store's. Rows are deleted before the rows that lead to them. So the worker may be killed
anywhere and run again.
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
    ProductLoadItem,
    RulesItem,
    StagedProductsItem,
)
from storepost.coupons.rows import (
    CodeInDoubtItem,
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
from storepost.lifecycle.workspaces.catalog import (
    delete_feeds,
    delete_priority_changes,
    delete_product_stores,
    delete_products,
    delete_staged_products,
)
from storepost.lifecycle.workspaces.commerce import (
    delete_codes,
    delete_coupons,
    delete_deleted_orders,
    delete_orders,
)
from storepost.lifecycle.workspaces.people import delete_hashes, delete_people, delete_suppressions
from storepost.lifecycle.workspaces.workspace_data import (
    delete_definitions,
    delete_imports,
    delete_lists,
    delete_missed,
    delete_own,
    delete_postings,
    delete_stores,
    delete_webhooks,
    delete_wordings,
    disconnect_stores,
)
from storepost.orders.repository import DeletedOrderItem, OrderItem
from storepost.overview.product_sales.repository import CountedOrderItem, SalesItem
from storepost.people.consent.evidence_items import EvidenceItem
from storepost.people.consent.evidence_rows import WordingItem
from storepost.people.consent.items import ConsentAddressItem, ConsentChangeItem, ErasedAddressItem
from storepost.people.consent.missed_write_backs import MissedWriteBackItem
from storepost.people.consent.owed_opt_outs import OwedOptOutItem
from storepost.people.consent.sealed_evidence import SealedEvidenceItem
from storepost.people.consent.settings import ConsentSettingsItem
from storepost.people.consent.write_back_index import IndexedChangeItem
from storepost.people.customers.repository import (
    CustomerItem,
    DeletedCustomerItem,
    RedactedCustomerItem,
)
from storepost.people.email_feedback.repository import AddressEmailsItem
from storepost.people.events.rows import OrderPointerItem, ProfileEventItem, UniqueEventItem
from storepost.people.opt_in.repository import OptInRequestItem, OptInSendsItem
from storepost.people.profiles.rows import (
    ErasedProfileItem,
    IdentityItem,
    MergedProfileItem,
    MergeItem,
    ProfileItem,
)
from storepost.people.suppressions.rows import (
    PastSuppressionItem,
    SuppressedAddressItem,
    SuppressionDueItem,
    SuppressionItem,
)
from storepost.platform.attempts.due import DueMessageItem
from storepost.platform.budgets.repository import BudgetItem
from storepost.platform.budgets.slots import FetchSlotsItem
from storepost.platform.migrations.rows import MigrationItem
from storepost.platform.persistence.counted_tree.items import (
    EntryItem,
    NodeItem,
    PackedSpanItem,
    PageItem,
    PendingCountItem,
)
from storepost.platform.persistence.item import Item
from storepost.platform.postings.pages import PostingFencesItem, PostingPageItem
from storepost.platform.postings.rows import NoPostingItem, PostingItem
from storepost.platform.postings.runs import PostingRunsItem
from storepost.shopify.claims import ShopStoreItem
from storepost.shopify.installs import InstallItem, InstallStateItem
from storepost.stores.imports.rows import ImportItem, ImportProblemItem, ImportTurnsItem
from storepost.stores.locales.repository import LocalesItem
from storepost.stores.stores.repository import StoreClaimItem, StoreItem
from storepost.stores.stores.sweeping import SweptWorkspaceItem
from storepost.stores.stores.write_back import WriteBackItem
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.deliveries.rows import DeliveryItem
from storepost.webhooks.endpoints.rows import EndpointCountItem, WebhookEndpointItem

type Deleter = Callable[[WorkspaceScope], bool]
"""Removes some rows; returns whether there may be more."""


@dataclass(frozen=True)
class Holding:
    """Some kinds of rows, and the function that removes them."""

    kinds: tuple[type[Item], ...]
    delete: Deleter


CONTENTS: tuple[Holding, ...] = (
    Holding((WebhookEndpointItem, DeliveryItem), delete_webhooks),
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
            OptInRequestItem,
            OrderPointerItem,
            CodePointerItem,
            ProfileEventItem,
            UniqueEventItem,
        ),
        delete_people,
    ),
    Holding(
        (SuppressionItem, SuppressedAddressItem, PastSuppressionItem, SuppressionDueItem),
        delete_suppressions,
    ),
    Holding((CodeItem, CodeUseItem), delete_codes),
    Holding(
        (CouponItem, CouponWorkItem, CodeRemovalItem, CodeInDoubtItem, CouponDueItem),
        delete_coupons,
    ),
    Holding((OrderItem, CountedOrderItem), delete_orders),
    Holding((DeletedOrderItem,), delete_deleted_orders),
    Holding((ProductItem, LayerItem), delete_products),
    Holding((PriorityChangeItem, ChangedProductItem), delete_priority_changes),
    Holding(
        (
            RulesItem,
            MarkItem,
            CustomFieldsItem,
            ProductLoadItem,
            NameItem,
            SalesItem,
            StoreChangesItem,
            NamedChangeItem,
        ),
        delete_product_stores,
    ),
    Holding((EntryItem, PageItem, NodeItem, PackedSpanItem, PendingCountItem), delete_lists),
    Holding((ImportItem, ImportProblemItem), delete_imports),
    Holding((MissedWriteBackItem, IndexedChangeItem), delete_missed),
    Holding((WordingItem,), delete_wordings),
    Holding(
        (DefinitionItem, VersionItem, ProposalItem, ProposedItem, ProposalCountItem),
        delete_definitions,
    ),
    Holding(
        (PostingItem, NoPostingItem, PostingRunsItem, PostingPageItem, PostingFencesItem),
        delete_postings,
    ),
    Holding((FeedImportItem, SkippedRowsItem), delete_feeds),
    Holding(
        (
            ErasedAddressItem,
            OwedOptOutItem,
            RedactedCustomerItem,
            SealedEvidenceItem,
            OptInSendsItem,
            AddressEmailsItem,
        ),
        delete_hashes,
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
            EndpointCountItem,
            MigrationItem,
        ),
        delete_own,
    ),
)
"""Removed in this order, each as often as needed."""

ENDS: tuple[Holding, ...] = (
    Holding((StagedProductsItem,), delete_staged_products),
    Holding((StoreItem, ShopStoreItem, SweptWorkspaceItem), delete_stores),
)
"""The rows that lead to the rest, removed once nothing can be written any more."""

BESIDE: tuple[type[Item], ...] = (
    WorkspaceItem,
    SlugItem,
    ErasedProfileItem,
    DeletedCustomerItem,
    DeletedProductItem,
    DueMessageItem,
)
"""These are deleted by the deletion's own transaction, the worker's last one, or the erasure's
worker. Some expire within 30 days: records of deletions of unknown customers and products (an id
and a time), free claims, and later attempts for deleted webhook endpoints.
"""

"""What a change of each kind of row tells, by the kind."""

from collections.abc import Mapping

from storepost.accounts.api_keys.repository import ApiKeyItem
from storepost.accounts.workspaces.repository import MembershipItem
from storepost.catalog.products.rows import ProductItem
from storepost.coupons.rows import CodeItem, CouponItem
from storepost.definitions.proposals.repository import ProposalItem
from storepost.feeds.feeds.rows import FeedImportItem
from storepost.orders.repository import OrderItem
from storepost.people.consent.repository import ConsentChangeItem
from storepost.people.profiles.rows import ErasedProfileItem, MergedProfileItem, ProfileItem
from storepost.people.suppressions.rows import SuppressionItem
from storepost.platform.persistence.item import Item
from storepost.stores.imports.rows import ImportItem, ImportTurnsItem
from storepost.stores.stores.repository import StoreItem
from storepost.webhooks.events.causes.cause import Comparison
from storepost.webhooks.events.causes.orders import order_cause
from storepost.webhooks.events.causes.people import (
    consent_cause,
    profile_cause,
    suppression_cause,
)
from storepost.webhooks.events.causes.selling import code_cause, coupon_cause, product_cause
from storepost.webhooks.events.causes.stores import (
    feed_import_cause,
    store_cause,
    store_import_cause,
    turns_cause,
)
from storepost.webhooks.events.causes.workspace import api_key_cause, member_cause, proposal_cause

_COMPARISONS: Mapping[type[Item], Comparison] = {
    OrderItem: order_cause,
    ProfileItem: profile_cause,
    MergedProfileItem: profile_cause,
    ErasedProfileItem: profile_cause,
    ConsentChangeItem: consent_cause,
    SuppressionItem: suppression_cause,
    ProductItem: product_cause,
    CouponItem: coupon_cause,
    CodeItem: code_cause,
    StoreItem: store_cause,
    ImportTurnsItem: turns_cause,
    ImportItem: store_import_cause,
    FeedImportItem: feed_import_cause,
    ProposalItem: proposal_cause,
    MembershipItem: member_cause,
    ApiKeyItem: api_key_cause,
}

COMPARISONS: Mapping[str, Comparison] = {
    str(Item.kind.get_discriminator(model)): compare for model, compare in _COMPARISONS.items()
}
"""By the kind of the row after the write, or before it where it was removed."""

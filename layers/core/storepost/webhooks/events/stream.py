"""From a record of the table's stream to the events that it tells.

Everything follows from the row before and after the write, which the stream has both. So the write
itself costs nothing more, and the same record tells the same whenever it is read.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from storepost.accounts.api_keys.repository import ApiKeyItem
from storepost.accounts.workspaces.repository import MembershipItem
from storepost.catalog.products.rows import ProductItem
from storepost.coupons.rows import CodeItem, CouponItem
from storepost.definitions.proposals.repository import ProposalItem
from storepost.feeds.feeds.rows import FeedImportItem
from storepost.orders.repository import OrderItem
from storepost.people.consent.repository import ConsentChangeItem
from storepost.people.profiles.rows import ErasedProfileItem, MergedProfileItem, ProfileItem
from storepost.platform.persistence.item import Item
from storepost.platform.persistence.streams import row_of
from storepost.platform.persistence.write_marks import MarkedItem, WriteMark
from storepost.stores.imports.rows import ImportItem, ImportTurnsItem
from storepost.stores.stores.repository import StoreItem
from storepost.values.ids import derived_id
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.causes.cause import Cause, Comparison
from storepost.webhooks.events.causes.orders import order_cause
from storepost.webhooks.events.causes.people import consent_cause, profile_cause
from storepost.webhooks.events.causes.selling import code_cause, coupon_cause, product_cause
from storepost.webhooks.events.causes.stores import (
    cut_short_causes,
    feed_import_cause,
    store_cause,
    store_import_cause,
    turns_cause,
)
from storepost.webhooks.events.causes.workspace import api_key_cause, member_cause, proposal_cause
from storepost.webhooks.events.model import WebhookEvent

type StreamRecord = Mapping[str, Any]
"""A record as Lambda hands it over, or as `GetRecords` answers it."""

COMPARISONS: Mapping[type[Item], Comparison] = {
    OrderItem: order_cause,
    ProfileItem: profile_cause,
    MergedProfileItem: profile_cause,
    ErasedProfileItem: profile_cause,
    ConsentChangeItem: consent_cause,
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
"""By the kind of the row after the write, or before it where it was removed."""


def events_of(record: StreamRecord) -> list[tuple[WorkspaceScope, WebhookEvent]]:
    """Returns what a record tells: of each resource one event, with its workspace.

    It reads nothing, but for imports that waited when their store was disconnected.
    """
    change = record["dynamodb"]
    old, new = row_of(change.get("OldImage")), row_of(change.get("NewImage"))
    row = new or old
    if row is None or type(row) not in COMPARISONS:
        return []
    workspace = WorkspaceScope.of(row.pk)
    causes = _causes(COMPARISONS[type(row)], old, new)
    is_import = _mark(new) == WriteMark.IMPORT
    return [(workspace, _event(change, row, each, is_import=is_import)) for each in causes]


def _causes(compare: Comparison, old: Item | None, new: Item | None) -> list[Cause]:
    cause = compare(old, new)
    # After a merge or an erasure, which were told, rows follow that nobody sees a change by.
    if cause and _mark(new) == WriteMark.UPKEEP and cause.types[0].endswith(".updated"):
        cause = None
    return [*([cause] if cause else []), *cut_short_causes(old, new)]


def _mark(row: Item | None) -> str | None:
    return row.written_by if isinstance(row, MarkedItem) else None


def _event(change: Mapping[str, Any], row: Item, cause: Cause, *, is_import: bool) -> WebhookEvent:
    first, *also = cause.types
    parts = (row.pk, row.sk, change["SequenceNumber"], str(cause.resource.id))
    return WebhookEvent(
        type=first,
        event_id=derived_id(WorkspaceScope.of(row.pk).id, "event", *parts),
        occurred_at=_moment(change["ApproximateCreationDateTime"]),
        resource=cause.resource,
        ids={name: str(value) for name, value in cause.ids.items()},
        imported=is_import,
        always=cause.always,
        also=tuple(also),
    )


def _moment(at: float | datetime) -> datetime:
    """Lambda hands over whole seconds since 1970, and boto3 a moment."""
    seconds = at.timestamp() if isinstance(at, datetime) else at
    return datetime.fromtimestamp(int(seconds), UTC)

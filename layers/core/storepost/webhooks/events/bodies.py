"""What a message says of an event, made anew for each attempt.

Each resource is read as its own operations read it, so that who was erased meanwhile is not found,
whatever is still to be removed of them. Of what isn't found the event's ids are said.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

from storepost.accounts.api_keys.schemas import ApiKeySummary
from storepost.accounts.api_keys.service import get_key
from storepost.accounts.members.schemas import MemberSummary
from storepost.accounts.members.service import get_member
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.schemas import ProductSummary
from storepost.coupons.changing import get_stored_code
from storepost.coupons.code_listing import code_views
from storepost.coupons.code_schemas import CouponCode
from storepost.coupons.listing import get_coupon
from storepost.coupons.schemas import Coupon
from storepost.definitions.proposals.reading import find_proposal, listed_proposal
from storepost.definitions.proposals.schemas import ChangeProposalSummary
from storepost.feeds.feeds.import_schemas import FeedImport
from storepost.feeds.feeds.listing import found_import
from storepost.orders.repository import OrderRepository
from storepost.orders.schemas import OrderSummary
from storepost.people.consent_changes.listing import get_change, store_names
from storepost.people.consent_changes.schemas import ConsentChange
from storepost.people.deliverability.listing import get_suppression
from storepost.people.deliverability.schemas import Suppression
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.people.profiles.schemas import ProfileSummary
from storepost.people.profiles.service import get_profile
from storepost.people.suppressions.model import Suppression as SuppressionValue
from storepost.people.suppressions.model import address_of
from storepost.stores.imports.listing import get_import
from storepost.stores.imports.schemas import StoreImport
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.listing import listed_store
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.schemas import StoreSummary
from storepost.values.problems import NotFound
from storepost.values.scope import WorkspaceScope
from storepost.values.wire import Shape
from storepost.webhooks.events.model import WebhookEvent

GONE = frozenset({"profile.erased", "order.deleted", "member.removed"})
"""Of these the resource is gone by what they tell."""

type Ids = Mapping[str, str]
type Reader = Callable[[WorkspaceScope, UUID, Ids], Shape]
"""Reads a resource by its id, and the event's further ids. Raises NotFound."""


def data_of(scope: WorkspaceScope, event: WebhookEvent) -> dict[str, Any] | None:
    """Returns the `data` of a message as it stands now; None of an event without a resource."""
    if event.resource is None:
        return None
    ids = {"id": str(event.resource.id), **_ids(event)}
    if event.type in GONE:
        return ids
    with suppress(NotFound):
        shape = READERS[event.resource.kind](scope, event.resource.id, event.ids)
        return {**ids, **_without_device(shape.model_dump(mode="json", by_alias=True))}
    return ids


def _ids(event: WebhookEvent) -> dict[str, Any]:
    """The event's further ids; `mergedProfileIds` are several."""
    merged = event.ids.get("mergedProfileIds")
    return {**event.ids, "mergedProfileIds": merged.split()} if merged is not None else event.ids


def _without_device(data: dict[str, Any]) -> dict[str, Any]:
    """What is said of a change of consent has neither network address nor browser."""
    proof = data.get("proof")
    if proof is None:
        return data
    hidden = {"ip", "userAgent"}
    return {**data, "proof": {k: v for k, v in proof.items() if k not in hidden}}


def _order(scope: WorkspaceScope, order_id: UUID, _ids: Ids) -> Shape:
    order = OrderRepository(scope).get(order_id)
    if order is None:
        raise NotFound.of("order")
    return OrderSummary.of(order.summary)


def _profile(scope: WorkspaceScope, profile_id: UUID, _ids: Ids) -> Shape:
    return ProfileSummary.of(get_profile(scope, profile_id))


def _consent_change(scope: WorkspaceScope, change_id: UUID, ids: Ids) -> Shape:
    change = get_change(scope, UUID(ids["profileId"]), change_id)
    return ConsentChange.of(change, store_names(scope, [change]))


def _product(scope: WorkspaceScope, product_id: UUID, _ids: Ids) -> Shape:
    product = ProductRepository(scope).get(product_id)
    if product is None:
        raise NotFound.of("product")
    return ProductSummary.of(product)


def _coupon(scope: WorkspaceScope, coupon_id: UUID, _ids: Ids) -> Shape:
    return Coupon.of(get_coupon(scope, coupon_id))


def _coupon_code(scope: WorkspaceScope, code_id: UUID, _ids: Ids) -> Shape:
    coupon, code = get_stored_code(scope, code_id)
    [view] = code_views(coupon, [code])
    return CouponCode.of(view)


def _store(scope: WorkspaceScope, store_id: UUID, _ids: Ids) -> Shape:
    return StoreSummary.of(listed_store(found_store(StoreRepository(scope), store_id)))


def _store_import(scope: WorkspaceScope, import_id: UUID, ids: Ids) -> Shape:
    return StoreImport.of(get_import(scope, UUID(ids["storeId"]), import_id))


def _feed_import(scope: WorkspaceScope, import_id: UUID, ids: Ids) -> Shape:
    return FeedImport.of(found_import(scope, UUID(ids["feedId"]), import_id))


def _change_proposal(scope: WorkspaceScope, proposal_id: UUID, _ids: Ids) -> Shape:
    return ChangeProposalSummary.of(listed_proposal(scope, find_proposal(scope, proposal_id)))


def _member(scope: WorkspaceScope, membership_id: UUID, _ids: Ids) -> Shape:
    return MemberSummary.of(get_member(scope, membership_id))


def _api_key(scope: WorkspaceScope, key_id: UUID, _ids: Ids) -> Shape:
    return ApiKeySummary.of(get_key(scope, key_id))


def _suppression(scope: WorkspaceScope, suppression_id: UUID, _ids: Ids) -> Shape:
    suppression = get_suppression(scope, suppression_id)
    return Suppression.of(suppression.erased() if _is_erased(scope, suppression) else suppression)


def _is_erased(scope: WorkspaceScope, suppression: SuppressionValue) -> bool:
    """Whether whoever has the address was erased, as its claim says until a worker removes it.

    The worker takes the address out of the suppression before that.
    """
    address = address_of(suppression)
    if address is None:
        return False
    identity, profiles = identity_of(address), ProfileRepository(scope)
    known = look_up(profiles, [identity])
    claim = known.claims.get(identity)
    return claim is not None and profiles.was_erased(claim.profile_id)


READERS: Mapping[str, Reader] = {
    "order": _order,
    "profile": _profile,
    "consent_change": _consent_change,
    "product": _product,
    "coupon": _coupon,
    "coupon_code": _coupon_code,
    "store": _store,
    "store_import": _store_import,
    "feed_import": _feed_import,
    "change_proposal": _change_proposal,
    "member": _member,
    "api_key": _api_key,
    "suppression": _suppression,
}
"""By the kind of the resource."""

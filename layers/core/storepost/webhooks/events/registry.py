"""The types of events: when each is sent, what its messages say, and a message as a sample."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from storepost.accounts.api_keys.schemas import ApiKeySummary
from storepost.accounts.members.schemas import MemberSummary
from storepost.catalog.products.schemas import ProductSummary
from storepost.coupons.schemas import Coupon
from storepost.definitions.proposals.schemas import ChangeProposalSummary
from storepost.feeds.feeds.import_schemas import FeedImport
from storepost.orders.schemas import OrderSummary
from storepost.people.deliverability.schemas import Suppression
from storepost.people.profiles.schemas import ProfileSummary
from storepost.stores.stores.schemas import StoreSummary
from storepost.values.component_names import publicly_named
from storepost.values.wire import Shape
from storepost.webhooks.events import shapes
from storepost.webhooks.events.descriptions import DESCRIPTIONS
from storepost.webhooks.events.matching import ALL, TEST_TYPE, matches, type_for
from storepost.webhooks.events.samples import sample_of

__all__ = ["ALL", "EVENT_TYPES", "TEST_TYPE", "EventType", "matches", "type_for"]

_DEFINITIONS = "#/$defs/"

type ShapeClass = type[Shape]
"""A class of `data`."""

type Shapes = tuple[ShapeClass, ...]
"""The shapes of `data`: the resource's summary, and then what is left once it is gone."""


@dataclass(frozen=True)
class EventType:
    """A type of events."""

    type: str
    description: str
    schema: ShapeClass
    """The shape of `data`, as long as the resource exists."""
    sample: dict[str, Any]
    """A whole message."""
    gone: ShapeClass | None = None
    """The shape of `data` once the resource is gone; None if it is `schema`, too."""

    def json_schema(self) -> dict[str, Any]:
        """Returns the JSON Schema of `data`; its `$defs` have the names of the description."""
        both: Any = self.schema if self.gone is None else self.schema | self.gone
        template = _DEFINITIONS + "{model}"
        schema = TypeAdapter(both).json_schema(mode="serialization", ref_template=template)
        named: dict[str, Any] = publicly_named(schema, _DEFINITIONS)
        return named


_ORDER = (OrderSummary, shapes.GoneOfStore)
_PROFILE = (ProfileSummary, shapes.GoneResource)
_PRODUCT = (ProductSummary, shapes.GoneOfStore)
_COUPON = (Coupon, shapes.GoneResource)
_CODE = (shapes.ChangedCouponCode, shapes.GoneCouponCode)
_STORE = (StoreSummary, shapes.GoneResource)
_STORE_IMPORT = (shapes.EndedStoreImport, shapes.GoneOfStore)
_FEED_IMPORT = (FeedImport, shapes.GoneFeedImport)
_PROPOSAL = (ChangeProposalSummary, shapes.GoneResource)
_MEMBER = (MemberSummary, shapes.GoneMember)
_API_KEY = (ApiKeySummary, shapes.GoneResource)
_SUPPRESSION = (Suppression, shapes.GoneResource)

_SHAPES: Mapping[str, Shapes] = {
    "profile.created": _PROFILE,
    "profile.updated": _PROFILE,
    "profile.merged": (shapes.MergedProfile, shapes.GoneMergedProfile),
    "profile.erased": (shapes.ErasedProfile,),
    "consent.changed": (shapes.ChangedConsent, shapes.GoneConsentChange),
    "order.created": _ORDER,
    "order.updated": _ORDER,
    "order.cancelled": _ORDER,
    "order.refunded": _ORDER,
    "order.deleted": (shapes.GoneOfStore,),
    "product.created": _PRODUCT,
    "product.updated": _PRODUCT,
    "product.removed": _PRODUCT,
    "coupon.created": _COUPON,
    "coupon.ended": _COUPON,
    "coupon_code.assigned": _CODE,
    "coupon_code.used": _CODE,
    "coupon_code.expired": _CODE,
    "store.connected": _STORE,
    "store.disconnected": _STORE,
    "store.needs_attention": _STORE,
    "store_import.completed": _STORE_IMPORT,
    "store_import.failed": _STORE_IMPORT,
    "feed_import.completed": _FEED_IMPORT,
    "feed_import.failed": _FEED_IMPORT,
    "change_proposal.opened": _PROPOSAL,
    "change_proposal.approved": _PROPOSAL,
    "change_proposal.rejected": _PROPOSAL,
    "member.joined": _MEMBER,
    "member.role_changed": _MEMBER,
    "member.removed": (shapes.GoneMember,),
    "api_key.created": _API_KEY,
    "api_key.rotated": _API_KEY,
    "api_key.revoked": _API_KEY,
    "suppression.created": _SUPPRESSION,
    "suppression.deleted": _SUPPRESSION,
    TEST_TYPE: (shapes.WebhookTestData,),
}

EVENT_TYPES: tuple[EventType, ...] = tuple(
    EventType(name, DESCRIPTIONS[name], schema, sample_of(name), *gone)
    for name, (schema, *gone) in _SHAPES.items()
)

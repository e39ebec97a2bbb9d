"""The document that says everything held of a person."""

from storepost.consent_changes.evidence_schemas import ConsentEvidence
from storepost.consent_changes.schemas import ConsentChange
from storepost.coupons.code_schemas import CouponCode
from storepost.customers.schemas import ProfileCustomer
from storepost.orders.schemas import Order
from storepost.profile_events.schemas import ProfileEvent
from storepost.profiles.schemas import Profile, ProfileIdentity, ProfileMerge
from storepost.wire import Shape, Timestamp


class ExportSection[T](Shape):
    """What is held of one kind, the newest first; cut where `items` are fewer than `total`."""

    items: list[T]
    total: int


class ProfileExport(Shape):
    """Everything held of a person; `complete` where no section had to be cut."""

    exported_at: Timestamp
    complete: bool
    profile: Profile
    identities: ExportSection[ProfileIdentity]
    customers: ExportSection[ProfileCustomer]
    merges: ExportSection[ProfileMerge]
    consent_changes: ExportSection[ConsentChange]
    consent_evidence: ExportSection[ConsentEvidence]
    events: ExportSection[ProfileEvent]
    orders: ExportSection[Order]
    coupon_codes: ExportSection[CouponCode]

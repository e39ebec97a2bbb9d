"""The document that says everything held of a person."""

from storepost.coupons.code_schemas import CouponCode
from storepost.orders.schemas import Order
from storepost.people.consent_changes.evidence_schemas import ConsentEvidence
from storepost.people.consent_changes.schemas import ConsentChange
from storepost.people.customers.schemas import ProfileCustomer
from storepost.people.events.schemas import ProfileEvent
from storepost.people.profiles.schemas import Profile, ProfileIdentity, ProfileMerge
from storepost.values.wire import Shape, Timestamp


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

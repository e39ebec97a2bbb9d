"""The document with everything stored about a person."""

from pydantic import Field

from storepost.coupons.code_schemas import CouponCode
from storepost.orders.schemas import Order
from storepost.people.consent_changes.evidence_schemas import ConsentEvidence
from storepost.people.consent_changes.schemas import ConsentChange
from storepost.people.customers.schemas import ProfileCustomer
from storepost.people.deliverability.schemas import Suppression
from storepost.people.events.schemas import ProfileEvent
from storepost.people.opt_in.schemas import OptInRequest
from storepost.people.profiles.schemas import Profile, ProfileIdentity, ProfileMerge
from storepost.values.wire import Shape, Timestamp


class ExportSection[T](Shape):
    """What is stored of one kind, the newest first. It is cut where `items` are fewer than
    `total`.
    """

    items: list[T] = Field(description="The newest, at most 1,000 of them.")
    total: int = Field(
        description="How many there are in all. The rest is on the further pages of the kind's own "
        "list."
    )


class ProfileExport(Shape):
    """Everything that is stored of a person."""

    exported_at: Timestamp = Field(description="When the export was made.")
    complete: bool = Field(
        description="Whether every section is whole. `false` where one had to be cut."
    )
    profile: Profile = Field(
        description="Who the person is, with their stores and what they spent."
    )
    identities: ExportSection[ProfileIdentity] = Field(
        description="The values that name the person."
    )
    customers: ExportSection[ProfileCustomer] = Field(
        description="The person as each store knows them."
    )
    merges: ExportSection[ProfileMerge] = Field(
        description="The profiles that became part of this one."
    )
    consent_changes: ExportSection[ConsentChange] = Field(
        description="The history of their consent, with its proofs."
    )
    consent_evidence: ExportSection[ConsentEvidence] = Field(
        description="Each statement about their addresses, with what proves it."
    )
    suppressions: ExportSection[Suppression] = Field(
        description="What suppresses their addresses, or did until it was lifted."
    )
    opt_in_requests: ExportSection[OptInRequest] = Field(
        description="The opt-in emails of the last 30 days."
    )
    events: ExportSection[ProfileEvent] = Field(description="What happened with the person.")
    orders: ExportSection[Order] = Field(description="Their orders, whole.")
    coupon_codes: ExportSection[CouponCode] = Field(
        description="The coupon codes that were assigned to them."
    )

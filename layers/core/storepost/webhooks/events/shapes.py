"""What messages say of a resource: its summary with the ids that lead to it, or ids alone."""

from uuid import UUID

from pydantic import Field

from storepost.coupons.code_schemas import CouponCode
from storepost.people.consent_changes.schemas import ConsentChange
from storepost.people.profiles.schemas import ProfileSummary
from storepost.stores.imports.schemas import StoreImport
from storepost.values.wire import Shape

_PROFILE = "The profile whose history has the change, which `GET /profiles/{id}` takes."
_STORE = "The store, which `GET /stores/{id}` takes."
_MERGED = "The profile that became part of `id`. Its id leads to `id` in every request."


class WebhookTestData(Shape):
    """What a message of the type `webhook.test` says: an id that names nothing."""

    id: UUID = Field(description="Made up for the test: nothing has this id.")


class GoneResource(Shape):
    """What is left of a resource that is gone when the message is made."""

    id: UUID = Field(description="What named it while it was there; no request finds it any more.")


class GoneOfStore(GoneResource):
    """What is left of a store's resource that is gone."""

    store_id: UUID = Field(description=_STORE)


class GoneConsentChange(GoneResource):
    """What is left of a change of consent once its person was erased."""

    profile_id: UUID = Field(
        description="Who it was: look for this in what you keep, and delete it."
    )


class GoneCouponCode(GoneResource):
    """What is left of a code that was deleted."""

    coupon_id: UUID = Field(
        description="Where it belonged, which `GET /coupons/{id}` takes as long as that is there."
    )


class GoneFeedImport(GoneResource):
    """What is left of an import whose feed was deleted."""

    feed_id: UUID = Field(description="Whose file was fetched. It was deleted since.")


class GoneMember(GoneResource):
    """Who is no member any more."""

    user_id: UUID = Field(description="The person's id, the same in every workspace.")


class MergedProfile(ProfileSummary):
    """The profile that remains of two, as lists show it."""

    merged_profile_id: UUID = Field(description=_MERGED)


class GoneMergedProfile(GoneResource):
    """What is left of a merge once the person was erased."""

    merged_profile_id: UUID = Field(description="What became part of `id`, and is erased with it.")


class ErasedProfile(Shape):
    """Whose data was erased, by ids alone: delete what you have of them."""

    id: UUID = Field(description="The id that the profile had. It leads nowhere from now on.")
    merged_profile_ids: list[UUID] = Field(
        description="The ids of all profiles that had become part of it. They lead nowhere either."
    )


class MessageProof(Shape):
    """What proves the person's choice, without their network address and browser."""

    user_id: str | None = Field(
        description="The id of the signed-in person who recorded it. Null where nobody did so by "
        "hand."
    )
    api_key_id: str | None = Field(
        description="The id of the API key that recorded it. Null where none did."
    )
    reference: str | None = Field(
        description="Names what proves it in the sender's own records. Null where none was given."
    )


class ChangedConsent(ConsentChange):
    """A statement about an address's consent: what it says, who made it and when, and whose history
    has it.
    """

    profile_id: UUID = Field(description=_PROFILE)
    proof: MessageProof = Field(  # type: ignore[assignment]
        description="What the person did, as far as it was sent along, and which key or person "
        "recorded it. The change itself also has their network address and browser."
    )


class ChangedCouponCode(CouponCode):
    """What a buyer enters to get a discount, with where it belongs."""

    coupon_id: UUID = Field(description="The coupon, which `GET /coupons/{id}` takes.")


class EndedStoreImport(StoreImport):
    """A batch that was sent or a pull of a platform's records, once it is over."""

    store_id: UUID = Field(description=_STORE)

"""Profiles in answers."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import Field

from storepost.people.consent.states import ConsentState
from storepost.people.profiles.merges import ProfileMerge as ProfileMergeValue
from storepost.people.profiles.model import IdentityType, LocaleOrigin, LocaleSignal
from storepost.people.profiles.model import Profile as ProfileValue
from storepost.people.profiles.service import KnownIdentity
from storepost.stores.stores.model import Store
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import MoneyShape, Shape, Timestamp


class LocaleSource(Shape):
    """What a profile's locale was taken from."""

    source: LocaleOrigin = Field(
        description="What kind of record it comes from: an `order` or a `customer`."
    )
    store_id: UUID | None = Field(
        description="The store that the record is from. Null where it isn't known."
    )
    signal: LocaleSignal = Field(
        description="`hard`: the record states the locale. `soft`: an order stated "
        "none, so the store's primary locale was taken. Hard beats soft, "
        "and of equal ones the newer holds."
    )
    at: Timestamp = Field(
        description="When the signal was given: the order's or the customer's own time."
    )


class ProfileSummary(Shape):
    """A person as one workspace knows them, as lists show them."""

    id: UUID = Field(
        description="The profile's id. After a merge the id of the merged profile leads to this "
        "profile too, in every request."
    )
    name: str | None = Field(
        description="First and last name, as far as they are known. Null where neither is."
    )
    email: str | None = Field(
        description="The email address that is shown, in small letters; the person may "
        "have others among their identities. Null where they have none."
    )
    phone: str | None = Field(
        description="The phone number that is shown, in E.164 such as "
        "`+4915112345678`; they may have others. Null where they have none."
    )
    locale: str | None = Field(
        description="The person's language as a BCP 47 tag, such as `de-AT`. Null "
        "where nothing says it."
    )
    store_ids: list[UUID] = Field(
        description="The stores where the person has a customer or an order, deleted customers too."
    )
    is_customer: bool = Field(
        description="Whether the person has a customer or an order in any store."
    )
    email_marketing_consent: ConsentState = Field(
        description="Whether the shown email address may get marketing. `not_subscribed`: there is "
        "no statement. `pending`: a request to confirm was sent. Without an address it is "
        "`not_subscribed`."
    )
    sms_marketing_consent: ConsentState = Field(
        description="Whether the shown phone number may get marketing, with the same states."
    )
    first_seen_at: Timestamp = Field(
        description="The earliest time that is known of the person: of an upsert, an "
        "event, an order, or when a store created the customer."
    )
    last_seen_at: Timestamp = Field(
        description="The latest time that is known of the person: of an upsert, an "
        "event, an order, or when a store changed the customer."
    )

    @classmethod
    def of(cls, profile: ProfileValue) -> "ProfileSummary":
        """Returns the profile in this shape."""
        return cls.from_model(
            profile,
            store_ids=list(profile.store_ids),
            email_marketing_consent=profile.email_consent,
            sms_marketing_consent=profile.sms_consent,
        )


class Profile(ProfileSummary):
    """A person as one workspace knows them, with their stores and what they spent."""

    first_name: str | None = Field(
        description="The person's first name: what was given by hand, else what the "
        "first store that knows it has. Null where it isn't known."
    )
    last_name: str | None = Field(
        description="The person's last name: what was given by hand, else what the "
        "first store that knows it has. Null where it isn't known."
    )
    locale_source: LocaleSource | None = Field(
        description="What `locale` was taken from. Null where it was set by hand, "
        "which beats every record, and where there is no locale."
    )
    stores: list[StoreReference] = Field(description="The same stores as `storeIds`, by name.")
    orders: int = Field(
        description="How many orders the person has in all stores, cancelled and test orders too."
    )
    spent: list[MoneyShape] = Field(
        description="What the person spent, one sum a currency: `total` less "
        "`totalRefunded` of their orders that are neither tests nor "
        "cancelled. Taxes and shipping count. Currencies without a sum are "
        "left out."
    )

    @classmethod
    def of(cls, profile: ProfileValue, stores: Sequence[Store]) -> "Profile":  # type: ignore[override]
        """Returns the profile in this shape, with the stores that know the person."""
        source = profile.locale_source
        return cls(
            **dict(ProfileSummary.of(profile)),
            first_name=profile.first_name,
            last_name=profile.last_name,
            locale_source=LocaleSource.from_model(source) if source else None,
            stores=[StoreReference.from_model(store) for store in stores],
            orders=profile.orders,
            spent=[MoneyShape.of(money) for money in profile.spent_money],
        )


class ProfileIdentity(Shape):
    """A value that names the person, in the workspace or in one store."""

    id: UUID = Field(description="The identity's id, by which it can be taken off the profile.")
    type: IdentityType = Field(
        description="What kind of value it is. The strongest kind is "
        "`platform_customer_id`, then `email`, then `phone`; the others "
        "are weak, since people share browsers."
    )
    value: str = Field(
        description="The value as it is compared: an email in small letters, a phone "
        "in E.164, and all else as it came."
    )
    store: StoreReference | None = Field(
        description="The store that the value counts in. Null for emails, phones and "
        "anonymous ids, which count in the whole workspace."
    )
    first_seen_at: Timestamp = Field(description="When the value was first seen with this person.")
    last_seen_at: Timestamp = Field(description="When the value was last seen with this person.")

    @classmethod
    def of(cls, known: KnownIdentity) -> "ProfileIdentity":
        """Returns the identity in this shape."""
        return cls(
            id=known.id,
            type=known.identity.type,
            value=known.identity.value,
            store=StoreReference.from_model(known.store) if known.store else None,
            first_seen_at=known.seen.first,
            last_seen_at=known.seen.last,
        )


class MergeCause(Shape):
    """What made two profiles one."""

    source: str = Field(
        description="`api` or `manual` where a key or a person requested it, or sent what led to "
        "it; else the store's platform, `shopify` or `custom`."
    )
    reference: str | None = Field(
        description="The external id of the order or customer that named both. Null where a "
        "request caused it."
    )


class ProfileMerge(Shape):
    """That another profile became part of this one."""

    id: UUID = Field(description="The id of this entry of the history.")
    merged_profile_id: UUID = Field(
        description="The id of the profile that became part of this one. It still works in every "
        "request, and leads to the surviving profile."
    )
    merged_at: Timestamp = Field(description="When the two became one.")
    cause: MergeCause | None = Field(description="What made them one. Null where it isn't known.")

    @classmethod
    def of(cls, merge: ProfileMergeValue) -> "ProfileMerge":
        """Returns the merge in this shape."""
        return cls.from_model(
            merge, cause=MergeCause(source=merge.cause.source, reference=merge.cause.reference)
        )

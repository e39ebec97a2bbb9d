"""Profiles in answers."""

from collections.abc import Sequence
from uuid import UUID

from storepost.people.consent.states import ConsentState
from storepost.people.profiles.merges import ProfileMerge as ProfileMergeValue
from storepost.people.profiles.model import IdentityType, LocaleOrigin, LocaleSignal
from storepost.people.profiles.model import LocaleSource as LocaleSourceValue
from storepost.people.profiles.model import Profile as ProfileValue
from storepost.people.profiles.service import KnownIdentity
from storepost.stores.stores.model import Store
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import MoneyShape, Shape, Timestamp


class LocaleSource(Shape):
    """Where a profile's locale comes from."""

    source: LocaleOrigin
    store_id: UUID | None
    signal: LocaleSignal
    at: Timestamp

    @classmethod
    def of(cls, source: LocaleSourceValue) -> "LocaleSource":
        """The source in this shape."""
        return cls(
            source=source.source, store_id=source.store_id, signal=source.signal, at=source.at
        )


class ProfileSummary(Shape):
    """A profile in a list."""

    id: UUID
    name: str | None
    email: str | None
    phone: str | None
    locale: str | None
    store_ids: list[UUID]
    is_customer: bool
    email_marketing_consent: ConsentState
    sms_marketing_consent: ConsentState
    first_seen_at: Timestamp
    last_seen_at: Timestamp

    @classmethod
    def of(cls, profile: ProfileValue) -> "ProfileSummary":
        """The profile in this shape."""
        return cls(
            id=profile.id,
            name=profile.name,
            email=profile.email,
            phone=profile.phone,
            locale=profile.locale,
            store_ids=list(profile.store_ids),
            is_customer=profile.is_customer,
            email_marketing_consent=profile.email_consent,
            sms_marketing_consent=profile.sms_consent,
            first_seen_at=profile.first_seen_at,
            last_seen_at=profile.last_seen_at,
        )


class Profile(ProfileSummary):
    """A profile whole."""

    first_name: str | None
    last_name: str | None
    locale_source: LocaleSource | None
    stores: list[StoreReference]
    orders: int
    spent: list[MoneyShape]

    @classmethod
    def of(cls, profile: ProfileValue, stores: Sequence[Store]) -> "Profile":  # type: ignore[override]
        """The profile in this shape, with the stores that know the person."""
        source = profile.locale_source
        return cls(
            **dict(ProfileSummary.of(profile)),
            first_name=profile.first_name,
            last_name=profile.last_name,
            locale_source=LocaleSource.of(source) if source else None,
            stores=[StoreReference.of(store) for store in stores],
            orders=profile.orders,
            spent=[MoneyShape.of(money) for money in profile.spent_money],
        )


class ProfileIdentity(Shape):
    """What names the person, in the workspace or in one store."""

    id: UUID
    type: IdentityType
    value: str
    store: StoreReference | None
    first_seen_at: Timestamp
    last_seen_at: Timestamp

    @classmethod
    def of(cls, known: KnownIdentity) -> "ProfileIdentity":
        """The identity in this shape."""
        return cls(
            id=known.id,
            type=known.identity.type,
            value=known.identity.value,
            store=StoreReference.of(known.store) if known.store else None,
            first_seen_at=known.seen.first,
            last_seen_at=known.seen.last,
        )


class MergeCause(Shape):
    """What made two profiles one; a reference is the external id of an order or a customer."""

    source: str
    reference: str | None


class ProfileMerge(Shape):
    """That a profile became part of this one."""

    id: UUID
    merged_profile_id: UUID
    merged_at: Timestamp
    cause: MergeCause | None

    @classmethod
    def of(cls, merge: ProfileMergeValue) -> "ProfileMerge":
        """The merge in this shape."""
        return cls(
            id=merge.id,
            merged_profile_id=merge.merged_profile_id,
            merged_at=merge.merged_at,
            cause=MergeCause(source=merge.cause.source, reference=merge.cause.reference),
        )

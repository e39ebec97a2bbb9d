"""Applies a customer's data to the profile, when a store pushes or deletes the customer.

docs/semantics.md, section 1 has the rules.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from storepost.people.customers.model import Customer, IncomingCustomer
from storepost.people.profiles.model import (
    Identity,
    IdentityType,
    LocaleOrigin,
    LocaleSignal,
    LocaleSource,
    Profile,
)
from storepost.stores.stores.model import Store
from storepost.values.ids import new_id


def with_customer(
    store: Store,
    before: Profile | None,
    stored: Customer | None,
    incoming: IncomingCustomer,
    accepted: Iterable[Identity],
) -> Profile:
    """Returns the profile with the customer as the store sends it now.

    A new profile if `before` is None. `stored` is the customer as the store last sent it,
    `accepted` the identities that the profile has from now on.
    """
    identities = list(accepted)
    moments = (incoming.external_created_at, incoming.external_updated_at)
    profile = before or Profile(new_id(), store.workspace, min(moments), max(moments))
    profile = profile.seen(*moments).identified(incoming.seen(identities))
    if stored is None:
        profile = profile.linked(store.id, customers=1)
    # The id of a deleted customer that the store sends again prevents merges again.
    profile = replace(profile, former=profile.former - frozenset(identities))
    return _with_locale(_with_shown_fields(profile, stored, incoming), store, incoming)


def without_customer(profile: Profile, customer: Customer, others: Sequence[Customer]) -> Profile:
    """Returns the profile without a customer, and without data that only their record had.

    `others` are the profile's other customers. An address that none of them has no longer
    identifies the person; another one is shown instead.
    """
    own = Identity(IdentityType.PLATFORM_CUSTOMER_ID, customer.external_id, customer.store_id)
    former = _ShownFields(customer.first_name, customer.last_name, customer.email, customer.phone)
    return _without(profile.linked(customer.store_id, customers=-1), own, former, others)


def without_buyer(profile: Profile, own: Identity, others: Sequence[Customer]) -> Profile:
    """Returns the profile without the id of a buyer whom only orders name.

    The orders' data about the person isn't stored separately. So the data that the profile shows
    counts as theirs, and is removed by the same rules.
    """
    former = _ShownFields(profile.first_name, profile.last_name, profile.email, profile.phone)
    return _without(profile, own, former, others)


def without_identity(
    profile: Profile, identity: Identity, customers: Iterable[Customer]
) -> Profile:
    """Returns the profile without one of its identities.

    If that was shown, another one is shown instead: one that a store's customer has, else the
    oldest.
    """
    remaining = {each: seen for each, seen in profile.sightings.items() if each != identity}
    live = [each for each in customers if each.deleted_at is None]
    own = {each.email for each in live} | {each.phone for each in live}
    ordered = sorted(remaining, key=lambda each: each.value not in own)
    after = replace(profile, sightings={each: remaining[each] for each in ordered})
    return replace(
        after,
        email=_primary(after, IdentityType.EMAIL, profile.email),
        phone=_primary(after, IdentityType.PHONE, profile.phone),
        sightings=remaining,
    )


def _without(
    profile: Profile, own: Identity, former: "_ShownFields", others: Sequence[Customer]
) -> Profile:
    addresses = {IdentityType.EMAIL: former.email, IdentityType.PHONE: former.phone}
    also = {
        IdentityType.EMAIL: [c.email for c in others],
        IdentityType.PHONE: [c.phone for c in others],
    }
    dropped = {
        Identity(kind, value)
        for kind, value in addresses.items()
        if value and value not in also[kind]
    } | {own}
    remaining = {each: seen for each, seen in profile.sightings.items() if each not in dropped}
    after = replace(
        profile,
        first_name=_unless(profile.first_name, former.first_name, [c.first_name for c in others]),
        last_name=_unless(profile.last_name, former.last_name, [c.last_name for c in others]),
        sightings=remaining,
        former=profile.former - dropped,
    )
    return replace(
        after,
        email=_primary(after, IdentityType.EMAIL, profile.email),
        phone=_primary(after, IdentityType.PHONE, profile.phone),
    )


def _primary(profile: Profile, kind: IdentityType, current: str | None) -> str | None:
    """The shown address, if the profile still has it; else the first one."""
    own = [each.value for each in profile.identities if each.type is kind]
    return current if current in own else next(iter(own), None)


def _unless(current: str | None, former: str | None, others: Sequence[str | None]) -> str | None:
    return None if current == former and current not in others else current


@dataclass(frozen=True)
class _ShownFields:
    """The last sent data of a customer that a profile may show."""

    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None


def _with_shown_fields(
    profile: Profile, stored: Customer | None, incoming: IncomingCustomer
) -> Profile:
    """Fills empty fields; a field that showed this customer's former value gets the new one.

    An address is only shown where the profile has it as an identity. The last one stays where the
    customer has none any more.
    """
    own = profile.identities
    former = (
        _ShownFields(stored.first_name, stored.last_name, stored.email, stored.phone)
        if stored
        else _ShownFields()
    )
    email = incoming.email if Identity(IdentityType.EMAIL, incoming.email or "") in own else None
    phone = incoming.phone if Identity(IdentityType.PHONE, incoming.phone or "") in own else None
    return replace(
        profile,
        first_name=_followed(profile.first_name, former.first_name, incoming.first_name),
        last_name=_followed(profile.last_name, former.last_name, incoming.last_name),
        email=_followed(profile.email, former.email, email) or profile.email,
        phone=_followed(profile.phone, former.phone, phone) or profile.phone,
    )


def _followed(current: str | None, former: str | None, incoming: str | None) -> str | None:
    return incoming if current is None or current == former else current


def _with_locale(profile: Profile, store: Store, incoming: IncomingCustomer) -> Profile:
    if incoming.locale is None:
        return profile
    source = LocaleSource(
        LocaleOrigin.CUSTOMER, store.id, LocaleSignal.HARD, incoming.external_updated_at
    )
    return profile.with_locale(incoming.locale, source)

"""What a customer says of the person: the profile after a store's push.

docs/semantics.md, section 1 has the rules.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from storepost.people.customers.model import Customer, GivenCustomer
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
    held: Customer | None,
    given: GivenCustomer,
    taken: Iterable[Identity],
) -> Profile:
    """The profile with the customer as the store gives it now; a new one where it is nobody's.

    `held` is the customer as the store gave it last, `taken` the identities that the profile has
    from now on.
    """
    identities = list(taken)
    moments = (given.external_created_at, given.external_updated_at)
    profile = before or Profile(new_id(), store.workspace, min(moments), max(moments))
    profile = profile.seen(*moments).identified(given.seen(identities))
    if held is None:
        profile = profile.linked(store.id, customers=1)
    # A deleted customer that the store gives again speaks for itself again.
    profile = replace(profile, former=profile.former - frozenset(identities))
    return _with_locale(_with_words(profile, held, given), store, given)


def without_customer(profile: Profile, customer: Customer, others: Sequence[Customer]) -> Profile:
    """The profile without a customer, and without what that one alone had told of the person.

    `others` are the profile's other customers. An address that none of them has identifies the
    person no more; another one is shown in its place.
    """
    own = Identity(IdentityType.PLATFORM_CUSTOMER_ID, customer.external_id, customer.store_id)
    gave = _Words(customer.first_name, customer.last_name, customer.email, customer.phone)
    return _without(profile.linked(customer.store_id, customers=-1), own, gave, others)


def without_buyer(profile: Profile, own: Identity, others: Sequence[Customer]) -> Profile:
    """The profile without the id of a buyer of whom nothing tells but orders.

    What they had told of the person isn't kept: in doubt it is what is shown, as above.
    """
    gave = _Words(profile.first_name, profile.last_name, profile.email, profile.phone)
    return _without(profile, own, gave, others)


def without_identity(
    profile: Profile, identity: Identity, customers: Iterable[Customer]
) -> Profile:
    """The profile without one of its identities.

    Where that was shown, another one is: one that a customer of a store has, else the one that came
    first.
    """
    left = {each: seen for each, seen in profile.sightings.items() if each != identity}
    there = [each for each in customers if each.deleted_at is None]
    own = {each.email for each in there} | {each.phone for each in there}
    ordered = sorted(left, key=lambda each: each.value not in own)
    after = replace(profile, sightings={each: left[each] for each in ordered})
    return replace(
        after,
        email=_shown(after, IdentityType.EMAIL, profile.email),
        phone=_shown(after, IdentityType.PHONE, profile.phone),
        sightings=left,
    )


def _without(
    profile: Profile, own: Identity, gave: "_Words", others: Sequence[Customer]
) -> Profile:
    told = {IdentityType.EMAIL: gave.email, IdentityType.PHONE: gave.phone}
    also = {
        IdentityType.EMAIL: [c.email for c in others],
        IdentityType.PHONE: [c.phone for c in others],
    }
    gone = {
        Identity(kind, value) for kind, value in told.items() if value and value not in also[kind]
    } | {own}
    left = {each: seen for each, seen in profile.sightings.items() if each not in gone}
    after = replace(
        profile,
        first_name=_unless(profile.first_name, gave.first_name, [c.first_name for c in others]),
        last_name=_unless(profile.last_name, gave.last_name, [c.last_name for c in others]),
        sightings=left,
        former=profile.former - gone,
    )
    return replace(
        after,
        email=_shown(after, IdentityType.EMAIL, profile.email),
        phone=_shown(after, IdentityType.PHONE, profile.phone),
    )


def _shown(profile: Profile, kind: IdentityType, shown: str | None) -> str | None:
    """The address that was shown, if it still is the profile's; else the one that came first."""
    own = [each.value for each in profile.identities if each.type is kind]
    return shown if shown in own else next(iter(own), None)


def _unless(shown: str | None, told: str | None, others: Sequence[str | None]) -> str | None:
    return None if shown == told and shown not in others else shown


@dataclass(frozen=True)
class _Words:
    """What a customer gave last of what a profile shows."""

    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None


def _with_words(profile: Profile, held: Customer | None, given: GivenCustomer) -> Profile:
    """Fills what is empty; what this customer had given before follows it.

    An address is only shown where it is the profile's own, and the last one stays where the
    customer has none any more.
    """
    own = profile.identities
    gave = _Words(held.first_name, held.last_name, held.email, held.phone) if held else _Words()
    email = given.email if Identity(IdentityType.EMAIL, given.email or "") in own else None
    phone = given.phone if Identity(IdentityType.PHONE, given.phone or "") in own else None
    return replace(
        profile,
        first_name=_followed(profile.first_name, gave.first_name, given.first_name),
        last_name=_followed(profile.last_name, gave.last_name, given.last_name),
        email=_followed(profile.email, gave.email, email) or profile.email,
        phone=_followed(profile.phone, gave.phone, phone) or profile.phone,
    )


def _followed(shown: str | None, gave: str | None, gives: str | None) -> str | None:
    return gives if shown is None or shown == gave else shown


def _with_locale(profile: Profile, store: Store, given: GivenCustomer) -> Profile:
    if given.locale is None:
        return profile
    source = LocaleSource(
        LocaleOrigin.CUSTOMER, store.id, LocaleSignal.HARD, given.external_updated_at
    )
    return profile.with_locale(given.locale, source)

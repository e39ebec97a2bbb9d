"""Who bought an order: the profile that it belongs to, and what it counts for there."""

from dataclasses import replace
from uuid import UUID

from storepost.ids import new_id
from storepost.orders.incoming import IncomingBuyer, IncomingOrder
from storepost.orders.model import Order
from storepost.persistence.changes import Changes
from storepost.profiles.model import LocaleOrigin, LocaleSignal, LocaleSource, Profile
from storepost.profiles.repository import ProfileRepository
from storepost.profiles.resolution import look_up, takes_in, whose_arrival
from storepost.profiles.shown import show_consents
from storepost.scope import WorkspaceScope
from storepost.stores.model import Store


def settle_buyer(
    changes: Changes, store: Store, before: Order | None, incoming: IncomingOrder
) -> Profile | None:
    """The buyer's profile with the order counted, None where the order names nobody.

    Each profile that the change concerns is saved once: the one that has the order now, and the one
    that had it.
    """
    repository = ProfileRepository(store.workspace, changes.reads)
    identities = incoming.identities(store)
    known = look_up(repository, identities)
    known_profile = whose_arrival(identities, known)
    former = before.profile_id if before else None
    if former is not None and (not identities or not known_profile or former != known_profile.id):
        take_away(changes, store.workspace, before)
    if not identities:
        return None
    taken = takes_in(known_profile, identities, known)
    seen = dict.fromkeys(taken, (incoming.placed_at,))
    profile = _told(known_profile, store, incoming).identified(seen)
    if known_profile and known_profile.id == former:
        profile = _counted(profile, before, -1)
    profile = _counted(profile, incoming.as_order(store, profile.id), +1)
    profile = show_consents(changes, known_profile, profile, {})
    if profile != known_profile:
        repository.save(changes, known_profile, profile)
    repository.claim(changes, profile, known.claims, taken)
    return profile


def take_away(changes: Changes, workspace: WorkspaceScope, order: Order | None) -> None:
    """Takes an order out of what its buyer's profile counts."""
    if order is None or order.profile_id is None:
        return
    repository = ProfileRepository(workspace, changes.reads)
    profile = repository.get(order.profile_id)
    if profile:
        repository.save(changes, profile, _counted(profile, order, -1))


def buyer_of(workspace: WorkspaceScope, profile_id: UUID | None) -> Profile | None:
    """The profile that an order names."""
    return ProfileRepository(workspace).get(profile_id) if profile_id else None


def _told(known: Profile | None, store: Store, incoming: IncomingOrder) -> Profile:
    """The profile after what the order says of the person: names fill what is empty."""
    placed, buyer = incoming.placed_at, incoming.buyer or IncomingBuyer()
    profile = known or Profile(new_id(), store.workspace, first_seen_at=placed, last_seen_at=placed)
    if not profile.name:
        profile = replace(profile, first_name=buyer.first_name, last_name=buyer.last_name)
    signal = LocaleSignal.HARD if incoming.locale else LocaleSignal.SOFT
    source = LocaleSource(LocaleOrigin.ORDER, store.id, signal, placed)
    return profile.seen(placed).with_locale(incoming.locale or store.primary_locale, source)


def _counted(profile: Profile, order: Order | None, sign: int) -> Profile:
    """The profile with an order more, or less."""
    if order is None:
        return profile
    spent = dict(profile.spent)
    spent[order.currency] = spent.get(order.currency, 0) + sign * order.counts_as_spent
    spent = {currency: amount for currency, amount in spent.items() if amount}
    return replace(profile.linked(order.store_id, orders=sign), spent=spent)

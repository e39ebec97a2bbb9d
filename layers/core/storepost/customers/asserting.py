"""What a customer's push says of consent, and the profiles that it changes, saved with it."""

from dataclasses import dataclass
from uuid import UUID

from storepost.consent.assertions import Given, Outcome, assert_from_store
from storepost.consent.model import Address, Origin
from storepost.consent.states import Channel, ConsentState
from storepost.customers.model import Customer, GivenCustomer
from storepost.persistence.changes import Changes
from storepost.profiles.model import Profile
from storepost.profiles.repository import ProfileRepository
from storepost.profiles.resolution import Known
from storepost.profiles.shown import identity_of, show_consents, subject_of
from storepost.stores.model import Store


@dataclass(frozen=True)
class Push:
    """One customer as a store pushes it."""

    store: Store
    given: GivenCustomer
    before: Customer | None
    after: Customer
    origin: Origin
    """Who pushes."""


def assert_and_save(
    changes: Changes, push: Push, known: Known, before: Profile | None, after: Profile
) -> None:
    """Asserts both channels and saves the customer's profile, and whoever else has an address.

    State belongs to the address (semantics, section 2.1): where another profile has the
    customer's, the change is that profile's.
    """
    states: dict[Address, ConsentState] = {}
    recorded: set[UUID] = set()
    touched: dict[UUID, tuple[Profile | None, Profile]] = {after.id: (before, after)}
    for channel in Channel:
        owner = _owner(push, channel, known, after)
        outcome = _assert(changes, push, channel, owner)
        if outcome is None:
            continue
        states[Address(channel, push.after.address(channel) or "")] = outcome.state
        touched.setdefault(owner.id, (owner, owner))
        recorded |= {owner.id} if outcome.recorded else set()
    for was, profile in touched.values():
        shown = show_consents(changes, was, profile, states)
        # Saved also where only the history grows: its profile must not have gone meanwhile.
        if shown != was or shown.id in recorded:
            ProfileRepository(shown.workspace).save(changes, was, shown)


def _owner(push: Push, channel: Channel, known: Known, after: Profile) -> Profile:
    """Whose the customer's address is: another profile's that has claimed it, or the customer's."""
    holder = known.holder_of(identity_of(Address(channel, push.after.address(channel) or "")))
    return holder if holder and holder.id != after.id else after


def _assert(changes: Changes, push: Push, channel: Channel, owner: Profile) -> Outcome | None:
    gives = push.given.consent(channel)
    held = push.before
    return assert_from_store(
        changes,
        subject_of(owner),
        push.store,
        channel,
        before=Given(held.address(channel), held.consent(channel)) if held else None,
        after=Given(
            push.after.address(channel),
            gives.state or ConsentState.NOT_SUBSCRIBED,
            gives.updated_at,
        ),
        updated_at=push.given.external_updated_at,
        origin=push.origin,
    )

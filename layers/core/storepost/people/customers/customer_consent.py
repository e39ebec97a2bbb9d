"""Applies the consent in a customer's push, and saves the profiles that it changes."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.people.consent.evidence import NO_EVIDENCE
from storepost.people.consent.evidence_rows import pending_evidence
from storepost.people.consent.from_stores import AtStore, StoreConsent, assert_from_store
from storepost.people.consent.model import Address, ConsentOrigin
from storepost.people.consent.other_customers import detach_customer, note_customer
from storepost.people.consent.repository import added_to
from storepost.people.consent.statements import StatementOutcome
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.model import Customer, IncomingCustomer
from storepost.people.deliverability.invalid_addresses import suppress_invalid
from storepost.people.profiles.consent_summary import identity_of, show_consents, subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import KnownIdentities
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import Store
from storepost.values import clock
from storepost.values.placeholders import names_nobody


@dataclass(frozen=True)
class Push:
    """One customer as a store pushes it."""

    store: Store
    incoming: IncomingCustomer
    before: Customer | None
    after: Customer
    origin: ConsentOrigin
    """The store, or the caller, that pushes the customer."""

    def address(self, channel: Channel) -> Address | None:
        """Returns the customer's own address of a channel."""
        value = self.after.address(channel)
        return Address(channel, value) if value else None

    def consent_before(self, channel: Channel) -> StoreConsent | None:
        """Returns the store's last value; None for a customer who is new, or was deleted."""
        before = self.before
        if before is None or before.deleted_at is not None:
            return None
        is_taken = before.delivered(channel) is not None
        return StoreConsent(
            before.address(channel),
            before.consent(channel),
            before.consent_at(channel),
            # A shop keeps the consent time that it is sent.
            may_return=is_taken and self.store.is_custom,
            proof_digest=before.proof(channel),
            is_taken=is_taken,
        )

    def consent_after(self, channel: Channel) -> StoreConsent:
        """Returns the store's new value; `not_subscribed` where it states none."""
        consent = self.incoming.consent(channel)
        state = consent.state or ConsentState.NOT_SUBSCRIBED
        return StoreConsent(
            self.after.address(channel),
            state,
            consent.updated_at,
            evidence=consent.evidence or NO_EVIDENCE,
            proof_digest=consent.digest,
        )

    def sent_at(self, channel: Channel) -> datetime:
        """Returns when the store sent the channel's consent: mostly with the customer's record."""
        return self.incoming.consent(channel).sent_at or self.incoming.external_updated_at

    def origin_of(self, channel: Channel) -> ConsentOrigin:
        """Returns the origin of the channel's consent, with the store's proof."""
        proof = self.incoming.consent(channel).proof
        return self.origin.proven_by(proof) if proof else self.origin

    @property
    def moves(self) -> bool:
        """Returns whether a known customer's address has changed."""
        before = self.before
        return before is not None and any(
            before.address(channel) != self.after.address(channel) for channel in Channel
        )

    def states_consent(self, channel: Channel) -> bool:
        """Returns whether the push states the person's own consent."""
        consent = self.incoming.consent(channel)
        return consent.state is not None and not consent.is_of_address


def assert_and_save(
    changes: Changes, push: Push, known: KnownIdentities, before: Profile | None, after: Profile
) -> None:
    """Asserts both channels, suppresses invalid addresses, and saves the affected profiles.

    These are the customer's profile, and other profiles that have an address. State belongs to the
    address (docs/semantics.md, section 2.1): where another profile has the customer's address, the
    change is that profile's.
    """
    outcomes = [
        _assert_address(changes, push, known, after, address)
        for channel in Channel
        if (address := _present_address(changes, push, channel))
    ]
    states = {each.address: each.outcome.state for each in outcomes if each.outcome}
    touched: dict[UUID, tuple[Profile | None, Profile]] = {after.id: (before, after)}
    for each in outcomes:
        if each.outcome or each.is_suppressed or pending_evidence(changes, each.owner.id):
            touched.setdefault(each.owner.id, (each.owner, each.owner))
    suppressed = {each.owner.id for each in outcomes if each.is_suppressed}
    for was, profile in touched.values():
        updated = show_consents(changes, was, profile, states)
        is_moved = profile.id == after.id and push.moves
        _save(changes, was, updated, always=is_moved or profile.id in suppressed)


def _present_address(changes: Changes, push: Push, channel: Channel) -> Address | None:
    """The customer's current address; they are removed from the former one's other customers."""
    _detach_former(changes, push, channel)
    return push.address(channel)


@dataclass(frozen=True)
class _AddressOutcome:
    """The effect of a push on one address."""

    address: Address
    owner: Profile
    outcome: StatementOutcome | None
    is_suppressed: bool
    """Whether this push suppressed it."""


def _assert_address(
    changes: Changes, push: Push, known: KnownIdentities, after: Profile, address: Address
) -> _AddressOutcome:
    owner = _owner(address, known, after)
    outcome = _assert(changes, push, address, owner, after)
    is_suppressed = _suppress(changes, push, address, owner)
    if outcome is not None or is_suppressed:
        _hold_back(changes, address, known, after)
    return _AddressOutcome(address, owner, outcome, is_suppressed)


def _save(changes: Changes, was: Profile | None, updated: Profile, *, always: bool) -> None:
    """Saves the profile, also where only its history or evidence grows.

    The commit then fails if the profile is gone. `always` saves it where the customer's address
    changed or is suppressed now: the commit fails if the address was removed from the profile
    meanwhile.
    """
    grows = added_to(changes, updated.id) or pending_evidence(changes, updated.id)
    if always or updated != was or grows:
        ProfileRepository(updated.workspace).save(changes, was, updated)


def _suppress(changes: Changes, push: Push, address: Address, owner: Profile) -> bool:
    """Suppresses the address if the store newly states that it is invalid; returns whether it did.

    A repeated statement doesn't undo a lifted suppression.
    """
    at = push.after.newly_invalid_at(push.before, address.channel)
    if at is None or names_nobody(address.value):
        return False
    return suppress_invalid(changes, push.store.workspace, address, owner, at)


def _hold_back(changes: Changes, address: Address, known: KnownIdentities, after: Profile) -> None:
    """Makes a concurrent writer that claims the unclaimed address lose the race.

    That writer then reads the new statement. A profile at its limit of identities doesn't claim its
    customer's address.
    """
    identity = identity_of(address)
    is_claimed = identity in after.sightings or known.holder_of(identity) is not None
    if not is_claimed and not names_nobody(address.value):
        repository = ProfileRepository(after.workspace)
        repository.hold_back(changes, identity, known.claims.get(identity))


def _owner(address: Address, known: KnownIdentities, after: Profile) -> Profile:
    """The profile that has the address: the one that has claimed it, else the customer's."""
    holder = known.holder_of(identity_of(address))
    return holder if holder and holder.id != after.id else after


def _assert(
    changes: Changes, push: Push, address: Address, owner: Profile, after: Profile
) -> StatementOutcome | None:
    channel, workspace = address.channel, push.store.workspace
    is_of_others = identity_of(address) not in after.sightings
    outcome = None
    if push.states_consent(channel):
        refused_at = push.after.refused_at(channel)
        is_in_a_loop = push.after.contradictions(channel).are_too_many(clock.now())
        outcome = assert_from_store(
            changes,
            subject_of(owner),
            channel,
            before=push.consent_before(channel),
            after=push.consent_after(channel),
            updated_at=push.sent_at(channel),
            origin=push.origin_of(channel),
            at_store=AtStore(
                push.after.ref,
                is_of_others,
                refused_at,
                is_in_a_loop,
                is_all_of_store=_is_all_of_store(push, owner),
            ),
        )
    if is_of_others:
        note_customer(changes, workspace, address, push.after.ref)
    return outcome


def _is_all_of_store(push: Push, owner: Profile) -> bool:
    """Whether the customer is new, and the only one of the store that the address's owner has.

    For a store that accepts no consent it is False: the worker then records the reason.
    """
    link = owner.links.get(push.store.id)
    is_owners = push.before is None and push.after.profile_id == owner.id
    is_only_one = is_owners and link is not None and link.customers == 1
    return is_only_one and push.store.takes_consent


def _detach_former(changes: Changes, push: Push, channel: Channel) -> None:
    """Removes the customer from the former address's other customers if the address has changed."""
    before = push.before
    value = before.address(channel) if before else None
    if before and value and value != push.after.address(channel):
        detach_customer(changes, push.store.workspace, Address(channel, value), before.ref)

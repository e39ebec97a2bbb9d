"""What a customer's push says of consent, and the profiles that it changes, saved with it."""

from dataclasses import dataclass
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
    """Who pushes."""

    def address(self, channel: Channel) -> Address | None:
        """Returns the customer's own address of a channel."""
        value = self.after.address(channel)
        return Address(channel, value) if value else None

    def consent_before(self, channel: Channel) -> StoreConsent | None:
        """Returns what the store gave last; None where the customer is new, or there again."""
        before = self.before
        if before is None or before.deleted_at is not None:
            return None
        is_taken = before.delivered(channel) is not None
        return StoreConsent(
            before.address(channel),
            before.consent(channel),
            before.consent_at(channel),
            # A shop keeps the consent time that it gets.
            may_return=is_taken and self.store.is_custom,
            proof_digest=before.proof(channel),
            is_taken=is_taken,
        )

    def consent_after(self, channel: Channel) -> StoreConsent:
        """Returns what the store gives now; `not_subscribed` where it says nothing."""
        consent = self.incoming.consent(channel)
        state = consent.state or ConsentState.NOT_SUBSCRIBED
        return StoreConsent(
            self.after.address(channel),
            state,
            consent.updated_at,
            evidence=consent.evidence or NO_EVIDENCE,
            proof_digest=consent.digest,
        )

    def origin_of(self, channel: Channel) -> ConsentOrigin:
        """Returns the origin of the channel's consent, with the proof that the store gives."""
        proof = self.incoming.consent(channel).proof
        return self.origin.proven_by(proof) if proof else self.origin

    @property
    def moves(self) -> bool:
        """Returns whether a known customer has another address than before."""
        before = self.before
        return before is not None and any(
            before.address(channel) != self.after.address(channel) for channel in Channel
        )

    def states_consent(self, channel: Channel) -> bool:
        """Returns whether it gives a consent that is the person's."""
        consent = self.incoming.consent(channel)
        return consent.state is not None and not consent.is_of_address


def assert_and_save(
    changes: Changes, push: Push, known: KnownIdentities, before: Profile | None, after: Profile
) -> None:
    """Asserts both channels, suppresses what the store has as invalid, and saves the customer's
    profile, and whoever else has an address.

    State belongs to the address (docs/semantics.md, section 2.1): where another profile has the
    customer's, the change is that profile's.
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
    """The customer's address from now on; they are no longer among those of the one of before."""
    _detach_former(changes, push, channel)
    return push.address(channel)


@dataclass(frozen=True)
class _AddressOutcome:
    """Says what a push did to one address."""

    address: Address
    owner: Profile
    outcome: StatementOutcome | None
    is_suppressed: bool
    """Whether it is suppressed now and wasn't."""


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
    """Saves the profile also where only its history or evidence grows: it must still be there.

    And where the customer has another address, or one that is suppressed now, with `always`: that
    must not have been taken off the profile meanwhile.
    """
    grows = added_to(changes, updated.id) or pending_evidence(changes, updated.id)
    if always or updated != was or grows:
        ProfileRepository(updated.workspace).save(changes, was, updated)


def _suppress(changes: Changes, push: Push, address: Address, owner: Profile) -> bool:
    """Suppresses the address where the store has it as invalid and hadn't before: what it repeats
    doesn't undo what somebody lifted. Whether it is suppressed now and wasn't.
    """
    at = push.after.newly_invalid_at(push.before, address.channel)
    if at is None or names_nobody(address.value):
        return False
    return suppress_invalid(changes, push.store.workspace, address, owner, at)


def _hold_back(changes: Changes, address: Address, known: KnownIdentities, after: Profile) -> None:
    """Lets whoever is about to claim an address that nobody has read what is said of it now.

    A profile that has as many identities as it may doesn't take its customer's address.
    """
    identity = identity_of(address)
    is_claimed = identity in after.sightings or known.holder_of(identity) is not None
    if not is_claimed and not names_nobody(address.value):
        repository = ProfileRepository(after.workspace)
        repository.hold_back(changes, identity, known.claims.get(identity))


def _owner(address: Address, known: KnownIdentities, after: Profile) -> Profile:
    """Whose the customer's address is: another profile's that has claimed it, or the customer's."""
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
            updated_at=push.incoming.external_updated_at,
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

    A store that takes no consent is left to the worker, which says so.
    """
    link = owner.links.get(push.store.id)
    is_owners = push.before is None and push.after.profile_id == owner.id
    is_only_one = is_owners and link is not None and link.customers == 1
    return is_only_one and push.store.takes_consent


def _detach_former(changes: Changes, push: Push, channel: Channel) -> None:
    """Where the customer has another address now, the one of before is theirs no more."""
    before = push.before
    value = before.address(channel) if before else None
    if before and value and value != push.after.address(channel):
        detach_customer(changes, push.store.workspace, Address(channel, value), before.ref)

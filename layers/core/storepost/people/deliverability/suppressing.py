"""Suppressing an address inside a unit of work, with what follows for whoever has it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.consent.assertions import assert_statement
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Proof
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.consent_summary import identity_of, show_consents, subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import Claim, ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.people.suppressions.model import (
    AddressSuppressions,
    Suppression,
    SuppressionReason,
    SuppressionSource,
)
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.suppression_summary import saved_marks
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope

COMPLAINT = "complaint"
"""The proof's reference of the unsubscription that a complaint means."""


@dataclass(frozen=True)
class NewSuppression:
    """Says what is to suppress an address."""

    reason: SuppressionReason
    source: SuppressionSource
    at: datetime | None = None
    """When its cause happened; left out, it is now."""
    note: str | None = field(default=None, repr=False)
    by: str | None = None
    ends_at: datetime | None = None
    proof: Proof = field(default_factory=Proof)
    """Who called, for the unsubscription of a complaint."""

    def value(self, address: Address, now: datetime, *, is_named: bool) -> Suppression:
        """Returns the suppression of an address, with an id of its own; `is_named` where the
        address may stand in clear.
        """
        return Suppression(
            id=timed_id(now),
            channel=address.channel,
            address=address.value if is_named else None,
            reason=self.reason,
            source=self.source,
            created_at=min(self.at or now, now),
            note=self.note,
            by=self.by,
            ends_at=self.ends_at,
        )

    @property
    def statement(self) -> ConsentStatement | None:
        """Returns what the cause says of consent: who complains wants no more of it."""
        if self.reason is not SuppressionReason.COMPLAINT:
            return None
        proof = replace(self.proof, reference=COMPLAINT)
        origin = ConsentOrigin(ConsentSource.IMPORT, None, proof, self.by)
        occurred_at = min(self.at, clock.now()) if self.at else None
        return ConsentStatement(ConsentState.UNSUBSCRIBED, origin, occurred_at)


type Result = tuple[Suppression, bool]
"""A suppression, and whether it is new."""


def new_by(
    caller: WorkspaceCaller,
    reason: SuppressionReason,
    source: SuppressionSource | None = None,
    *,
    note: str | None = None,
    at: datetime | None = None,
) -> NewSuppression:
    """Returns what a caller asks for; the source is the caller's own unless one is given."""
    requester = caller.requester
    own = SuppressionSource.API if requester.key_id else SuppressionSource.MANUAL
    proof = Proof(user_id=requester.person_id, api_key_id=requester.key_id)
    return NewSuppression(reason, source or own, at, note, requester.name, proof=proof)


@dataclass(frozen=True)
class Holder:
    """Who has some addresses, as far as anybody has them."""

    profile: Profile | None
    claims: dict[Address, Claim]
    """As they were read, before what suppresses the addresses was."""


def holder_of(changes: Changes, workspace: WorkspaceScope, address: Address) -> Holder:
    """Returns who has an address."""
    identity = identity_of(address)
    known = look_up(ProfileRepository(workspace, changes.reads), [identity])
    claim = known.claims.get(identity)
    return Holder(known.holder_of(identity), {address: claim} if claim else {})


def add_suppression(
    changes: Changes, workspace: WorkspaceScope, address: Address, new: NewSuppression
) -> Result:
    """Suppresses an address; returns the suppression of that reason, and whether it is new.

    One that is there already stays as it is, but for an end that is later now.
    """
    holder = holder_of(changes, workspace, address)
    if holder.profile is None:
        unsubscribe_former_holder(changes, workspace, address, new)
    state = SuppressionRepository(workspace, changes.reads).state_of(address)
    [result] = add_in_turn(changes, workspace, holder, {address: state}, [(address, new)])
    return result


def add_in_turn(
    changes: Changes,
    workspace: WorkspaceScope,
    holder: Holder,
    states: Mapping[Address, AddressSuppressions],
    suppressions: Sequence[tuple[Address, NewSuppression]],
) -> list[Result]:
    """Suppresses one address after the other of one holder, or one that nobody has.

    `states` is what suppresses them, read after the holder was.
    """
    results, newly = write_in_turn(changes, workspace, holder, states, suppressions)
    consents = _unsubscribe(changes, workspace, holder, zip(suppressions, results, strict=True))
    _write_holder(changes, workspace, holder, newly, consents)
    return results


def write_in_turn(
    changes: Changes,
    workspace: WorkspaceScope,
    holder: Holder,
    states: Mapping[Address, AddressSuppressions],
    suppressions: Sequence[tuple[Address, NewSuppression]],
) -> tuple[list[Result], dict[Address, AddressSuppressions]]:
    """Writes the suppressions alone: whoever has the addresses is left to the caller.

    Returns the results, and the addresses that nothing suppressed before. Of these the caller has
    to save the profile that has them, or to hold their claims back.
    """
    repository, now = SuppressionRepository(workspace, changes.reads), clock.now()
    after, results = dict(states), list[Result]()
    for address, new in suppressions:
        state, is_named = after[address], _address_to_keep(changes, workspace, address, holder, new)
        named = state.of_address(address.value if is_named else state.address)
        value = new.value(address, now, is_named=is_named or state.address is not None)
        result = _decided(named, value, now)
        after[address] = named.with_one(result[0])
        results.append(result)
    for address, state in after.items():
        _write(changes, repository, states[address], state, now)
    newly = {each: after[each] for each, _ in suppressions if not states[each].shown(now)}
    written = {each for each, state in after.items() if state != states[each]}
    saved_marks(changes, workspace).update(dict.fromkeys(newly.keys() | written, True))
    return results, newly


def _address_to_keep(
    changes: Changes,
    workspace: WorkspaceScope,
    address: Address,
    holder: Holder,
    new: NewSuppression,
) -> bool:
    """Whether the address may be stored in clear: not where its owner was erased and only an email
    that was on its way has it.
    """
    if holder.profile or new.source is not SuppressionSource.SES:
        return True
    consents = ConsentRepository(workspace, changes.reads)
    return consents.with_erasure(address, consents.consent_of(address)).erased_at is None


def _decided(state: AddressSuppressions, new: Suppression, now: datetime) -> Result:
    """The suppression that holds for the reason from now on."""
    stored = state.of_reason(new.reason)
    if stored is None or not stored.is_in_force(now):
        return new, True
    ends = (stored.ends_at, new.ends_at)
    later = max(each for each in ends if each) if all(ends) else None
    return replace(stored, ends_at=later), False


def _write(
    changes: Changes,
    repository: SuppressionRepository,
    before: AddressSuppressions,
    after: AddressSuppressions,
    now: datetime,
) -> None:
    """Writes what suppresses an address by the difference."""
    if after == before:
        return
    repository.save(changes, after)
    stored_before = {each.id: each for each in before.stored}
    for each in set(after.stored) - set(before.stored):
        repository.change(changes, stored_before.get(each.id), each, after.digest)
    for each in before.stored:
        if not each.is_in_force(now) and each.id not in {one.id for one in after.stored}:
            repository.add_to_history(changes, each.ended(), after.digest)


def _unsubscribe(
    changes: Changes,
    workspace: WorkspaceScope,
    holder: Holder,
    done: Iterable[tuple[tuple[Address, NewSuppression], Result]],
) -> dict[Address, ConsentState]:
    """Unsubscribes the addresses of who complained, in the history of the profile that has them.

    A complaint that is known says nothing more of an address that is unsubscribed.
    """
    profile, states = holder.profile, dict[Address, ConsentState]()
    consents = ConsentRepository(workspace, changes.reads)
    for (address, new), (_, is_new) in done:
        if profile is None or new.statement is None or address in states:
            continue
        if is_new or consents.consent_of(address).state is not ConsentState.UNSUBSCRIBED:
            outcome = assert_statement(changes, subject_of(profile), address, new.statement)
            if outcome:
                states[address] = outcome.state
    return states


def unsubscribe_former_holder(
    changes: Changes, workspace: WorkspaceScope, address: Address, new: NewSuppression
) -> None:
    """Unsubscribes an address that nobody has now, if what somebody said of it still holds: in the
    history where that stands. So whoever takes the address isn't subscribed by it.
    """
    consents = ConsentRepository(workspace, changes.reads)
    holds = consents.consent_of(address).holds if new.statement else None
    if new.statement is None or holds is None or holds.state is ConsentState.UNSUBSCRIBED:
        return
    profiles = ProfileRepository(workspace, changes.reads)
    former = profiles.get(holds.change.profile_id)
    outcome = former and assert_statement(changes, subject_of(former), address, new.statement)
    if former and outcome:
        with_consents = show_consents(changes, former, former, {address: outcome.state})
        profiles.save(changes, former, with_consents)


def _write_holder(
    changes: Changes,
    workspace: WorkspaceScope,
    holder: Holder,
    newly: Mapping[Address, AddressSuppressions],
    consents: Mapping[Address, ConsentState],
) -> None:
    """Writes whoever has an address that is suppressed now and wasn't, also one who doesn't show
    it: so nobody begins to show it without knowing. Where nobody has it, whoever is about to take
    its claim has to look again; one that may not stand in clear is left to what they demand.
    """
    profiles, profile = ProfileRepository(workspace), holder.profile
    if profile is not None:
        if newly or consents:
            profiles.save(changes, profile, show_consents(changes, profile, profile, consents))
        return
    for address, state in newly.items():
        hold = profiles.expect_nobodys if state.address is None else profiles.hold_back
        hold(changes, identity_of(address), holder.claims.get(address))

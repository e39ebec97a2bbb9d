"""Suppresses an address in a unit of work, and updates the profile that has it."""

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
"""The reference, in its proof, of the unsubscription by a complaint."""


@dataclass(frozen=True)
class NewSuppression:
    """A suppression to be added to an address."""

    reason: SuppressionReason
    source: SuppressionSource
    at: datetime | None = None
    """When its cause happened; None is now."""
    note: str | None = field(default=None, repr=False)
    by: str | None = None
    ends_at: datetime | None = None
    proof: Proof = field(default_factory=Proof)
    """The caller, for the unsubscription by a complaint."""

    def value(self, address: Address, now: datetime, *, is_named: bool) -> Suppression:
        """Returns the suppression of an address, with a new id.

        `is_named` is whether the address may be stored in clear.
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
        """Returns the consent statement of the cause: a complaint unsubscribes."""
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
    """Returns the suppression that a caller requests; `source` replaces the caller's own."""
    requester = caller.requester
    own = SuppressionSource.API if requester.key_id else SuppressionSource.MANUAL
    proof = Proof(user_id=requester.person_id, api_key_id=requester.key_id)
    return NewSuppression(reason, source or own, at, note, requester.name, proof=proof)


@dataclass(frozen=True)
class Holder:
    """The profile that has some addresses, or None, and their claims."""

    profile: Profile | None
    claims: dict[Address, Claim]
    """The claims as read, before the suppressions were read."""


def holder_of(changes: Changes, workspace: WorkspaceScope, address: Address) -> Holder:
    """Returns the holder of an address."""
    identity = identity_of(address)
    known = look_up(ProfileRepository(workspace, changes.reads), [identity])
    claim = known.claims.get(identity)
    return Holder(known.holder_of(identity), {address: claim} if claim else {})


def add_suppression(
    changes: Changes, workspace: WorkspaceScope, address: Address, new: NewSuppression
) -> Result:
    """Suppresses an address; returns the suppression with that reason, and whether it is new.

    An existing one stays as it is, except that a later end replaces its own.
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
    """Suppresses addresses of one holder one by one, or an address without a holder.

    `states` are their suppressions, read after the holder.
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
    """Writes only the suppressions; the caller updates the holder of the addresses.

    Returns the results, and the addresses that nothing suppressed before. For these the caller must
    save the profile that has them, or hold their claims back.
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
    """Whether the address may be stored in clear.

    It may not where its owner was erased and only an email that was still in transit names it.
    """
    if holder.profile or new.source is not SuppressionSource.SES:
        return True
    consents = ConsentRepository(workspace, changes.reads)
    return consents.with_erasure(address, consents.consent_of(address)).erased_at is None


def _decided(state: AddressSuppressions, new: Suppression, now: datetime) -> Result:
    """The suppression for the reason from now on, and whether it is new."""
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
    """Writes the difference of an address's suppressions."""
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
    """Unsubscribes addresses after complaints, in the history of the profile that has them.

    A known complaint adds nothing for an address that is unsubscribed.
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
    """Unsubscribes an address that no profile has now, if an earlier statement still holds.

    The history that has that statement gets the change. So a profile that takes the address isn't
    subscribed by the statement.
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
    """Saves the profile whose address is newly suppressed, even if it doesn't show the address.

    So no concurrent writer starts to show it without its suppression. For an address without a
    profile, a concurrent writer that claims it loses the race; an address that may not be stored in
    clear is only expected to stay unclaimed.
    """
    profiles, profile = ProfileRepository(workspace), holder.profile
    if profile is not None:
        if newly or consents:
            profiles.save(changes, profile, show_consents(changes, profile, profile, consents))
        return
    for address, state in newly.items():
        hold = profiles.expect_nobodys if state.address is None else profiles.hold_back
        hold(changes, identity_of(address), holder.claims.get(address))

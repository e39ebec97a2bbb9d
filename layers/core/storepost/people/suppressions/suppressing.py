"""Suppressing an address inside a unit of work, with what follows for whoever has it."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from storepost.people.consent.assertions import assert_statement
from storepost.people.consent.evidence_rows import pending_evidence
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Proof
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement, StatementOutcome
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.consent_summary import identity_of, show_consents, subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import Claim, ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.people.suppressed.model import (
    AddressSuppressions,
    Suppression,
    SuppressionReason,
    SuppressionSource,
)
from storepost.people.suppressed.repository import SuppressionRepository
from storepost.people.suppressed.showing import saved_marks
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

    def value(self, address: Address, now: datetime) -> Suppression:
        """Returns the suppression of an address, with an id of its own."""
        return Suppression(
            id=timed_id(now),
            channel=address.channel,
            address=address.value,
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


@dataclass(frozen=True)
class Holder:
    """Who has an address, as far as anybody does."""

    profile: Profile | None
    claim: Claim | None


def holder_of(changes: Changes, workspace: WorkspaceScope, address: Address) -> Holder:
    """Returns who has an address, and its claim as it was read."""
    identity = identity_of(address)
    known = look_up(ProfileRepository(workspace, changes.reads), [identity])
    return Holder(known.holder_of(identity), known.claims.get(identity))


def add_suppression(
    changes: Changes,
    workspace: WorkspaceScope,
    address: Address,
    new: NewSuppression,
    holder: Holder | None = None,
    state: AddressSuppressions | None = None,
) -> tuple[Suppression, bool]:
    """Suppresses an address; returns the suppression of that reason, and whether it is new.

    One that is there already stays as it is, but for an end that is later now. `holder` and `state`
    are given where they were read before.
    """
    repository, now = SuppressionRepository(workspace, changes.reads), clock.now()
    holder = holder or holder_of(changes, workspace, address)
    state = state or repository.state_of(address)
    kept = _address_to_keep(changes, workspace, address, holder, new, state)
    suppression, is_new = _write(changes, repository, state, kept, new.value(address, now), now)
    outcome = _unsubscribe(changes, workspace, address, holder, new, is_new=is_new)
    is_first = is_new and not state.in_force(now)
    if is_first:
        saved_marks(changes, workspace)[address] = True
    _write_holder(changes, workspace, address, holder, outcome, is_marked=is_first)
    return suppression, is_new


def _address_to_keep(
    changes: Changes,
    workspace: WorkspaceScope,
    address: Address,
    holder: Holder,
    new: NewSuppression,
    state: AddressSuppressions,
) -> str | None:
    """The address as it may stand in clear: not at all where its owner was erased and only an email
    that was on its way tells of it.
    """
    if holder.profile or new.source is not SuppressionSource.SES:
        return address.value
    if state.version is not None:
        return state.address
    consents = ConsentRepository(workspace, changes.reads)
    consent = consents.with_erasure(address, consents.consent_of(address))
    return address.value if consent.erased_at is None else None


def _write(
    changes: Changes,
    repository: SuppressionRepository,
    before: AddressSuppressions,
    kept: str | None,
    new: Suppression,
    now: datetime,
) -> tuple[Suppression, bool]:
    """Writes what suppresses the address from now on; the suppression, and whether it is new."""
    named = before.of_address(kept)
    stored = named.of_reason(new.reason)
    is_new = stored is None or not stored.is_in_force(now)
    if stored and not is_new:
        new = replace(stored, ends_at=_later(stored.ends_at, new.ends_at))
    after = named.with_one(replace(new, address=kept))
    if after == before:
        return new, False
    if stored and is_new:
        repository.add_to_history(changes, stored.ended(), before.digest)
    repository.save(changes, after)
    if is_new:
        repository.lists.insert(changes, new)
    for each in set(after.stored) - set(before.stored):
        repository.rewrite(changes, each, before.digest)
    return replace(new, address=kept), is_new


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two ends; None, which is later than all, stands for no end."""
    return max(one, other) if one and other else None


def _unsubscribe(
    changes: Changes,
    workspace: WorkspaceScope,
    address: Address,
    holder: Holder,
    new: NewSuppression,
    *,
    is_new: bool,
) -> StatementOutcome | None:
    """Unsubscribes the address of who complained, in the history of the profile that has it."""
    if new.statement is None or holder.profile is None:
        return None
    if not is_new:
        consent = ConsentRepository(workspace, changes.reads).consent_of(address)
        if consent.state is ConsentState.UNSUBSCRIBED:
            return None
    return assert_statement(changes, subject_of(holder.profile), address, new.statement)


def _write_holder(
    changes: Changes,
    workspace: WorkspaceScope,
    address: Address,
    holder: Holder,
    outcome: StatementOutcome | None,
    *,
    is_marked: bool,
) -> None:
    """Writes whoever has the address, also one who doesn't show it, and so shows it at no time
    without knowing of the suppression; where nobody has it, so does whoever is about to.
    """
    profiles, profile = ProfileRepository(workspace), holder.profile
    if profile is None:
        if is_marked:
            profiles.hold_back(changes, identity_of(address), holder.claim)
        return
    if is_marked or outcome or pending_evidence(changes, profile.id):
        states = {address: outcome.state} if outcome else {}
        profiles.save(changes, profile, show_consents(changes, profile, profile, states))

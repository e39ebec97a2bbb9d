"""Records a statement about an address in the history of the profile that has it."""

from collections.abc import Iterable

from storepost.people.consent.assertions import assert_statement
from storepost.people.consent.evidence_rows import pending_evidence
from storepost.people.consent.model import Address
from storepost.people.consent.statements import ConsentStatement, StatementOutcome
from storepost.people.profiles.consent_summary import identity_of, show_consents, subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope


def record_statement(
    changes: Changes, profile: Profile, address: Address, statement: ConsentStatement
) -> StatementOutcome:
    """Asserts the statement, if it is new, and saves the profile with it.

    Raises ValueError for a store's or list's statement about an erased person.
    """
    outcome = assert_statement(changes, subject_of(profile), address, statement)
    if outcome is None:
        raise ValueError("a store's statement, or a list's, may be about somebody who was erased")
    if outcome.recorded or pending_evidence(changes, profile.id):
        # Saved also where the copy is unchanged: the commit fails if the profile of the new change
        # or evidence is gone.
        updated = show_consents(changes, profile, profile, {address: outcome.state})
        ProfileRepository(profile.workspace).save(changes, profile, updated)
    return outcome


def record_of_address(
    changes: Changes, workspace: WorkspaceScope, address: Address, statement: ConsentStatement
) -> None:
    """Records a statement in the profile that has the address; if none has it, in a new profile.

    So an unsubscription is never lost.
    """
    profiles, identity = ProfileRepository(workspace), identity_of(address)
    known = look_up(profiles, [identity])
    holder = known.holder_of(identity)
    if holder is not None:
        record_statement(changes, holder, address, statement)
        return
    newcomer = newcomer_with(workspace, [address])
    outcome = assert_statement(changes, subject_of(newcomer), address, statement)
    states = {address: outcome.state} if outcome else {}
    updated = show_consents(changes, None, newcomer, states)
    profiles.save(changes, None, updated)
    profiles.claim(changes, updated, known.claims, updated.identities)


def newcomer_with(workspace: WorkspaceScope, addresses: Iterable[Address]) -> Profile:
    """Returns a new profile with the addresses, as an upsert would make it.

    The id sorts by time, so that new profiles without a name are adjacent in the list by name.
    """
    now = clock.now()
    profile = Profile(timed_id(now), workspace, first_seen_at=now, last_seen_at=now)
    return profile.identified(dict.fromkeys(map(identity_of, addresses), (now,)))

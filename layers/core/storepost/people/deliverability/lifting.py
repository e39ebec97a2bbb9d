"""Lifts suppressions: by request, or because they have ended."""

from datetime import datetime
from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.roles import expect_manager
from storepost.people.consent.model import Address
from storepost.people.deliverability.suppressing import holder_of
from storepost.people.profiles.consent_summary import show_consents
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.suppressions.model import (
    NEED_A_NOTE,
    AddressSuppressions,
    Suppression,
    SuppressionReason,
)
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.suppression_summary import saved_marks
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.problems import FieldError, NotFound, ValidationFailed, needed
from storepost.values.scope import WorkspaceScope


def lift_suppression(
    caller: WorkspaceCaller, suppression_id: UUID, note: str | None, changes: Changes
) -> None:
    """Lifts a suppression and moves it to the history; does nothing where it is lifted already.

    Consent stays unchanged. Raises NotFound, RoleTooSmall for a complaint's suppression where the
    caller is no admin, and ValidationFailed where a note is required.
    """
    repository = SuppressionRepository(caller.workspace, changes.reads)
    found = needed(repository.get(suppression_id), NotFound.of("suppression"))
    suppression, digest = found
    if suppression.reason is SuppressionReason.COMPLAINT:
        expect_manager(changes, caller)
    if suppression.reason in NEED_A_NOTE and note is None:
        text = "Required where the suppression is of a bounce or a complaint"
        raise ValidationFailed(errors=[FieldError("query.note", text)])
    state = repository.state_behind(digest)
    stored = state.of_reason(suppression.reason) if state else None
    if state and stored and stored.id == suppression.id:
        now = clock.now()
        lifted = (
            stored.lifted(now, caller.requester.name, note)
            if stored.is_in_force(now)
            else stored.ended()
        )
        move_to_history(changes, caller.workspace, state, lifted, now)


def move_to_history(
    changes: Changes,
    workspace: WorkspaceScope,
    state: AddressSuppressions,
    lifted: Suppression,
    now: datetime,
) -> None:
    """Moves a suppression to the history, and updates the profile that shows the address."""
    repository = SuppressionRepository(workspace, changes.reads)
    after = state.without(lifted)
    repository.save(changes, after)
    repository.add_to_history(changes, lifted, state.digest)
    if state.address is not None and not after.in_force(now):
        _unmark(changes, workspace, Address(state.channel, state.address))


def _unmark(changes: Changes, workspace: WorkspaceScope, address: Address) -> None:
    """Updates the profile that shows the address: only its consent now decides on marketing."""
    saved_marks(changes, workspace)[address] = False
    before = holder_of(changes, workspace, address).profile
    after = show_consents(changes, before, before, {}) if before else None
    if before and after and after != before:
        ProfileRepository(workspace).save(changes, before, after)

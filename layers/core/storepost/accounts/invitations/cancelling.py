"""Cancels the open invitations of an API key once it is revoked.

An invitation of a revoked key can't be accepted, whether or not it was cancelled yet: `service`
reads the key. So a run that is killed here leaves no invitation that still works.
"""

from functools import partial
from uuid import UUID

from storepost.accounts.invitations.model import InvitationStatus
from storepost.accounts.invitations.repository import InvitationRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

MAX_AT_ONCE = 30
"""Invitations in one transaction, of two rows each."""


def cancel_invitations_of_key(workspace: WorkspaceScope, key_id: UUID, changes: Changes) -> None:
    """Cancels the open invitations that the key made: some with the changes, the rest after."""
    _cancel_some(workspace, key_id, changes)
    changes.after_commit(lambda: _cancel_rest(workspace, key_id))


def _cancel_rest(workspace: WorkspaceScope, key_id: UUID) -> None:
    """Cancels the rest, also those that were being made while the key was revoked."""
    while commit_anew(partial(_cancel_some, workspace, key_id)):
        pass


def _cancel_some(workspace: WorkspaceScope, key_id: UUID, changes: Changes) -> int:
    repository = InvitationRepository(workspace)
    found = repository.open_of_key(key_id, MAX_AT_ONCE)
    for invitation in found:
        repository.close(changes, invitation, InvitationStatus.CANCELED)
    return len(found)

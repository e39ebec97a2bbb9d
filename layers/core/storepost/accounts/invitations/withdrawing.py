"""Cancelling what an API key invited, once it is revoked.

A revoked key's invitation can't be accepted from that moment on, whether or not it was cancelled
yet: `service` asks for the key. So what a run that died left behind opens no door.
"""

from functools import partial
from uuid import UUID

from storepost.accounts.invitations.model import InvitationStatus
from storepost.accounts.invitations.repository import InvitationRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

MAX_AT_ONCE = 30
"""Invitations in one transaction, of two rows each."""


def withdraw_of_key(workspace: WorkspaceScope, key_id: UUID, changes: Changes) -> None:
    """Cancels the open invitations that the key made: some with the changes, the rest after."""
    _withdraw_some(workspace, key_id, changes)
    changes.after_commit(lambda: _withdraw_rest(workspace, key_id))


def _withdraw_rest(workspace: WorkspaceScope, key_id: UUID) -> None:
    """Those past the first, and those that were being made while the key was revoked."""
    while commit_anew(partial(_withdraw_some, workspace, key_id)):
        pass


def _withdraw_some(workspace: WorkspaceScope, key_id: UUID, changes: Changes) -> int:
    repository = InvitationRepository(workspace)
    found = repository.open_of_key(key_id, MAX_AT_ONCE)
    for invitation in found:
        repository.close(changes, invitation, InvitationStatus.CANCELED)
    return len(found)

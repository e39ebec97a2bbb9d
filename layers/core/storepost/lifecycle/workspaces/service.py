"""Deletes a workspace: one transaction makes it unreachable, and a worker removes it."""

from functools import partial
from itertools import batched
from uuid import UUID

from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.me.proof import prove
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.accounts.workspaces.service import owned_by
from storepost.lifecycle.workspaces.messages import WorkspaceDeletionMessage
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

SECRETS_AT_ONCE = 80
"""Keys' secrets that one transaction ends; a workspace has a hundred keys, some with two."""


def delete_workspace(
    caller: SignedInPerson, workspace_id: UUID, password: str, ip: str | None, changes: Changes
) -> None:
    """Makes the workspace unreachable for everybody; the caller must be its owner.

    Its keys end with it: the first 80 secrets in the same transaction, the others in transactions
    right after it. The worker's first step ends keys that were created concurrently.
    """
    scope = WorkspaceScope(workspace_id)
    repository = WorkspaceRepository(scope)
    standing = owned_by(caller, repository)
    prove(caller, password, ip)
    repository.expect_same(changes, standing.membership)
    repository.end(changes, standing.workspace)
    keys = ApiKeyRepository(scope)
    digests = [secret.digest for key in keys.all() for secret in key.secrets]
    keys.end_secrets(changes, digests[:SECRETS_AT_ONCE])
    for more in batched(digests[SECRETS_AT_ONCE:], SECRETS_AT_ONCE, strict=False):
        changes.after_commit(partial(commit_anew, partial(keys.end_secrets, digests=more)))
    send(changes, WorkspaceDeletionMessage(workspace_id))


def end_secrets(workspace: WorkspaceScope) -> None:
    """Ends the workspace's keys that still work: one may have been created during the deletion."""
    keys = ApiKeyRepository(workspace)
    digests = [secret.digest for key in keys.all() for secret in key.secrets]
    for some in batched(digests, SECRETS_AT_ONCE, strict=False):
        commit_anew(partial(keys.end_secrets, digests=some))

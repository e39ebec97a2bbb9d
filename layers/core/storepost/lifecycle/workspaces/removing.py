"""The worker: removes what a deleted workspace holds.

A message says no more than which workspace; what there is to remove is what is still there. So it
may come twice, late, or after a run that was killed anywhere (docs/adr/0061).
"""

import json
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from storepost.accounts.workspaces.repository import WorkspaceRepository, workspace_key
from storepost.lifecycle.workspaces.holdings import CONTENTS, ENDS, Holding
from storepost.lifecycle.workspaces.service import end_secrets, remove_rest
from storepost.platform.messaging.remaining import Remaining
from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.item import Item
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

MARGIN_MILLISECONDS = 30_000
"""With so little time left nothing more is begun."""

WRITTEN_UNTIL = timedelta(minutes=10)
"""So long after the end something may still be written that was under way: an import's chunks."""


class NotYet(Exception):  # noqa: N818 - it is what happened
    """Something that was under way may still write: the queue brings the message again."""


def remove(message: str, remaining: Remaining) -> None:
    """Removes everything that the workspace holds which a message names, or sends the next message.

    Raises NotYet where the last look has to wait.
    """
    workspace = WorkspaceScope(UUID(json.loads(message)["workspaceId"]))
    ended_at = WorkspaceRepository(workspace).ended_at()
    if ended_at is None:
        return
    end_secrets(workspace)
    if not _are_removed(CONTENTS, workspace, remaining):
        commit_anew(lambda changes: remove_rest(changes, workspace))
        return
    if clock.now() < ended_at + WRITTEN_UNTIL:
        raise NotYet()
    if _are_removed(ENDS, workspace, remaining):
        commit_anew(lambda changes: changes.delete(Item(*workspace_key(workspace))))
    else:
        commit_anew(lambda changes: remove_rest(changes, workspace))


def _are_removed(
    holdings: Iterable[Holding], workspace: WorkspaceScope, remaining: Remaining
) -> bool:
    """Removes all of them; False where time was up before the end."""
    for holding in holdings:
        while holding.remove(workspace):
            if remaining() < MARGIN_MILLISECONDS:
                return False
    return remaining() >= MARGIN_MILLISECONDS

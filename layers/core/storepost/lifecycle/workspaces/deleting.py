"""The worker: removes what a deleted workspace holds.

A message says no more than which workspace; what there is to remove is what is still there. So it
may come twice, late, or after a run that was killed anywhere (docs/adr/0061).
"""

from datetime import timedelta
from functools import partial

from storepost.accounts.workspaces.repository import WorkspaceRepository, workspace_key
from storepost.lifecycle.workspaces.holdings import CONTENTS, ENDS
from storepost.lifecycle.workspaces.messages import WorkspaceDeletionMessage
from storepost.lifecycle.workspaces.service import end_secrets
from storepost.platform.jobs.runs import NotYet, Run
from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.item import Item
from storepost.values import clock

WRITTEN_UNTIL = timedelta(minutes=10)
"""So long after the end something may still be written that was under way: an import's chunks."""


def delete_contents(run: Run[WorkspaceDeletionMessage]) -> None:
    """Removes everything that a deleted workspace holds.

    Raises NotYet where something that was under way may still write.
    """
    workspace = run.message.workspace
    ended_at = WorkspaceRepository(workspace).ended_at()
    if ended_at is None:
        return
    end_secrets(workspace)
    run.do(*(partial(holding.delete, workspace) for holding in CONTENTS))
    run.check_time()
    if clock.now() < ended_at + WRITTEN_UNTIL:
        raise NotYet()
    run.do(*(partial(holding.delete, workspace) for holding in ENDS))
    run.check_time()
    commit_anew(lambda changes: changes.delete(Item(*workspace_key(workspace))))

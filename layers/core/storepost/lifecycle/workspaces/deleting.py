"""The worker that removes a deleted workspace's rows.

A message only names the workspace; the rows that still exist are what is left to remove. So it may
arrive twice, late, or after a run that was killed anywhere (docs/adr/0061).
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
"""For how long after the deletion work that had started may still write, such as an import's
chunks.
"""


def delete_contents(run: Run[WorkspaceDeletionMessage]) -> None:
    """Deletes all rows of a deleted workspace.

    Raises NotYet while work that had started may still write.
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

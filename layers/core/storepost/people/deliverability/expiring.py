"""Moves suppressions that have ended to the history.

From its end on, every read ignores a suppression. This updates the lists afterwards.
"""

from functools import partial

from storepost.people.deliverability.lifting import move_to_history
from storepost.people.suppressions.due import due_before
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.rows import SuppressionDueItem
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.values.logs import log_unexpected
from storepost.values.scope import WorkspaceScope


def expire_due_suppressions() -> int:
    """Moves the suppressions that have ended; returns how many there were."""
    ended = 0
    for due in due_before(clock.now()):
        try:
            ended += commit_anew(partial(_end, due=due))
        except Exception as error:  # one suppression's failure doesn't stop the others
            log_unexpected(error)
    return ended


def _end(changes: Changes, due: SuppressionDueItem) -> bool:
    """Whether it was still to be moved; one with a later end now has its own due row."""
    workspace, now = WorkspaceScope(due.workspace_id), clock.now()
    state = SuppressionRepository(workspace).state_behind(due.digest)
    stored = next((each for each in state.stored if each.id == due.id), None) if state else None
    if state is None or stored is None or stored.is_in_force(now):
        changes.delete(SuppressionDueItem(*due.key))
        return False
    move_to_history(changes, workspace, state, stored.ended(), now)
    return True

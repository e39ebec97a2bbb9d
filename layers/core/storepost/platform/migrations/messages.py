"""The message that starts a migration of a workspace, or continues it."""

from dataclasses import dataclass
from typing import ClassVar

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class MigrationMessage(WorkspaceMessage):
    """Requests a run of a migration: it starts one, if none has its number, or continues it.

    The run's row has its progress. So a message may arrive late, twice and out of order: one of an
    earlier run, or of a finished one, does nothing.
    """

    queue: ClassVar = Queue.MIGRATIONS

    name: str
    run: int

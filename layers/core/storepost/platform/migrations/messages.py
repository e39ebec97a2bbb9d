"""The message that starts a migration of a workspace, or goes on with it."""

from dataclasses import dataclass
from typing import ClassVar

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class MigrationMessage(WorkspaceMessage):
    """Asks for a run of a migration: it begins where there is none with its number, or goes on.

    How far the run is stands in its row. So a message may come late, twice and in another order:
    one of an earlier run, or of one that is done, does nothing.
    """

    queue: ClassVar = Queue.MIGRATIONS

    name: str
    run: int

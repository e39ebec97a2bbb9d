"""The message that has the rest of a deleted workspace removed."""

from dataclasses import dataclass
from typing import ClassVar

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class WorkspaceDeletionMessage(WorkspaceMessage):
    """Asks for the removal of what a deleted workspace holds."""

    queue: ClassVar = Queue.WORKSPACE_DELETIONS
    margin_milliseconds: ClassVar = 30_000

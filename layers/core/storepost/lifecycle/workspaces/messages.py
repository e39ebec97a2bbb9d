"""The message that requests the removal of a deleted workspace's rows."""

from dataclasses import dataclass
from typing import ClassVar

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class WorkspaceDeletionMessage(WorkspaceMessage):
    """Requests the removal of a deleted workspace's rows."""

    queue: ClassVar = Queue.WORKSPACE_DELETIONS
    margin_milliseconds: ClassVar = 30_000

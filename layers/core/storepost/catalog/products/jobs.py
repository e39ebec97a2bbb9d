"""What is left to a worker: names of many variants, and changes of a store's rules."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import QueueMessage
from storepost.platform.messaging.outbox import Queue
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum


class JobKind(StoredEnum):
    """What is to be done."""

    NAMES = "names"
    PRIORITY_CHANGE = "priority_change"


@dataclass(frozen=True)
class Job(QueueMessage):
    """Asks for something to be done with a store's products."""

    queue: ClassVar = Queue.PRODUCT_JOBS

    job: JobKind
    workspace_id: UUID
    store_id: UUID
    id: UUID
    """The product's, or the change's."""

    @property
    def workspace(self) -> WorkspaceScope:
        """Returns the workspace."""
        return WorkspaceScope(self.workspace_id)

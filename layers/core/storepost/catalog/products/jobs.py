"""What is left to a worker: names of many variants, changes of a store's rules, and what products
become by a store's other primary locale or currencies.
"""

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
    TERMS = "terms"


@dataclass(frozen=True)
class Job(QueueMessage):
    """Asks for something to be done with a store's products."""

    queue: ClassVar = Queue.PRODUCT_JOBS

    job: JobKind
    workspace_id: UUID
    store_id: UUID
    id: UUID
    """The product's, the change's, or the store's."""
    until: str | None = None
    """When the store's terms became others: what was written later follows them."""
    after: str | None = None
    """Where the work goes on: behind the place of the last product that was brought up to them."""
    is_at_removed: bool | None = None
    """Whether that is among the removed products, which come after the others."""

    @property
    def workspace(self) -> WorkspaceScope:
        """Returns the workspace."""
        return WorkspaceScope(self.workspace_id)

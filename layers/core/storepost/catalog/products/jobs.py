"""Jobs of the products' worker: names of many variants, changes of a store's rules, and products
that are resolved again after a change of a store's primary locale or currencies.
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
    """When the store's terms changed: products written later are resolved by the new ones."""
    after: str | None = None
    """The key in the list of the last product that was resolved; the work continues after it."""
    is_at_removed: bool | None = None
    """Whether that key is in the list of removed products, which come after the others."""

    @property
    def workspace(self) -> WorkspaceScope:
        """Returns the workspace."""
        return WorkspaceScope(self.workspace_id)

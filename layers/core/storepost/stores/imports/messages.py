"""The message that has a store's imports run."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class StoreImportMessage(WorkspaceMessage):
    """Asks to go on with whatever is open of a store, whose messages run in turn."""

    queue: ClassVar = Queue.STORE_IMPORTS
    grouped_by: ClassVar = "store_id"
    margin_milliseconds: ClassVar = 30_000
    """A chunk of records takes a second at the worst."""

    store_id: UUID

"""The message that runs a store's imports."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class StoreImportMessage(WorkspaceMessage):
    """Requests the next step of a store's open imports; a store's messages are handled in turn."""

    queue: ClassVar = Queue.STORE_IMPORTS
    grouped_by: ClassVar = "store_id"
    margin_milliseconds: ClassVar = 30_000
    """A chunk of records takes a second at most."""

    store_id: UUID

"""The message that lets the worker run a feed's imports."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class FeedImportMessage(WorkspaceMessage):
    """Asks the worker to continue with a feed's open work; a feed's messages run in turn."""

    queue: ClassVar = Queue.FEED_IMPORTS
    grouped_by: ClassVar = "feed_id"
    margin_milliseconds: ClassVar = 45_000
    """It includes the time to store the rows that are resolved so far."""

    feed_id: UUID

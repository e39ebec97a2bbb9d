"""The message that has a feed's imports run."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class FeedImportMessage(WorkspaceMessage):
    """Asks to go on with whatever is open of a feed, whose messages run in turn."""

    queue: ClassVar = Queue.FEED_IMPORTS
    grouped_by: ClassVar = "feed_id"
    margin_milliseconds: ClassVar = 45_000
    """What is settled of a feed's rows has to be kept, too."""

    feed_id: UUID

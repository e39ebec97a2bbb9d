"""The message that requests the moves to a profile from those merged into it."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class ProfileMergeMessage(WorkspaceMessage):
    """Requests the move of all rows of the profiles that this one absorbs."""

    queue: ClassVar = Queue.PROFILE_MERGES

    profile_id: UUID

"""The message that has a profile absorb those that were merged into it."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class ProfileMergeMessage(WorkspaceMessage):
    """Asks for the move of what belongs to the profiles that this one absorbs."""

    queue: ClassVar = Queue.PROFILE_MERGES

    profile_id: UUID

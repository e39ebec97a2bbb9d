"""The message that requests the removal of the rest of an erased profile."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class ProfileErasureMessage(WorkspaceMessage):
    """Requests the removal of the rest of an erased profile."""

    queue: ClassVar = Queue.PROFILE_ERASURES

    profile_id: UUID

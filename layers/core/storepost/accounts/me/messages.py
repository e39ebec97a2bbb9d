"""The message that lets a worker remove the rest of a deleted account."""

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.platform.messaging.messages import QueueMessage
from storepost.platform.messaging.outbox import Queue


@dataclass(frozen=True)
class AccountErasureMessage(QueueMessage):
    """Asks for the removal of what a deleted account left."""

    queue: ClassVar = Queue.ACCOUNT_ERASURES

    person_id: UUID

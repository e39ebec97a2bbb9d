"""What is left to a worker: names of many variants, and changes of a store's rules."""

import json
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from storepost.platform.messaging.outbox import Queue, send_with
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope


class JobKind(StrEnum):
    """What is to be done."""

    NAMES = "names"
    PRIORITY_CHANGE = "priority_change"


@dataclass(frozen=True)
class Job:
    """Something to do with a store's products."""

    kind: JobKind
    workspace: WorkspaceScope
    store_id: UUID
    id: UUID
    """The product's, or the change's."""

    @classmethod
    def of(cls, message: str) -> "Job":
        """The job that a message names."""
        body = json.loads(message)
        workspace = WorkspaceScope(UUID(body["workspaceId"]))
        return cls(JobKind(body["job"]), workspace, UUID(body["storeId"]), UUID(body["id"]))


def send_job(changes: Changes, job: Job) -> None:
    """Adds the worker's message to the transaction."""
    body: dict[str, object] = {
        "job": job.kind,
        "workspaceId": str(job.workspace.id),
        "storeId": str(job.store_id),
        "id": str(job.id),
    }
    send_with(changes, Queue.PRODUCT_JOBS, [(body, None)])

"""The queue of deleted workspaces: what they held is removed."""

from storepost.lifecycle.workspaces.messages import WorkspaceDeletionMessage
from storepost.lifecycle.workspaces.removing import remove
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(WorkspaceDeletionMessage, remove))

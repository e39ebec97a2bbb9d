"""The queue of deleted workspaces: deletes their data."""

from storepost.lifecycle.workspaces.deleting import delete_contents
from storepost.lifecycle.workspaces.messages import WorkspaceDeletionMessage
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(WorkspaceDeletionMessage, delete_contents))

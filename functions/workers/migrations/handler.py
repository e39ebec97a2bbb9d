"""The queue of migrations: changes rows of a workspace into another form."""

from storepost.lifecycle.migrations.worker import migrate_workspace
from storepost.platform.jobs.batches import job, queue_handler
from storepost.platform.migrations.messages import MigrationMessage

lambda_handler = queue_handler(job(MigrationMessage, migrate_workspace))

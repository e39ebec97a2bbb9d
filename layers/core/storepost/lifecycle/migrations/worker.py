"""The worker for migrations: finds each by its name, and begins none in a deleted workspace."""

from contextlib import suppress

from storepost.accounts.workspaces.problems import NoActiveWorkspace
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.lifecycle.migrations.search import MIGRATION as REBUILD_SEARCH
from storepost.platform.jobs.runs import Run
from storepost.platform.migrations.messages import MigrationMessage
from storepost.platform.migrations.running import migrate
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope

MIGRATIONS = {each.name: each for each in (REBUILD_SEARCH,)}


def migrate_workspace(run: Run[MigrationMessage]) -> None:
    """Carries out a message; does nothing in a workspace that is deleted or never existed."""
    with suppress(NoActiveWorkspace):
        migrate(MIGRATIONS, _begin, run)


def _begin(changes: Changes, workspace: WorkspaceScope) -> None:
    WorkspaceRepository(workspace).expect_live(changes)

"""The key of a workspace's row of a migration; an operator's command reads the row, too."""

from storepost.values.scope import WorkspaceScope

PREFIX = "migration#"
REBUILD_SEARCH = "rebuild-search"
"""The migration that makes all postings of a workspace again."""


def migration_key(workspace: WorkspaceScope, name: str) -> tuple[str, str]:
    """Returns the key of a migration's row, in the workspace's own partition."""
    return (workspace.key, f"{PREFIX}{name}")

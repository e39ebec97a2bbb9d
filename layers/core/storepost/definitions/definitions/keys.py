"""Keys of definitions and of their versions."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

VERSIONS = "version#"


def definitions_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of a workspace's definitions, without their content."""
    return workspace.partition("definitions")


def definition_key(workspace: WorkspaceScope, definition_id: UUID) -> Key:
    """Returns the key of a definition."""
    return (definitions_partition(workspace), short(definition_id))


def versions_partition(workspace: WorkspaceScope, definition_id: UUID) -> str:
    """Returns the partition of a definition's versions."""
    return workspace.partition("definition", short(definition_id))


def version_key(workspace: WorkspaceScope, definition_id: UUID, version_id: UUID) -> Key:
    """Returns the key of a version: short ids sort as ids do, and ids by when they were made."""
    return (versions_partition(workspace, definition_id), f"{VERSIONS}{short(version_id)}")

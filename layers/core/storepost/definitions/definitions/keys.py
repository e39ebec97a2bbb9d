"""Where definitions and their versions stand."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

VERSIONS = "version#"


def definitions_partition(workspace: WorkspaceScope) -> str:
    """Where all definitions of a workspace stand, without what they say."""
    return workspace.partition("definitions")


def definition_key(workspace: WorkspaceScope, definition_id: UUID) -> Key:
    """Where a definition stands."""
    return (definitions_partition(workspace), short(definition_id))


def versions_partition(workspace: WorkspaceScope, definition_id: UUID) -> str:
    """Where a definition's versions stand."""
    return workspace.partition("definition", short(definition_id))


def version_key(workspace: WorkspaceScope, definition_id: UUID, version_id: UUID) -> Key:
    """Where a version stands; short ids sort as ids do, and those as the versions were made."""
    return (versions_partition(workspace, definition_id), f"{VERSIONS}{short(version_id)}")

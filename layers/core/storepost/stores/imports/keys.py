"""Where imports, their problems and their stores' turns stand."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope

_TURNS = "import_turns#"
IMPORTS = "import#"


def turns_prefix() -> str:
    """Returns how the sort keys of all stores' turns begin."""
    return _TURNS


def turns_key(workspace: WorkspaceScope, store_id: UUID) -> Key:
    """Returns where a store's turns stand."""
    return (workspace.key, f"{_TURNS}{short(store_id)}")


def store_of_turns(sort_key: str) -> UUID:
    """Returns the store whose turns these are."""
    return from_short(sort_key.removeprefix(_TURNS))


def imports_partition(workspace: WorkspaceScope, store_id: UUID) -> str:
    """Returns where a store's imports stand."""
    return workspace.partition("imports", short(store_id))


def import_key(workspace: WorkspaceScope, store_id: UUID, import_id: UUID) -> Key:
    """Returns where an import stands; short ids sort as ids do, and those as `queuedAt`."""
    return (workspace.partition("imports", short(store_id)), f"{IMPORTS}{short(import_id)}")


def problem_partition(workspace: WorkspaceScope, import_id: UUID) -> str:
    """Returns where an import's problems stand."""
    return workspace.partition("import_problems", short(import_id))


def problem_key(workspace: WorkspaceScope, import_id: UUID, number: int) -> Key:
    """Returns where an import's problem of that number stands; they count from 1."""
    return (problem_partition(workspace, import_id), f"problem#{number:06d}")

"""Keys of imports, of their problems, and of stores' turns."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope

TURNS = "import_turns#"
IMPORTS = "import#"


def turns_key(workspace: WorkspaceScope, store_id: UUID) -> Key:
    """Returns the key of a store's turns."""
    return (workspace.key, f"{TURNS}{short(store_id)}")


def store_of_turns(sort_key: str) -> UUID:
    """Returns the store of a turns key."""
    return from_short(sort_key.removeprefix(TURNS))


def imports_partition(workspace: WorkspaceScope, store_id: UUID) -> str:
    """Returns the partition of a store's imports."""
    return workspace.partition("imports", short(store_id))


def import_key(workspace: WorkspaceScope, store_id: UUID, import_id: UUID) -> Key:
    """Returns the key of an import; short ids sort like ids, and ids sort by `queuedAt`."""
    return (workspace.partition("imports", short(store_id)), f"{IMPORTS}{short(import_id)}")


def problem_partition(workspace: WorkspaceScope, import_id: UUID) -> str:
    """Returns the partition of an import's problems."""
    return workspace.partition("import_problems", short(import_id))


def problem_key(workspace: WorkspaceScope, import_id: UUID, number: int) -> Key:
    """Returns the key of an import's problem with that number; numbers start at 1."""
    return (problem_partition(workspace, import_id), f"problem#{number:06d}")

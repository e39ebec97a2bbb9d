"""The workspaces with stores, by the minute of the hour in which each is swept.

A workspace gets a row with its first store. The sweep stores its position in it.
"""

from collections.abc import Iterable

from pynamodb.attributes import UnicodeAttribute

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, find
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

PARTITION = "due#write_backs#"
MINUTES = 60


class SweptWorkspaceItem(Item, discriminator="swept_workspace"):
    """A workspace with stores."""

    workspace_id = Identifier()
    swept_to = UnicodeAttribute(null=True)
    """The sort key of the last change in the index of write-backs that was swept."""


def swept_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of a workspace's row."""
    return (f"{PARTITION}{workspace.id.int % MINUTES}", short(workspace.id))


def add_to_sweep(changes: Changes, workspace: WorkspaceScope) -> None:
    """Adds a workspace to the sweep, if it isn't in it yet."""
    row = SweptWorkspaceItem(*swept_key(workspace), workspace_id=workspace.id)
    if find(SweptWorkspaceItem, row.key) is None:
        changes.create(row)


def swept_in(minute: int) -> Iterable[SweptWorkspaceItem]:
    """Returns the workspaces that are swept in a minute of each hour."""
    return SweptWorkspaceItem.rows_in(f"{PARTITION}{minute}")

"""The workspaces that have stores, by the minute of the hour in which a sweep looks after each.

A row stands for a workspace as soon as it has a store. The sweep says in it how far it is.
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
    """The sort key of the last change of the index of write-backs that was looked at."""


def swept_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of a workspace's row."""
    return (f"{PARTITION}{workspace.id.int % MINUTES}", short(workspace.id))


def add_to_sweep(changes: Changes, workspace: WorkspaceScope) -> None:
    """Adds that the sweep looks after a workspace, if it doesn't yet."""
    row = SweptWorkspaceItem(*swept_key(workspace), workspace_id=workspace.id)
    if find(SweptWorkspaceItem, row.key) is None:
        changes.create(row)


def swept_in(minute: int) -> Iterable[SweptWorkspaceItem]:
    """Returns the workspaces that have their turn in a minute of each hour."""
    return SweptWorkspaceItem.query(f"{PARTITION}{minute}", consistent_read=True)

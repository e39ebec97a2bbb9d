"""The workspaces that have webhook endpoints: one row for all, which the stream's reader reads.

A record of the stream was committed before the row is read, and an endpoint's first transaction
adds its workspace here. So a strongly consistent read knows of every endpoint that was there when
the record was written, and a workspace without endpoints costs nothing (docs/adr/0151).
"""

from uuid import UUID

from pynamodb.attributes import UnicodeSetAttribute
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, find
from storepost.values.scope import WorkspaceScope


class SubscribersItem(Item, discriminator="webhook_subscribers"):
    """The ids of the workspaces with an endpoint."""

    workspaces = UnicodeSetAttribute(null=True)


def subscribers_key() -> Key:
    """Returns the key of the one row."""
    return ("webhook_subscribers", "workspaces")


def subscribe(changes: Changes, workspace: WorkspaceScope) -> None:
    """Adds the workspace, with its first endpoint."""
    row = SubscribersItem(*subscribers_key())
    added: list[Action] = [
        SubscribersItem.kind.set(SubscribersItem),
        SubscribersItem.workspaces.add({str(workspace.id)}),
    ]
    changes.update(row, added)


def unsubscribe(changes: Changes, workspace: WorkspaceScope) -> None:
    """Removes the workspace, with its last endpoint."""
    gone: list[Action] = [SubscribersItem.workspaces.delete({str(workspace.id)})]
    changes.update(SubscribersItem(*subscribers_key()), gone, Item.pk.exists())


def subscribed_workspaces() -> set[WorkspaceScope]:
    """Returns the workspaces that have an endpoint, strongly consistent."""
    row = find(SubscribersItem, subscribers_key())
    found = row.workspaces if row and row.workspaces else ()
    return {WorkspaceScope(UUID(each)) for each in found}

"""The workspaces that have webhook endpoints: one row for all, which the stream's reader reads.

A record of the stream was committed before the row is read, and an endpoint's first transaction
adds its workspace here. So a strongly consistent read knows of every endpoint that was there when
the record was written, and a workspace without endpoints costs nothing (docs/adr/0145).
"""

from uuid import UUID

from pynamodb.attributes import BinarySetAttribute
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, find
from storepost.values.scope import WorkspaceScope

KEY: Key = ("webhook_subscribers", "workspaces")


class SubscribersItem(Item, discriminator="webhook_subscribers"):
    """The ids of the workspaces with an endpoint, as 16 bytes each."""

    workspaces = BinarySetAttribute(legacy_encoding=False, null=True)


def subscribe(changes: Changes, workspace: WorkspaceScope) -> None:
    """Adds the workspace, with its first endpoint."""
    row = SubscribersItem(*KEY)
    added: list[Action] = [
        SubscribersItem.kind.set(SubscribersItem),
        SubscribersItem.workspaces.add({workspace.id.bytes}),
    ]
    changes.update(row, added)


def unsubscribe(changes: Changes, workspace: WorkspaceScope) -> None:
    """Removes the workspace, with its last endpoint."""
    gone: list[Action] = [SubscribersItem.workspaces.delete({workspace.id.bytes})]
    changes.update(SubscribersItem(*KEY), gone, Item.pk.exists())


def subscribed_workspaces() -> set[WorkspaceScope]:
    """Returns the workspaces that have an endpoint, strongly consistent."""
    row = find(SubscribersItem, KEY)
    found = row.workspaces if row and row.workspaces else ()
    return {WorkspaceScope(UUID(bytes=bytes(each))) for each in found}

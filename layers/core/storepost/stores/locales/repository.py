"""The row that holds all locales of a workspace: at most 500, so a change is one write."""

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key, VersionedItem, find
from storepost.platform.persistence.reads import Repository
from storepost.platform.persistence.records import Records
from storepost.stores.locales.model import Locales, WorkspaceLocale, WorkspaceLocaleOrigin
from storepost.values import clock
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope


class LocalesItem(VersionedItem, discriminator="locales"):
    """All locales."""

    rows = Records("id", "code", "label", "origin", "is_default", "created_at", named_by=["id"])


def locales_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the workspace's locales."""
    return (workspace.key, "locales")


class LocaleRepository(Repository):
    """A workspace's locales: read and saved as a whole, if they are unchanged meanwhile."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Makes the repository of one workspace."""
        super().__init__(workspace)
        self._item: LocalesItem | None = None

    def get(self) -> Locales:
        """Returns all locales."""
        self._item = find(LocalesItem, locales_key(self._scope))
        rows = self._item.rows if self._item else []
        return Locales(
            self._scope,
            {
                code: WorkspaceLocale(
                    from_short(row_id),
                    code,
                    label,
                    WorkspaceLocaleOrigin(origin),
                    is_default,
                    clock.from_text(created),
                )
                for row_id, code, label, origin, is_default, created in rows
            },
        )

    def save(self, changes: Changes, locales: Locales) -> None:
        """Writes the changed locales; a lost race if they changed since `get` read them."""
        item = self._item or LocalesItem(*locales_key(self._scope))
        item.rows = [
            [
                short(row.id),
                row.code,
                row.label,
                row.origin,
                row.is_default,
                clock.to_text(row.created_at),
            ]
            for row in locales.by_code.values()
        ]
        changes.save(item)

"""Pending OAuth installs of the Shopify app: begun in a workspace, not approved by the shop yet.

Each has OAuth's `state`, a random text that Shopify sends back with the approval. It can be used
once, within ten minutes, and identifies the workspace that began the install; it connects no store.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.accounts.identity.tokens import digest
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    find,
    find_all,
    find_in,
)
from storepost.platform.persistence.mapping import as_value
from storepost.platform.persistence.reads import Repository
from storepost.platform.persistence.sealing import Purpose, seal, unseal
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

STATE_VALID_FOR = timedelta(minutes=10)


class InstallItem(Item, discriminator="install"):
    """A pending install, by the workspace and the shop."""

    id = Identifier()
    shop = UnicodeAttribute()
    begun_at = UtcDateTimeAttribute()
    ends_at = UtcDateTimeAttribute()
    state = UnicodeAttribute(null=True)
    """The state, sealed; removed once Shopify has sent it back."""
    state_digest = UnicodeAttribute()


class InstallStateItem(Item, discriminator="install_state"):
    """Maps the digest of a state to its install."""

    workspace_id = Identifier()
    install_id = Identifier()
    shop = UnicodeAttribute()
    ends_at = UtcDateTimeAttribute()


@dataclass(frozen=True)
class Install:
    """A pending install."""

    id: UUID
    workspace: WorkspaceScope
    shop: str
    begun_at: datetime
    ends_at: datetime
    state_digest: str = field(repr=False)
    sealed_state: str | None = field(repr=False)

    def state(self) -> str | None:
        """Returns the state that Shopify has to send back; None once it has."""
        if self.sealed_state is None:
            return None
        return unseal(
            self.sealed_state, Purpose.INSTALL_STATE, _context(self.workspace, self.id)
        ).decode()


@dataclass(frozen=True)
class PendingInstall:
    """The install that a state belongs to: of this shop, begun in this workspace."""

    id: UUID
    workspace: WorkspaceScope
    shop: str
    state_digest: str = field(repr=False)


def install_key(workspace: WorkspaceScope, shop: str) -> Key:
    """Returns the key of a workspace's install of the shop."""
    return (workspace.key, f"install#{shop}")


def state_key(state_digest: str) -> Key:
    """Returns the key of the row that says which install a state belongs to."""
    return (f"oauth#{state_digest}", "state")


class InstallRepository(Repository):
    """The pending installs of a workspace."""

    def get(self, shop: str) -> Install | None:
        """Returns the pending install of the shop, or None."""
        return _pending(self._scope, find(InstallItem, install_key(self._scope, shop)))

    def all(self) -> list[Install]:
        """Returns all pending installs."""
        rows = InstallItem.rows_in(self._scope.key, "install#")
        found = (_pending(self._scope, row) for row in rows)
        return [install for install in found if install is not None]

    def begin(self, changes: Changes, install_id: UUID, shop: str, state: str) -> Install:
        """Stores a pending install with its state, replacing an earlier one of the shop."""
        now, state_digest = clock.now(), digest(state)
        before = find(InstallItem, install_key(self._scope, shop))
        if before is not None:
            changes.delete(InstallStateItem(*state_key(before.state_digest)))
        item = InstallItem(
            *install_key(self._scope, shop),
            id=install_id,
            shop=shop,
            begun_at=now,
            ends_at=now + STATE_VALID_FOR,
            expiration=now + STATE_VALID_FOR,
            state=seal(state.encode(), Purpose.INSTALL_STATE, _context(self._scope, install_id)),
            state_digest=state_digest,
        )
        unchanged = InstallItem.id == before.id if before else InstallItem.pk.does_not_exist()
        changes.save(item, unchanged)
        changes.create(
            InstallStateItem(
                *state_key(state_digest),
                workspace_id=self._scope.id,
                install_id=install_id,
                shop=shop,
                ends_at=item.ends_at,
                expiration=item.ends_at,
            )
        )
        return _as_install(self._scope, item)

    def await_choice(
        self, changes: Changes, install: PendingInstall, until: datetime, on_conflict: Exception
    ) -> None:
        """Keeps an approved install until `until`, while the shop's workspace is chosen.

        The commit raises `on_conflict` where the install isn't pending any more.
        """
        changes.update(
            InstallItem(*install_key(self._scope, install.shop)),
            [
                InstallItem.state.remove(),
                InstallItem.ends_at.set(until),
                InstallItem.expiration.set(until),
            ],
            InstallItem.id == install.id,
            on_conflict,
        )

    def end(self, changes: Changes, install: Install) -> None:
        """Deletes an install that was cancelled or completed, with its state."""
        changes.delete(
            InstallItem(*install_key(self._scope, install.shop)), InstallItem.id == install.id
        )
        changes.delete(InstallStateItem(*state_key(install.state_digest)))


def find_pending_install(state: str) -> PendingInstall | None:
    """Returns the install that a state belongs to; None if it was used, or has expired."""
    state_digest = digest(state)
    item = find(InstallStateItem, state_key(state_digest))
    if item is None or item.ends_at <= clock.now():
        return None
    return PendingInstall(
        id=item.install_id,
        workspace=WorkspaceScope(item.workspace_id),
        shop=item.shop,
        state_digest=state_digest,
    )


def use_state(changes: Changes, install: PendingInstall, on_conflict: Exception) -> None:
    """Marks the state as used; the commit raises `on_conflict` where it was used already."""
    row = InstallStateItem(*state_key(install.state_digest))
    changes.delete(row, InstallStateItem.install_id == install.id, on_conflict)


def installs_of(shop: str, workspaces: list[WorkspaceScope]) -> dict[UUID, Install]:
    """Returns the pending installs of the shop, by the workspace's id."""
    keys = {workspace.id: install_key(workspace, shop) for workspace in workspaces}
    rows = find_all(keys.values())
    found = {
        workspace.id: _pending(workspace, find_in(rows, InstallItem, keys[workspace.id]))
        for workspace in workspaces
    }
    return {workspace_id: install for workspace_id, install in found.items() if install}


def _pending(workspace: WorkspaceScope, item: InstallItem | None) -> Install | None:
    if item is None or item.ends_at <= clock.now():
        return None
    return _as_install(workspace, item)


def _as_install(workspace: WorkspaceScope, item: InstallItem) -> Install:
    return as_value(Install, item, workspace=workspace, sealed_state=item.state)


def _context(workspace: WorkspaceScope, install_id: UUID) -> str:
    return f"{workspace.id}#{install_id}"

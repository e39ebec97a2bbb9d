"""The address for a custom store's write-backs, and the secrets that sign them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.update import Action

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key, UtcDateTimeAttribute, find, note
from storepost.platform.persistence.reads import Repository
from storepost.platform.persistence.sealing import Purpose, seal, unseal
from storepost.stores.stores.signing_secrets import SigningItem, new_secret
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

NOTED_EVERY = timedelta(minutes=1)
ERROR_LENGTH = 500


class WriteBackItem(SigningItem, discriminator="write_back"):
    """A store's write-back address, with its sealed secrets."""

    url = UnicodeAttribute()
    last_succeeded_at = UtcDateTimeAttribute(null=True)
    last_error = UnicodeAttribute(null=True)


@dataclass(frozen=True)
class WriteBackAddress:
    """A store's write-back address, as answers show it."""

    url: str
    last_succeeded_at: datetime | None
    """To the minute."""
    last_error: str | None


@dataclass(frozen=True)
class WriteBackConfig:
    """A store's write-back address, as the worker uses it."""

    url: str
    secrets: tuple[str, ...] = field(repr=False)
    """Those that sign now, the newest first."""
    last_succeeded_at: datetime | None
    last_error: str | None

    def notes_success(self, at: datetime) -> bool:
        """Returns whether to write a success: once a minute, and always after an error."""
        last = self.last_succeeded_at
        return self.last_error is not None or last is None or at - last >= NOTED_EVERY


def write_back_key(workspace: WorkspaceScope, store_id: UUID) -> Key:
    """Returns the key of a store's address."""
    return (workspace.key, f"write_back#{short(store_id)}")


class WriteBackRepository(Repository):
    """The addresses of a workspace's stores."""

    def get(self, store_id: UUID) -> WriteBackConfig | None:
        """Returns the store's address with the secrets that sign now, or None."""
        item = self._find(store_id)
        if item is None:
            return None
        sealed, context = item.secrets.at(clock.now()), self._context(store_id)
        opened = tuple(unseal(text, Purpose.WRITE_BACK_SECRET, context).decode() for text in sealed)
        return WriteBackConfig(item.url, opened, item.last_succeeded_at, item.last_error)

    def address_of(self, store_id: UUID) -> WriteBackAddress | None:
        """Returns the store's address and its last results; no secret is unsealed."""
        item = self._find(store_id)
        if item is None:
            return None
        return WriteBackAddress(item.url, item.last_succeeded_at, item.last_error)

    def set_url(self, changes: Changes, store_id: UUID, url: str) -> tuple[str | None, bool]:
        """Sets the address; returns the secret of a first address, and whether it has changed."""
        item, secret = self._find(store_id), None
        is_new = item is None or item.url != url
        if item is None:
            secret = new_secret()
            item = WriteBackItem(*write_back_key(self._scope, store_id))
            item.secret = self._sealed(secret, store_id)
        item.url = url
        changes.save(item)
        return secret, is_new

    def rotate(self, changes: Changes, store_id: UUID) -> tuple[str, str] | None:
        """Returns the address and a new secret, or None without an address.

        The old secret also signs for 24 hours.
        """
        item = self._find(store_id)
        if item is None:
            return None
        secret = new_secret()
        item.store_secrets(item.secrets.rotated(self._sealed(secret, store_id), clock.now()))
        changes.save(item)
        return item.url, secret

    def delete(self, changes: Changes, store_id: UUID) -> bool:
        """Deletes the address; returns whether there was one."""
        item = self._find(store_id)
        if item is not None:
            changes.delete(item)
        return item is not None

    def note_success(self, store_id: UUID, at: datetime) -> None:
        """Records that the store accepted a change, unless its address was removed meanwhile."""
        self._note(
            store_id, [WriteBackItem.last_succeeded_at.set(at), WriteBackItem.last_error.remove()]
        )

    def note_error(self, store_id: UUID, error: str) -> None:
        """Records that the store didn't accept a change."""
        self._note(store_id, [WriteBackItem.last_error.set(error[:ERROR_LENGTH])])

    def _note(self, store_id: UUID, actions: list[Action]) -> None:
        note(WriteBackItem(*write_back_key(self._scope, store_id)), actions)

    def _find(self, store_id: UUID) -> WriteBackItem | None:
        return find(WriteBackItem, write_back_key(self._scope, store_id))

    def _sealed(self, secret: str, store_id: UUID) -> str:
        return seal(secret.encode(), Purpose.WRITE_BACK_SECRET, self._context(store_id))

    def _context(self, store_id: UUID) -> str:
        return f"{self._scope.id}#{store_id}"

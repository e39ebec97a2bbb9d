"""Rows of API keys, beside the token rows that authentication reads.

The key's row is in its workspace's partition and names the digests of its secrets; each secret has
a token row under its digest. Before a token row is deleted, its time of last use is copied to the
key's row.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.accounts.api_keys.model import ACTIVE_KEYS, ApiKey, Secret, latest
from storepost.accounts.api_keys.problems import KeyLimit
from storepost.accounts.identity.repository import ApiKeyTokenItem, token_key
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
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.optional_attributes import is_as_read
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class ApiKeyItem(Item, discriminator="api_key"):
    """An API key, revoked ones too."""

    id = Identifier()
    name = UnicodeAttribute()
    scope = UnicodeAttribute()
    prefix = UnicodeAttribute()
    maker_id = Identifier(null=True)
    created_at = UtcDateTimeAttribute()
    used_before = UtcDateTimeAttribute(null=True)
    rotated_at = UtcDateTimeAttribute(null=True)
    revoked_at = UtcDateTimeAttribute(null=True)
    digests = JSONAttribute()
    """Digests of the secrets, oldest first. Each rotation changes them: they serve as a version."""


class ActiveKeysItem(Item, discriminator="active_keys"):
    """How many active keys a workspace has, and how many it ever had."""

    active = NumberAttribute(default=0)
    made = NumberAttribute(default=0)


def api_key_key(workspace: WorkspaceScope, key_id: UUID) -> Key:
    """Returns the key of an API key's row."""
    return (workspace.key, f"api_key#{short(key_id)}")


def active_keys_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the row that counts active keys."""
    return (workspace.key, "active_keys")


class ApiKeyRepository:
    """A workspace's keys."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """For one workspace."""
        self._scope = workspace

    def get(self, key_id: UUID) -> ApiKey | None:
        """Returns the key, a revoked one too."""
        item = find(ApiKeyItem, api_key_key(self._scope, key_id))
        return self.with_uses([self._as_key(item)])[0] if item else None

    def all(self) -> list[ApiKey]:
        """Returns all keys that the workspace ever had, in no meaningful order.

        It leaves out when their secrets were used: `with_uses` reads that for keys that are shown.
        """
        rows = ApiKeyItem.rows_in(self._scope.key, "api_key#")
        return [self._as_key(row) for row in rows]

    def with_uses(self, keys: Iterable[ApiKey]) -> list[ApiKey]:
        """Returns the keys with the times at which their secrets were last used and end."""
        keys = list(keys)
        rows = find_all(token_key(secret.digest) for key in keys for secret in key.secrets)
        return [
            replace(key, secrets=tuple(_used(secret, rows) for secret in key.secrets))
            for key in keys
        ]

    def add(self, changes: Changes, key: ApiKey) -> None:
        """Adds a new key. Fails with KeyLimit if the workspace has as many as it may."""
        [secret] = key.secrets
        changes.create(
            as_row(ApiKeyItem, api_key_key(self._scope, key.id), key, digests=[secret.digest])
        )
        self._add_token(changes, key, secret.digest)
        active = ActiveKeysItem.active
        condition = active.does_not_exist() | (active < ACTIVE_KEYS)
        one: list[Action] = [active.add(1), ActiveKeysItem.made.add(1)]
        self._count(changes, one, condition, KeyLimit())

    def rename(self, changes: Changes, key: ApiKey, name: str) -> None:
        """Renames the key, if nobody rotated or revoked it meanwhile."""
        row = ApiKeyItem(*api_key_key(self._scope, key.id))
        changes.update(row, [ApiKeyItem.name.set(name)], ApiKeyItem.digests == _digests(key))
        for digest in _digests(key):
            token = ApiKeyTokenItem(*token_key(digest))
            changes.update(token, [ApiKeyTokenItem.name.set(name)], ApiKeyTokenItem.pk.exists())

    def rotate(
        self, changes: Changes, before: ApiKey, after: ApiKey, now: datetime, old_ends_at: datetime
    ) -> None:
        """Adds the newest secret of `after`; the former one works until `old_ends_at`.

        Those before it keep their own ends, unless there is no overlap: then all of them end.
        """
        secret = after.secrets[-1]
        overlapping = before.former_secrets(now) if old_ends_at > now else ()
        ended = tuple(each for each in before.secrets if each not in overlapping)
        actions: list[Action] = [
            ApiKeyItem.digests.set([*(old.digest for old in overlapping), secret.digest]),
            ApiKeyItem.prefix.set(after.prefix),
            ApiKeyItem.rotated_at.set(now),
        ]
        self._change(changes, before, ended, actions)
        self._add_token(changes, after, secret.digest)
        for old in overlapping[-1:]:
            changes.update(
                ApiKeyTokenItem(*token_key(old.digest)),
                [ApiKeyTokenItem.ends_at.set(old_ends_at)],
                ApiKeyTokenItem.pk.exists(),
            )

    def revoke(self, changes: Changes, key: ApiKey, now: datetime) -> None:
        """Ends the key with all its secrets."""
        actions: list[Action] = [ApiKeyItem.digests.set([]), ApiKeyItem.revoked_at.set(now)]
        self._change(changes, key, key.secrets, actions)
        self._count(changes, [ActiveKeysItem.active.add(-1)])

    def is_active(self, key_id: UUID) -> bool:
        """Returns whether there is such a key, and it isn't revoked."""
        item = find(ApiKeyItem, api_key_key(self._scope, key_id))
        return item is not None and item.revoked_at is None

    def expect_active(self, changes: Changes, key_id: UUID, on_conflict: Exception) -> None:
        """Demands that the key isn't revoked when the changes are committed."""
        row = ApiKeyItem(*api_key_key(self._scope, key_id))
        active = ApiKeyItem.pk.exists() & ApiKeyItem.revoked_at.does_not_exist()
        changes.expect(row, active, on_conflict)

    def expect_same(self, changes: Changes, keys: Collection[ApiKey]) -> None:
        """Demands that none is added to all of these keys or revoked; else it is a lost race."""
        active = sum(key.is_active for key in keys)
        as_read: Condition = ActiveKeysItem.pk.does_not_exist()
        if keys:
            as_read = (ActiveKeysItem.made == len(keys)) & (ActiveKeysItem.active == active)
        changes.expect(ActiveKeysItem(*active_keys_key(self._scope)), as_read)

    def end_secrets(self, changes: Changes, digests: Iterable[str]) -> None:
        """Deletes secrets of keys whose workspace is deleted, but not the keys' own rows."""
        for digest in digests:
            changes.delete(ApiKeyTokenItem(*token_key(digest)))

    def _change(
        self, changes: Changes, key: ApiKey, ended: tuple[Secret, ...], actions: list[Action]
    ) -> None:
        """Changes the key's row and ends secrets, if both are still as they were read."""
        used = latest(key.used_before, *(secret.used_at for secret in ended))
        carried = [ApiKeyItem.used_before.set(used)] if used else []
        row = ApiKeyItem(*api_key_key(self._scope, key.id))
        changes.update(row, [*actions, *carried], ApiKeyItem.digests == _digests(key))
        for secret in ended:
            token = ApiKeyTokenItem(*token_key(secret.digest))
            changes.delete(token, _unused_since(secret))

    def _add_token(self, changes: Changes, key: ApiKey, digest: str) -> None:
        changes.create(
            ApiKeyTokenItem(
                *token_key(digest),
                key_id=key.id,
                name=key.name,
                workspace_id=self._scope.id,
                scope=key.scope,
                maker_id=key.maker_id,
            )
        )

    def _count(
        self,
        changes: Changes,
        counts: list[Action],
        condition: Condition | None = None,
        on_conflict: Exception | None = None,
    ) -> None:
        row = ActiveKeysItem(*active_keys_key(self._scope))
        # An update creates the row if there is none, but doesn't set its kind.
        kind = ActiveKeysItem.kind.set(ActiveKeysItem)
        changes.update(row, [kind, *counts], condition, on_conflict)

    def _as_key(self, item: ApiKeyItem) -> ApiKey:
        return as_value(
            ApiKey,
            item,
            workspace_id=self._scope.id,
            secrets=tuple(Secret(digest, None) for digest in item.digests),
        )


def _digests(key: ApiKey) -> list[str]:
    return [secret.digest for secret in key.secrets]


def _used(secret: Secret, rows: dict[Key, Item]) -> Secret:
    """Returns the secret with the times at which it was last used and ends."""
    token = find_in(rows, ApiKeyTokenItem, token_key(secret.digest))
    return replace(secret, used_at=token.used_at, ends_at=token.ends_at) if token else secret


def _unused_since(secret: Secret) -> Condition:
    """Returns the condition that no use was recorded since the read: the delete would lose it."""
    unused = is_as_read(ApiKeyTokenItem.used_at, secret.used_at)
    is_current: Condition = ApiKeyTokenItem.pk.exists() & unused
    return is_current

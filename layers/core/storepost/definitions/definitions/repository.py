"""Rows of definitions, and of their versions, which have the content."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.accounts.workspaces.rows import RequestedBy
from storepost.definitions.definitions.keys import (
    VERSIONS,
    definition_key,
    definitions_partition,
    version_key,
    versions_partition,
)
from storepost.definitions.definitions.model import Definition, DefinitionKind, Version, compact
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.deflated import Deflated
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    find,
    find_all,
    keys_of_page,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.reads import Repository
from storepost.values.pagination import PageRequest, check_size


class DefinitionItem(Item, discriminator="definition"):
    """A definition without its content."""

    id = Identifier()
    definition_kind = UnicodeAttribute()
    name = UnicodeAttribute()
    version_id = Identifier()
    schema_version = NumberAttribute()
    versions = NumberAttribute()
    created_at = UtcDateTimeAttribute()
    updated_at = UtcDateTimeAttribute()


class VersionItem(Item, discriminator="definition_version"):
    """One state of a definition."""

    id = Identifier()
    definition_id = Identifier()
    schema_version = NumberAttribute()
    content = Deflated()
    size = NumberAttribute()
    """Bytes of the content as JSON."""
    author = RequestedBy()
    proposal_id = Identifier()
    created_at = UtcDateTimeAttribute()


class DefinitionRepository(Repository):
    """A workspace's definitions."""

    def get(self, definition_id: UUID) -> Definition | None:
        """Returns the definition, or None."""
        item = find(DefinitionItem, definition_key(self._scope, definition_id))
        return _as_definition(item) if item else None

    def all(self) -> list[Definition]:
        """Returns all definitions, in no meaningful order."""
        rows = DefinitionItem.rows_in(definitions_partition(self._scope))
        return [_as_definition(row) for row in rows]

    def current_versions(self, definition_ids: Iterable[UUID]) -> dict[UUID, UUID]:
        """Returns the current versions of those of the definitions that exist, by definition."""
        rows = find_all(definition_key(self._scope, each) for each in definition_ids)
        found = [row for row in rows.values() if isinstance(row, DefinitionItem)]
        return {row.id: row.version_id for row in found}

    def version(self, definition_id: UUID, version_id: UUID) -> Version | None:
        """Returns a version with its content, or None."""
        item = find(VersionItem, version_key(self._scope, definition_id, version_id))
        return _as_version(item) if item else None

    def current(self, definitions: Iterable[Definition]) -> list[Version]:
        """Returns the definitions' current versions, in the same order. Raises PageTooLarge."""
        keys = [version_key(self._scope, each.id, each.version_id) for each in definitions]
        return _answerable(keys)

    def versions(self, definition_id: UUID, page: PageRequest) -> list[Version]:
        """Returns a page of versions, newest first; empty after the last. Raises PageTooLarge."""
        partition = versions_partition(self._scope, definition_id)
        return _answerable(
            keys_of_page(partition, VERSIONS, page.skipped, page.size, newest_first=True)
        )

    def add(self, changes: Changes, definition: Definition, first: Version) -> None:
        """Adds a new definition with its first version."""
        changes.create(
            as_row(
                DefinitionItem,
                definition_key(self._scope, definition.id),
                definition,
                definition_kind=definition.kind,
            )
        )
        self._add_version(changes, first)

    def advance(self, changes: Changes, definition: Definition, version: Version) -> None:
        """Puts a version into force, if the definition is still as it was read."""
        changes.update(
            DefinitionItem(*definition_key(self._scope, definition.id)),
            [
                DefinitionItem.version_id.set(version.id),
                DefinitionItem.schema_version.set(version.schema_version),
                DefinitionItem.updated_at.set(version.created_at),
                DefinitionItem.versions.add(1),
            ],
            DefinitionItem.version_id == definition.version_id,
        )
        self._add_version(changes, version)

    def _add_version(self, changes: Changes, version: Version) -> None:
        changes.create(
            as_row(
                VersionItem,
                version_key(self._scope, version.definition_id, version.id),
                version,
                size=len(compact(version.content).encode()),
            )
        )


def _answerable(keys: Sequence[Key]) -> list[Version]:
    """Returns the versions with these keys, in their order. Raises PageTooLarge."""
    found = find_all(keys)
    rows = [row for key in keys if isinstance(row := found.get(key), VersionItem)]
    check_size(row.size for row in rows)
    return [_as_version(row) for row in rows]


def _as_definition(item: DefinitionItem) -> Definition:
    return as_value(Definition, item, kind=DefinitionKind(item.definition_kind))


def _as_version(item: VersionItem) -> Version:
    return as_value(Version, item)

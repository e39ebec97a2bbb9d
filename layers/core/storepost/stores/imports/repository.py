"""Rows of imports, of their problems, and of each store's turns.

An import's row is written on the condition that it is as the writer read it, so that two workers
with messages about the same store never import the same records twice.
"""

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any
from uuid import UUID

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import find
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.optional_attributes import is_as_read, set_or_remove
from storepost.platform.persistence.reads import Repository
from storepost.stores.imports.keys import (
    IMPORTS,
    TURNS,
    import_key,
    imports_partition,
    problem_key,
    store_of_turns,
    turns_key,
)
from storepost.stores.imports.model import (
    Imported,
    ImportProblem,
    ImportScope,
    ImportStage,
    ImportStatus,
    Progress,
    Pull,
    StoreImport,
)
from storepost.stores.imports.rows import ImportItem, ImportProblemItem, ImportTurnsItem
from storepost.stores.imports.turns import CutShort, Turns
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope


class TurnsRepository(Repository):
    """The turns of a workspace's stores."""

    def get(self, store_id: UUID) -> Turns:
        """Returns a store's turns, which are empty until an import is queued."""
        item = find(ImportTurnsItem, turns_key(self._scope, store_id))
        return as_turns(item) if item else Turns(store_id)

    def all(self) -> dict[UUID, Turns]:
        """Returns the turns of all stores that ever had an import."""
        found = map(as_turns, ImportTurnsItem.rows_in(self._scope.key, TURNS))
        return {turns.store_id: turns for turns in found}

    def save(self, changes: Changes, turns: Turns) -> None:
        """Writes a store's turns, if they are unchanged since they were read."""
        item = as_row(
            ImportTurnsItem,
            turns_key(self._scope, turns.store_id),
            turns,
            counts=[[*kind, count] for kind, count in turns.counts.items() if count],
            latest_of={scope: str(identifier) for scope, identifier in turns.latest_of.items()},
            cut_short=[
                [str(cut.after) if cut.after else None, str(cut.until), clock.to_text(cut.at)]
                for cut in turns.cut_short
            ],
        )
        if turns.version is not None:
            item.version = turns.version
        changes.save(item)


class ImportRepository:
    """The imports of one store as their rows have them; `Turns.current` has the real status."""

    def __init__(self, workspace: WorkspaceScope, store_id: UUID) -> None:
        """Makes the repository of one store of one workspace."""
        self._scope = workspace
        self._store_id = store_id

    def get(self, import_id: UUID) -> StoreImport | None:
        """Returns the import, or None."""
        item = find(ImportItem, import_key(self._scope, self._store_id, import_id))
        return _as_import(item) if item else None

    def newest_first(self) -> Iterator[StoreImport]:
        """Returns all imports, most recently queued first."""
        partition = imports_partition(self._scope, self._store_id)
        return map(_as_import, ImportItem.rows_in(partition, IMPORTS, newest_first=True))

    def after(self, import_id: UUID | None) -> Iterator[StoreImport]:
        """Returns the imports that were queued after an import, or all, oldest first."""
        least = f"{IMPORTS}{short(import_id)}" if import_id else IMPORTS
        rows = ImportItem.query(
            imports_partition(self._scope, self._store_id),
            ImportItem.sk > least,
            consistent_read=True,
            page_size=10,
        )
        return map(_as_import, rows)

    def add(self, changes: Changes, queued: StoreImport) -> None:
        """Adds a new import."""
        key = import_key(self._scope, self._store_id, queued.id)
        imported = _imported_row(queued.progress.imported)
        changes.create(as_row(ImportItem, key, queued, imported=imported, pull=None))

    def save(self, changes: Changes, before: StoreImport, after: StoreImport) -> None:
        """Writes an import's progress, if the row still is as in `before`."""
        progress = after.progress
        row = ImportItem(*import_key(self._scope, self._store_id, after.id))
        changes.update(
            row,
            [
                ImportItem.status.set(after.status),
                set_or_remove(ImportItem.started_at, after.started_at),
                set_or_remove(ImportItem.completed_at, after.completed_at),
                set_or_remove(ImportItem.failure, after.failure),
                set_or_remove(ImportItem.stage, progress.stage),
                ImportItem.done.set(progress.done),
                set_or_remove(ImportItem.pull, _pull_row(after.pull)),
                ImportItem.imported.set(
                    row.with_further(ImportItem.imported, _imported_row(progress.imported))
                ),
                ImportItem.problems.set(progress.problems),
                ImportItem.removed.set(progress.removed),
            ],
            (ImportItem.status == before.status)
            & (ImportItem.done == before.progress.done)
            & (ImportItem.removed == before.progress.removed)
            & is_as_read(ImportItem.pull, _pull_row(before.pull)),
        )

    def add_problem(
        self, changes: Changes, import_id: UUID, number: int, problem: ImportProblem
    ) -> None:
        """Writes a problem under its number."""
        changes.create(
            as_row(ImportProblemItem, problem_key(self._scope, import_id, number), problem)
        )

    def problems(self, import_id: UUID, page: PageRequest) -> list[ImportProblem]:
        """Returns the problems of a page, by their numbers."""
        partition, first = problem_key(self._scope, import_id, page.skipped + 1)
        _, last = problem_key(self._scope, import_id, page.skipped + page.size)
        rows = ImportProblemItem.query(
            partition, ImportProblemItem.sk.between(first, last), consistent_read=True
        )
        return [
            ImportProblem(int(row.index), row.external_id, row.code, row.detail) for row in rows
        ]


def _pull_row(pull: Pull) -> list[object] | None:
    return None if pull == Pull() else list(astuple(pull))


def _imported_row(imported: Imported) -> list[int]:
    return [imported.customers, imported.orders, imported.products]


def _as_import(item: ImportItem) -> StoreImport:
    stage: Any = item.stage
    return as_value(
        StoreImport,
        item,
        progress=Progress(
            int(item.done),
            Imported(*item.imported),
            int(item.problems),
            ImportStage(stage) if stage else None,
            int(item.removed),
        ),
        pull=Pull(*item.pull) if item.pull else Pull(),
    )


def as_turns(item: ImportTurnsItem) -> Turns:
    """Returns the turns of a row."""
    return as_value(
        Turns,
        item,
        store_id=store_of_turns(item.sk),
        counts={(ImportScope(scope), ImportStatus(one)): n for scope, one, n in item.counts},
        latest_of={ImportScope(scope): UUID(text) for scope, text in item.latest_of.items()},
        cut_short=tuple(
            CutShort(UUID(after) if after else None, UUID(until), clock.from_text(at))
            for after, until, at in item.cut_short
        ),
    )

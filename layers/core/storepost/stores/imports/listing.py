"""Reads a store's imports: the list, one import, its problems, the latest ones.

The list's total is stored, so the first page is one query, and a later page reads up to its rows.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from storepost.stores.imports.model import ImportProblem, ImportScope, ImportStatus, StoreImport
from storepost.stores.imports.repository import ImportRepository, TurnsRepository
from storepost.stores.imports.turns import Turns
from storepost.values.pagination import MAX_ROWS, FilterTooBroad, Listing, PageRequest, is_among
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class ImportFilter:
    """The filters of the list; None doesn't filter."""

    scopes: Collection[ImportScope] | None = None
    statuses: Collection[ImportStatus] | None = None

    def takes(self, one: StoreImport) -> bool:
        """Returns whether the import matches all filters."""
        return is_among(one.scope, self.scopes) and is_among(one.status, self.statuses)

    @property
    def advised(self) -> str:
        """Returns the query parameter that would narrow the list."""
        return "scope" if self.scopes is None else "status"


def list_imports(
    workspace: WorkspaceScope, store_id: UUID, filters: ImportFilter, page: PageRequest
) -> Listing[StoreImport]:
    """Returns the store's imports that match, last queued first. Raises FilterTooBroad."""
    turns = TurnsRepository(workspace).get(store_id)
    total = turns.total(filters.scopes, filters.statuses)
    count = min(page.size, total - page.skipped)
    if count <= 0:
        return Listing([], total, page)
    matching = _matching(ImportRepository(workspace, store_id).newest_first(), turns, filters)
    return Listing(list(islice(matching, page.skipped, page.skipped + count)), total, page)


def _matching(
    stored: Iterator[StoreImport], turns: Turns, filters: ImportFilter
) -> Iterator[StoreImport]:
    for number, row in enumerate(stored):
        if filters != ImportFilter() and number >= MAX_ROWS:
            raise FilterTooBroad(filters.advised)
        current = turns.current(row)
        if filters.takes(current):
            yield current


def get_import(workspace: WorkspaceScope, store_id: UUID, import_id: UUID) -> StoreImport:
    """Returns one of the store's imports. Raises NotFound where it has none of that id."""
    turns = TurnsRepository(workspace).get(store_id)
    return turns.current(_found(ImportRepository(workspace, store_id), import_id))


def _found(imports: ImportRepository, import_id: UUID) -> StoreImport:
    stored = imports.get(import_id)
    return needed(stored, NotFound("No import with this id exists in this store."))


def list_problems(
    workspace: WorkspaceScope, store_id: UUID, import_id: UUID, page: PageRequest
) -> Listing[ImportProblem]:
    """Returns the records that the import couldn't import, by number. Raises NotFound."""
    repository = ImportRepository(workspace, store_id)
    total = _found(repository, import_id).progress.problems
    items = repository.problems(import_id, page) if page.skipped < total else []
    return Listing(items, total, page)


def latest_imports(
    workspace: WorkspaceScope, turns: Turns
) -> dict[ImportScope, StoreImport | None]:
    """Returns for each scope the running import, else the next in turn, else the latest."""
    return {scope: _latest(workspace, turns, scope) for scope in ImportScope}


def _latest(workspace: WorkspaceScope, turns: Turns, scope: ImportScope) -> StoreImport | None:
    repository = ImportRepository(workspace, turns.store_id)
    if turns.open_of(scope):
        found = (row for row in repository.after(turns.ended) if row.scope is scope)
        return next(found, None)
    latest = turns.latest_of.get(scope)
    stored = repository.get(latest) if latest else None
    return turns.current(stored) if stored else None

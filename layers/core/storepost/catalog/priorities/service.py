"""A store's field priority: proposes, previews, applies and discards changes of it."""

import json
from dataclasses import dataclass, replace
from uuid import UUID

from storepost.catalog.priorities.model import (
    ChangedProduct,
    ChangeStatus,
    NewRules,
    PriorityChange,
    Walk,
)
from storepost.catalog.priorities.problems import (
    ChangeApplying,
    ChangeNotReady,
    ChangeOpen,
    ChangePreviewing,
    ChangeStale,
    UnknownField,
    UnknownSource,
)
from storepost.catalog.priorities.repository import ChangeRepository, StoreChanges
from storepost.catalog.products.fields import can_be_ruled
from storepost.catalog.products.in_force import InForce, Marked, RulesRepository
from storepost.catalog.products.jobs import Job, JobKind
from storepost.catalog.products.rules import Rules
from storepost.catalog.products.store_terms_worker import queue_removed
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.pagination import (
    MAX_ROWS,
    FilterTooBroad,
    Listing,
    PageRequest,
    check_size,
    cut,
    encoded_size,
)
from storepost.values.problems import FieldError, NotFound, ValidationFailed, needed
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


@dataclass(frozen=True)
class ChangeView:
    """A change, and whether its preview is out of date."""

    change: PriorityChange
    stale: bool


@dataclass(frozen=True)
class Priority:
    """The rules in force in a store, and its changes of them."""

    store: Store
    in_force: InForce
    marked: Marked
    open_change: ChangeView | None
    last_change: ChangeView | None


def get_priority(workspace: WorkspaceScope, store_id: UUID) -> Priority:
    """Returns the rules in force in a store."""
    store = found_store(StoreRepository(workspace), store_id)
    rules, repository = RulesRepository(store), ChangeRepository(workspace)
    changes, marked = repository.of_store(store.id), rules.marked()
    opened, last = (
        repository.get(each) if each else None for each in (changes.open_id, changes.last_id)
    )
    return Priority(store, rules.get(), marked, _view(opened, marked), _view(last, marked))


def propose_change(
    workspace: WorkspaceScope, store_id: UUID, proposed: NewRules, changes: Changes
) -> ChangeView:
    """Stores and returns a new change of a store's rules, and begins its preview.

    Raises ChangeOpen, UnknownField, and ValidationFailed of sources.
    """
    store = found_store(StoreRepository(workspace), store_id)
    _check_fields(proposed)
    if errors := _unknown_sources(proposed, RulesRepository(store).get().rules):
        raise ValidationFailed(errors=errors)
    repository = ChangeRepository(workspace)
    stored = repository.of_store(store.id)
    if stored.open_id:
        raise ChangeOpen()
    change = PriorityChange(
        new_id(), store.id, ChangeStatus.PREVIEWING, proposed, created_at=clock.now()
    )
    repository.save(changes, change)
    repository.save_of_store(changes, store.id, replace(stored, open_id=change.id))
    _send(changes, workspace, change)
    return ChangeView(change, stale=False)


def get_change(workspace: WorkspaceScope, change_id: UUID) -> ChangeView:
    """Returns a change; 404 where the workspace has none of that id."""
    change, store = _found(ChangeRepository(workspace), workspace, change_id)
    return ChangeView(change, _is_stale(change, RulesRepository(store).marked()))


def list_changes(
    workspace: WorkspaceScope, store_id: UUID, page: PageRequest
) -> Listing[ChangeView]:
    """Returns a store's changes that weren't discarded, the newest first.

    Raises NotFound and PageTooLarge: rules may name 100 sources for each of 500 fields.
    """
    store = found_store(StoreRepository(workspace), store_id)
    rows = ChangeRepository(workspace).all_of_store(store.id)
    rows.sort(key=lambda row: (row.created_at, row.id), reverse=True)
    listing, marked = cut(rows, page), RulesRepository(store).marked()
    check_size(encoded_size(_json(each.rules)) for each in listing.items)
    views = [ChangeView(each, _is_stale(each, marked)) for each in listing.items]
    return Listing(views, listing.total, page)


def _json(rules: NewRules) -> str:
    return json.dumps({"order": rules.order, "fields": {**rules.fields}}, default=str)


def apply_change(workspace: WorkspaceScope, change_id: UUID, changes: Changes) -> ChangeView:
    """Puts a ready change in force; a worker then updates the products."""
    repository = ChangeRepository(workspace)
    change, store = _found(repository, workspace, change_id)
    _demand_ready(change)
    rules = RulesRepository(store)
    before, marked = rules.get().rules, rules.marked()
    if _is_stale(change, marked):
        raise ChangeStale()
    rules.save(changes, change.rules.instead_of(before), unless_changed_since=marked)
    now = clock.now()
    applying = replace(
        change, status=ChangeStatus.APPLYING, applied_at=now, walk=Walk(began_at=now)
    )
    repository.save(changes, applying)
    _send(changes, workspace, applying)
    queue_removed(changes, store)
    return ChangeView(applying, stale=False)


def refresh_change(workspace: WorkspaceScope, change_id: UUID, changes: Changes) -> ChangeView:
    """Begins a ready change's preview again. Raises ChangeNotReady, UnknownSource."""
    repository = ChangeRepository(workspace)
    change, store = _found(repository, workspace, change_id)
    _demand_ready(change)
    if errors := _unknown_sources(change.rules, RulesRepository(store).get().rules):
        raise UnknownSource(errors=errors)
    anew = change.previewed_anew()
    repository.save(changes, anew)
    _send(changes, workspace, anew)
    return ChangeView(anew, stale=False)


def discard_change(workspace: WorkspaceScope, change_id: UUID, changes: Changes) -> None:
    """Discards a change; the worker removes the products that its preview stored."""
    repository = ChangeRepository(workspace)
    change, store = _found(repository, workspace, change_id)
    if change.status is ChangeStatus.APPLYING:
        raise ChangeApplying()
    stored = repository.of_store(store.id)
    after = StoreChanges(
        None if stored.open_id == change.id else stored.open_id,
        repository.ended_before(change) if stored.last_id == change.id else stored.last_id,
    )
    # A change that has ended may become the last one, if another is discarded at the same time.
    if after != stored or change.completed_at is not None:
        repository.save_of_store(changes, store.id, after)
    repository.delete(changes, change)
    _send(changes, workspace, change)


def list_changed(
    workspace: WorkspaceScope, change_id: UUID, q: str | None, field: str | None, page: PageRequest
) -> Listing[ChangedProduct]:
    """Returns a page of the products that a change would change.

    Raises ChangePreviewing, FilterTooBroad and PageTooLarge.
    """
    repository = ChangeRepository(workspace)
    change, _ = _found(repository, workspace, change_id)
    if change.status is ChangeStatus.PREVIEWING:
        raise ChangePreviewing()
    if q is None and field is None:
        until = page.skipped + page.size
        total = change.counts.changed
        rows = list(repository.products(change.id, until)) if page.skipped < total else []
        return _answerable(Listing(rows[page.skipped :], total, page))
    if change.counts.changed > MAX_ROWS:
        raise FilterTooBroad("field" if q else "q")
    found = [
        product
        for product in repository.products(change.id)
        if (q is None or matches(q, product.title, product.external_id))
        and (field is None or any(each.field == field for each in product.changes))
    ]
    return _answerable(cut(found, page))


def _answerable(listing: Listing[ChangedProduct]) -> Listing[ChangedProduct]:
    check_size(product.size for product in listing.items)
    return listing


def _found(
    repository: ChangeRepository, workspace: WorkspaceScope, change_id: UUID
) -> tuple[PriorityChange, Store]:
    change = needed(repository.get(change_id), NotFound.of("priority change"))
    return change, found_store(StoreRepository(workspace), change.store_id)


def _demand_ready(change: PriorityChange) -> None:
    if change.status is not ChangeStatus.READY:
        raise ChangeNotReady()


def _view(change: PriorityChange | None, marked: Marked) -> ChangeView | None:
    return ChangeView(change, _is_stale(change, marked)) if change else None


def _is_stale(change: PriorityChange, marked: Marked) -> bool:
    """Returns whether a product, a source or the rules in force changed since the preview."""
    return change.status is ChangeStatus.READY and change.walk.seen != marked.changes


def _check_fields(proposed: NewRules) -> None:
    """Raises UnknownField, naming each place."""
    unknown = [name for name in proposed.fields if not can_be_ruled(name)]
    if unknown:
        message = "There is no such field"
        raise UnknownField(errors=[FieldError(f"/fields/{name}", message) for name in unknown])


def _unknown_sources(proposed: NewRules, rules: Rules) -> list[FieldError]:
    """Returns an error for each source that the store doesn't have, with its place."""
    paths = {"/order": proposed.order} | {f"/fields/{n}": i for n, i in proposed.fields.items()}
    return [
        FieldError(f"{path}/{number}", "The store has no such source")
        for path, ids in paths.items()
        for number, each in enumerate(ids)
        if each not in rules.by_id
    ]


def _send(changes: Changes, workspace: WorkspaceScope, change: PriorityChange) -> None:
    send(changes, Job(JobKind.PRIORITY_CHANGE, workspace.id, change.store_id, change.id))

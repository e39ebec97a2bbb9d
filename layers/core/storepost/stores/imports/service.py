"""Queues, starts and ends a store's imports, which run in turn."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.stores.imports.messages import StoreImportMessage
from storepost.stores.imports.model import (
    ImportFailure,
    ImportScope,
    ImportStage,
    ImportStatus,
    StoreImport,
)
from storepost.stores.imports.repository import ImportRepository, TurnsRepository
from storepost.stores.imports.turns import Turns
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope


def queue_import(
    changes: Changes,
    workspace: WorkspaceScope,
    turns: Turns,
    scope: ImportScope,
    requester: Requester | None,
    content: str | None = None,
) -> StoreImport:
    """Adds a new import that waits for its turn, and queues the worker's message.

    `content` names the object with its records; without one it is a pull.
    """
    queued = replace(_next(turns, scope), requester=requester, content=content)
    _wait(changes, workspace, turns, [queued])
    return queued


def queue_first_imports(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    """Queues pulls of all records of a shop that was just connected.

    Open imports of a shop that was connected before continue instead.
    """
    turns = TurnsRepository(workspace).get(store_id)
    queued: list[StoreImport] = []
    upcoming = turns
    for scope in ImportScope:
        if not turns.open_of(scope):
            queued.append(_next(upcoming, scope))
            upcoming = upcoming.with_queued(queued[-1])
    if queued:
        _wait(changes, workspace, turns, queued)


def _next(turns: Turns, scope: ImportScope) -> StoreImport:
    queued_at = turns.next_moment(clock.now())
    return StoreImport(
        id=timed_id(queued_at),
        store_id=turns.store_id,
        scope=scope,
        status=ImportStatus.QUEUED,
        requester=None,
        queued_at=queued_at,
    )


def _wait(
    changes: Changes, workspace: WorkspaceScope, turns: Turns, queued: Iterable[StoreImport]
) -> None:
    repository = ImportRepository(workspace, turns.store_id)
    for each in queued:
        repository.add(changes, each)
        turns = turns.with_queued(each)
    TurnsRepository(workspace).save(changes, turns)
    send(changes, StoreImportMessage(workspace.id, turns.store_id))


def in_turn(workspace: WorkspaceScope, turns: Turns) -> StoreImport | None:
    """Returns the running import, else the next in turn; None where none is open."""
    repository = ImportRepository(workspace, turns.store_id)
    if turns.running:
        return repository.get(turns.running)
    return next(repository.after(turns.ended), None) if turns.waiting else None


def start_import(
    changes: Changes, workspace: WorkspaceScope, turns: Turns, queued: StoreImport, at: ImportStage
) -> StoreImport:
    """Returns the next import as running, starting at that stage."""
    progress = replace(queued.progress, stage=at)
    started = replace(
        queued, status=ImportStatus.RUNNING, started_at=clock.now(), progress=progress
    )
    ImportRepository(workspace, turns.store_id).save(changes, queued, started)
    TurnsRepository(workspace).save(changes, turns.with_started(started))
    return started


def complete_import(
    changes: Changes, workspace: WorkspaceScope, turns: Turns, running: StoreImport
) -> None:
    """Completes the running import, which has imported all its records."""
    completed = replace(
        running,
        status=ImportStatus.COMPLETED,
        completed_at=clock.now(),
        progress=replace(running.progress, stage=None),
    )
    _end(changes, workspace, turns, running, completed)


def fail_import(
    changes: Changes,
    workspace: WorkspaceScope,
    turns: Turns,
    current: StoreImport,
    why: ImportFailure,
) -> None:
    """Ends the current import as failed; the records that it imported stay."""
    _end(changes, workspace, turns, current, current.failed(why, clock.now()))


def fail_open_imports(
    changes: Changes, workspace: WorkspaceScope, store_id: UUID, at: datetime
) -> None:
    """Fails a disconnected store's open imports, in two rows, however many there are."""
    turns = TurnsRepository(workspace).get(store_id)
    after = turns.with_all_failed(at)
    if after == turns:
        return
    TurnsRepository(workspace).save(changes, after)
    repository = ImportRepository(workspace, store_id)
    running = repository.get(turns.running) if turns.running else None
    if running:
        repository.save(changes, running, running.failed(ImportFailure.STORE_DISCONNECTED, at))


def _end(
    changes: Changes,
    workspace: WorkspaceScope,
    turns: Turns,
    current: StoreImport,
    ended: StoreImport,
) -> None:
    ImportRepository(workspace, turns.store_id).save(changes, current, ended)
    TurnsRepository(workspace).save(changes, turns.with_ended(current, ended))

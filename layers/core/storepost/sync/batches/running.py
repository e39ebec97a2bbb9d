"""The worker: goes on with whatever is open of a store, in turn, until nothing is or time is up.

A message says no more than which store. What is done stands in the import's row, which each chunk's
transaction moves on. So a message may come twice, late, or after a run that was killed anywhere.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester
from storepost.people.consent.origins import origin_by
from storepost.platform.messaging.remaining import Remaining
from storepost.platform.messaging.tries import TRIES, check_tries
from storepost.platform.persistence.changes import (
    MAX_RUNS,
    Changes,
    LostRace,
    commit_anew,
    wait_before,
)
from storepost.platform.persistence.objects import ObjectGone, get_object
from storepost.stores.imports.model import ImportFailure, ImportStatus, StoreImport
from storepost.stores.imports.repository import ImportRepository, TurnsRepository
from storepost.stores.imports.service import (
    complete_import,
    fail_import,
    go_on_with,
    in_turn,
    start_import,
)
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.batches.chunks import Chunk, Chunks
from storepost.sync.batches.reading import records_of
from storepost.sync.batches.records import Record, Sender
from storepost.sync.batches.schemas import StoreBatch
from storepost.values.logs import log_unexpected
from storepost.values.scope import WorkspaceScope

MARGIN_MILLISECONDS = 30_000
"""With so little time left nothing more is begun; a chunk takes a second at the worst."""


@dataclass(frozen=True)
class _Run:
    """One run of the worker for one store."""

    workspace: WorkspaceScope
    store_id: UUID
    tries: int
    """How many times the queue brought its message, this one included."""
    remaining: Remaining

    @property
    def is_over(self) -> bool:
        """Whether nothing more should be begun."""
        return self.remaining() < MARGIN_MILLISECONDS

    @property
    def imports(self) -> ImportRepository:
        """The store's imports."""
        return ImportRepository(self.workspace, self.store_id)

    @property
    def turns(self) -> TurnsRepository:
        """The stores' turns."""
        return TurnsRepository(self.workspace)

    def send_next(self, changes: Changes) -> None:
        """Sends a message like the one that this run had."""
        go_on_with(changes, self.workspace, self.store_id)


class _Unusable(Exception):  # noqa: N818 - it is what an import is
    """The import's records can't be had, now or later."""

    def __init__(self, why: ImportFailure) -> None:
        """`why` is what the import fails with."""
        super().__init__(why)
        self.why = why


class _End(Enum):
    """How a run's work on one import ended."""

    DONE = auto()
    STOPPED = auto()
    """Time is up, and the next message was sent with the last chunk."""
    TAKEN_AWAY = auto()
    """It doesn't run any more: its store was disconnected."""


def resume(message: str, tries: int, remaining: Remaining) -> None:
    """Goes on with the store that a message names.

    `tries` is how many times the queue brought the message, this one included. What fails every
    time ends the import that it fails in, as others wait behind it.
    """
    named = {name: UUID(value) for name, value in json.loads(message).items()}
    run = _Run(WorkspaceScope(named["workspaceId"]), named["storeId"], tries, remaining)
    while found := in_turn(run.workspace, run.turns.get(run.store_id)):
        if _is_all(run, found):
            return


def _is_all(run: _Run, found: StoreImport) -> bool:
    """Goes on with the import whose turn it is; whether the run is to end."""
    try:
        check_tries(run.tries)
        return _worked_through(run, found, _records(run, found))
    except _Unusable as unusable:
        _fail(run, found, unusable.why, sends_next=False)
        return False
    except Exception as error:
        if run.tries < TRIES:
            raise
        log_unexpected(error)
        _fail(run, found, ImportFailure.IMPORT_FAILED, sends_next=True)
        return True


def _records(run: _Run, found: StoreImport) -> Sequence[Record]:
    """The import's records in order. Raises _Unusable."""
    store = found_store(StoreRepository(run.workspace), run.store_id)
    if not store.is_active:  # it was disconnected in the moment in which the import was queued
        raise _Unusable(ImportFailure.STORE_DISCONNECTED)
    try:
        batch = StoreBatch.of_text(get_object(found.content or ""))
    except (ObjectGone, ValueError) as error:
        log_unexpected(error)
        raise _Unusable(ImportFailure.IMPORT_FAILED) from error
    requester = found.requester or Requester(None)
    return records_of(batch, Sender(store, origin_by(requester, store_id=store.id)))


def _worked_through(run: _Run, found: StoreImport, records: Sequence[Record]) -> bool:
    """Brings one import to its end, if time allows; whether the run is to end."""
    running = commit_anew(lambda changes: _started(changes, run, found, records))
    if running is None:
        return False
    end = _bring(run, running, records)
    if end is not _End.DONE:
        return end is _End.STOPPED
    return commit_anew(lambda changes: _completed(changes, run, running))


def _started(
    changes: Changes, run: _Run, found: StoreImport, records: Sequence[Record]
) -> StoreImport | None:
    """The import as it runs; None where its turn is over meanwhile."""
    turns = run.turns.get(run.store_id)
    current = in_turn(run.workspace, turns)
    if current is None or current.id != found.id:
        return None
    if current.status is ImportStatus.RUNNING:
        return current
    return start_import(changes, run.workspace, turns, current, records[0].stage)


def _bring(run: _Run, running: StoreImport, records: Sequence[Record]) -> _End:
    """Writes what is left of the records, a chunk at a time."""
    chunks, lost = Chunks(records), 0
    while running.progress.done < len(records):
        stops = run.is_over
        note = _Note(run, running, records, stops)
        try:
            running = replace(running, progress=chunks.write(running.progress, note))
        except LostRace:
            lost += 1
            if lost == MAX_RUNS:
                raise
            wait_before(lost)
            chunks.forget()
            current = run.imports.get(running.id)
            if current is None or current.status is not ImportStatus.RUNNING:
                return _End.TAKEN_AWAY
            running = current
            continue
        lost = 0
        if stops:
            return _End.STOPPED
    return _End.DONE


@dataclass(frozen=True)
class _Note:
    """What a chunk's transaction has besides its records."""

    run: _Run
    before: StoreImport
    records: Sequence[Record]
    sends_next: bool

    def __call__(self, chunk: Chunk) -> None:
        """Moves the import on, and keeps the chunk's problems under their numbers."""
        progress = chunk.progress
        upcoming = self.records[min(progress.done, len(self.records) - 1)]
        after = replace(self.before, progress=replace(progress, stage=upcoming.stage))
        self.run.imports.save(chunk.changes, self.before, after)
        first = self.before.progress.problems + 1
        for number, problem in enumerate(chunk.problems, first):
            self.run.imports.add_problem(chunk.changes, after.id, number, problem)
        if self.sends_next:
            self.run.send_next(chunk.changes)


def _completed(changes: Changes, run: _Run, running: StoreImport) -> bool:
    """Ends the import, all of whose records are done; whether the run is to end, too."""
    turns, current = run.turns.get(run.store_id), run.imports.get(running.id)
    if current is None or turns.running != current.id:
        return False
    complete_import(changes, run.workspace, turns, current)
    # The tries of this message were this import's: what follows has its own.
    if not run.is_over and run.tries == 1:
        return False
    if turns.waiting:
        run.send_next(changes)
    return True


def _fail(run: _Run, found: StoreImport, why: ImportFailure, *, sends_next: bool) -> None:
    """Fails the import, if it still is its turn."""

    def failing(changes: Changes) -> None:
        turns = run.turns.get(run.store_id)
        current = in_turn(run.workspace, turns)
        if current and current.id == found.id:
            fail_import(changes, run.workspace, turns, current, why)
        if sends_next:
            run.send_next(changes)

    commit_anew(failing)

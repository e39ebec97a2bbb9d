"""One run of the worker for one store, and the writer of an import's records."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from storepost.platform.jobs.runs import OutOfTime, Run, Superseded
from storepost.platform.persistence.changes import Changes, commit_anew, until_won
from storepost.platform.persistence.loads.pipeline import Pipeline
from storepost.platform.persistence.reads import ReadAhead
from storepost.stores.imports.messages import StoreImportMessage
from storepost.stores.imports.model import ImportFailure, ImportStatus, Progress, StoreImport
from storepost.stores.imports.repository import ImportRepository, TurnsRepository
from storepost.stores.imports.service import fail_import, in_turn
from storepost.stores.imports.turns import Turns
from storepost.sync.batches.chunks import Chunk, Chunks, Note
from storepost.sync.batches.loads import OrderLoads
from storepost.sync.batches.records import Record
from storepost.values.metrics import count


@dataclass(frozen=True)
class StoreRun(Run[StoreImportMessage]):
    """One run of the worker for one store."""

    @property
    def imports(self) -> ImportRepository:
        """Returns the store's imports."""
        return ImportRepository(self.message.workspace, self.message.store_id)

    def turns(self) -> Turns:
        """Returns the store's turns as stored now."""
        return TurnsRepository(self.message.workspace).get(self.message.store_id)

    def fail(self, why: ImportFailure) -> None:
        """Fails the current import; the next message continues with those that wait."""
        commit_anew(partial(self._fail, why=why))

    def _fail(self, changes: Changes, why: ImportFailure) -> None:
        turns = self.turns()
        current = in_turn(self.message.workspace, turns)
        if current is not None:
            fail_import(changes, self.message.workspace, turns, current, why)
            if turns.waiting:
                self.send_next(changes)


@dataclass(frozen=True)
class _Note:
    """The parts of a chunk's transaction other than its records."""

    run: StoreRun
    before: StoreImport
    records: Sequence[Record]
    sends_next: bool

    def __call__(self, chunk: Chunk) -> None:
        """Updates the import's progress, and adds the chunk's problems under their numbers."""
        last = min(chunk.progress.done, len(self.records) - 1)
        [upcoming] = self.records[last : last + 1]
        after = replace(self.before, progress=replace(chunk.progress, stage=upcoming.stage))
        self.run.imports.save(chunk.changes, self.before, after)
        first = self.before.progress.problems + 1
        for number, problem in enumerate(chunk.problems, first):
            self.run.imports.add_problem(chunk.changes, after.id, number, problem)
        if self.sends_next:
            self.run.send_next(chunk.changes)
        rows = chunk.progress.done - self.before.progress.done
        chunk.changes.after_commit(partial(count, "ImportedRows", rows), may_wait=lambda: True)


class RecordWriter:
    """Writes the remaining records of a running import, a chunk at a time."""

    def __init__(
        self,
        run: StoreRun,
        running: StoreImport,
        records: Sequence[Record],
        *,
        more_follow: bool = False,
    ) -> None:
        """Reads nothing yet. `more_follow` means that other imports of the store wait."""
        self._run = run
        self._running = running
        self._records = records
        reads = ReadAhead()
        self._pipeline = Pipeline(reads)
        self._chunks = Chunks(records, reads, self._pipeline)
        self._loads = OrderLoads(records, reads, self._pipeline, more_follow=more_follow)

    def write_all(self) -> None:
        """Writes all records. Raises OutOfTime and Superseded."""
        try:
            while until_won(self._write_some, self._reload):
                pass
        finally:
            self._pipeline.abandon()  # no write continues after the run

    def _write_some(self) -> bool:
        """Starts to write a chunk; returns False where no record is left.

        When time is up, the chunk's transaction queues the next message. Raises OutOfTime then.
        """
        before = self._running
        if before.progress.done >= len(self._records):
            self._pipeline.finish()
            return False
        stops = self._run.is_over()
        note = _Note(self._run, before, self._records, stops)
        self._running = replace(before, progress=self._written(before.progress, note))
        if stops:
            self._pipeline.finish()
            raise OutOfTime
        return True

    def _written(self, progress: Progress, note: Note) -> Progress:
        """Writes the next chunk: new orders with their lists' pages, else records of any kind."""
        loaded = self._loads.write(progress, note)
        return self._chunks.write(progress, note) if loaded is None else loaded

    def _reload(self) -> None:
        self._pipeline.drain()
        self._chunks.reread()
        found = self._run.imports.get(self._running.id)
        if found is None or found.status is not ImportStatus.RUNNING:
            raise Superseded
        self._running = found

"""Writes one chunk of a batch: independent records, in one transaction.

A record has the same effect as its own PUT. So a record that reads rows that another of the chunk
writes waits for the next chunk. A chunk that exceeds a transaction is halved; a single record reads
and writes exactly as its PUT does.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from storepost.people.profiles.merging import MergedFirst
from storepost.platform.persistence.changes import MAX_ITEMS, Changes, TooManyWrites, WrittenTwice
from storepost.platform.persistence.loads.in_flight import InTurn
from storepost.platform.persistence.loads.pipeline import Pipeline, PlainFlight
from storepost.platform.persistence.reads import ReadAfterWrite, ReadAhead
from storepost.stores.imports.model import Imported, ImportProblem, ImportStage, Progress
from storepost.stores.stores.problems import StaleUpdate
from storepost.sync.batches.records import Record
from storepost.values.problems import Busy, Problem

READ_AHEAD = 100
"""Records whose rows are read at once, by several concurrent batch gets."""
_PRODUCTS_READ_AHEAD = 25
"""Fewer, as a shop's products may have thousands of variants, which are held in memory."""
_MIN_READ_AHEAD = 12
_SHARING = 2
"""The first record's items include those that several records share, such as nodes of lists, so
they don't predict the items of the next ones.
"""
MAX_BYTES = 1_000_000
"""The most JSON bytes of a chunk's records: DynamoDB accepts 4 MB per transaction, and rows that
the records belong to are rewritten with them.
"""
_DETAIL_LENGTH = 500


class _Overfull(TooManyWrites):
    """The last record is one too many."""


class Chunk:
    """The changes of some records, as they are collected."""

    def __init__(self, progress: Progress, changes: Changes) -> None:
        """Starts without records; `progress` is the import's."""
        self.progress = progress
        self.changes = changes
        self.count = 0
        self.size = 0
        self.problems: list[ImportProblem] = []
        self._items = self.more_items
        self._heaviest = 0

    def has_room_for(self, record: Record) -> bool:
        """Returns whether the record fits, if it takes no more items than the heaviest so far."""
        fits = self.size + record.size <= MAX_BYTES
        return fits and self._items + self._heaviest <= MAX_ITEMS

    def add(self, record: Record) -> None:
        """Adds the record's changes, or the reason why it can't be imported.

        A record that is older than the stored one changes nothing, and counts as imported.
        """
        self.count += 1
        self.size += record.size
        before, imported = len(self.changes), self.progress.imported
        try:
            self.write(record)
            imported = _one_more(imported, record)
        except StaleUpdate:
            imported = _one_more(imported, record)
        except Busy:
            raise  # it isn't about the record
        except Problem as problem:
            if len(self.changes) != before:
                raise  # it has already added changes: this chunk can't be used
            self.refuse(record, problem)
            return
        self.progress = replace(self.progress, done=self.progress.done + 1, imported=imported)

    def write(self, record: Record) -> None:
        """Adds the record's changes to the unit of work."""
        record.write(self.changes)

    def refuse(self, record: Record, problem: Problem) -> None:
        """Records why the record can't be imported."""
        self.problems.append(_import_problem(record, problem))
        self.progress = replace(
            self.progress,
            done=self.progress.done + 1,
            problems=self.progress.problems + 1,
        )

    def half(self, error: Exception) -> int:
        """Returns how many records to try after an error with this many.

        Raises Busy, which isn't about any record.
        """
        if isinstance(error, Busy):
            raise error
        return self.count // 2

    @property
    def more_items(self) -> int:
        """Returns how many items the commit will add to the changes."""
        return 0

    def weigh(self) -> None:
        """Counts the items of the last record. Raises _Overfull if it is one too many."""
        items = self.changes.items + self.more_items + len(self.problems)
        before = 0 if self.count <= _SHARING else self._heaviest
        self._heaviest = max(before, items - self._items)
        self._items = items
        if self.count > 1 and items > MAX_ITEMS:
            raise _Overfull


type Note = Callable[[Chunk], None]
"""Adds the import's progress to a chunk's transaction."""


class Chunks:
    """A batch's records, written a chunk at a time."""

    def __init__(self, records: Sequence[Record], reads: ReadAhead, pipeline: Pipeline) -> None:
        """`reads` has the rows that are read ahead."""
        self._records = records
        self._reads = reads
        self._pipeline = pipeline
        self._turn = InTurn()
        self._prefetched_until = 0

    def write(self, progress: Progress, note: Note) -> Progress:
        """Starts to write the next chunk; returns the import's progress after it.

        Raises LostRace.
        """
        most = len(self._records)
        while most > 1:
            self._reads.next()
            chunk = Chunk(progress, Changes(self._reads))
            try:
                self._fill(chunk, most)
                note(chunk)
                self._pipeline.write(PlainFlight(chunk.changes, self._turn))
            except MergedFirst:
                self.reread()
            except _Overfull:
                most = chunk.count - 1
            except (TooManyWrites, WrittenTwice, ReadAfterWrite, Problem) as error:
                most = chunk.half(error)
            else:
                return chunk.progress
        self._pipeline.finish()
        self.reread()
        return self._alone(progress, note)

    def _alone(self, progress: Progress, note: Note) -> Progress:
        """Writes one record by itself, as its PUT would."""
        record, chunk = self._records[progress.done], Chunk(progress, Changes())
        try:
            chunk.add(record)
            note(chunk)
            chunk.changes.commit()
        except MergedFirst:
            return self._alone(progress, note)
        except Busy:
            raise
        except Problem as problem:
            chunk = Chunk(progress, Changes())
            chunk.refuse(record, problem)
            note(chunk)
            chunk.changes.commit()
        return chunk.progress

    def reread(self) -> None:
        """Drops the rows that were read, as another writer has changed them."""
        self._reads.clear()
        self._prefetched_until = 0

    def _fill(self, chunk: Chunk, most: int) -> None:
        start = chunk.progress.done
        self._read_ahead(start)
        for record in self._records[start : min(start + most, self._prefetched_until)]:
            if chunk.count and (self._waits(record) or not chunk.has_room_for(record)):
                return
            chunk.add(record)
            chunk.weigh()

    def _waits(self, record: Record) -> bool:
        """Whether it reads rows that the chunk already writes."""
        return self._reads.writes([*record.keys, *record.keys_behind(self._reads)])

    def _read_ahead(self, start: int) -> None:
        # Rows that were read before and written by the last chunk are read again.
        until = start + _MIN_READ_AHEAD
        if self._prefetched_until < until:
            is_product = self._records[start].stage is ImportStage.PRODUCTS
            self._prefetched_until = until = start + (
                _PRODUCTS_READ_AHEAD if is_product else READ_AHEAD
            )
        some = self._records[start:until]
        self._reads.prefetch(key for record in some for key in record.keys)
        self._reads.prefetch(key for record in some for key in record.keys_behind(self._reads))


def _one_more(imported: Imported, record: Record) -> Imported:
    name = record.stage.value
    return replace(imported, **{name: getattr(imported, name) + 1})


def _import_problem(record: Record, problem: Problem) -> ImportProblem:
    """The problem, with the JSON Pointer of its place in the request."""
    pointer, text = f"/{record.stage}/{record.index}", f": {problem.detail}"
    if problem.errors:
        first, *more = problem.errors
        text = f"{first.path}: {first.message}" + (f" (and {len(more)} more)" if more else "")
    return ImportProblem(
        record.index, record.external_id, problem.code, (pointer + text)[:_DETAIL_LENGTH]
    )

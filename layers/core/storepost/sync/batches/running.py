"""The worker: runs a store's open imports in turn, until none is open or time is up.

A message only names the store. The progress is in the import's row, which each chunk's transaction
updates. So a message may arrive twice, late, or after a run that was killed anywhere.
"""

from collections.abc import Sequence
from functools import partial

from storepost.accounts.workspaces.callers import Requester
from storepost.people.consent.statements import origin_by
from storepost.platform.jobs.runs import Superseded
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.objects import ObjectGone, get_object
from storepost.stores.imports.model import ImportFailure, ImportStatus, StoreImport
from storepost.stores.imports.service import complete_import, fail_import, in_turn, start_import
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.batches.reading import records_of
from storepost.sync.batches.records import Record, Sender
from storepost.sync.batches.run import RecordWriter, StoreRun
from storepost.sync.batches.schemas import StoreBatch
from storepost.values.logs import log_unexpected


class _Unusable(Exception):  # noqa: N818 - it is what an import is
    """The import's records aren't available, now or later."""

    def __init__(self, why: ImportFailure) -> None:
        """`why` is the import's failure."""
        super().__init__(why)
        self.why = why


def resume(run: StoreRun) -> None:
    """Continues a custom store's batches.

    An error that occurs on every try fails the current import, as others wait behind it.
    """

    def give_up(_error: Exception) -> bool:
        run.fail(ImportFailure.IMPORT_FAILED)
        return True

    run.attempt(lambda: _work(run), give_up)


def _work(run: StoreRun) -> None:
    while found := in_turn(run.message.workspace, run.turns()):
        try:
            if _worked_through(run, found, _records(run, found)):
                return
        except _Unusable as unusable:
            commit_anew(partial(_fail, run=run, found=found, why=unusable.why))
        except Superseded:
            continue


def _records(run: StoreRun, found: StoreImport) -> Sequence[Record]:
    """The import's records in order. Raises _Unusable."""
    store = found_store(StoreRepository(run.message.workspace), run.message.store_id)
    if not store.is_active:  # it was disconnected while the import was queued
        raise _Unusable(ImportFailure.STORE_DISCONNECTED)
    try:
        batch = StoreBatch.of_text(get_object(found.content or ""))
    except (ObjectGone, ValueError) as error:
        log_unexpected(error)
        raise _Unusable(ImportFailure.IMPORT_FAILED) from error
    requester = found.requester or Requester(None)
    return records_of(batch, Sender(store, origin_by(requester, store_id=store.id)))


def _worked_through(run: StoreRun, found: StoreImport, records: Sequence[Record]) -> bool:
    """Runs one import to its end, if time allows; returns whether the run must end."""
    running = commit_anew(lambda changes: _started(changes, run, found, records))
    if running is None:
        return False
    more_follow = run.turns().waiting > 0
    RecordWriter(run, running, records, more_follow=more_follow).write_all()
    return commit_anew(lambda changes: _completed(changes, run, running))


def _started(
    changes: Changes, run: StoreRun, found: StoreImport, records: Sequence[Record]
) -> StoreImport | None:
    """The running import; None if it isn't the current one any more."""
    turns = run.turns()
    current = in_turn(run.message.workspace, turns)
    if current is None or current.id != found.id:
        return None
    if current.status is ImportStatus.RUNNING:
        return current
    return start_import(changes, run.message.workspace, turns, current, records[0].stage)


def _completed(changes: Changes, run: StoreRun, running: StoreImport) -> bool:
    """Completes the import, all of whose records are done; returns whether the run ends, too."""
    turns, current = run.turns(), run.imports.get(running.id)
    if current is None or turns.running != current.id:
        return False
    complete_import(changes, run.message.workspace, turns, current)
    # The message's tries count for this import: the next one gets its own message.
    if not run.is_over() and run.tries == 1:
        return False
    if turns.waiting:
        run.send_next(changes)
    return True


def _fail(changes: Changes, run: StoreRun, found: StoreImport, why: ImportFailure) -> None:
    """Fails the import, if it still is the current one."""
    turns = run.turns()
    current = in_turn(run.message.workspace, turns)
    if current and current.id == found.id:
        fail_import(changes, run.message.workspace, turns, current, why)

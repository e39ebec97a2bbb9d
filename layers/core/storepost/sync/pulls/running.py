"""The worker: pulls a shop's records, and resumes where an earlier run ended.

A message only names the store. The import's row has the progress: the export that is made or read,
and how many of its records are done, which each chunk's transaction updates. So a message may
arrive twice, late, or after a run that was killed anywhere.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from time import sleep

from storepost.people.consent.model import ConsentOrigin, ConsentSource
from storepost.platform.jobs.runs import OutOfTime, Remaining, Superseded
from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.shopify.admin import AdminClient, admin_of
from storepost.shopify.errors import (
    AccessDenied,
    NeedsReauth,
    RequestRefused,
    ShopifyError,
    ShopUnavailable,
)
from storepost.stores.imports.messages import StoreImportMessage
from storepost.stores.imports.model import (
    ImportFailure,
    ImportScope,
    ImportStage,
    ImportStatus,
    Pull,
    StoreImport,
)
from storepost.stores.imports.service import complete_import, in_turn, start_import
from storepost.stores.stores.model import Store
from storepost.sync.batches.records import Sender
from storepost.sync.batches.run import RecordWriter, StoreRun
from storepost.sync.pulls.exports import (
    Export,
    ExportOutcome,
    begin_export,
    fetch,
    poll_export,
    shows_all,
)
from storepost.sync.pulls.reconciling import Sweep
from storepost.sync.pulls.records import ExportedRecords
from storepost.sync.pulls.spool import Spool
from storepost.values import clock
from storepost.values.logs import logger

MARGIN_MILLISECONDS = 60_000
FIRST_POLL_SECONDS = 0.1
MAX_POLL_SECONDS = 5.0
"""The longest time between two polls of an export: each wait is twice the one before."""
MAX_DURATION = timedelta(hours=24)
MAX_PARTIAL_EXPORTS = 5
"""How many exports of a stage may be partial before the import fails."""
FIRST_STAGE = {
    ImportScope.CUSTOMERS_ORDERS: ImportStage.CUSTOMERS,
    ImportScope.PRODUCTS: ImportStage.PRODUCTS,
}
NEXT_STAGE = {ImportStage.CUSTOMERS: ImportStage.ORDERS}


@dataclass(frozen=True)
class _PullRun(StoreRun):
    """One run of the worker for one shop."""

    store: Store

    def is_over(self) -> bool:
        """Whether no more work may start; fetching an export's file takes longer than a batch."""
        return self.remaining() < MARGIN_MILLISECONDS


def pull(store: Store, tries: int, remaining: Remaining) -> None:
    """Continues the store's open imports. `tries` counts this one, too.

    An error that occurs on every try fails the current import, as others wait behind it.
    """
    message = StoreImportMessage(store.workspace.id, store.id)
    run = _PullRun(message, tries, remaining, store)

    def give_up(error: Exception) -> bool:
        is_unavailable = isinstance(error, ShopUnavailable)
        run.fail(ImportFailure.STORE_UNREACHABLE if is_unavailable else ImportFailure.IMPORT_FAILED)
        return True

    with suppress(OutOfTime):
        run.attempt(lambda: _work(run), give_up)


def _work(run: _PullRun) -> None:
    while commit_anew(lambda changes: _start_if_queued(changes, run)):
        try:
            _import(run)
        except Superseded:
            continue
        except NeedsReauth as error:
            _log_failure(error)
            run.fail(ImportFailure.STORE_UNREACHABLE)
        except (AccessDenied, RequestRefused) as error:
            _log_failure(error)
            run.fail(ImportFailure.EXPORT_FAILED)
        # The message's tries count for this import: the next one gets its own message.
        if run.tries > 1:
            return


def _log_failure(error: ShopifyError) -> None:
    logger.warning("import not pulled", extra={"reason": str(error)})


def _start_if_queued(changes: Changes, run: _PullRun) -> bool:
    """Starts the next import, if none is running; returns False where none is open."""
    turns = run.turns()
    found = in_turn(run.store.workspace, turns)
    if found is None:
        return False
    if found.status is ImportStatus.QUEUED:
        start_import(changes, run.store.workspace, turns, found, FIRST_STAGE[found.scope])
    return True


def _import(run: _PullRun) -> None:
    """Runs the running import to its end."""
    with admin_of(run.store) as admin:
        while running := _running(run):
            export = _export(run, admin, running)
            with Spool() as spool:
                fetch(export, spool, max(1.0, (run.remaining() - MARGIN_MILLISECONDS) / 1000))
                records = ExportedRecords(spool, _stage(running), _sender(run))
                RecordWriter(run, _reloaded(run), records).write_all()
                _reconcile(run, admin, export, spool)
                _end_stage(run, export, records)


def _running(run: _PullRun) -> StoreImport | None:
    """The running import as stored; None once it has ended."""
    turns = run.turns()
    found = run.imports.get(turns.running) if turns.running else None
    if found is None or found.status is not ImportStatus.RUNNING:
        return None
    if found.started_at and clock.now() - found.started_at > MAX_DURATION:
        run.fail(ImportFailure.TIMED_OUT)
        return None
    return found


def _export(run: _PullRun, admin: AdminClient, running: StoreImport) -> Export:
    """Returns the stage's export once it has ended; starts it first if necessary."""
    seconds = FIRST_POLL_SECONDS
    while True:
        operation = running.pull.operation
        if operation is None:
            is_all = shows_all(admin, _stage(running))
            operation = begin_export(admin, run.store, _stage(running), running.pull.after)
            if operation is not None:
                pull = replace(running.pull, operation=operation, shows_all=is_all)
                running = _advanced(run, running, pull=pull)
        elif export := poll_export(admin, _stage(running), operation):
            return export
        run.check_time()
        sleep(seconds)
        seconds = min(MAX_POLL_SECONDS, 2 * seconds)


def _reconcile(run: _PullRun, admin: AdminClient, export: Export, spool: Spool) -> None:
    """Deletes the records that a complete export lacks, a page of the store's list at a time."""
    running = _reloaded(run)
    if export.outcome is not ExportOutcome.COMPLETE or not export.started_at:
        return
    if spool.unreadable:
        return  # which records those were isn't known
    stage, after = _stage(running), running.pull.after
    is_all = running.pull.shows_all and shows_all(admin, stage)
    sweep = Sweep(run.store, stage, spool, export.started_at, after, shows_all=is_all)
    while (page := sweep.missing(running.pull.swept)).last_key is not None:
        for external_id in page.external_ids:
            _delete(run, sweep, external_id)
            run.check_time()
        running = _reloaded(run)
        running = _advanced(run, running, pull=replace(running.pull, swept=page.last_key))
        run.check_time()


def _delete(run: _PullRun, sweep: Sweep, external_id: str) -> None:
    """Deletes one record, if it still must be; the same transaction counts it in the import."""

    def write(changes: Changes) -> None:
        running = _reloaded(run)
        if sweep.delete(changes, external_id):
            progress = replace(running.progress, removed=running.progress.removed + 1)
            run.imports.save(changes, running, replace(running, progress=progress))

    commit_anew(write)


def _end_stage(run: _PullRun, export: Export, records: ExportedRecords) -> None:
    """Continues the import after an export whose records are all done."""
    running = _reloaded(run)
    if export.outcome is ExportOutcome.PARTIAL:
        pull = running.pull
        if pull.exports + 1 >= MAX_PARTIAL_EXPORTS:
            run.fail(ImportFailure.EXPORT_FAILED)
            return
        after = records.id_at(len(records) - 1) if len(records) else pull.after
        _advanced(run, running, pull=Pull(None, after, pull.exports + 1))
        return
    following = NEXT_STAGE.get(_stage(running))
    if following is not None:
        _advanced(run, running, pull=Pull(), stage=following)
        return
    commit_anew(lambda changes: _complete(changes, run))


def _complete(changes: Changes, run: _PullRun) -> None:
    turns = run.turns()
    current = run.imports.get(turns.running) if turns.running else None
    if current is not None:
        complete_import(changes, run.store.workspace, turns, current)
        if run.tries > 1 and turns.waiting:
            run.send_next(changes)


def _advanced(
    run: _PullRun, running: StoreImport, *, pull: Pull, stage: ImportStage | None = None
) -> StoreImport:
    """The import with the new state; a new export is read from its beginning."""
    progress = running.progress
    if pull.operation is None:
        progress = replace(progress, done=0, stage=stage or progress.stage)
    after = replace(running, progress=progress, pull=pull)
    changes = Changes()
    run.imports.save(changes, running, after)
    try:
        changes.commit()
    except LostRace as error:
        raise Superseded from error
    return after


def _reloaded(run: _PullRun) -> StoreImport:
    running = _running(run)
    if running is None:
        raise Superseded
    return running


def _stage(running: StoreImport) -> ImportStage:
    return running.progress.stage or ImportStage.CUSTOMERS


def _sender(run: _PullRun) -> Sender:
    return Sender(run.store, ConsentOrigin(ConsentSource.SHOPIFY, run.store.id))

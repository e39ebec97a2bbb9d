"""The worker of migrations: page by page, each with its cursor in one transaction.

The row's version is the condition of each transaction. So if two workers run one migration, as a
message may be delivered twice, one goes on, and the other one ends with the page whose race it
lost: what that page wrote at once is right all the same (`Step.work`).
"""

from collections.abc import Callable, Mapping
from contextlib import suppress

from storepost.platform.jobs.runs import Run, Superseded
from storepost.platform.migrations.keys import migration_key
from storepost.platform.migrations.messages import MigrationMessage
from storepost.platform.migrations.model import Migration, Page
from storepost.platform.migrations.rows import MigrationItem
from storepost.platform.persistence.changes import Changes, until_won
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.logs import logger
from storepost.values.scope import WorkspaceScope

type Begin = Callable[[Changes, WorkspaceScope], None]
"""Adds the condition that the workspace exists; if it fails, the commit raises Superseded."""


def migrate(migrations: Mapping[str, Migration], begin: Begin, run: Run[MigrationMessage]) -> None:
    """Does the work of a message, or the part for which there is time.

    A migration of another release is logged and left to that release.
    """
    migration = migrations.get(run.message.name)
    if migration is None:
        logger.warning("unknown migration", extra={"migration": run.message.name})
        return
    with suppress(Superseded):
        _begin(migration, begin, run.message)
        while until_won(lambda: _do_page(migration, run.message)):
            run.check_time()


def _begin(migration: Migration, begin: Begin, message: MigrationMessage) -> None:
    """Writes the run's row if it isn't there yet."""
    key = migration_key(message.workspace, message.name)
    row = find(MigrationItem, key)
    if row and row.run >= message.run:
        return
    row = row or MigrationItem(*key)
    row.run, row.step, row.after = message.run, migration.steps[0].name, ""
    row.counts, row.done_at = {}, None
    row.started_at = row.updated_at = clock.now()
    changes = Changes()
    begin(changes, message.workspace)
    changes.save(row, on_conflict=Superseded())
    changes.commit()


def _do_page(migration: Migration, message: MigrationMessage) -> bool:
    """Does the next page of the run; returns whether there may be more. Raises Superseded."""
    row = find(MigrationItem, migration_key(message.workspace, message.name))
    if row is None or row.run != message.run or row.done_at is not None:
        return False
    position = migration.position_of(row.step)
    step = migration.steps[position]
    changes = Changes()
    page = step.work(message.workspace, row.after if row.step == step.name else "", changes)
    _advance(row, migration, position, page)
    changes.save(row, on_conflict=Superseded())
    changes.commit()
    return row.done_at is None


def _advance(row: MigrationItem, migration: Migration, position: int, page: Page) -> None:
    """Records the page's result in the row, and where the next page begins."""
    row.updated_at = clock.now()
    row.counts = {
        name: row.counts.get(name, 0) + page.counts.get(name, 0)
        for name in dict.fromkeys((*row.counts, *page.counts))
    }
    if page.after is not None:
        row.step, row.after = migration.steps[position].name, page.after
    elif position + 1 < len(migration.steps):
        row.step, row.after = migration.steps[position + 1].name, ""
    else:
        row.done_at = clock.now()

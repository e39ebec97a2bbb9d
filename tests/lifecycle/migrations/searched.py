"""A workspace whose search is rebuilt, and a plain model of its postings."""

from dataclasses import dataclass
from typing import Any

from storepost.lifecycle.migrations.worker import migrate_workspace
from storepost.overview.search.sources import entry_of
from storepost.platform.jobs.runs import Run, run_once
from storepost.platform.migrations.keys import REBUILD_SEARCH, migration_key
from storepost.platform.migrations.messages import MigrationMessage
from storepost.platform.migrations.rows import MigrationItem
from storepost.platform.persistence.item import find
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.rows import PostingItem
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World

type Postings = dict[tuple[str, str], tuple[Any, ...]]
"""The search's rows of a workspace, by key."""

LONG = 300_000


@dataclass
class Searched:
    """The stored rows of one workspace's search."""

    world: World
    workspace: WorkspaceScope

    @property
    def rows(self) -> list[PostingItem]:
        """The stored postings."""
        found = self.world.rows(self.workspace.key)
        return [row for row in found if isinstance(row, PostingItem)]

    @property
    def postings(self) -> Postings:
        """The stored postings, as values."""
        return {row.key: (row.at, row.text, row.exact) for row in self.rows}

    @property
    def exact(self) -> Postings:
        """The expected postings: those that each row has by itself."""
        entries = [entry for row in self.world.rows(self.workspace.key) if (entry := entry_of(row))]
        repositories = [(PostingRepository(self.workspace, each.kind), each) for each in entries]
        rows = [r.row(p) for r, each in repositories for p in r._postings(each).values()]
        return {row.key: (row.at, row.text, row.exact) for row in rows}

    def lose(self, of: int = 2) -> None:
        """Deletes every n-th posting, and puts some that no row has."""
        rows = self.rows
        for row in rows[::of]:
            row.delete()
        for row in rows[1 :: 2 * of]:
            PostingItem(row.pk, f"zzz{row.sk}", at=row.at, text="stale").save()
        PostingItem(rows[1].pk, "nobody\x01" + "-" * 22, at=rows[1].at, text="stale").save()

    def work(self, run: int = 1, milliseconds: int = LONG) -> None:
        """Lets the worker handle one message, in so much time."""
        message = MigrationMessage(self.workspace.id, REBUILD_SEARCH, run)
        run_once(migrate_workspace, Run(message, 1, lambda: milliseconds))

    @property
    def row(self) -> MigrationItem | None:
        """The rebuild's row with its progress."""
        return find(MigrationItem, migration_key(self.workspace, REBUILD_SEARCH))

    @property
    def is_done(self) -> bool:
        """Whether the newest run is done."""
        row = self.row
        return row is not None and row.done_at is not None

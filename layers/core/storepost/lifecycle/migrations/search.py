"""The migration that rebuilds all postings of a workspace, while it is in use.

First it writes the postings of each searched row, then it compares each posting with its row. It
also queues orders whose counted sales differ from their own, as the stream that updates postings
also triggers the count of sales.
"""

from collections.abc import Collection, Iterator
from functools import partial
from uuid import UUID

from storepost.lifecycle.migrations.walking import Walk, walks_of
from storepost.orders.repository import OrderRepository
from storepost.orders.sales import queue_sales_count, sales_of
from storepost.overview.product_sales.repository import SalesRepository
from storepost.overview.search.rewriting import remove_stale, rewrite
from storepost.overview.search.sources import SOURCES
from storepost.platform.migrations.keys import REBUILD_SEARCH
from storepost.platform.migrations.model import Migration, Page, Step
from storepost.platform.persistence.changes import Changes
from storepost.platform.postings.entries import SearchKind
from storepost.values.scope import WorkspaceScope


def _steps() -> Iterator[Step]:
    for walk in walks_of(SOURCES):
        yield Step(f"write {walk.name}", partial(_write, walk))
    for kind in SearchKind:
        yield Step(f"check {kind}", partial(_check, kind))


def _write(walk: Walk, workspace: WorkspaceScope, after: str, changes: Changes) -> Page:
    """Writes the postings of a page of rows."""
    ids, behind_these = walk.page(workspace, after)
    kind, _ = SOURCES[walk.kind]
    written = rewrite(workspace, kind, {each: set() for each in ids}, packs=True)
    if kind is SearchKind.ORDER:
        _queue_uncounted(workspace, ids, changes)
    return Page(behind_these, {f"{walk.name} rows": len(ids), "postings written": written})


def _check(kind: SearchKind, workspace: WorkspaceScope, after: str, _changes: Changes) -> Page:
    """Deletes those postings of a page that their rows don't have."""
    cursor, checked, removed = remove_stale(workspace, kind, after)
    return Page(cursor, {"postings checked": checked, "postings removed": removed})


def _queue_uncounted(workspace: WorkspaceScope, ids: Collection[UUID], changes: Changes) -> None:
    """Queues the orders whose counted sales differ from the sales that they have."""
    counted = SalesRepository(workspace)
    for order in OrderRepository(workspace).get_many(ids):
        if counted.of(order.id) != sales_of(order):
            queue_sales_count(changes, workspace, order.id)


MIGRATION = Migration(REBUILD_SEARCH, tuple(_steps()))

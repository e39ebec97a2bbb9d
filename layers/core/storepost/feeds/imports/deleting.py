"""Deletes what a deleted feed has left: its products, then its rows."""

from collections.abc import Callable
from dataclasses import replace
from itertools import batched

from storepost.catalog.products.writing import ProductSource
from storepost.feeds.feeds.keys import imports_partition, skipped_partition
from storepost.feeds.feeds.model import Feed
from storepost.feeds.feeds.repository import FeedRepository
from storepost.feeds.feeds.rows import FeedImportItem
from storepost.feeds.imports.objects import FeedObjects
from storepost.feeds.imports.plan import Plan, plan_removal
from storepost.feeds.imports.writing import READ_AHEAD, Rows, Writer
from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.platform.persistence.item import Item, keys_in
from storepost.stores.stores.model import Store
from storepost.values.scope import WorkspaceScope
from storepost.values.scratch import scratch

_ROWS_AT_ONCE = 80


def delete_feed_contents(store: Store, feed: Feed, is_over: Callable[[], bool]) -> bool:
    """Deletes the feed's products, then its rows; returns whether there was time for all."""
    if not _delete_products(store, feed, is_over):
        return False
    while _delete_import(store.workspace, feed):
        if is_over():
            return False
    FeedObjects(store.workspace, feed.id).delete_manifest()
    commit_anew(lambda changes: _delete_feed(changes, store.workspace, feed))
    return True


def _delete_products(store: Store, feed: Feed, is_over: Callable[[], bool]) -> bool:
    feeds, source = FeedRepository(store.workspace), ProductSource(store, feed.id)
    with scratch() as directory:
        manifest, removal = directory / "manifest", directory / "plan"
        if FeedObjects(store.workspace, feed.id).get_manifest(manifest) is None:
            return True
        plan_removal(manifest, removal)
        with Plan(removal) as plan:
            writer = Writer(source, feed.id)
            while current := feeds.get(feed.id):
                products = plan.rows_of_next(current.removed, READ_AHEAD)
                if not products:
                    return True
                if is_over():
                    return False
                _delete_batch(feeds, writer, current, products)
    return True


def _delete_batch(feeds: FeedRepository, writer: Writer, feed: Feed, products: Rows) -> None:
    def progress(changes: Changes, done: int, _created: int) -> None:
        feeds.save(changes, replace(feed, removed=feed.removed + done))

    try:
        writer.write(products, progress)
        writer.finish()
    except LostRace:
        return  # the caller reads the feed again and gets the same products


def _delete_import(workspace: WorkspaceScope, feed: Feed) -> bool:
    """Deletes an import and the rows that it skipped; returns whether there was one."""
    found = FeedImportItem.rows_in(imports_partition(workspace, feed.id), limit=1)
    for row in found:
        while keys := keys_in(skipped_partition(workspace, row.id), _ROWS_AT_ONCE):
            for batch in batched(keys, _ROWS_AT_ONCE, strict=False):
                changes = Changes()
                for key in batch:
                    changes.delete(Item(*key))
                changes.commit()
        changes = Changes()
        changes.delete(Item(*row.key))
        changes.commit()
        return True
    return False


def _delete_feed(changes: Changes, workspace: WorkspaceScope, feed: Feed) -> None:
    feeds = FeedRepository(workspace)
    if feeds.get(feed.id) is not None:
        feeds.delete(changes, feed)

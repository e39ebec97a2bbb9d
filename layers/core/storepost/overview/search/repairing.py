"""The worker that repairs postings: those of the stream's failed records, or all of a workspace.

Of a record that failed for good its number is all that a message has. What followed it in the
stream may have been done, so its images only say which postings may be wrong: what is right is what
the row is now. It is read once more after each write, so that a change which came meanwhile is not
undone. Whatever changes a row later comes by the stream, behind that.

The relay reads the same stream, so what those records had for queues is queued again here, too.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from storepost.catalog.products.trees import ProductLists
from storepost.coupons.repository import CouponRepository
from storepost.feeds.feeds.repository import FeedRepository
from storepost.orders.repository import OrderItem, OrderRepository
from storepost.orders.sales import queue_sales_count, sales_of
from storepost.orders.trees import OrderList
from storepost.overview.product_sales.repository import SalesRepository
from storepost.overview.search.showing import KEYS
from storepost.overview.search.sources import entry_of
from storepost.people.consent.write_back_index import IndexedChangeItem
from storepost.people.consent.write_back_relay import queue_pending
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.jobs.runs import Remaining, Run, run_once
from storepost.platform.messaging.messages import WorkspaceMessage
from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree.keys import behind, id_of
from storepost.platform.persistence.counted_tree.tree import Tree
from storepost.platform.persistence.item import Item, Key, find_all
from storepost.platform.persistence.streams import Image, Stretch, images_of, read_again, row_of
from storepost.platform.postings.entries import SearchEntry, SearchKind
from storepost.platform.postings.repository import PostingRepository
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

_ROWS = 50
_POSTINGS = 250
_WRITTEN, _STORED = "written", "stored"

type Page = tuple[Sequence[UUID], str | None]
"""Ids of entries, and behind what the next ones are; None for no more."""

type Pages = Callable[[WorkspaceScope, str], Page]


@dataclass(frozen=True)
class SearchRepairMessage(WorkspaceMessage):
    """Asks for the repair of a workspace's postings, from a step and a place in it on."""

    queue: ClassVar = Queue.SEARCH_REPAIRS

    step: str | None = None
    after: str = ""


def repair(message: str, remaining: Remaining, also: Callable[[Mapping[str, Any]], None]) -> None:
    """Repairs the postings of the records that a message names, or of a workspace's rows.

    `also` is called with each of the records, as the stream has it.
    """
    failed = json.loads(message).get("DDBStreamBatchInfo")
    if failed:
        _repair_records(failed, also)
    else:
        run_once(_repair_workspace, Run(SearchRepairMessage.of(message), 1, remaining))


def _repair_workspace(run: Run[SearchRepairMessage]) -> None:
    """Works through the steps: rows have their postings written, then each posting has its row."""
    message = run.message
    first = message.step or _STEPS[0]
    for step in _STEPS[_STEPS.index(first) :]:
        after: str | None = message.after if step == first else ""
        while after is not None:
            if run.is_over():
                run.stop(replace(message, step=step, after=after))
            after = _do(message.workspace, step, after)


def _repair_records(info: Mapping[str, Any], also: Callable[[Mapping[str, Any]], None]) -> None:
    """Rewrites postings, and queues the messages of changes of consent and of orders.

    Outbox rows are no matter of this: the sweep finds those that are still there.
    """
    stretch = Stretch(
        info["streamArn"],
        info["shardId"],
        info["startSequenceNumber"],
        info["endSequenceNumber"],
    )
    for record in read_again(stretch):
        images = images_of(record)
        rows = [row_of(image) for image in images]
        _rewrite_changed(images, rows)
        if row := rows[1]:
            commit_anew(partial(_queue_again, row=row))
        also(record)


def _rewrite_changed(images: Sequence[Image | None], rows: Sequence[Item | None]) -> None:
    entries = [entry for entry in map(entry_of, rows) if entry]
    image = images[1] or images[0]
    if entries and image:
        workspace = WorkspaceScope.of(image["pk"]["S"])
        _rewrite(workspace, entries[0].kind, {entries[0].id: _keys(workspace, entries)})


def _queue_again(changes: Changes, row: Item) -> None:
    """Queues what a row had for a queue: the relay may have sent it, or may not."""
    if isinstance(row, IndexedChangeItem):
        queue_pending(changes, WorkspaceScope.of(row.pk), [row.change], clock.now())
    elif isinstance(row, OrderItem) and row.to_count:
        queue_sales_count(changes, WorkspaceScope.of(row.pk), row.id)


def _queue_uncounted(changes: Changes, workspace: WorkspaceScope, ids: Iterable[UUID]) -> None:
    """Queues those of the orders of which something else is counted as sold than they say."""
    counted = SalesRepository(workspace)
    for order in OrderRepository(workspace).get_many(ids):
        if counted.counted(order.id) != sales_of(order):
            queue_sales_count(changes, workspace, order.id)


def _keys(workspace: WorkspaceScope, entries: Sequence[SearchEntry]) -> set[Key]:
    found = (PostingRepository(workspace, entry.kind).keys(entry) for entry in entries)
    return set[Key]().union(*found)


def _rewrite(workspace: WorkspaceScope, kind: SearchKind, stale: Mapping[UUID, set[Key]]) -> None:
    """Brings the postings of entries to what their rows are, whichever of the stale ones are there.

    An entry whose row changed meanwhile is settled again, until it hasn't.
    """
    postings = PostingRepository(workspace, kind)
    waiting = {entry_id: set(keys) for entry_id, keys in stale.items()}
    now = _entries(workspace, kind, waiting)
    while waiting:
        for entry_id, keys in waiting.items():
            keys.update(postings.write_all(keys, now.get(entry_id)))
        then = _entries(workspace, kind, waiting)
        waiting = {each: k for each, k in waiting.items() if now.get(each) != then.get(each)}
        now = then


def _entries(
    workspace: WorkspaceScope, kind: SearchKind, ids: Mapping[UUID, object]
) -> dict[UUID, SearchEntry]:
    rows = find_all(KEYS[kind](workspace, each) for each in ids)
    entries = (entry_of(row) for row in rows.values())
    return {entry.id: entry for entry in entries if entry}


def _do(workspace: WorkspaceScope, step: str, after: str) -> str | None:
    """Does a page of a step; behind what the next page is, None for no more."""
    todo, _, name = step.partition(" ")
    if todo == _STORED:
        return _look_at_stored(workspace, SearchKind(name), after)
    ids, behind_these = _SOURCES[name](workspace, after)
    kind = SearchKind(name.partition("-")[0])
    _rewrite(workspace, kind, {each: set() for each in ids})
    if kind is SearchKind.ORDER:
        commit_anew(partial(_queue_uncounted, workspace=workspace, ids=ids))
    return behind_these


def _look_at_stored(workspace: WorkspaceScope, kind: SearchKind, after: str) -> str | None:
    """Deletes those of a page of postings that their rows don't have.

    They are read before the rows: what one has that the row hasn't is older than the row.
    """
    found = PostingRepository(workspace, kind).stored(after, _POSTINGS)
    stored: dict[UUID, set[Key]] = {}
    for key, entry_id in found:
        stored.setdefault(entry_id, set()).add(key)
    now = _entries(workspace, kind, stored)
    stale = {
        entry_id: wrong
        for entry_id, keys in stored.items()
        if (wrong := keys - PostingRepository(workspace, kind).keys(now.get(entry_id)))
    }
    _rewrite(workspace, kind, stale)
    return found[-1][0][1] if len(found) == _POSTINGS else None


def _of_tree(tree: Tree, after: str) -> Page:
    entries = tree.rows.entries(behind(after), _ROWS)
    ids = [id_of(entry.key) for entry in entries]
    return ids, entries[-1].key if len(entries) == _ROWS else None


def _of_all(ids: Iterator[UUID]) -> Page:
    """Those of which a workspace has few."""
    return list(ids), None


_SOURCES: Mapping[str, Pages] = {
    "profile": lambda w, after: _of_tree(ProfileLists(w).by_first_seen, after),
    "order": lambda w, after: _of_tree(OrderList(w).tree, after),
    "product": lambda w, after: _of_tree(ProductLists(w).by_added, after),
    "product-removed": lambda w, after: _of_tree(ProductLists(w).removed, after),
    "coupon": lambda w, _: _of_all(coupon.id for coupon in CouponRepository(w).all()),
    "feed": lambda w, _: _of_all(feed.id for feed in FeedRepository(w).all()),
    "store": lambda w, _: _of_all(store.id for store in StoreRepository(w).all()),
}
"""What leads to every row that is searched; what comes first in a name is the kind."""

_STEPS = [
    *(f"{_WRITTEN} {name}" for name in _SOURCES),
    *(f"{_STORED} {kind}" for kind in SearchKind),
]

"""Resolves a store's products again after its primary locale or currencies have changed.

The same work follows other rules for removed products alone, which keep their last values.

Lists, filters and search then show each product's new summary. The worker goes through the products
by the time of their last change. A product that is written meanwhile is resolved by the new terms
anyway. So the work may be repeated, delayed, and resumed anywhere.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from storepost.catalog.products.jobs import Job, JobKind
from storepost.catalog.products.model import Product
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.trees import ProductLists
from storepost.catalog.products.writing import keys_behind, keys_of, resolve_again
from storepost.platform.jobs.runs import Run
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes, TooManyWrites, commit_anew
from storepost.platform.persistence.counted_tree import KeyRange, Tree, moments
from storepost.platform.persistence.counted_tree.keys import END, LOWEST, id_of
from storepost.platform.persistence.reads import ReadAhead
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock

RESOLVED_AT_ONCE = 8
"""Products of one transaction: each takes its row, its list entries and their nodes."""
UNDER_WAY = timedelta(minutes=1)
"""How much older than its commit the time in a write may be: no unit of work takes longer."""


def queue_store_terms(changes: Changes, store: Store) -> None:
    """Queues the work, in the transaction that changes the store's primary locale or currencies.

    A product may still be written by the former terms until that transaction is committed.
    """
    send(changes, _job(store))


def queue_removed(changes: Changes, store: Store) -> None:
    """Queues the removed products alone, in the transaction that ranks the store's sources anew.

    Those that several sources had show the last values of the source that ranks first now.
    """
    send(changes, replace(_job(store), is_at_removed=True))


def _job(store: Store) -> Job:
    until = clock.to_text(clock.now() + UNDER_WAY)
    return Job(JobKind.TERMS, store.workspace.id, store.id, store.id, until)


def apply_store_terms(run: Run[Job]) -> None:
    """Resolves a store's products again; a run that stops sends a message to continue.

    Raises OutOfTime.
    """
    job = run.message
    store = StoreRepository(job.workspace).get(job.store_id)
    if store is None:
        return
    if not job.is_at_removed:
        _resolve_list(run, store, job)
        job = replace(job, after=None, is_at_removed=True)
    _resolve_list(run, store, job)


def _resolve_list(run: Run[Job], store: Store, job: Job) -> None:
    """Goes through one of the store's lists, from the job's position."""
    lists = ProductLists(store.workspace, store.id)
    tree = lists.removed if job.is_at_removed else lists.by_changed
    until = moments(until=clock.from_text(job.until)).hi if job.until else END
    after = job.after or LOWEST
    while keys := next_changed(tree, after, until, RESOLVED_AT_ONCE):
        _resolve_in_parts(store, keys)
        after = keys[-1]
        if run.is_over():
            run.stop(replace(job, after=after))


def _resolve_in_parts(store: Store, keys: Sequence[str]) -> None:
    """Resolves the products in one transaction, or in several if that is too large."""
    try:
        commit_anew(partial(_resolve, store=store, keys=keys))
    except TooManyWrites:
        if len(keys) == 1:
            raise
        half = len(keys) // 2
        for some in (keys[:half], keys[half:]):
            _resolve_in_parts(store, some)


def next_changed(tree: Tree, after: str, until: str, limit: int) -> list[str]:
    """Returns the keys of the next products after a key, in a list by time of change."""
    entries = tree.first(KeyRange(after, until), limit + 1)
    return [entry.key for entry in entries if entry.key != after][:limit]


def resolve_all_again(changes: Changes, store: Store, products: Sequence[Product]) -> None:
    """Adds to a unit of work the products as resolved by the rules and terms in force."""
    reads = ReadAhead()
    names = [product.external_id for product in products]
    reads.prefetch(keys_of(store, names))
    reads.prefetch(keys_behind(store, names, reads))
    changes.reads = reads
    for product in products:
        resolve_again(changes, store, product)


def _resolve(changes: Changes, store: Store, keys: Sequence[str]) -> None:
    products = ProductRepository(store.workspace).get_many([id_of(key) for key in keys])
    resolve_all_again(changes, store, products)

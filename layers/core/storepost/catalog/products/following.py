"""Products that follow what is in force: lists show of each what it is by other rules, or by what
its store says now.

It goes through a store's products by when they changed. What is written meanwhile is what it is to
be already. So it may be done twice, late, and from any place on.
"""

from collections.abc import Sequence
from dataclasses import replace
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
"""In one transaction: each is its row, its entries and their nodes."""


def queue_following(changes: Changes, store: Store) -> None:
    """Has the store's products brought up to its primary locale and currencies as they are now."""
    until = clock.to_text(clock.now())
    send(changes, Job(JobKind.TERMS, store.workspace.id, store.id, store.id, until))


def follow_terms(run: Run[Job]) -> None:
    """Brings a store's products up to what the store says; the next message goes on.

    Raises OutOfTime.
    """
    job = run.message
    store = StoreRepository(job.workspace).get(job.store_id)
    if store is None:
        return
    if not job.is_at_removed:
        _follow(run, store, job)
        job = replace(job, after=None, is_at_removed=True)
    _follow(run, store, job)


def _follow(run: Run[Job], store: Store, job: Job) -> None:
    """Goes through one of the lists, from where the job says."""
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
    """In one transaction, or in several where that is too much."""
    try:
        commit_anew(partial(_resolve, store=store, keys=keys))
    except TooManyWrites:
        if len(keys) == 1:
            raise
        half = len(keys) // 2
        for some in (keys[:half], keys[half:]):
            _resolve_in_parts(store, some)


def next_changed(tree: Tree, after: str, until: str, limit: int) -> list[str]:
    """Returns the keys of the next products of a list by when they changed, behind a key."""
    entries = tree.first(KeyRange(after, until), limit + 1)
    return [entry.key for entry in entries if entry.key != after][:limit]


def resolve_all_again(changes: Changes, store: Store, products: Sequence[Product]) -> None:
    """Adds what these products become by what is in force."""
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

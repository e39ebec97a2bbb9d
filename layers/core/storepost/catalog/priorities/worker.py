"""The worker: previews and applies changes of rules, a few products in a transaction.

It walks through a store's products in the order of their last changes. A product that changes
meanwhile moves to the end of that list, so the worker reaches it again. The change's row stores the
worker's position, which each step's transaction updates; so a message may arrive twice, late, or
after a run that was killed anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from storepost.catalog.priorities.comparing import compare
from storepost.catalog.priorities.model import WORKED_ON, ChangeStatus, PriorityChange, Walk
from storepost.catalog.priorities.repository import ChangeRepository, StoreChanges
from storepost.catalog.products.in_force import RulesRepository
from storepost.catalog.products.jobs import Job, JobKind
from storepost.catalog.products.naming import name_variants
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.store_terms_worker import (
    RESOLVED_AT_ONCE,
    UNDER_WAY,
    apply_store_terms,
    next_changed,
    resolve_all_again,
)
from storepost.catalog.products.trees import ProductLists
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.changes import Changes, TooManyWrites, commit_anew
from storepost.platform.persistence.counted_tree import moments
from storepost.platform.persistence.counted_tree.keys import END, LOWEST, id_of
from storepost.platform.persistence.item import Item
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.logs import log_unknown
from storepost.values.pagination import PageRequest, PageSize

PREVIEWED_AT_ONCE = 20
MAX_STORED_AT_ONCE = 3_000_000
"""Bytes that a step of a preview stores before it ends: a transaction takes 4 MB, and one product
more may be as large as a row may be.
"""
CLEARED_AT_ONCE = 80
MAX_ROUNDS = 5


def run_job(run: Run[Job]) -> None:
    """Does what a message asks for, or a part of it; the next message continues.

    A permanent failure ends the change. If rows of a discarded change are left, there is nothing to
    end: it is raised, and the message goes to the dead-letter queue.
    """
    job = run.message
    if job.job is JobKind.NAMES:
        name_variants(job)
        return
    if job.job is JobKind.TERMS:
        run.attempt(partial(apply_store_terms, run), lambda _error: False)
        return
    if job.job is not JobKind.PRIORITY_CHANGE:
        log_unknown("job", job.job)
        return
    give_up = partial(_fail, job=job)
    run.attempt(lambda: run.do(partial(_step, job)), lambda _error: commit_anew(give_up))


def _step(job: Job) -> bool:
    """Does some of the work; returns whether more is left."""
    at_once = RESOLVED_AT_ONCE
    while True:
        try:
            return commit_anew(partial(_step_with, job=job, at_once=at_once))
        except TooManyWrites:
            if at_once == 1:
                raise
            at_once //= 2


def _step_with(changes: Changes, job: Job, at_once: int) -> bool:
    repository = ChangeRepository(job.workspace)
    change = repository.get(job.id)
    if change is None or change.walk.clears:
        return _clear(changes, repository, job.id, change)
    if change.status not in WORKED_ON:
        return False
    store = found_store(StoreRepository(job.workspace), change.store_id)
    step = _ChangeStep(changes, repository, change, store)
    return step.preview() if change.status is ChangeStatus.PREVIEWING else step.apply(at_once)


def _clear(
    changes: Changes, repository: ChangeRepository, change: UUID, stored: PriorityChange | None
) -> bool:
    """Removes some products of a discarded change, or of a preview that begins again."""
    keys = repository.some_products(change, CLEARED_AT_ONCE)
    for key in keys:
        changes.delete(Item(*key))
    if not keys and stored:
        repository.save(changes, replace(stored, walk=replace(stored.walk, clears=False)))
    return bool(keys) or stored is not None


@dataclass(frozen=True)
class _ChangeStep:
    """One step of the work on a change."""

    changes: Changes
    repository: ChangeRepository
    change: PriorityChange
    store: Store

    def preview(self) -> bool:
        """Previews some more products; returns whether more is left."""
        rules = RulesRepository(self.store)
        in_force, walk = rules.get().rules, self.change.walk
        if walk.revision is not None and walk.revision != in_force.revision:
            self._save(self.change.previewed_anew())
            return True
        if walk.seen is None:
            total = self._total()
            walk = Walk(None, clock.now(), rules.marked().changes, in_force.revision)
            counts = replace(self.change.counts, products=total)
            self._save(replace(self.change, walk=walk, counts=counts))
            return True
        keys = self._next(END, PREVIEWED_AT_ONCE)
        if not keys:
            return self._end_preview(rules, is_known=self.change.rules.is_of(in_force))
        self._compare(keys)
        return True

    def apply(self, at_once: int) -> bool:
        """Resolves some more products under the new rules; returns whether more is left."""
        change = self.change
        # Products that changed later were written under these rules already.
        until = moments(until=change.applied_at).hi
        keys = self._next(until, at_once)
        if not keys:
            self._end(ChangeStatus.APPLIED)
            return False
        ids = [id_of(key) for key in keys]
        known = self.repository.known_products(change.id, ids)
        products = ProductRepository(self.store.workspace).get_many(ids)
        resolve_all_again(self.changes, self.store, products)
        applied = min(change.counts.changed, change.counts.applied + len(known))
        counts = replace(change.counts, applied=applied)
        self._save(replace(change, walk=replace(change.walk, after=keys[-1]), counts=counts))
        return True

    def _compare(self, keys: Sequence[str]) -> None:
        """Stores how the change alters the products, or the first of them if they are large."""
        change, in_force = self.change, RulesRepository(self.store).get()
        rules, terms = in_force.rules, in_force.terms
        then = change.rules.instead_of(rules)
        repository = ProductRepository(self.store.workspace)
        ids = [id_of(key) for key in keys]
        products = {product.id: product for product in repository.get_many(ids)}
        layers = repository.layers_of(products.values())
        known = self.repository.known_products(change.id, ids)
        seen = more = stored_bytes = 0
        while seen < len(ids) and stored_bytes < MAX_STORED_AT_ONCE:
            product = products.get(ids[seen])
            seen += 1
            if product is None:
                continue
            records = [r for layer in layers[product.id].values() for r in layer.records]
            found = compare(product, records, rules, then, terms)
            if found:
                stored_bytes += self.repository.put_product(self.changes, change.id, found)
            elif product.id in known:
                self.repository.drop_product(self.changes, change.id, product.id)
            more += (found is not None) - (product.id in known)
        counts, last = change.counts, keys[seen - 1]
        previewed = counts.previewed if change.walk.rounds else counts.previewed + seen
        after = replace(
            counts,
            previewed=min(counts.products, previewed),
            changed=counts.changed + more,
        )
        self._save(replace(change, walk=replace(change.walk, after=last), counts=after))

    def _end_preview(self, rules: RulesRepository, *, is_known: bool) -> bool:
        """Makes the change ready, or goes back to what changed since; returns whether more is left.

        A change that names a source that isn't known any more is stale from the beginning.
        """
        change, walk, marked = self.change, self.change.walk, rules.marked()
        if marked.changes != walk.seen and walk.rounds < MAX_ROUNDS and walk.began_at:
            # A write in flight may have a time before the changes that were handled last.
            after = moments(since=walk.began_at - UNDER_WAY).lo
            again = Walk(after, clock.now(), marked.changes, walk.revision, walk.rounds + 1)
            self._save(replace(change, walk=again))
            return True
        total = self._total()
        counts = replace(change.counts, products=total, previewed=total)
        walk = walk if is_known else replace(walk, seen=None)
        ready = replace(change, status=ChangeStatus.READY, ready_at=clock.now(), counts=counts)
        self._save(replace(ready, walk=walk))
        return False

    def _end(self, status: ChangeStatus) -> None:
        change = self.change
        counts = replace(change.counts, applied=change.counts.changed)
        self._save(replace(change, status=status, counts=counts, completed_at=clock.now()))
        self.repository.of_store(self.store.id)
        after = StoreChanges(None, change.id)
        self.repository.save_of_store(self.changes, self.store.id, after)

    def _next(self, until: str, limit: int) -> list[str]:
        """Returns the keys of the next products, in the order of their last changes."""
        tree = ProductLists(self.store.workspace, self.store.id).by_changed
        return next_changed(tree, self.change.walk.after or LOWEST, until, limit)

    def _total(self) -> int:
        tree = ProductLists(self.store.workspace, self.store.id).by_changed
        return tree.page(PageRequest(size=PageSize.TEN)).total

    def _save(self, change: PriorityChange) -> None:
        self.repository.save(self.changes, change)


def _fail(changes: Changes, job: Job) -> bool:
    """Fails a change that can't be completed; returns False if a discarded one has rows left."""
    repository = ChangeRepository(job.workspace)
    change = repository.get(job.id)
    if change is None:
        return not repository.some_products(job.id, 1)
    if change.status not in WORKED_ON:
        return True
    why = "The products could not be worked through. Make the change again, or ask for help."
    failed = replace(change, status=ChangeStatus.FAILED, error=why, completed_at=clock.now())
    repository.save(changes, failed)
    repository.of_store(change.store_id)
    repository.save_of_store(changes, change.store_id, StoreChanges(None, change.id))
    return True

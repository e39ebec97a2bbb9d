"""Writes lists by the service's own code into files of DynamoDB's export format.

A million writes through HTTP take most of an hour. So the service's own code writes to a table in
memory, whose rows are then exported. Each file is written by a process of its own: a million rows
take 4 GB of memory, which is freed only when the process ends.
"""

import gc
import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import batched
from pathlib import Path

from benchmarks.data.large_shop import Shop
from benchmarks.data.people import People
from benchmarks.data.people import Step as PersonStep
from benchmarks.data.sales import Sale, Sales
from benchmarks.data.sales import Step as SaleStep
from storepost.orders.trees import OrderList
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import TreeEntry
from storepost.platform.persistence.item import connection
from tests.platform.counted_tree.engine import Engine

_IN_ORDER, _SCATTERED, _PEOPLE = 84, 2, 2
"""Entries per transaction, so that it has at most 89 rows: each scattered one has its own nodes.

With three or more the tree reads ahead to save calls, but here calls cost nothing, and reads do.
"""


def export_orders(shop: Shop, orders: int, store: int | None, file: Path) -> None:
    """Exports the list of all orders, or of a store's."""
    engine = _engine()
    write_orders(shop, orders, store)
    _write(engine, file)


def export_people(shop: Shop, people: int, file: Path) -> None:
    """Exports profiles and their lists."""
    engine = _engine()
    write_people(shop, people)
    _write(engine, file)


def write_orders(shop: Shop, orders: int, store: int | None) -> None:
    """Writes the list of all orders, or of a store's, to the table."""
    history = Sales(orders)
    listed = OrderList(shop.workspace, None if store is None else shop.stores[store])
    for some, size in ((history.in_order(), _IN_ORDER), (history.scattered(), _SCATTERED)):
        for steps in batched(_of(some, store), size, strict=False):
            commit_anew(partial(_update_orders, listed, shop, steps))


def write_people(shop: Shop, people: int) -> None:
    """Writes profiles and their lists to the table."""
    for steps in batched(People(people).steps(), _PEOPLE, strict=False):
        commit_anew(partial(_save_people, shop, steps))


def _engine() -> Engine:
    """Replaces this process's table by one in memory, and returns it."""
    gc.disable()  # there are very many objects, and none is garbage
    engine = Engine()
    connection._make_api_call = engine.call  # type: ignore[method-assign, assignment]
    return engine


def _of(steps: Iterable[SaleStep], store: int | None) -> Iterator[SaleStep]:
    """Yields the steps that belong to a list; an order never changes its store."""
    for before, after in steps:
        sale = before or after
        if sale and store in {None, sale.store}:
            yield before, after


def _update_orders(
    listed: OrderList, shop: Shop, steps: Iterable[SaleStep], changes: Changes
) -> None:
    def entry(sale: Sale | None) -> TreeEntry | None:
        return listed.entry(sale.order(shop.stores)) if sale else None

    for before, after in steps:
        listed.tree.update_index(changes, entry(before), entry(after))


def _save_people(shop: Shop, steps: Iterable[PersonStep], changes: Changes) -> None:
    repository = ProfileRepository(shop.workspace)
    for before, after in steps:
        known = before.profile(shop, version=1) if before else None
        repository.save(changes, known, after.profile(shop))


def _write(engine: Engine, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".unfinished")
    with gzip.open(unfinished, "wt", compresslevel=1, encoding="utf-8") as lines:
        for partition in engine.items.values():
            lines.writelines(
                json.dumps({"Item": item}, default=_base64) + "\n" for item in partition.values()
            )
    unfinished.rename(file)


def _base64(binary: bytes) -> str:
    """Returns a binary value in the form of exports."""
    return b64encode(binary).decode()

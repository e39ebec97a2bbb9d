"""A shop's lists of orders in a database file, as the service itself would have written them.

A million writes through HTTP take most of an hour. So the service's own code writes the lists to a
table in memory, the rows of that are imported, and then it looks through what it finds there.

The file stays under `.local/`, named by how many orders there are and by the code that decides what
is written: another run finds it, until that code changes.
"""

import gc
import gzip
import hashlib
import inspect
import json
import multiprocessing
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import batched
from pathlib import Path
from uuid import UUID

from benchmarks import sales
from benchmarks.sales import OTHER_STORES, Sale, Sales, Step
from benchmarks.shop import Shop, new_shop, noted, open_shop
from benchmarks.tables import tables
from local.dynoxide import program
from local.template import ROOT, TABLE, resources
from storepost.orders import trees
from storepost.orders.trees import OrderList
from storepost.persistence import counted_tree
from storepost.persistence.changes import Changes, commit_anew
from storepost.persistence.counted_tree.checking import faults
from storepost.persistence.item import Item, connection
from tests.counted_tree.engine import Engine

FOLDER = ROOT / ".local" / "benchmarks"
_IN_ORDER, _SCATTERED = 88, 9
"""Entries a transaction, so that it has at most 90 rows: scattered ones have nodes of their own."""


class Faulty(Exception):  # noqa: N818 - it is what the lists are
    """What was loaded isn't what it should be."""


@contextmanager
def shop_with_orders(orders: int) -> Iterator[Shop]:
    """A shop whose first store has so many orders; loaded where no database has them yet."""
    file = FOLDER / f"orders-{orders}-{_fingerprint()}.db"
    note, began = file.with_suffix(".json"), time.monotonic()
    if note.exists():
        with tables(file):
            yield noted(note)
        return
    print(f"Loading {orders:,} orders into {file.relative_to(ROOT)}; this is done once ...")
    shop = new_shop(1 + OTHER_STORES)
    _load(file, shop, orders)
    with tables(file):
        open_shop(shop)
        for store_id in (None, *shop.stores):
            _check(OrderList(shop.workspace, store_id), shop, Sales(orders))
        shop.note(note)
        print(f"... which took {(time.monotonic() - began) / 60:.0f} minutes.")
        yield shop


def _fingerprint() -> str:
    """Changes with the code that decides which rows there are."""
    package = Path(inspect.getfile(counted_tree)).parent
    reading = {"reading.py", "scanning.py", "checking.py"}
    files = [path for path in sorted(package.glob("*.py")) if path.name not in reading]
    files += [Path(inspect.getfile(module)) for module in (trees, sales)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def _load(file: Path, shop: Shop, orders: int) -> None:
    exported, spawn = FOLDER / "exported", multiprocessing.get_context("spawn")
    shutil.rmtree(exported, ignore_errors=True)
    exported.mkdir(parents=True)
    for former in FOLDER.glob(f"orders-{orders}-*"):
        former.unlink()
    # A process each, one after the other: a million rows take 4 GB, which only its end gives back.
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        list(pool.map(partial(_export, exported, shop, orders), (None, *shop.stores)))
    _import(exported, file)


def _export(folder: Path, shop: Shop, orders: int, store_id: UUID | None) -> None:
    """Writes one list to a table in memory, and that to a file of DynamoDB's own export format."""
    gc.disable()  # nothing of it is garbage, and there is very much of it
    engine, history = Engine(), Sales(orders)
    connection._make_api_call = engine.call  # type: ignore[method-assign, assignment]
    listed = OrderList(shop.workspace, store_id)
    for some, size in ((history.in_order(), _IN_ORDER), (history.scattered(), _SCATTERED)):
        for steps in batched(_of(some, shop, store_id), size, strict=False):
            commit_anew(partial(_follow, listed, shop, steps))
    data = folder / Item.Meta.table_name / "data"
    data.mkdir(parents=True, exist_ok=True)
    name = f"{store_id or 'all'}.json.gz"
    with gzip.open(data / name, "wt", compresslevel=1, encoding="utf-8") as export:
        for partition in engine.items.values():
            export.writelines(json.dumps({"Item": item}) + "\n" for item in partition.values())


def _import(exported: Path, database: Path) -> None:
    keys = ("AttributeDefinitions", "KeySchema")
    described = [
        {"Table": {"TableName": name, **{key: table[key] for key in keys}}}
        for name, table in resources(TABLE).items()
    ]
    schema = exported / "schema.json"
    schema.write_text(json.dumps(described), "utf-8")
    command: list[str | Path] = [program(), "import", "--source", exported]
    command += ["--schema", schema, "--output", database]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(exported)


def _of(steps: Iterable[Step], shop: Shop, store_id: UUID | None) -> Iterator[Step]:
    """Those of the steps that a list knows; an order never changes its store."""
    for before, after in steps:
        sale = before or after
        if sale and store_id in {None, shop.stores[sale.store]}:
            yield before, after


def _follow(listed: OrderList, shop: Shop, steps: Iterable[Step], changes: Changes) -> None:
    def entry(sale: Sale | None) -> counted_tree.Entry | None:
        return listed.entry(sale.order(shop.stores)) if sale else None

    for before, after in steps:
        listed.tree.follow(changes, entry(before), entry(after))


def _check(listed: OrderList, shop: Shop, history: Sales) -> None:
    """The list is what it should be, and so is the tree above it."""
    left = (sale for sale in history.left() if listed.store_id in {None, shop.stores[sale.store]})
    entries = (listed.entry(sale.order(shop.stores)) for sale in left)
    wanted = sorted(entries, key=lambda entry: entry.key)
    _, held = listed.tree.rows.everything()
    wrong = faults(listed.tree) + ([] if held == wanted else ["its entries are others"])
    if wrong:
        raise Faulty(", ".join(sorted(set(wrong))))

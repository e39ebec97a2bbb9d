"""A database with a large shop, kept under `.local/` until the code would write other rows."""

import hashlib
import inspect
import json
import multiprocessing
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from uuid import UUID

from benchmarks.data import exporting, large_shop, people, sales
from benchmarks.data.exporting import export_orders, export_people
from benchmarks.data.large_shop import Shop, open_shop, shop
from benchmarks.data.people import People
from benchmarks.data.sales import Sales
from benchmarks.measure.tables import tables
from local.aws.dynoxide import program
from local.template import ROOT, TABLE, resources
from storepost.orders import trees
from storepost.orders.trees import OrderList
from storepost.people.profiles import keys, lists, repository
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.persistence import counted_tree
from storepost.platform.persistence.counted_tree import Tree
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.platform.persistence.item import Item

FOLDER = ROOT / ".local" / "benchmarks"
_ONLY_READING = {
    "checking.py",
    "paging.py",
    "reading.py",
    "runs.py",
    "scanning.py",
    "walking.py",
}


class Faulty(Exception):  # noqa: N818 - it is what a list is
    """The loaded rows aren't the expected ones."""


@dataclass(frozen=True)
class Large:
    """A database's shop, with the number of its first store's orders and of its profiles."""

    orders: int
    people: int
    shop: Shop
    key: str


@dataclass(frozen=True)
class _Part:
    """A file of rows, and the function that writes it."""

    file: Path
    write: Callable[[Path], None]


@contextmanager
def large(orders: int, *, scratch: bool = False) -> Iterator[Large]:
    """Has the service use a database with `orders` orders and a tenth as many profiles.

    `scratch` uses a copy that is deleted afterwards, for benchmarks that write.
    """
    owner, count = shop("large"), orders // 10
    database = _database(owner, orders, count)
    key = database.with_suffix(".key").read_text("utf-8")
    used = database
    if scratch:
        used = shutil.copyfile(database, FOLDER / f"scratch-{os.getpid()}.db")
    try:
        with tables(used):
            yield Large(orders, count, owner, key)
    finally:
        if scratch:
            for file in FOLDER.glob(f"{used.name}*"):
                file.unlink()


def _database(owner: Shop, orders: int, count: int) -> Path:
    """Returns the database's file, made if missing; the shop's key is in a file beside it."""
    parts = _parts(owner, orders, count)
    names = "".join(part.file.name for part in parts)
    named = hashlib.sha256(names.encode()).hexdigest()[:12]
    database, began = FOLDER / f"large-{orders}-{named}.db", time.monotonic()
    if not database.with_suffix(".key").exists():
        print(f"Writing {orders:,} orders and {count:,} profiles; this is done once ...")
        with _alone() as alone:
            import_rows(_written(alone, parts), database)
            alone.submit(_open, database, owner, orders, count).result()
        print(f"... which took {(time.monotonic() - began) / 60:.0f} minutes.")
    return database


def _alone() -> ProcessPoolExecutor:
    """Returns a pool with a process per task, for a table of its own and to free its memory."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1)


def _open(database: Path, owner: Shop, orders: int, count: int) -> None:
    """Checks the imported rows, and opens the shop."""
    with tables(database):
        _check(owner, orders, count)
        database.with_suffix(".key").write_text(open_shop(owner), "utf-8")


def _parts(owner: Shop, orders: int, count: int) -> list[_Part]:
    """Returns the files, named by a hash of the code that determines their content."""
    written = _print_of(trees, sales)
    found = []
    for store in (None, *range(len(owner.stores))):
        file = f"orders-{orders}-{'all' if store is None else store}-{written}.json.gz"
        found.append(_Part(FOLDER / file, partial(export_orders, owner, orders, store)))
    written = _print_of(people, keys, lists, repository)
    file = f"people-{count}-{written}.json.gz"
    return [*found, _Part(FOLDER / file, partial(export_people, owner, count))]


def _print_of(*modules: ModuleType) -> str:
    package = sorted(Path(inspect.getfile(counted_tree)).parent.glob("*.py"))
    files = [path for path in package if path.name not in _ONLY_READING]
    files += [Path(inspect.getfile(each)) for each in (*modules, exporting, large_shop)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def _written(alone: ProcessPoolExecutor, parts: Sequence[_Part]) -> list[Path]:
    """Writes the parts' missing files; returns all files."""
    for part in parts:
        if not part.file.exists():
            alone.submit(part.write, part.file).result()
            print(f"... {part.file.name}")
    return [part.file for part in parts]


def import_rows(files: Sequence[Path], database: Path) -> None:
    """Makes a database from files in DynamoDB's export format in FOLDER."""
    source = FOLDER / "importing"
    shutil.rmtree(source, ignore_errors=True)
    data = source / Item.Meta.table_name / "data"
    data.mkdir(parents=True)
    for file in files:
        (data / file.name).hardlink_to(file)
    schema = source / "schema.json"
    schema.write_text(json.dumps(_schema()), "utf-8")
    command: list[str | Path] = [program(), "import", "--force", "--source", source]
    command += ["--schema", schema, "--output", database]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(source)


def _schema() -> list[object]:
    keys = ("AttributeDefinitions", "KeySchema")
    return [
        {"Table": {"TableName": name, **{key: table[key] for key in keys}}}
        for name, table in resources(TABLE).items()
    ]


def _check(owner: Shop, orders: int, count: int) -> None:
    """Checks the lists' entries and the trees above them. Raises Faulty."""
    final_sales = Sales(orders).final()
    for store in (None, *range(len(owner.stores))):
        listed = OrderList(owner.workspace, None if store is None else owner.stores[store])
        of_list = (sale for sale in final_sales if store in {None, sale.store})
        _demand(listed.tree, (sale.id(owner.stores) for sale in of_list))
    of_people = ProfileLists(owner.workspace)
    profiles = [somebody.profile(owner) for somebody in People(count).final()]
    for tree in (of_people.by_first_seen, of_people.by_name, of_people.by_email):
        _demand(tree, (profile.id for profile in profiles))
    customers = (profile.id for profile in profiles if profile.links)
    _demand(of_people.of_store(owner.stores[0]), customers)


def _demand(tree: Tree, ids: Iterable[UUID]) -> None:
    _, entries = tree.rows.everything()
    wrong = set(faults(tree))
    if sorted(entry.id for entry in entries) != sorted(ids):
        wrong.add("other entries than there should be")
    if wrong:
        raise Faulty(f"{tree.partition}: {', '.join(sorted(wrong))}")

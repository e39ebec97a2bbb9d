"""`make bench-feeds`: feeds of many rows, parsed alone, imported, and imported once more unchanged.

The tables are in dynoxide, the feed comes from a server in this process, and what an import keeps
on S3 is in a folder. `ROWS=20000`, `OTHER_ROWS=5000` and `MEGABYTES=100` make it shorter.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from uuid import UUID

import benchmarks.environment  # noqa: F401 - before the service, which reads it
from benchmarks import large_shop
from benchmarks.batch_figures import Meter
from benchmarks.reporting import Cell, Column, Table
from benchmarks.tables import tables
from local.dynoxide import VERSION
from storepost.feed_files.bounds import Bound
from storepost.feed_files.reading import read_feed
from storepost.feed_imports import objects, running
from storepost.feed_imports.work import Work
from storepost.feed_records.mapping import Target
from storepost.feed_records.reading import RowReader, Terms
from storepost.feeds.model import FeedCounts, FeedImportStatus, FeedMode, Settings
from storepost.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.service import create_feed, request_import
from storepost.persistence.changes import commit_anew
from storepost.persistence.objects import ObjectGone
from storepost.scope import WorkspaceScope

ROWS = int(os.environ.get("ROWS", "1000000"))
OTHER_ROWS = int(os.environ.get("OTHER_ROWS", "200000"))
MEGABYTES = int(os.environ.get("MEGABYTES", "1024"))
LEAST_MEGABYTES = 10
PIECE = 65_536
NAMES = (
    *("id", "title", "description", "link", "image_link", "price", "availability", "brand", "gtin"),
)
MAPPING = {name: Target(name).value for name in NAMES}
COLUMNS = (
    Column("what"),
    Column("rows"),
    Column("parsed alone", "rows/s"),
    Column("first import", "rows/s"),
    Column("write units", "a row, the first import", 1),
    Column("unchanged", "rows/s"),
    Column("times the first", "", 1),
    Column("products written", "by the unchanged import"),
    Column("memory", f"MB more than for {LEAST_MEGABYTES} MB", most=64),
)
NOTES = (
    "Each row is a product of one variant, of about 330 bytes. Rates are by the clock.",
    "An import fetches, reads, maps, matches and writes; it runs alone, in one invocation.",
    "Memory: of a process that reads, settles and plans a CSV file of that size, at its most.",
)


def row(number: int) -> dict[str, str]:
    """A product."""
    return {
        "id": f"sku-{number:07d}",
        "title": f"Wool vest number {number}",
        "description": "Woven by hand of wool from the valley, washed twice, and dried in the sun.",
        "link": f"https://shop.example.com/products/wool-vest-{number}",
        "image_link": f"https://cdn.example.com/images/{number}.jpg",
        "price": f"{number % 900 + 10}.90 EUR",
        "availability": "in stock" if number % 5 else "out of stock",
        "brand": "Birch & Loom",
        "gtin": f"40{number:011d}",
    }


def as_csv(rows: int) -> Iterator[str]:
    """The rows as CSV."""
    yield ",".join(NAMES) + "\n"
    for number in range(rows):
        yield ",".join(f'"{text}"' for text in row(number).values()) + "\n"


def as_xml(rows: int) -> Iterator[str]:
    """The rows as RSS."""
    yield '<rss xmlns:g="http://base.google.com/ns/1.0"><channel>'
    for number in range(rows):
        told = row(number).items()
        inside = "".join(f"<g:{name}>{t.replace('&', '&amp;')}</g:{name}>" for name, t in told)
        yield f"<item>{inside}</item>"
    yield "</channel></rss>"


def as_json(rows: int) -> Iterator[str]:
    """The rows as an array."""
    for number in range(rows):
        yield ("," if number else "[") + json.dumps(row(number))
    yield "]"


FORMATS: dict[str, Callable[[int], Iterator[str]]] = {"csv": as_csv, "xml": as_xml, "json": as_json}


def write(path: Path, lines: Iterator[str]) -> None:
    """Writes a file down."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def pieces(path: Path) -> Iterator[bytes]:
    """The file a piece at a time."""
    with path.open("rb") as file:
        yield from iter(lambda: file.read(PIECE), b"")


@dataclass
class Folder:
    """What an import keeps, in a folder in S3's place."""

    path: Path

    def put(self, name: str, path: Path) -> None:
        """As S3 would."""
        shutil.copy(path, self.path / name.replace("/", "_"))

    def get(self, name: str, path: Path) -> None:
        """As S3 would."""
        try:
            shutil.copy(self.path / name.replace("/", "_"), path)
        except FileNotFoundError as error:
            raise ObjectGone(name) from error

    def delete(self, name: str) -> None:
        """As S3 would."""
        (self.path / name.replace("/", "_")).unlink(missing_ok=True)

    def stand_in(self) -> None:
        """Takes S3's place."""
        names = {"put_file": self.put, "get_file": self.get, "delete_object": self.delete}
        vars(objects).update(names)


def serve(folder: Path) -> str:
    """Serves a folder's files; the address."""

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    Thread(target=server.serve_forever, daemon=True).start()
    os.environ["STOREPOST_LOCAL"] = "1"
    os.environ["FEED_ALLOW_HOSTS"] = f"127.0.0.1:{server.server_port}"
    return f"http://127.0.0.1:{server.server_port}"


@dataclass(frozen=True)
class Run:
    """One import."""

    seconds: float
    counts: FeedCounts
    planned: int


def run(workspace: WorkspaceScope, feed_id: UUID) -> Run:
    """Has the waiting import run to its end."""
    message = json.dumps({"workspaceId": str(workspace.id), "feedId": str(feed_id)})
    began = time.perf_counter()
    running.go_on(message, 1, lambda: 10**9)
    seconds = time.perf_counter() - began
    feed = FeedRepository(workspace).get(feed_id)
    if feed is None or feed.ended is None:
        raise RuntimeError("the feed is gone")
    ended = FeedImportRepository(workspace, feed_id).get(feed.ended)
    if ended is None or ended.status is not FeedImportStatus.COMPLETED:
        raise RuntimeError(f"the import failed: {ended}")
    return Run(seconds, ended.counts, ended.done)


def parsed(path: Path) -> float:
    """Rows a second, parsed alone."""
    began = time.perf_counter()
    count = sum(1 for _ in read_feed(pieces(path), "", Bound()).rows)
    return count / (time.perf_counter() - began)


def imported(meter: Meter, name: str, rows: int, site: Path, origin: str) -> list[Cell]:
    """A line of the table."""
    path = site / f"feed.{name}"
    write(path, FORMATS[name](rows))
    owner = large_shop.shop(f"feed {name}")
    large_shop.open_shop(owner)
    settings = Settings(name, f"{origin}/feed.{name}", None, FeedMode.ADD_AND_ENRICH, MAPPING)
    made = commit_anew(lambda ch: create_feed(owner.workspace, owner.stores[0], settings, ch))
    rate = parsed(path)
    meter.clear()
    first = run(owner.workspace, made.feed.id)
    units = meter.units["write"] / rows
    commit_anew(lambda changes: request_import(owner.workspace, made.feed.id, changes))
    again = run(owner.workspace, made.feed.id)
    if first.counts.created != rows or again.counts.imported != rows:
        raise RuntimeError("rows got lost")
    path.unlink()
    return [
        name,
        rows,
        rate,
        rows / first.seconds,
        units,
        rows / again.seconds,
        first.seconds / again.seconds,
        again.planned,
        None,
    ]


def settle(path: Path) -> None:
    """Reads, settles and plans a file; for a process of its own."""
    with TemporaryDirectory() as place, Work(Path(place) / "rows") as work:
        reader = RowReader(MAPPING, Terms("EUR"))
        work.read(read_feed(pieces(path), "", Bound()).rows, reader, lambda: False)
        work.settle(lambda rows: [None] * len(rows), lambda: False, adds=True, settings="")
        work.write_plan(Path(place) / "plan")
        work.write_manifest(Path(place) / "manifest", "", is_ahead=True)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def memory(megabytes: int, site: Path) -> float:
    """What settling a file of that size takes at its most, in MB."""
    path = site / "large.csv"
    size = sum(map(len, as_csv(1000))) / 1000
    write(path, as_csv(int(megabytes * 1024**2 / size)))
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.feeds", str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    path.unlink()
    return int(told.stdout) / 1024


def main() -> None:
    """Measures and publishes."""
    table = Table("feeds", "Feeds of many rows", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with TemporaryDirectory() as site, TemporaryDirectory() as kept, tables():
        Folder(Path(kept)).stand_in()
        origin, meter = serve(Path(site)), Meter()
        for name in FORMATS:
            rows = ROWS if name == "csv" else OTHER_ROWS
            table.add(*imported(meter, name, rows, Path(site), origin))
            print(table.text().splitlines()[-len(NOTES) - 2], flush=True)
        more = memory(MEGABYTES, Path(site)) - memory(LEAST_MEGABYTES, Path(site))
        table.add(f"csv of {MEGABYTES:,} MB", *[None] * 7, more)
    table.publish()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        settle(Path(sys.argv[1]))
    else:
        main()

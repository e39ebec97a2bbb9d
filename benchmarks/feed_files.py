"""`make bench-feed_files`: feeds of many rows, parsed alone, imported, and once more unchanged.

The tables are in dynoxide, a server in this process serves the feed, and an import's S3 objects are
in a folder.

A first import of a million rows takes hours with an engine on this machine, and its rate is that of
its transactions, at any size. So only the first rows are imported and timed. An import of the whole
file would leave its manifest for the next one: the import's own code makes it here from the whole
file, without writing products, and it is compared with the manifest of the first rows' import. An
unchanged import reads no product, so no further products are written; the number of calls shows
that it reads and writes none. Parsing, settling, the unchanged import and memory are at full size.

`ROWS=20000`, `OTHER_ROWS=5000`, `FIRST_ROWS=2000` and `MEGABYTES=100` make it shorter, and
`LINES=csv`, `xml`, `json` or `memory` measures only that line and keeps the others.
"""

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from uuid import UUID

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data import large_shop
from benchmarks.measure.batch_figures import Meter
from benchmarks.measure.reporting import RESULTS, Cell, Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import FeedCounts, FeedImportStatus, FeedMode, FeedSettings
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.feeds.service import create_feed
from storepost.feeds.files.bounds import Bound
from storepost.feeds.files.reading import read_feed
from storepost.feeds.imports import objects, running
from storepost.feeds.imports.matching import digest_of
from storepost.feeds.imports.staging import FeedStaging
from storepost.feeds.records.amounts import FeedDefaults
from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.reading import RowReader
from storepost.platform.jobs.runs import Run as WorkerRun
from storepost.platform.persistence.changes import commit_anew
from storepost.platform.persistence.objects import ObjectGone
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

ROWS = int(os.environ.get("ROWS", "1000000"))
OTHER_ROWS = int(os.environ.get("OTHER_ROWS", "200000"))
FIRST_ROWS = int(os.environ.get("FIRST_ROWS", "20000"))
MEGABYTES = int(os.environ.get("MEGABYTES", "1000"))
LINES = [line for line in os.environ.get("LINES", "").split(",") if line]
LEAST_MEGABYTES = 10
PIECE = 65_536
LONG = " Wash it by hand, in cold water." * 92
"""Makes a row ten times as long."""
NAMES = (
    *("id", "title", "description", "link", "image_link", "price", "availability", "brand", "gtin"),
)
MAPPING = {name: FeedField(name).value for name in NAMES}
COLUMNS = (
    Column("what"),
    Column("rows"),
    Column("parsed alone", "rows/s"),
    Column("settled", "rows/s"),
    Column("imported first", "rows"),
    Column("first import", "rows/s"),
    Column("its CPU", "ms a row", 2),
    Column("write units", "a row, the first import", 1),
    Column("calls", "a row, the first import", 2),
    Column("unchanged", "rows/s"),
    Column("times the first", "", 1),
    Column("products written", "by the unchanged import", most=0),
    Column("calls of it", "for all rows"),
    Column("memory", f"MB more than for {LEAST_MEGABYTES} MB", most=64),
)
NOTES = (
    "Each row is a product of one variant, of about 330 bytes. Rates are by the clock.",
    "An import fetches, reads, maps, matches and writes; it runs alone, in one invocation.",
    "The first import is of the file's first rows; everything else is of all of them.",
    "Settled: read, mapped, placed, planned and counted by an import's code, without matching.",
    "CPU is the importing process's, without the engine's.",
    "Memory: of a process that reads, settles and plans a CSV file of that size, at its most;",
    "its rows have descriptions of 3,000 characters.",
)


def row(number: int) -> dict[str, str]:
    """Returns a product's row."""
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


def as_csv(rows: int, more: str = "") -> Iterator[str]:
    """Yields the rows as CSV, each with `more` in addition."""
    yield ",".join(NAMES) + "\n"
    for number in range(rows):
        values = row(number)
        values["description"] += more
        yield ",".join(f'"{text}"' for text in values.values()) + "\n"


def as_xml(rows: int, more: str = "") -> Iterator[str]:
    """Yields the rows as RSS."""
    yield '<rss xmlns:g="http://base.google.com/ns/1.0"><channel>'
    for number in range(rows):
        values = row(number)
        values["description"] += more
        inside = "".join(
            f"<g:{name}>{text.replace('&', '&amp;')}</g:{name}>" for name, text in values.items()
        )
        yield f"<item>{inside}</item>"
    yield "</channel></rss>"


def as_json(rows: int, more: str = "") -> Iterator[str]:
    """Yields the rows as a JSON array."""
    for number in range(rows):
        values = row(number)
        values["description"] += more
        yield ("," if number else "[") + json.dumps(values)
    yield "]"


FORMATS: dict[str, Callable[..., Iterator[str]]] = {"csv": as_csv, "xml": as_xml, "json": as_json}


def write(path: Path, lines: Iterator[str]) -> None:
    """Writes a file."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def pieces(path: Path) -> Iterator[bytes]:
    """Yields the file's content in pieces."""
    with path.open("rb") as file:
        yield from iter(lambda: file.read(PIECE), b"")


@dataclass
class Folder:
    """A folder that replaces S3 for an import's objects."""

    path: Path

    def at(self, name: str) -> Path:
        """Returns the path of an object."""
        return self.path / name.replace("/", "_")

    def put(self, name: str, path: Path) -> None:
        """As S3 would."""
        shutil.copy(path, self.at(name))

    def get(self, name: str, path: Path) -> None:
        """As S3 would."""
        try:
            shutil.copy(self.at(name), path)
        except FileNotFoundError as error:
            raise ObjectGone(name) from error

    def delete(self, name: str) -> None:
        """As S3 would."""
        self.at(name).unlink(missing_ok=True)

    def stand_in(self) -> None:
        """Replaces S3."""
        names = {"put_file": self.put, "get_file": self.get, "delete_object": self.delete}
        vars(objects).update(names)


def serve(folder: Path) -> str:
    """Serves a folder's files; returns the URL."""

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))  # type: ignore[arg-type]

        def handle(self) -> None:
            with suppress(ConnectionError):  # a preview closes the connection after its sample
                super().handle()

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
    """Runs the waiting import to its end."""
    message = FeedImportMessage(workspace.id, feed_id)
    began = time.perf_counter()
    running.resume(WorkerRun(message, 1, lambda: 10**9))
    seconds = time.perf_counter() - began
    feed = FeedRepository(workspace).get(feed_id)
    if feed is None or feed.ended is None:
        raise RuntimeError("the feed is gone")
    ended = FeedImportRepository(workspace, feed_id).get(feed.ended)
    if ended is None or ended.status is not FeedImportStatus.COMPLETED:
        raise RuntimeError(f"the import failed: {ended}")
    return Run(seconds, ended.counts, ended.done)


def parsed(path: Path) -> float:
    """Returns the rows a second of parsing alone."""
    began = time.perf_counter()
    count = sum(1 for _ in read_feed(pieces(path), "", Bound()).rows)
    return count / (time.perf_counter() - began)


def manifest_of(path: Path, settings: str, manifest: Path) -> None:
    """Reads, settles and plans a file, and writes the manifest that its import would leave."""
    with TemporaryDirectory() as place, FeedStaging(Path(place) / "rows") as work:
        reader = RowReader(MAPPING, FeedDefaults("EUR"))
        work.read(read_feed(pieces(path), "", Bound()).rows, reader, lambda: False)
        work.resolve(
            lambda _: lambda rows: [None] * len(rows),
            lambda: False,
            adds=True,
            settings=settings,
        )
        work.counts()
        work.write_plan(Path(place) / "plan")
        work.write_manifest(manifest, settings, is_ahead=False)


@dataclass(frozen=True)
class Importing:
    """One format's imports into a workspace of its own."""

    shop: large_shop.Shop
    site: Path
    origin: str
    storage: Folder

    def feed(self, name: str) -> tuple[UUID, FeedSettings]:
        """Creates a feed of a file of the site, with a waiting import."""
        settings = FeedSettings(
            name, f"{self.origin}/{name}", None, FeedMode.ADD_AND_ENRICH, MAPPING
        )
        store = self.shop.stores[0]
        made = commit_anew(lambda ch: create_feed(self.shop.workspace, store, settings, ch))
        return made.feed.id, settings

    def digest(self, settings: FeedSettings) -> str:
        """Returns the digest for which the feed's manifest is valid."""
        store = found_store(StoreRepository(self.shop.workspace), self.shop.stores[0])
        return digest_of(store, settings)

    def manifest(self, feed_id: UUID) -> Path:
        """Returns the path of the feed's manifest."""
        return self.storage.at(f"manifests/{short(self.shop.workspace.id)}/{short(feed_id)}")


def check_same(first: Path, whole: Path) -> None:
    """Raises RuntimeError if the whole file's manifest lacks a row of the first rows' manifest."""
    with closing(sqlite3.connect(first)) as db:
        db.execute("ATTACH ? AS whole", (str(whole),))
        [lacking] = db.execute(
            "SELECT count(*) FROM (SELECT * FROM main.entry EXCEPT SELECT * FROM whole.entry)"
        ).fetchone()
        if lacking or not db.execute("SELECT count(*) FROM main.entry").fetchone()[0]:
            raise RuntimeError(f"{lacking} rows stand otherwise in the manifest that was made")


def imported(meter: Meter, name: str, rows: int, importing: Importing) -> list[Cell]:
    """Measures one line of the table."""
    large_shop.open_shop(importing.shop)
    workspace, site = importing.shop.workspace, importing.site
    some = min(rows, FIRST_ROWS if name == "csv" else FIRST_ROWS // 4)
    write(site / f"first.{name}", FORMATS[name](some))
    write(site / f"feed.{name}", FORMATS[name](rows))
    rate = parsed(site / f"feed.{name}")

    feed_id, _ = importing.feed(f"first.{name}")
    meter.clear()
    cpu = time.process_time()
    first = run(workspace, feed_id)
    cpu, units, calls = time.process_time() - cpu, meter.units["write"], meter.calls
    manifest = importing.manifest(feed_id)

    feed_id, settings = importing.feed(f"feed.{name}")
    began = time.perf_counter()
    made = importing.manifest(feed_id)
    manifest_of(site / f"feed.{name}", importing.digest(settings), made)
    seconds = time.perf_counter() - began
    check_same(manifest, made)
    meter.clear()
    again = run(workspace, feed_id)
    if first.counts.created != some or again.counts.imported != rows:
        raise RuntimeError("rows got lost")
    (site / f"feed.{name}").unlink()
    return [
        name,
        rows,
        rate,
        rows / seconds,
        some,
        some / first.seconds,
        1000 * cpu / some,
        units / some,
        calls / some,
        rows / again.seconds,
        (rows / again.seconds) / (some / first.seconds),
        again.planned,
        meter.calls,
        None,
    ]


def plan(path: Path) -> None:
    """Reads, settles and plans a file, in a process of its own."""
    with TemporaryDirectory() as place:
        manifest_of(path, "", Path(place) / "manifest")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def memory(megabytes: int, site: Path) -> float:
    """Returns the peak memory in MB of settling a file of that size."""
    path = site / "large.csv"
    size = sum(map(len, as_csv(1000, LONG))) / 1000
    write(path, as_csv(int(megabytes * 1024**2 / size), LONG))
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.feed_files", str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    path.unlink()
    return int(finished.stdout) / 1024


def measured_before() -> dict[str, list[Cell]]:
    """Returns the lines of the results file, by label."""
    path = RESULTS / "feed_files.json"
    rows = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
    return {row["what"]: [row.get(column.name) for column in COLUMNS] for row in rows}


def measure_imports(names: Iterable[str]) -> Iterator[list[Cell]]:
    """Measures the lines of these formats."""
    with TemporaryDirectory() as site, TemporaryDirectory() as storage, tables():
        folder = Folder(Path(storage))
        folder.stand_in()
        origin, meter = serve(Path(site)), Meter()
        for name in names:
            rows = ROWS if name == "csv" else OTHER_ROWS
            importing = Importing(large_shop.shop(f"feed {name}"), Path(site), origin, folder)
            yield imported(meter, name, rows, importing)


def measure_memory() -> Iterator[list[Cell]]:
    """Measures the lines of two large files, compared with a small one."""
    with TemporaryDirectory() as site:
        least = memory(LEAST_MEGABYTES, Path(site))
        for megabytes in (MEGABYTES // 10, MEGABYTES):
            more = memory(megabytes, Path(site)) - least
            yield [f"csv of {megabytes:,} MB", *[None] * (len(COLUMNS) - 2), more]


def main() -> None:
    """Measures and publishes each line as soon as it is measured."""
    lines = measured_before() if LINES else {}
    measured_names = LINES or [*FORMATS, "memory"]
    measuring = chain(
        measure_imports(name for name in FORMATS if name in measured_names),
        measure_memory() if "memory" in measured_names else (),
    )
    for line in measuring:
        lines = {**(measured_before() if LINES else lines), str(line[0]): line}
        table = Table("feed_files", "Feeds of many rows", COLUMNS, {"dynoxide": VERSION}, NOTES)
        for cells in lines.values():
            table.add(*cells)
        table.publish()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        plan(Path(sys.argv[1]))
    else:
        main()

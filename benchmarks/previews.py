"""`make bench-previews`: the cost of previewing 20 MB, beside parsing them alone.

Each preview reads a file from a server, in a process of its own. The store has no products, except
in the last two lines: in one it has a product that no row matches, with the same limit; in the
other it has products that rows match, which are then read, without a limit.
Parsing alone means the same part of the file, up to the preview's sample, by the standard library's
csv and expat and by ijson, without using the results. `KINDS=csv,xml,json` selects formats.
"""

import csv
import io
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.parsers import expat

import ijson

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks import feed_files
from benchmarks.data import large_shop
from benchmarks.measure.reporting import Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from storepost.catalog.products.bodies import ProductBody
from storepost.catalog.products.incoming import IncomingProduct
from storepost.catalog.products.service import put_product
from storepost.feeds.files.bounds import Sample
from storepost.feeds.imports.checking import preview_feed
from storepost.platform.persistence.changes import commit_anew

KINDS = os.environ.get("KINDS", "csv,xml,json").split(",")
SIZES = {"short rows": 330, "long rows": 2_050}
"""Bytes of a row: the sample ends at 10,000 short rows, or at 20 MB of long ones."""
TRIES = 3
"""The number of tries, of which the cheapest counts: other processes slow all of them down."""
MEMORY_MB = 200
VARIANTS = 10
"""Variants of each matched product, which as many rows match."""
MATCHED = 300
"""Products that rows match."""
COLUMNS = (
    Column("what"),
    Column("file", "MB", 1),
    Column("sampled", "rows"),
    Column("parsed alone", "s of CPU", 3),
    Column("preview", "s of CPU", 3),
    Column("allowed", "1.5 times parsed alone, and 0.5 s", 3),
    Column("share", "of what is allowed", 2, most=1),
    Column("memory", "MB, of the whole process", most=MEMORY_MB),
)

NOTES = (
    "A preview fetches, reads and shows the sample, suggests a mapping, and counts what matches.",
    f"Each figure is the cheapest of {TRIES} tries, in processes of their own.",
)


def parse_csv(pieces: Iterable[bytes]) -> int:
    """Reads the sample with the standard library alone; returns the rows."""
    text = io.TextIOWrapper(io.BytesIO(b"".join(pieces)), encoding="utf-8", newline="")
    return sum(1 for _ in islice(csv.reader(text), Sample.ROWS + 1)) - 1


def parse_xml(pieces: Iterable[bytes]) -> int:
    """Does the same with XML."""
    rows = 0

    def end(name: str) -> None:
        nonlocal rows
        rows += name == "item"

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda _name, _attributes: None
    parser.CharacterDataHandler = lambda _text: None
    parser.EndElementHandler = end
    for piece in pieces:
        parser.Parse(piece, False)  # noqa: FBT003 - expat takes no name for it
        if rows >= Sample.ROWS:
            break
    return rows


class _Source:
    """A file object for ijson over pieces."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)

    def read(self, length: int = -1) -> bytes:
        """Returns the next piece."""
        return next(self._pieces, b"") if length else b""


def parse_json(pieces: Iterable[bytes]) -> int:
    """Does the same with JSON."""
    rows = 0
    try:
        for _ in islice(ijson.items(_Source(pieces), "item"), Sample.ROWS):
            rows += 1
    except ijson.IncompleteJSONError:
        pass
    return rows


PARSERS: dict[str, Callable[[Iterable[bytes]], int]] = {
    "csv": parse_csv,
    "xml": parse_xml,
    "json": parse_json,
}


def sample_of(path: Path) -> Iterator[bytes]:
    """Yields the bytes that a preview may read."""
    remaining = Sample.BYTES
    for piece in feed_files.pieces(path):
        yield piece[:remaining]
        remaining -= len(piece)
        if remaining <= 0:
            return


def apart(*arguments: str) -> tuple[float, int, float]:
    """Measures in a process of its own; returns seconds of CPU, rows, and memory in MB."""
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.previews", *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    cpu, rows, memory = finished.stdout.splitlines()[-1].split()
    return float(cpu), int(rows), float(memory) / 1024


def report(work: Callable[[], int]) -> None:
    """Prints the cost of some work in this process."""
    began = time.process_time()
    rows = work()
    cpu = time.process_time() - began
    print(cpu, rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def product(number: int, variants: int) -> IncomingProduct:
    """Returns a product whose variants have the ids of the feed's rows."""
    first = number * variants
    ids = (feed_files.row(first + each)["id"] for each in range(variants))
    price = {"amount": 1000, "currency": "EUR"}
    body = {
        "updatedAt": "2026-11-01T12:00:00Z",
        "status": "active",
        "locales": [{"locale": "en", "title": "Shirt"}],
        "variants": [{"externalId": each, "title": each, "price": price} for each in ids],
    }
    return ProductBody.model_validate(body).product(f"shirt-{number}")


def preview(url: str, products: int, variants: int) -> None:
    """Previews a feed of a store with `products` products, in a process of its own."""
    shop = large_shop.shop("previews")
    with tables():
        large_shop.open_shop(shop)
        for number in range(products):
            put = partial(put_product, shop.workspace, shop.stores[0], product(number, variants))
            commit_anew(put)

        def look() -> int:
            seen = preview_feed(shop.workspace, shop.stores[0], url)
            if seen.matches != products * variants:
                raise RuntimeError(f"{seen.matches} rows match")
            return seen.sampled

        report(look)


def write(path: Path, kind: str, row_bytes: int) -> None:
    """Writes a file that is longer than its sample."""
    count = Sample.BYTES // row_bytes + 1_000
    more = " Wash it by hand, in cold water." * ((row_bytes - 330) // 32)
    feed_files.write(path, feed_files.FORMATS[kind](count, more))


def cheapest(*arguments: str) -> tuple[float, int, float]:
    """Returns the cheapest of several tries."""
    return min(apart(*arguments) for _ in range(TRIES))


def main() -> None:
    """Measures and publishes."""
    table = Table("previews", "Previews of feeds", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with TemporaryDirectory() as site:
        origin = feed_files.serve(Path(site))
        for kind in KINDS:
            for label, row_bytes in SIZES.items():
                path = Path(site) / f"feed.{kind}"
                write(path, kind, row_bytes)
                parsed, _, _ = cheapest("parse", kind, str(path))
                cpu, rows, memory = cheapest("preview", f"{origin}/{path.name}", "0", "0")
                allowed = 1.5 * parsed + 0.5
                size = path.stat().st_size / 1024**2
                share = cpu / allowed
                table.add(f"{kind}, {label}", size, rows, parsed, cpu, allowed, share, memory)
        path = Path(site) / "feed.csv"
        write(path, "csv", SIZES["short rows"])
        parsed, _, _ = cheapest("parse", "csv", str(path))
        size, allowed = path.stat().st_size / 1024**2, 1.5 * parsed + 0.5
        url = f"{origin}/{path.name}"
        cpu, rows, memory = cheapest("preview", url, "1", "0")
        label = "csv, short rows, none matches"
        table.add(label, size, rows, parsed, cpu, allowed, cpu / allowed, memory)
        cpu, rows, memory = cheapest("preview", url, str(MATCHED), str(VARIANTS))
        label = f"csv, short rows, {MATCHED * VARIANTS:,} match"
        table.add(label, size, rows, parsed, cpu, None, None, memory)
    table.publish()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["parse", kind, path]:
            report(lambda: PARSERS[kind](sample_of(Path(path))))
        case ["preview", url, products, variants]:
            preview(url, int(products), int(variants))
        case _:
            main()

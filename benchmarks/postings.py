"""`make bench-postings`: the cost of the postings of a load of products, as pages and as rows.

The same products are written in batches of the stream's size, once in pages, as large batches are,
and once only as rows; then both are searched, with equal results. `PRODUCTS=200000` writes as many
instead of 20,000; `BATCH=100` makes smaller batches.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import batched
from random import Random

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.large_shop import shop
from benchmarks.data.sales import BEGINNING
from benchmarks.measure.metering import Meter
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from storepost.platform.persistence.changes import Changes
from storepost.platform.postings.entries import SearchEntry, SearchKind
from storepost.platform.postings.finding import Query, find
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.writing import write_together
from storepost.values.ids import derived_id
from storepost.values.scope import WorkspaceScope

PRODUCTS = int(os.environ.get("PRODUCTS", "20000"))
BATCH = int(os.environ.get("BATCH", "500"))
KIND = SearchKind.PRODUCT

CUTS = (
    *(
        "Organic",
        "Merino",
        "Classic",
        "Slim",
        "Relaxed",
        "Vintage",
        "Washed",
        "Recycled",
        "Quilted",
    ),
    *("Ribbed", "Cropped", "Oversized", "Tailored", "Striped", "Floral", "Knitted", "Woven"),
    *("Brushed", "Stretch", "High-Rise", "Wide-Leg", "Straight", "Long", "Short", "Sleeveless"),
    *("Hooded", "Zip-Up", "Button-Down", "Reversible", "Insulated", "Breathable", "Seamless"),
)
THINGS = (
    *("Shirt", "Jacket", "Trousers", "Dress", "Skirt", "Sweater", "Cardigan", "Coat", "Blouse"),
    *("Jeans", "Shorts", "Socks", "Scarf", "Hat", "Gloves", "Belt", "Boots", "Sneakers", "Sandals"),
    *("Backpack", "Wallet", "Lamp", "Table", "Chair", "Rug", "Pillow", "Blanket", "Mug", "Kettle"),
)
COLOURS = (
    "Black",
    "White",
    "Navy",
    "Olive",
    "Burgundy",
    "Teal",
    "Mustard",
    "Ivory",
    "Rose",
    "Rust",
)
MAKERS = (
    "Birch & Loom",
    "Hale & Sons",
    "Nord & Thread",
    "Vale & Field",
    "Moss & Stone",
    "Fern & Co",
)
TYPES = ("Women > Tops", "Men > Outerwear", "Home > Kitchen", "Home > Decor", "Shoes")
SIZES = ("S", "M", "L", "XL", "38", "40", "42")

QUERIES = (
    ("a letter", "w"),
    ("a word of one in sixteen", "oversized"),
    ("two words", "merino olive"),
    ("two frequent words", "women black"),
    ("a rare word", "sku-0004711"),
    ("nobody's word", "zzz"),
)
COLUMNS = (
    Column("what"),
    Column("as"),
    Column("postings", "a product", 1),
    Column("write units", "a product", 2, most=None),
    Column("its read units", "a product", 2),
    Column("calls", "a product", 3),
    Column("CPU", "ms a product", 2),
    Column("found"),
    Column("read units", "a search", 1),
    Column("calls of it"),
    Column("its CPU", "ms", 1),
)
NOTES = (
    "The postings of products with titles of five words, a maker, a type and an id.",
    "CPU is this process's, without the engine's. Searches are of products alone, by `find`,",
    "without the rows of what is shown; strongly consistent reads count once, others a half.",
)


def products(number: int) -> Iterator[SearchEntry]:
    """Yields products, the same each time."""
    random = Random(11)
    for each in range(number):
        cuts = random.sample(CUTS, 2)
        words = [*cuts, random.choice(THINGS), random.choice(COLOURS), random.choice(SIZES)]
        yield SearchEntry(
            KIND,
            derived_id(shop("postings").workspace.id, "product", str(each)),
            " ".join(words),
            BEGINNING + timedelta(seconds=each // 100),
            texts=(random.choice(MAKERS), random.choice(TYPES)),
            keys=(f"sku-{each:07d}",),
        )


def is_live(_changes: Changes, _workspace: WorkspaceScope) -> None:
    """Accepts any workspace as existing."""


def loaded(meter: Meter, workspace: WorkspaceScope, *, packs: bool) -> list[Cell]:
    """Measures the load."""
    postings = PostingRepository(workspace, KIND)
    writes = reads = cpu = 0.0
    calls = made = 0
    for some in batched(products(PRODUCTS), BATCH, strict=False):
        differences = [postings.differences(None, each) for each in some]
        made += sum(map(len, differences))
        work = partial(write_together, differences, is_live if packs else None)
        measured = meter.measured(work)
        writes += measured.writes
        reads += measured.reads
        calls += len(measured.calls)
        cpu += measured.cpu_seconds
    return [
        f"a load in batches of {BATCH}",
        "pages" if packs else "rows",
        made / PRODUCTS,
        writes / PRODUCTS,
        reads / PRODUCTS,
        calls / PRODUCTS,
        1000 * cpu / PRODUCTS,
        *[None] * 4,
    ]


def searched(
    meter: Meter, workspace: WorkspaceScope, label: str, q: str, stored: str
) -> list[Cell]:
    """Measures a search."""
    measured = meter.measured(lambda: find(PostingRepository(workspace, KIND), Query.of(q)))
    figures = [measured.reads, len(measured.work), 1000 * measured.cpu_seconds]
    return [f"{label}: {q}", stored, *[None] * 5, measured.result.total, *figures]


def main() -> None:
    """Loads twice, searches, publishes."""
    packed, plain = shop("postings packed").workspace, shop("postings in rows").workspace
    with tables():
        meter = Meter()
        title = f"The postings of {PRODUCTS:,} products"
        table = Table("postings", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
        table.add(*loaded(meter, packed, packs=True))
        table.add(*loaded(meter, plain, packs=False))
        for label, q in QUERIES:
            for workspace, stored in ((packed, "pages"), (plain, "rows")):
                table.add(*searched(meter, workspace, label, q, stored))
            one, other = (
                find(PostingRepository(each, KIND), Query.of(q)) for each in (packed, plain)
            )
            if (one.total, set(one.hits)) != (other.total, set(other.hits)):
                raise RuntimeError(f"{q} finds something else in pages")
    table.publish()


if __name__ == "__main__":
    main()

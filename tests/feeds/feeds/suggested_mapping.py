"""A file's products by its suggested mapping: an import without the store."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from storepost.feeds.feeds.model import FeedCounts
from storepost.feeds.files.bounds import Sample
from storepost.feeds.files.reading import read_feed
from storepost.feeds.imports.plan import Plan, PlannedRow
from storepost.feeds.imports.staging import FeedStaging, UnresolvedRow
from storepost.feeds.imports.writing import source_values_of
from storepost.feeds.records.amounts import FeedDefaults
from storepost.feeds.records.samples import reader_of
from storepost.feeds.records.suggesting import suggested_mapping
from tests.feeds.files.making import pieces

type Fields = dict[str, Any]

_MEMORY = Path("/dev/shm")
"""Where a machine has files in its memory: hundreds of small imports write nothing to a disk."""


@dataclass
class ImportResult:
    """The result of a file's rows."""

    mapping: dict[str, str]
    products: dict[str, Fields]
    """Each with its `variants`, by their ids."""
    counts: FeedCounts
    listed: list[tuple[int, str | None, str]] = field(default_factory=list)
    """Rows that are skipped, or imported without their price."""


def mapping_of(content: bytes, content_type: str = "") -> dict[str, str]:
    """The mapping that a preview suggests."""
    rows = [row.cells for row in read_feed(pieces(content), content_type, Sample()).rows]
    seen = [cells for cells in rows if cells]
    return suggested_mapping(list(dict.fromkeys(name for row in seen for name in row)), seen)


def imported(content: bytes, currency: str = "EUR", content_type: str = "") -> ImportResult:
    """The products that an import makes of the file's rows in an empty store."""
    mapping = mapping_of(content, content_type)
    rows = read_feed(pieces(content), content_type, Sample()).rows
    reader, all_rows = reader_of(rows, mapping, FeedDefaults(currency))
    memory = str(_MEMORY) if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as place, FeedStaging(Path(place, "work")) as work:
        work.read(all_rows, reader, lambda: False)
        work.resolve(lambda _: _find_none, lambda: False, adds=True, settings="")
        work.write_plan(Path(place, "plan"))
        listed = [(row.row, row.id, row.reason) for row in work.skipped(1_000)]
        with Plan(Path(place, "plan")) as plan:
            planned = plan.rows_of_next(0, 1_000)
        products = {name: _product(name, placed) for name, placed in planned.items()}
        return ImportResult(mapping, products, work.counts(), listed)


def _find_none(rows: Sequence[UnresolvedRow]) -> list[None]:
    return [None for _ in rows]


def _product(name: str, rows: Sequence[PlannedRow]) -> Fields:
    values = source_values_of(name, rows)
    [product] = [dict(each.fields) for each in values if each.variant is None]
    shown = {key: value for key, value in product.items() if not key.startswith("custom.")}
    if further := product.get("custom.additional_image_link"):
        shown["further"] = further.split(",")
    if number := product.get("custom.mpn"):
        shown["mpn"] = number
    variants = {str(each.variant): dict(each.fields) for each in values if each.variant is not None}
    return {**shown, "variants": variants}

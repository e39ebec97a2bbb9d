"""Previews and checks a feed's beginning before anything is imported.

A check does what an import does until it writes, so for a file within its bound both have the same
counts.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from storepost.feeds.feeds.model import FeedCounts, FeedMode, FeedSettings, SkippedRow
from storepost.feeds.feeds.problems import MappingMissingId, problem_of, url_refused
from storepost.feeds.feeds.service import check_url
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.formats import FeedFormat
from storepost.feeds.files.reading import FeedFile, Row
from storepost.feeds.imports.fetching import sampled
from storepost.feeds.imports.matching import adds, defaults_of, digest_of, finder
from storepost.feeds.records.mapping import FeedField, FeedMapping, has_id
from storepost.feeds.records.options import OPTIONS
from storepost.feeds.records.samples import reader_of
from storepost.feeds.records.suggesting import suggested_mapping
from storepost.platform.fetching import UrlNotAllowed
from storepost.stores.stores.finding import store_in_body
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope
from storepost.values.scratch import scratch

if TYPE_CHECKING:
    from storepost.feeds.imports.staging import FeedStaging

MAX_SAMPLES = 3
SAMPLE_LENGTH = 200
MAX_SHOWN_COLUMNS = 500
"""Columns in a preview's answer, the first ones: a mapping names no more."""
_IDENTIFYING_FIELDS = frozenset(
    {
        FeedField.ID,
        FeedField.ITEM_GROUP_ID,
        FeedField.SKU,
        FeedField.GTIN,
        FeedField.LOCALE,
        FeedField.TITLE,
        *OPTIONS,
    }
)
"""The fields that say which product or variant a row is about; the others only cost time."""
MAX_SKIPPED_SHOWN = 500
"""Skipped rows in a check's answer, the first ones."""


@dataclass(frozen=True)
class PreviewColumn:
    """Says what a column probably is, with samples of its values."""

    name: str
    suggested: str
    samples: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """Says what a feed's beginning contains."""

    format: FeedFormat
    columns: tuple[PreviewColumn, ...]
    sampled: int
    """Rows that were read."""
    matches: int
    """How many of them match something in the store."""


@dataclass(frozen=True)
class Check:
    """Says what an import would do with a feed's beginning."""

    counts: FeedCounts
    skipped: tuple[SkippedRow, ...]


def preview_feed(workspace: WorkspaceScope, store_id: UUID, url: str) -> Preview:
    """Returns what the feed's beginning contains, and what its columns probably are.

    Raises UrlNotAllowed, and the problem that says what is wrong with the feed.
    """
    store = store_in_body(StoreRepository(workspace), store_id)
    with _opened(url) as file:
        rows = list(_nonempty(file.rows))
        samples = _samples(rows)
        mapping = suggested_mapping(list(samples), [row.cells for row in rows if row.cells])
        columns = tuple(
            PreviewColumn(name, mapping[name], tuple(values)) for name, values in samples.items()
        )
        matches = _matches(store, mapping, rows) if has_id(mapping) else 0
        return Preview(file.format, columns, len(rows), matches)


def check_feed(workspace: WorkspaceScope, store_id: UUID, settings: FeedSettings) -> Check:
    """Returns what an import of the feed's beginning would count.

    Raises MappingMissingId, UrlNotAllowed, and the problem that says what is wrong with the feed.
    """
    if not has_id(settings.mapping):
        raise MappingMissingId()
    store = store_in_body(StoreRepository(workspace), store_id)
    with _opened(settings.url) as file, _resolved(store, settings, _nonempty(file.rows)) as staging:
        return Check(staging.counts(), tuple(staging.skipped(MAX_SKIPPED_SHOWN)))


@contextmanager
def _opened(url: str) -> Iterator[FeedFile]:
    check_url(url)
    try:
        with sampled(url) as file:
            yield file
    except FeedUnusable as unusable:
        raise problem_of(unusable.why, unusable.detail) from unusable
    except UrlNotAllowed as refused:
        raise url_refused(refused.reason) from None


def _nonempty(rows: Iterator[Row]) -> Iterator[Row]:
    """Yields the rows. Raises FeedUnusable if there are none."""
    first = next(rows, None)
    if first is None:
        raise FeedUnusable(FeedFailure.NO_ROWS)
    yield first
    yield from rows


@contextmanager
def _resolved(store: Store, settings: FeedSettings, rows: Iterator[Row]) -> "Iterator[FeedStaging]":
    from storepost.feeds.imports.staging import FeedStaging  # noqa: PLC0415 - SQLite, of no use to a list

    with scratch() as directory, FeedStaging(directory / "work") as staging:
        reader, all_rows = reader_of(rows, settings.mapping, defaults_of(store, settings))
        staging.read(all_rows, reader, _never)
        staging.resolve(
            finder(store, settings),
            _never,
            adds=adds(settings),
            settings=digest_of(store, settings),
        )
        yield staging


def _matches(store: Store, mapping: FeedMapping, rows: list[Row]) -> int:
    identifying = {
        column: target for column, target in mapping.items() if target in _IDENTIFYING_FIELDS
    }
    settings = FeedSettings("", "", None, FeedMode.ENRICH_ONLY, identifying)
    with _resolved(store, settings, iter(rows)) as staging:
        return staging.matches


def _samples(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Returns the first columns, each with its first different values."""
    samples = dict[str, list[str]]()
    known, incomplete = set[str](), list[str]()
    for cells in (row.cells or {} for row in rows):
        # Most rows have no other columns than the rows before, and most columns have their samples.
        if not cells.keys() <= known:
            new = [name for name in cells if name not in known]
            known.update(new)
            incomplete += new[: MAX_SHOWN_COLUMNS - len(samples)]
            samples |= {name: [] for name in new[: MAX_SHOWN_COLUMNS - len(samples)]}
        for name in incomplete:
            value = cells.get(name, "").strip()[:SAMPLE_LENGTH]
            if value and value not in samples[name]:
                samples[name].append(value)
        incomplete = [name for name in incomplete if len(samples[name]) < MAX_SAMPLES]
    return samples


def _never() -> bool:
    return False

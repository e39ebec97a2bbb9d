"""Writes postings: one by one as rows, or many at once as pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storepost.platform.persistence.item import Key
from storepost.platform.postings.entries import Posting, SearchKind
from storepost.platform.postings.keys import PACKED_KINDS, Indexed
from storepost.platform.postings.pages import KeyedPosting, cut_by_entry
from storepost.platform.postings.rows import Request, request, send
from storepost.platform.postings.runs import ExpectLive, Runs, newest_of
from storepost.values.scope import WorkspaceScope

if TYPE_CHECKING:
    from storepost.platform.postings.packing import Packing

MIN_PACKED = 200
"""From how many postings of a kind in a workspace on they are written as pages."""

type PostingWrites = Mapping[Key, Posting | None]
"""The posting to write under each key; None to delete it."""


@dataclass(frozen=True)
class _Group:
    """The writes of one kind in one workspace."""

    of: Indexed
    writes: PostingWrites

    @property
    def puts(self) -> dict[Key, Posting]:
        return {key: each for key, each in self.writes.items() if each}


@dataclass(frozen=True)
class WrittenRows:
    """The rows that were written for a kind in a workspace, and their sequence."""

    of: Indexed
    writes: PostingWrites
    sequence: int

    @property
    def requests(self) -> list[Request]:
        """Returns the requests that write them."""
        return [request(key, posting, self.sequence) for key, posting in self.writes.items()]


def write_together(
    writes: Iterable[PostingWrites], expect_live: ExpectLive | None = None
) -> list[WrittenRows]:
    """Writes the differences of several entries, in as few calls as possible.

    If two write under one key, the later one holds. Many postings of a kind become pages if
    `expect_live` is given, whose condition fails if a workspace is gone; without it all become
    rows. Returns what became rows.
    """
    groups = list(_groups(writes))
    large = [each for each in groups if expect_live and _is_large(each)]
    pages = [_pages(each, expect_live) for each in large if expect_live]
    small = [each for each in groups if each not in large]
    newest = newest_of(each.of for each in small if each.of.kind in PACKED_KINDS)
    rows = [WrittenRows(each.of, each.writes, newest.get(each.of, 0)) for each in small]
    rows += [each.removals for each in pages]
    send(each for written in rows for each in written.requests)
    for each in pages:
        each.packing.write(each.begun, each.pages)
    return rows


def write_until_done(
    writes: Iterable[PostingWrites], expect_live: ExpectLive | None = None
) -> None:
    """Writes postings beside the stream's reader, which may write those of the same entries.

    A row with an outdated sequence may have overwritten a newer one of that reader, and may be
    overridden by a page: so such rows are written again.
    """
    written = write_together(writes, expect_live)
    while written := [each for each in written if each.of.kind in PACKED_KINDS and each.writes]:
        newest = newest_of(each.of for each in written)
        old = [each.writes for each in written if newest[each.of] != each.sequence]
        written = write_together(old)


@dataclass(frozen=True)
class _Pages:
    """A run that was begun, with its pages and removals."""

    packing: "Packing"
    begun: Runs
    pages: list[list[KeyedPosting]]
    removals: WrittenRows
    """The removed postings, whose tombstones are rows, as pages have none."""


def _pages(group: _Group, expect_live: ExpectLive) -> _Pages:
    # Few of the functions that write postings need bulk writes, with their threads.
    from storepost.platform.postings.packing import Packing  # noqa: PLC0415 - 3 ms

    packing, puts = Packing(group.of), group.puts
    pages = cut_by_entry(KeyedPosting(key[1], posting) for key, posting in puts.items())
    begun = packing.begin(pages, expect_live)
    removed = {key: None for key in group.writes if key not in puts}
    return _Pages(packing, begun, pages, WrittenRows(group.of, removed, begun.newest))


def _is_large(group: _Group) -> bool:
    return group.of.kind in PACKED_KINDS and len(group.puts) >= MIN_PACKED


def _groups(writes: Iterable[PostingWrites]) -> Iterable[_Group]:
    by_partition: dict[str, dict[Key, Posting | None]] = {}
    for each in writes:
        for key, posting in each.items():
            by_partition.setdefault(key[0], {})[key] = posting
    for partition, some in by_partition.items():
        kind = SearchKind(partition.rpartition("#")[2])
        yield _Group(Indexed(WorkspaceScope.of(partition), kind), some)

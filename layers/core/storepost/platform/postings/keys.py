"""The keys of postings' rows and pages."""

from dataclasses import dataclass
from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.platform.postings.entries import SearchKind
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

END_OF_WORD = "\x01"
"""Sorts before every letter, so that a whole word sorts before the words that begin with it."""

PACKED_KINDS = (SearchKind.PRODUCT, SearchKind.ORDER)
"""Kinds whose postings may be in pages.

Their words name no person: a page keeps deleted postings until it is merged.
"""

_PAGE_PARTITIONS = 8
"""How many partitions a kind's pages have in a workspace: one takes a thousand units a second."""


@dataclass(frozen=True)
class Indexed:
    """The owner of one index: the entries of one kind in one workspace."""

    workspace: WorkspaceScope
    kind: SearchKind


def postings_partition(workspace: WorkspaceScope, kind: SearchKind) -> str:
    """Returns the partition of the postings of a kind."""
    return workspace.partition("search", kind)


def posting_key(workspace: WorkspaceScope, kind: SearchKind, word: str, entry_id: UUID) -> Key:
    """Returns the key of a posting."""
    return (postings_partition(workspace, kind), posting_sort_key(word, short(entry_id)))


def posting_sort_key(word: str, short_id: str) -> str:
    """Returns the sort key of a posting: its word, then the id of its entry."""
    return f"{word}{END_OF_WORD}{short_id}"


def runs_key(of: Indexed) -> Key:
    """Returns the key of the row that says which runs of pages there are."""
    return (of.workspace.partition("search", of.kind, "runs"), "runs")


def page_key(of: Indexed, run: int, number: int) -> Key:
    """Returns the key of a page of a run."""
    return (_pages_partition(of, run), f"{run:09}#{number:06}")


def fences_key(of: Indexed, run: int) -> Key:
    """Returns the key of the row that says where the pages of a run begin."""
    return (_pages_partition(of, run), f"{run:09}#fences")


def packed_partitions(of: Indexed) -> list[str]:
    """Returns all partitions of a kind's runs; the first one has the row that names the runs."""
    pages = (_pages_partition(of, number) for number in range(_PAGE_PARTITIONS))
    return [runs_key(of)[0], *pages]


def _pages_partition(of: Indexed, run: int) -> str:
    return of.workspace.partition("search", of.kind, "pages", str(run % _PAGE_PARTITIONS))

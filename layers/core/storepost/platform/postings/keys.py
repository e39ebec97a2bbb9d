"""Where postings stand."""

from dataclasses import dataclass
from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.platform.postings.entries import SearchKind
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

END_OF_WORD = "\x01"
"""Before every letter, so that a whole word comes before those that it begins."""

PACKED_KINDS = (SearchKind.PRODUCT, SearchKind.ORDER)
"""Kinds whose postings may stand in pages: their words name no person, as what is gone stays in a
page until that is merged."""

_PAGE_PARTITIONS = 8
"""Of a kind in a workspace: one partition takes a thousand units a second."""


@dataclass(frozen=True)
class Indexed:
    """What has an index of its own: the entries of one kind in one workspace."""

    workspace: WorkspaceScope
    kind: SearchKind


def postings_partition(workspace: WorkspaceScope, kind: SearchKind) -> str:
    """Returns the partition of the postings of a kind."""
    return workspace.partition("search", kind)


def posting_key(workspace: WorkspaceScope, kind: SearchKind, word: str, entry_id: UUID) -> Key:
    """Returns the key of a posting."""
    return (postings_partition(workspace, kind), posting_sort_key(word, short(entry_id)))


def posting_sort_key(word: str, short_id: str) -> str:
    """Returns by what postings are sorted: by their words, and then by the ids of their entries."""
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
    """Returns all partitions of a kind's runs; the first one has the row that names them."""
    pages = (_pages_partition(of, number) for number in range(_PAGE_PARTITIONS))
    return [runs_key(of)[0], *pages]


def _pages_partition(of: Indexed, run: int) -> str:
    return of.workspace.partition("search", of.kind, "pages", str(run % _PAGE_PARTITIONS))

"""Finds all entries that a list's `q` matches, for the list to filter and sort."""

from collections.abc import Iterator
from uuid import UUID

from storepost.platform.postings.entries import Posting, SearchKind
from storepost.platform.postings.finding import Query, beginning
from storepost.platform.postings.repository import PAGE, PostingRepository
from storepost.values.pagination import MAX_ROWS, FilterTooBroad
from storepost.values.scope import WorkspaceScope

_STRIDE = PAGE


def found_by(workspace: WorkspaceScope, kind: SearchKind, q: str) -> list[Posting]:
    """Returns a posting of each visible entry of the kind that `q` finds, in no order.

    Raises FilterTooBroad where each of the words has more than 20,000 postings.
    """
    query, postings = Query.of(q), PostingRepository(workspace, kind)
    found: dict[UUID, Posting] = {}
    for posting in _rarest([beginning(postings, term) for term in query.words]):
        if posting.text and query.rank(posting) is not None:  # a hidden entry's have none
            found[posting.id] = posting
    return list(found.values())


def _rarest(words: list[Iterator[Posting]]) -> list[Posting]:
    """Returns all postings of the word that ends first, as all are read side by side."""
    read: list[list[Posting]] = [[] for _ in words]
    while words and len(read[0]) <= MAX_ROWS:
        for known, word in zip(read, words, strict=True):
            some = [posting for _, posting in zip(range(_STRIDE), word, strict=False)]
            known.extend(some)
            if len(some) < _STRIDE:
                return known
    if words:
        raise FilterTooBroad("q")
    return []

"""Finds all entries that a list's `q` matches, for the list to filter and sort."""

from collections.abc import Iterator
from uuid import UUID

from storepost.platform.postings.entries import Posting, SearchKind
from storepost.platform.postings.finding import Query, beginning
from storepost.platform.postings.repository import PAGE, PostingRepository
from storepost.values.pagination import MAX_ROWS, FilterTooBroad
from storepost.values.scope import WorkspaceScope

_STRIDE = PAGE
_PROBED = 6
"""How many words are read to their end, the longest ones: `q` may have eighty."""


def found_by(workspace: WorkspaceScope, kind: SearchKind, q: str) -> list[Posting]:
    """Returns a posting of each visible entry of the kind that `q` finds, in no order.

    Raises FilterTooBroad where each of the six longest words has more than 20,000 postings, unless
    another word has few.
    """
    query, postings = Query.of(q), PostingRepository(workspace, kind)
    longest = sorted(query.words, key=lambda term: min(map(len, term)), reverse=True)
    found: dict[UUID, Posting] = {}
    for posting in _rarest([beginning(postings, term) for term in longest]):
        if posting.text and query.rank(posting) is not None:  # a hidden entry's have none
            found[posting.id] = posting
    return list(found.values())


def _rarest(words: list[Iterator[Posting]]) -> list[Posting]:
    """Returns all postings of the word that ends first, as all are read side by side.

    Once 20,000 are read of all words together, only the first words are read on.
    """
    read: list[list[Posting]] = [[] for _ in words]
    pairs = list(zip(read, words, strict=True))
    while words and len(read[0]) <= MAX_ROWS:
        if sum(map(len, read)) > MAX_ROWS:
            pairs, read = pairs[:_PROBED], read[:_PROBED]
        for known, word in pairs:
            some = [posting for _, posting in zip(range(_STRIDE), word, strict=False)]
            known.extend(some)
            if len(some) < _STRIDE:
                return known
    if words:
        raise FilterTooBroad("q")
    return []

"""Finds what a query means among the entries of one kind, in order of rank.

First are entries that the query names: by an id, an email, a phone, an order's number or a code.
Then entries whose title equals the query, entries whose title begins with it, and entries that
have, for each word of the query, a word that begins with it. Among equals, newer entries are first.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import cached_property
from itertools import chain, islice
from uuid import UUID

from storepost.platform.postings.entries import Posting, code_word, key_word
from storepost.platform.postings.repository import PAGE, PostingRepository
from storepost.values.text import SearchTerm, fold_words, search_terms, whole_phone

MAX_HITS = 1_000
"""A total is exact up to this number; a greater total is reported as this number."""

MAX_CANDIDATES = 2_000
"""How many postings of the rarest word are read, if the query has several words."""

_STRIDE = PAGE
_PROBED = 6
"""How many words are queried, the longest ones; the others only filter what is found."""


class Rank(IntEnum):
    """How well a hit fits; the least is the best."""

    NAMED = 0
    TITLE = 1
    TITLE_BEGINS = 2
    WORDS = 3


@dataclass(frozen=True)
class Query:
    """A query in the form in which it is compared."""

    text: str
    words: tuple[SearchTerm, ...]

    @classmethod
    def of(cls, q: str) -> "Query":
        """Returns the query for the text that a user typed."""
        return cls(" ".join(fold_words(q).split()), tuple(dict.fromkeys(search_terms(q))))

    @cached_property
    def names(self) -> frozenset[str]:
        """Returns the words of postings that the query as a whole may name."""
        single = self.words[0] if len(self.words) == 1 else ()
        wholes = code_word(self.text), key_word(self.text), whole_phone(self.text)
        return frozenset((*filter(None, wholes), *single))

    def rank(self, posting: Posting) -> Rank | None:
        """Returns how well a posting fits; None if it doesn't."""
        if posting.is_exact and posting.word in self.names:
            return Rank.NAMED
        words = posting.words
        if not self.words or not all(
            any(word.startswith(term) for word in words) for term in self.words
        ):
            return None
        if posting.title == self.text:
            return Rank.TITLE
        return Rank.TITLE_BEGINS if posting.title.startswith(self.text) else Rank.WORDS


@dataclass(frozen=True)
class Hit:
    """An entry that was found."""

    id: UUID
    rank: Rank
    at: datetime


@dataclass(frozen=True)
class Found:
    """The hits of a kind, the best first; the total is exact up to 1,000."""

    hits: Sequence[Hit]
    total: int


def find(postings: PostingRepository, query: Query) -> Found:
    """Returns what the query finds."""
    best: dict[UUID, Hit] = {}
    for posting in _candidates(postings, query):
        rank = query.rank(posting)
        known = best.get(posting.id)
        if rank is not None and (known is None or rank < known.rank):
            best[posting.id] = Hit(posting.id, rank, posting.at)
        if len(best) > MAX_HITS and len(query.words) == 1:
            break
    hits = sorted(best.values(), key=best_first)
    return Found(hits, min(len(hits), MAX_HITS))


def best_first(hit: Hit) -> tuple[Rank, float, UUID]:
    """Returns the sort key: the best hits first, then the newest, then by id."""
    return hit.rank, -hit.at.timestamp(), hit.id


def _candidates(postings: PostingRepository, query: Query) -> Iterator[Posting]:
    """Returns postings that may fit: those that the query names, then those of its rarest word."""
    prefix = query.words[0] if len(query.words) == 1 else ()
    for name in query.names.difference(prefix):
        yield from islice(postings.of(name), MAX_HITS)
    longest = sorted(query.words, key=lambda term: min(map(len, term)), reverse=True)[:_PROBED]
    read = [beginning(postings, term) for term in longest]
    if read:
        yield from read[0] if len(read) == 1 else _rarest(read)


def beginning(postings: PostingRepository, term: SearchTerm) -> Iterator[Posting]:
    """Returns the postings of all words that begin with one of the term's words."""
    return chain.from_iterable(postings.beginning(word) for word in term)


def _rarest(words: Sequence[Iterator[Posting]]) -> Iterable[Posting]:
    """Returns the postings of the word that ends first, as all are read side by side.

    A few hundred postings of each word are read, and more of the first two. If none ends, the first
    word's are returned: long words are rare.
    """
    read: list[list[Posting]] = [[] for _ in words]
    pairs = list(zip(read, words, strict=True))
    limit = MAX_CANDIDATES if len(words) <= 2 else MAX_CANDIDATES // 2
    while len(read[0]) < limit:
        for known, word in pairs:
            some = list(islice(word, _STRIDE))
            known.extend(some)
            if len(some) < _STRIDE:
                return known
        pairs = pairs[:2]
    return [*read[0], *islice(words[0], max(0, MAX_CANDIDATES - len(read[0])))]

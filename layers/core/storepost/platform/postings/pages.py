"""Pages: many postings in one item, with each text stored once.

A batch's pages are cut by entry: all postings of an entry are in one page, and any page may have
any word. A merge's pages are cut by sort key: a word is in few pages, and fences say where each
page begins. Both are written once and never changed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from operator import attrgetter
from typing import Any
from uuid import UUID

from storepost.platform.persistence.deflated import Deflated
from storepost.platform.persistence.item import Item
from storepost.platform.postings.entries import Posting
from storepost.platform.postings.keys import END_OF_WORD, posting_sort_key
from storepost.values.ids import from_short, from_short_moment, short, short_moment

_BATCH_PAGE_BYTES = 64_000
"""The bytes of words and texts in a page of a batch, before it is deflated."""

_SORTED_PAGE_BYTES = 128_000
"""The same in a page of a merge with very long ones: an item has 400 KB at most."""

_SORTED_PAGE_POSTINGS = 100
"""How many postings a page of a merge has: about 4 KB deflated."""

_LAST = "\U0010ffff"


class PostingPageItem(Item, discriminator="posting_page"):
    """Postings of many entries."""

    content = Deflated(attr_name="z")
    """Six arrays, which refer to each other by position.

    They are short ids of entries; their short moments; the sequences of their postings; words in
    order; for each word its postings; texts. A posting is an array of two numbers: twice the
    position of its entry, plus one if the word identifies only this entry; and the position of its
    text.
    """


class PostingFencesItem(Item, discriminator="posting_fences"):
    """The sort keys at which the pages of a merge's run begin."""

    fences = Deflated(attr_name="z")
    """A text for each page.

    It is no greater than the page's first sort key, and greater than the last one of the page
    before.
    """


@dataclass(frozen=True)
class KeyedPosting:
    """A posting with the sort key that it has, or would have, as a row."""

    sort_key: str
    posting: Posting
    sequence: int = 0
    """The sequence of the batch that wrote it (`runs.py`); 0 if it has none yet."""

    @property
    def bytes(self) -> int:
        """Returns how many bytes its word and text take in a page."""
        return len(self.posting.word.encode()) + len(self.posting.text.encode())


class Page:
    """The postings of a page, each made on demand."""

    def __init__(self, content: Any) -> None:  # noqa: ANN401 - JSON
        """Takes what `content_of` returned."""
        self._ids, self._moments, self._sequences, *words = content
        self._words, self._postings, self._texts = words

    def beginning(self, prefix: str, after: str) -> Iterator[KeyedPosting]:
        """Returns the postings whose words begin with `prefix`, in order, after a sort key."""
        first = max(prefix, after).partition(END_OF_WORD)[0]
        for place in range(bisect_left(self._words, first), len(self._words)):
            word = self._words[place]
            if not f"{word}{END_OF_WORD}".startswith(prefix):
                break
            for entry, text in self._postings[place]:
                key = posting_sort_key(word, self._ids[entry // 2])
                if key > after:
                    posting = self._posting(word, entry, text)
                    yield KeyedPosting(key, posting, self._sequences[entry // 2])

    def _posting(self, word: str, entry: int, text: int) -> Posting:
        return Posting(
            word=word,
            id=from_short(self._ids[entry // 2]),
            at=from_short_moment(self._moments[entry // 2]),
            text=self._texts[text],
            is_exact=entry % 2 == 1,
        )


def content_of(postings: Iterable[KeyedPosting], sequence: int) -> list[Any]:
    """Returns the content of a page of these postings, which are in order.

    Postings without a sequence get this one.
    """
    entries, texts = dict[tuple[UUID, datetime, int], int](), dict[str, int]()
    words = dict[str, list[tuple[int, int]]]()
    for keyed in postings:
        each = keyed.posting
        entry = entries.setdefault((each.id, each.at, keyed.sequence or sequence), len(entries))
        text = texts.setdefault(each.text, len(texts))
        words.setdefault(each.word, []).append((2 * entry + each.is_exact, text))
    return [
        [short(each) for each, _, _ in entries],
        [short_moment(at) for _, at, _ in entries],
        [each for _, _, each in entries],
        list(words),
        list(words.values()),
        list(texts),
    ]


def cut_by_entry(postings: Iterable[KeyedPosting]) -> list[list[KeyedPosting]]:
    """Returns the postings as pages of a batch: all postings of an entry are in one page."""
    by_entry: dict[UUID, list[KeyedPosting]] = {}
    for each in postings:
        by_entry.setdefault(each.posting.id, []).append(each)
    pages, size = list[list[KeyedPosting]](), _BATCH_PAGE_BYTES
    for some in by_entry.values():
        size += sum({each.posting.text: each.bytes for each in some}.values())
        if size > _BATCH_PAGE_BYTES:
            pages.append([])
            size = 0
        pages[-1] += some
    return [sorted(page, key=attrgetter("sort_key")) for page in pages]


def cut_by_key(postings: Iterable[KeyedPosting]) -> list[list[KeyedPosting]]:
    """Returns postings, which are in order, as pages of a merge."""
    pages, size = list[list[KeyedPosting]](), _SORTED_PAGE_BYTES
    for each in postings:
        size += each.bytes
        if size > _SORTED_PAGE_BYTES or len(pages[-1]) == _SORTED_PAGE_POSTINGS:
            pages.append([])
            size = each.bytes
        pages[-1].append(each)
    return pages


def fences_of(pages: Sequence[Sequence[KeyedPosting]]) -> list[str]:
    """Returns the fences of a merge's pages, as short as possible."""
    return ["", *(_fence(one[-1].sort_key, other[0].sort_key) for one, other in pairwise(pages))]


def _fence(last: str, first: str) -> str:
    """Returns the shortest prefix of a sort key that is greater than the one before it."""
    return next(first[:size] for size in range(1, len(first) + 1) if first[:size] > last)


def pages_of_prefix(fences: Sequence[str], prefix: str, after: str) -> range:
    """Returns which pages may have postings whose words begin with `prefix`, after a sort key."""
    first = max(bisect_right(fences, max(prefix, after)) - 1, 0)
    return range(first, bisect_right(fences, f"{prefix}{_LAST}"))

"""What of a row is searched, as a value, and the postings that it makes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from storepost.values.text import fold, words_of_folded, words_to_find

MAX_BYTES = 700
"""Of a posting's text: a posting takes one write unit."""

_WORD_BYTES = 120
"""A longer word is found by its beginning."""


class SearchKind(StrEnum):
    """What is searched, in the order of the groups."""

    PROFILE = "profile"
    ORDER = "order"
    PRODUCT = "product"
    COUPON = "coupon"
    FEED = "feed"
    STORE = "store"
    SUPPRESSION = "suppression"


@dataclass(frozen=True)
class SearchEntry:
    """What of a row is searched."""

    kind: SearchKind
    id: UUID
    title: str
    at: datetime
    """Newer ones come first among equals."""
    texts: tuple[str, ...] = ()
    """Further text whose words find it."""
    keys: tuple[str, ...] = ()
    """Words that name just it, like an email: asking for one finds it before all others."""
    codes: tuple[str, ...] = ()
    """What names just it and is no word: only the whole of it is found, like an SKU."""
    is_hidden: bool = False
    """Whether only what names just it finds it."""


@dataclass(frozen=True)
class Posting:
    """That a word finds an entry; the text says what else does."""

    word: str
    id: UUID
    at: datetime
    text: str
    """The folded title, and after a line's end the other words."""
    is_exact: bool
    """Whether the word names just this entry."""

    @property
    def title(self) -> str:
        """Returns the folded title."""
        return self.text.partition("\n")[0]

    @property
    def words(self) -> list[str]:
        """Returns all words that find the entry."""
        title, _, more = self.text.partition("\n")
        return [*words_to_find(title), *words_of_folded(more), *more.split(" ")]


def code_word(code: str) -> str:
    """Returns a code as a posting's word; no word of a query begins so, as it may hold spaces."""
    return f"={_cut(' '.join(fold(code).split()), _WORD_BYTES)}"


def postings_of(entry: SearchEntry) -> list[Posting]:
    """Returns the postings that let the entry be found, one a word."""
    title = " ".join(fold(entry.title).split())
    keys = {key_word(key) for key in entry.keys if not _has_spaces(key)}
    words = _words(entry)
    # Without its words no posting of it is found by the beginning of one.
    text = "" if entry.is_hidden else _text(title, words)
    found = keys if entry.is_hidden else words
    named = {code_word(code) for code in (*entry.codes, *filter(_has_spaces, entry.keys))}
    return [
        *(Posting(word, entry.id, entry.at, text, word in keys) for word in found),
        # Nothing else finds it by these, and they stay as they are when the title changes.
        *(Posting(word, entry.id, entry.at, "", is_exact=True) for word in sorted(named)),
    ]


def key_word(key: str) -> str:
    """Returns the word by which a key is found: itself, without a number's or phone's sign."""
    return _cut(fold(key).lstrip("#+"), _WORD_BYTES)


def _has_spaces(key: str) -> bool:
    return len(key.split()) > 1


def _words(entry: SearchEntry) -> dict[str, None]:
    """The words that find the entry, each once, as far as one posting holds them."""
    found: dict[str, None] = {}
    size = 0
    for word in _all_words(entry):
        shortened = _cut(word, _WORD_BYTES)
        if shortened not in found:
            size += len(shortened.encode()) + 1
            if size > MAX_BYTES:
                return found
            found[shortened] = None
    return found


def _all_words(entry: SearchEntry) -> Iterator[str]:
    yield from words_to_find(fold(entry.title))
    for key in entry.keys:
        yield from words_to_find(fold(key))
        if not _has_spaces(key):
            yield key_word(key)
    for text in entry.texts:
        yield from words_to_find(fold(text))


def _text(title: str, words: dict[str, None]) -> str:
    """The title, and of the other words those that no longer one has in it: an email has four."""
    of_title = set(words_to_find(title))
    others = [word for word in words if word not in of_title]
    parts = {part for word in others for part in words_of_folded(word) if part != word}
    more = " ".join(word for word in others if word not in parts)
    return _cut(f"{title}\n{more}", MAX_BYTES)


def _cut(text: str, max_size: int) -> str:
    return text.encode()[:max_size].decode(errors="ignore")

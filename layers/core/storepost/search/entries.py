"""What of a row is searched, as a value, and the postings that it makes."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from storepost.text import fold, words_of_row

MOST_BYTES = 700
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


@dataclass(frozen=True)
class Entry:
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
        """The folded title."""
        return self.text.partition("\n")[0]

    @property
    def words(self) -> list[str]:
        """All words that find the entry."""
        title, _, more = self.text.partition("\n")
        return [*words_of_row(title), *more.split(" ")]


def code_word(code: str) -> str:
    """A code as a posting's word: no query's own word begins so, as it may hold spaces."""
    return f"={_cut(' '.join(fold(code).split()), _WORD_BYTES)}"


def postings_of(entry: Entry) -> list[Posting]:
    """The postings that let the entry be found, one a word."""
    title = " ".join(fold(entry.title).split())
    keys = {key_word(key) for key in entry.keys if not _has_spaces(key)}
    words = _distinct(entry.title, *entry.texts, *entry.keys)
    text = _text(title, words)
    found = keys if entry.is_hidden else words
    named = {code_word(code) for code in (*entry.codes, *filter(_has_spaces, entry.keys))}
    return [
        Posting(word, entry.id, entry.at, text, word in keys or word in named)
        for word in (*found, *sorted(named))
    ]


def key_word(key: str) -> str:
    """The word by which somebody asks for a key: itself, without a number's or phone's sign."""
    return _cut(fold(key).lstrip("#+"), _WORD_BYTES)


def _has_spaces(key: str) -> bool:
    return len(key.split()) > 1


def _distinct(*texts: str) -> dict[str, None]:
    """The words of the texts, each once, as far as one posting holds them."""
    found: dict[str, None] = {}
    size = 0
    for text in texts:
        for word in (*words_of_row(text), *map(key_word, text.split())):
            cut = _cut(word, _WORD_BYTES)
            size += len(cut.encode()) + 1
            if size > MOST_BYTES:
                return found
            found[cut] = None
    return found


def _text(title: str, words: dict[str, None]) -> str:
    of_title = set(words_of_row(title))
    more = " ".join(word for word in words if word not in of_title)
    return _cut(f"{title}\n{more}", MOST_BYTES)


def _cut(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")

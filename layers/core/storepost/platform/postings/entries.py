"""The searched text of a row, as a value, and the postings that it makes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from storepost.values.text import fold_words, words_of_folded, words_to_find

MAX_BYTES = 700
"""The size of a posting's text, so that a posting takes one write unit."""

_WORD_BYTES = 120
"""A longer word is cut, and found by its beginning."""


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
    """The parts of a row that are searched."""

    kind: SearchKind
    id: UUID
    title: str
    at: datetime
    """Among hits of equal rank, newer ones are first."""
    texts: tuple[str, ...] = ()
    """Further texts whose words find the entry."""
    keys: tuple[str, ...] = ()
    """Words that identify only this entry, like an email: a query for one lists it first."""
    codes: tuple[str, ...] = ()
    """Identifiers of only this entry that aren't words, like an SKU: found only as a whole."""
    is_hidden: bool = False
    """Whether only its keys and codes find it."""


@dataclass(frozen=True)
class Posting:
    """Says that a word finds an entry; `text` has the other words that find it."""

    word: str
    id: UUID
    at: datetime
    text: str
    """The folded title, a line break, and the other words."""
    is_exact: bool
    """Whether the word identifies only this entry."""

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
    """Returns a code, which may have spaces, as a posting's word; no query's word begins so."""
    return f"={_cut(' '.join(fold_words(code).split()), _WORD_BYTES)}"


def postings_of(entry: SearchEntry) -> list[Posting]:
    """Returns the postings of an entry, one for each word."""
    title = " ".join(fold_words(entry.title).split())
    keys = {key_word(key) for key in entry.keys if not _has_spaces(key)}
    words = _words(entry)
    # Without words in its text, no posting of it is found by the beginning of a word.
    text = "" if entry.is_hidden else _text(title, words)
    found = keys if entry.is_hidden else words
    named = {code_word(code) for code in (*entry.codes, *filter(_has_spaces, entry.keys))}
    return [
        *(Posting(word, entry.id, entry.at, text, word in keys) for word in found),
        # No other word finds these postings, so they have no text, and stay the same when the title
        # changes.
        *(Posting(word, entry.id, entry.at, "", is_exact=True) for word in sorted(named)),
    ]


def key_word(key: str) -> str:
    """Returns the word by which a key is found: the key without a number's or phone's sign."""
    return _cut(fold_words(key).lstrip("#+"), _WORD_BYTES)


def _has_spaces(key: str) -> bool:
    return len(key.split()) > 1


def _words(entry: SearchEntry) -> dict[str, None]:
    """Returns the words that find the entry, each once, as many as fit into one posting."""
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
    yield from words_to_find(fold_words(entry.title))
    for key in entry.keys:
        yield from words_to_find(fold_words(key))
        if not _has_spaces(key):
            yield key_word(key)
    for text in entry.texts:
        yield from words_to_find(fold_words(text))


def _text(title: str, words: dict[str, None]) -> str:
    """Returns the title and the other words, without parts of a longer one: an email has four."""
    of_title = set(words_to_find(title))
    others = [word for word in words if word not in of_title]
    parts = {part for word in others for part in words_of_folded(word) if part != word}
    more = " ".join(word for word in others if word not in parts)
    return _cut(f"{title}\n{more}", MAX_BYTES)


def _cut(text: str, max_size: int) -> str:
    return text.encode()[:max_size].decode(errors="ignore")

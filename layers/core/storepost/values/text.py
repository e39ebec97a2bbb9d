"""Text in the form in which it is compared and sorted: case and accents folded, cut into words."""

import re
import unicodedata

SORT_KEY_BYTES = 512
_WORD = re.compile(r"[^\W_]+")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@.]+")
# No email address has these, but they may surround one: `Ann <ann@example.com>`.
_BESIDE_EMAIL = re.compile(r'[\s<>()\[\]:;,"\\]+')
_PHONE = re.compile(r"(?<!\S)\+[\d\s()./-]*\d(?!\S)")
# Letters with a stroke and ligatures, which Unicode doesn't decompose.
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "þ": "th"}  # noqa: RUF001
)

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]+")
_BREAKS = re.compile(r"[\t\r\n\v\f\x85\u2028\u2029]+")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")

type SearchTerm = tuple[str, ...]
"""Words of a search; a row must have one of them as the prefix of one of its words."""


def visible(text: str) -> str:
    """Returns a name without invisible characters: control characters and direction marks."""
    if text.isprintable():  # as most are: then it has no such character
        return text.strip()
    return _UNSEEN.sub("", _BREAKS.sub(" ", text)).strip()


def fold(text: str) -> str:
    """Returns the text without case and accents, trimmed, without control characters.

    Folding a folded text changes nothing.
    """
    if text.isascii() and text.isprintable():  # as most titles are, and imports have many
        return text.lower().strip()
    # Fold case before and after the decomposition: each can produce what the other has to fold.
    lower = unicodedata.normalize("NFKD", text.casefold()).casefold().translate(_LETTERS)
    decomposed = unicodedata.normalize("NFKD", lower)
    letters = (c for c in decomposed if unicodedata.category(c) not in {"Mn", "Cc"})
    return unicodedata.normalize("NFC", "".join(letters)).strip()


def sort_key(text: str) -> str:
    """Returns the folded text, cut to 512 bytes of UTF-8, as it is used in sort keys."""
    return fold(text).encode()[:SORT_KEY_BYTES].decode(errors="ignore")


def fold_words(text: str) -> str:
    """Returns the folded text for a search: line breaks, like spaces, are between two words."""
    return fold(text if text.isprintable() else _CONTROL.sub(" ", text))


def words(text: str) -> list[str]:
    """Returns the folded words of a text, cut at every character but letters and digits."""
    return words_of_folded(fold_words(text))


def words_of_folded(folded: str) -> list[str]:
    """Returns the words of a text that is folded already."""
    return _WORD.findall(folded)


def matches(q: str, *texts: str | None) -> bool:
    """Returns whether each word of `q` begins a word of the row (docs/interface.md, section 2).

    A whole email, phone or number counts as a word too: in the row in addition to its parts, in `q`
    instead of them, so that a search for one address doesn't find similar ones. What looks like a
    phone in `q` may be something else, so its parts find a row as well. A `q` without any word
    finds nothing.
    """
    row = [word for text in texts if text for word in words_of_row(text)]
    terms = search_terms(q)
    return bool(terms) and all(any(word.startswith(each) for word in row) for each in terms)


def words_of_row(text: str) -> list[str]:
    """Returns the words that `q` finds a row by: the text's words, and its parts between spaces."""
    return [*words(text), *fold_words(text).split()]


def words_to_find(folded: str) -> list[str]:
    """Returns the words of a folded text that `q` can distinguish, without redundant ones.

    A part between spaces is searched as a whole only if it is an email. Any other beginning of such
    a part that `q` may have is also the beginning of the part's first word.
    """
    return [*words_of_folded(folded), *(part for part in folded.split() if "@" in part)]


def search_terms(q: str) -> list[SearchTerm]:
    """Cuts a search into terms: emails whole, phones whole or cut, the rest into words.

    A row must have one word of each term.
    """
    folded = fold_words(q)
    terms = [
        (word,)
        for part in _BESIDE_EMAIL.split(" ".join(_PHONE.split(folded)))
        for word in ([part] if _EMAIL.fullmatch(part) else _WORD.findall(part))
    ]
    return [*terms, *(each for phone in _PHONE.findall(folded) for each in _phone_terms(phone))]


def whole_phone(folded: str) -> str | None:
    """Returns the digits of a folded text that is a phone and nothing else."""
    return "".join(_WORD.findall(folded)) if _PHONE.fullmatch(folded) else None


def _phone_terms(phone: str) -> list[SearchTerm]:
    """Returns terms for the whole phone, or for each of its parts: a size may look like a phone."""
    first, *others = _WORD.findall(phone)
    # A word that begins with the whole phone also begins with its first part.
    return [(first,), *((first + "".join(others), word) for word in others)]

"""Text as it is compared and sorted: case and accents folded, words cut where `q` cuts them."""

import re
import unicodedata

SORT_KEY_BYTES = 512
_WORD = re.compile(r"[^\W_]+")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@.]+")
_PHONE = re.compile(r"\+[\d\s()./-]*\d")
_PHONE_AMONG = re.compile(rf"(?<!\S){_PHONE.pattern}(?!\S)")
_LEAST_DIGITS = 7
"""Of a phone among other words; fewer may be anything."""
# Letters with a stroke and ligatures, which Unicode doesn't decompose.
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "þ": "th"}  # noqa: RUF001
)


def fold(text: str) -> str:
    """The text without case and accents, spaces trimmed and control characters dropped.

    Folding what is folded changes nothing.
    """
    # Case on both sides of the decomposition: either can bring what the other has to fold.
    lower = unicodedata.normalize("NFKD", text.casefold()).casefold().translate(_LETTERS)
    decomposed = unicodedata.normalize("NFKD", lower)
    kept = (c for c in decomposed if unicodedata.category(c) not in {"Mn", "Cc"})
    return unicodedata.normalize("NFC", "".join(kept)).strip()


def sort_key(text: str) -> str:
    """The folded text, cut to 512 bytes of UTF-8, as sort keys of text carry it."""
    return fold(text).encode()[:SORT_KEY_BYTES].decode(errors="ignore")


def words(text: str) -> list[str]:
    """The folded words of a text, cut at whatever is no letter or digit."""
    return words_of_folded(fold(text))


def words_of_folded(folded: str) -> list[str]:
    """The words of a text that is folded already."""
    return _WORD.findall(folded)


def matches(q: str, *texts: str | None) -> bool:
    """Whether each word of `q` is a prefix of a word of the row (operations.md, section 2).

    A whole email, phone or number counts as a word too: in the row beside the words that it is cut
    into, in `q` instead of them, so that asking for one address doesn't find its namesakes. A `q`
    without any word finds nothing.
    """
    row = [word for text in texts if text for word in words_of_row(text)]
    asked = asked_words(q)
    return bool(asked) and all(any(word.startswith(a) for word in row) for a in asked)


def words_of_row(text: str) -> list[str]:
    """The words that `q` finds a row by: those of the text, and what stands between its spaces."""
    return [*words(text), *fold(text).split()]


def words_to_find(folded: str) -> list[str]:
    """As many of a folded text's words as `q` can tell apart: `words_of_row` without what is idle.

    What stands between spaces is asked for as a whole only where it is an email. Whatever else `q`
    may begin it with begins its first word, too.
    """
    return [*words_of_folded(folded), *(part for part in folded.split() if "@" in part)]


def asked_words(q: str) -> list[str]:
    """The words of a search: whole emails and phones as such, the rest as it is cut."""
    folded = fold(q)
    if _PHONE.fullmatch(folded):
        return [_digits(folded)]
    phones = [found[0] for found in _PHONE_AMONG.finditer(folded)]
    phones = [phone for phone in phones if len(_digits(phone)) >= _LEAST_DIGITS]
    for phone in phones:
        folded = folded.replace(phone, " ", 1)
    asked = [
        word
        for part in folded.split()
        for word in ([part] if _EMAIL.fullmatch(part) else _WORD.findall(part))
    ]
    return [*asked, *map(_digits, phones)]


def _digits(phone: str) -> str:
    return "".join(c for c in phone if c.isdigit())

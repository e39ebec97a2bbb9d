"""Text as it is compared and sorted: case and accents folded, words cut where `q` cuts them."""

import re
import unicodedata

SORT_KEY_BYTES = 512
_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """The text without case and accents, spaces trimmed and control characters dropped."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in decomposed if unicodedata.category(c) not in {"Mn", "Cc"})
    return unicodedata.normalize("NFC", "".join(kept)).strip()


def sort_key(text: str) -> str:
    """The folded text, cut to 512 bytes of UTF-8, as sort keys of text carry it."""
    return fold(text).encode()[:SORT_KEY_BYTES].decode(errors="ignore")


def words(text: str) -> list[str]:
    """The folded words of a text, cut at whatever is no letter or digit."""
    return _WORD.findall(fold(text))


def matches(q: str, *texts: str | None) -> bool:
    """Whether each word of `q` is a prefix of a word of the row.

    A whole email, phone or number counts as a word too, so a query that is the beginning of one of
    the texts matches as well.
    """
    present = [t for t in texts if t]
    whole = fold(q)
    if any(fold(text).startswith(whole) for text in present):
        return True
    row = [word for text in present for word in words(text)]
    asked = words(q)
    return bool(asked) and all(any(w.startswith(a) for w in row) for a in asked)

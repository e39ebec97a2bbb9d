"""Detects the encoding of a file that isn't UTF-8 and isn't in what it declares, if it does."""

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator

from storepost.feeds.files.failures import FeedFailure, FeedUnusable

DETECTION_BYTES = 256 * 1024
"""Bytes, from the first non-ASCII one on, in which the detector looks."""
_SAMPLE_BYTES = 32 * 1024
"""Bytes of lines with non-ASCII characters that the detector gets."""
_PREFERRED = "cp1252"
"""The encoding to choose if several fit a text equally well."""
_CENTRAL = "cp1250"
_ISO = "iso8859_2"
"""Like `_CENTRAL`, but for some letters at places where both others have signs, such as `ą`."""
_SIMILAR = (_PREFERRED, _CENTRAL, _ISO)
_ALPHABETS = {
    _PREFERRED: (
        "äöüß", "àâæçèéêëîïôœùûüÿ", "áéíñóúü", "ãõáàâçéêíóôú", "àèéìíîòóù", "àçèéíïòóúü",
        "éèêëïöü", "æøåé", "åäöé", "áðéíóúýþæö", "äõöüšž",
    ),
    _CENTRAL: (
        "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "ăâîşţ", "čćđšž",
    ),
}  # fmt: skip
"""Letters of languages that are written in each of these two encodings, between which the detector
can't decide: they have letters at the same places, such as `è` where the other has `č`.
"""
_KNOWN = (
    _PREFERRED, "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258",
    "cp874", "koi8_r", "mac_roman", "cp932", "euc_jp", "gb18030", "big5", "cp949",
)  # fmt: skip
"""The encodings of shops' files."""
_DAMAGED = "\ufffd"
_BEYOND_ASCII = bytes(range(0x80, 0x100))
WRONG_ENCODING = (
    "The file's encoding isn't known: save it as UTF-8, or let its server say what it is."
)


def in_utf_8(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the pieces in UTF-8, whatever their encoding. Raises FeedUnusable if it isn't found.

    All encodings that the detector knows extend ASCII, so the encoding doesn't matter as long as
    all bytes are ASCII.
    """
    iterator = iter(pieces)
    for piece in iterator:
        if piece.isascii():
            yield piece
        else:
            yield from _decided(piece, iterator)


def _decided(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    pieces = [first]
    while sum(map(len, pieces)) < DETECTION_BYTES and (piece := next(rest, None)) is not None:
        pieces.append(piece)
    whole = b"".join(pieces)
    if can_be(whole, "utf-8") or _is_damaged_utf_8(whole):
        yield whole
        yield from rest
        return
    decoder = codecs.getincrementaldecoder(_detected(whole))(errors="replace")
    yield decoder.decode(whole).encode()
    for piece in rest:
        yield decoder.decode(piece).encode()


def can_be(beginning: bytes, encoding: str) -> bool:
    """Returns whether the bytes are in that encoding; the last character may be cut off."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(beginning)
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf_8(some: bytes) -> bool:
    """Returns whether most of what isn't ASCII is UTF-8, so that the rest is damaged.

    Programs cut texts within a character; in another encoding hardly any bytes are UTF-8.
    """
    text = some.decode(errors="replace")
    damaged = text.count(_DAMAGED)
    whole = len(text) - damaged - len(some.translate(None, _BEYOND_ASCII))
    return whole > damaged


def _detected(some: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - 0.1 s, and hardly any file needs it

    sample = _sample_of(some)
    found = from_bytes(sample, cp_isolation=list(_KNOWN))
    if (best := found.best()) is None:
        raise FeedUnusable(FeedFailure.UNREADABLE, WRONG_ENCODING)
    likely = {each.encoding for each in found if each.chaos <= best.chaos}
    if likely.isdisjoint({_PREFERRED, _CENTRAL}):
        return best.encoding
    letters = {each: _letters_of_one_language(sample, each) for each in _SIMILAR}
    # The signs of Western texts are letters in ISO 8859-2, so it only competes with its like.
    is_western = letters[_PREFERRED] >= letters[_CENTRAL]
    return _PREFERRED if is_western else max(_CENTRAL, _ISO, key=lambda each: letters[each])


def _sample_of(some: bytes) -> bytes:
    """Returns the first lines with non-ASCII characters."""
    lines, length = list[bytes](), 0
    for line in some.splitlines(keepends=True):
        if not line.isascii() and length < _SAMPLE_BYTES:
            lines.append(line[:_SAMPLE_BYTES])
            length += len(line)
    return b"".join(lines)


def _letters_of_one_language(sample: bytes, encoding: str) -> int:
    """Returns how many characters beyond ASCII are letters of the language with most of them."""
    counts = Counter(sample.decode(encoding, errors="replace").lower())
    alphabets = _ALPHABETS[_CENTRAL if encoding == _ISO else encoding]
    return max(sum(counts[each] for each in letters) for letters in alphabets)

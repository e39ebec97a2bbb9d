"""Detects the encoding of a file that declares none and isn't UTF-8."""

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
    if is_utf_8(whole):
        yield whole
        yield from rest
        return
    decoder = codecs.getincrementaldecoder(_detected(whole))(errors="replace")
    yield decoder.decode(whole).encode()
    for piece in rest:
        yield decoder.decode(piece).encode()


def is_utf_8(beginning: bytes) -> bool:
    """Returns whether the bytes are UTF-8; the last character may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return False
    return True


def _detected(some: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - 0.1 s, and hardly any file needs it

    sample = _sample_of(some)
    found = from_bytes(sample, cp_isolation=list(_KNOWN))
    if (best := found.best()) is None:
        raise FeedUnusable(FeedFailure.UNREADABLE, WRONG_ENCODING)
    likely = {each.encoding for each in found if each.chaos <= best.chaos}
    if _PREFERRED not in likely:
        return best.encoding
    either = (_PREFERRED, _CENTRAL) if _CENTRAL in likely else (_PREFERRED,)
    return max(either, key=lambda each: _letters_of_one_language(sample, each))


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
    return max(sum(counts[each] for each in letters) for letters in _ALPHABETS[encoding])

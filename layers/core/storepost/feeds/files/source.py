"""The file's bytes as a stream of text: inflated if they are gzip, decoded by their encoding."""

import codecs
import io
import zlib
from collections.abc import Buffer, Iterable, Iterator
from itertools import chain

from storepost.feeds.files.bounds import ROW_LENGTH
from storepost.feeds.files.failures import FeedFailure, FeedUnusable

HEAD_BYTES = 65_536
_PIECE_BYTES = 65_536
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31


def inflated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the pieces, inflated if they are gzip (one member or several). Raises FeedUnusable."""
    head, rest = head_of(pieces, len(_GZIP))
    return _inflate(rest) if head.startswith(_GZIP) else rest


def head_of(pieces: Iterable[bytes], length: int) -> tuple[bytes, Iterator[bytes]]:
    """Returns the first `length` bytes, if there are as many, and all pieces from the beginning."""
    iterator, pieces_read, length_read = iter(pieces), list[bytes](), 0
    while length_read < length and (piece := next(iterator, None)) is not None:
        pieces_read.append(piece)
        length_read += len(piece)
    head = b"".join(pieces_read)
    return head[:length], chain([head], iterator)


def _inflate(pieces: Iterator[bytes]) -> Iterator[bytes]:
    member = _Member()
    try:
        for piece in pieces:
            packed = piece
            while packed and not member.is_padding(packed):
                unpacked, packed = member.take(packed)
                yield unpacked
        yield from member.rest()
    except zlib.error as error:
        raise FeedUnusable(FeedFailure.UNREADABLE) from error
    if not member.is_whole:
        raise FeedUnusable(FeedFailure.UNREADABLE)


class _Member:
    """The member of a gzip file that is being inflated."""

    def __init__(self) -> None:
        self._unpacking = zlib.decompressobj(_GZIP_WINDOW)

    @property
    def is_whole(self) -> bool:
        """Returns whether its end was reached."""
        return self._unpacking.eof

    def is_padding(self, packed: bytes) -> bool:
        """Returns whether the bytes after its end are no other member."""
        return self.is_whole and not packed.startswith(_GZIP[: len(packed)])

    def take(self, packed: bytes) -> tuple[bytes, bytes]:
        """Inflates up to 64 KB of the bytes; returns the result and the bytes that are left."""
        if self.is_whole:
            self._unpacking = zlib.decompressobj(_GZIP_WINDOW)
        unpacked = self._unpacking.decompress(packed, _PIECE_BYTES)
        return unpacked, self._unpacking.unconsumed_tail or self._unpacking.unused_data

    def rest(self) -> Iterator[bytes]:
        """Yields the rest of the inflated bytes, if they were more than 64 KB."""
        while not self.is_whole and (more := self._unpacking.decompress(b"", _PIECE_BYTES)):
            yield more


class _Pieces(io.RawIOBase):
    """Presents pieces as a file, for the standard library's readers."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._unread = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        into = memoryview(buffer)
        while not self._unread:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._unread = memoryview(piece)
        count = min(len(into), len(self._unread))
        into[:count] = self._unread[:count]
        self._unread = self._unread[count:]
        return count


_TRUNCATED = "storepost.truncated"


def _drop_truncated(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeDecodeError) and error.end == len(error.object):
        return "", error.end
    return codecs.replace_errors(error)


codecs.register_error(_TRUNCATED, _drop_truncated)


class FeedText:
    """Decodes a file for any of the parsers; no row may exceed its bound."""

    def __init__(self, pieces: Iterator[bytes], encoding: str, *, may_be_truncated: bool) -> None:
        """`encoding` is one that Python knows; a sample may end within a character.

        What isn't in that encoding is replaced by U+FFFD: one damaged text mustn't cost the others.
        """
        binary = io.BufferedReader(_Pieces(pieces), HEAD_BYTES)
        errors = _TRUNCATED if may_be_truncated else "replace"
        self._text = io.TextIOWrapper(binary, encoding=encoding, errors=errors, newline="")
        self._since_row = 0

    def row_ended(self) -> None:
        """Notes that a row is complete: what is read next belongs to another one."""
        self._since_row = 0

    def read(self, length: int = HEAD_BYTES) -> str:
        """Returns the next piece, empty at the end. Raises FeedUnusable."""
        return self._counted(self._text.read(length), length)

    def lines(self) -> Iterator[str]:
        """Yields the lines with their ends. Raises FeedUnusable."""
        while line := self._line():
            yield line

    def _line(self) -> str:
        return self._counted(self._text.readline(ROW_LENGTH + 1), 0)

    def _counted(self, text: str, allowance: int) -> str:
        # A piece that is read ahead may hold the end of one row and the beginning of another.
        self._since_row += len(text)
        if self._since_row > ROW_LENGTH + allowance:
            raise FeedUnusable(FeedFailure.ROW_TOO_LONG)
        return text

"""Reads JSON from outside within limits: its depth is checked before it is parsed."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

MAX_DEPTH = 100
"""How many arrays and objects may be nested."""

_SLICE = 65_536
_MAY_HALVE = re.compile(rb"\\u[dD]")
"""How an escaped surrogate begins, whether or not it is paired."""
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_BRACKETS = b"[]{}"
_OTHER_BYTES = bytes(byte for byte in range(256) if byte not in _BRACKETS)
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class TooDeep(ValueError):  # noqa: N818 - it is what the text is
    """More than 100 arrays and objects are nested."""

    def __init__(self) -> None:
        """Gives the error a message for the log."""
        super().__init__(f"more than {MAX_DEPTH} levels")


class DepthGuard:
    """Tracks the depth of a JSON text that arrives in pieces, in linear time and constant memory.

    Brackets inside strings don't count. In a text that isn't JSON the depth means nothing, but the
    parser that reads the text next never gets one that is deeper.
    """

    def __init__(self) -> None:
        """Begins before the first byte."""
        self._depth = 0
        self._in_string = False
        self._escape = ""

    def feed(self, piece: str) -> None:
        """Takes the next piece. Raises TooDeep if the depth exceeds the limit anywhere."""
        text = _ESCAPE.sub("", self._escape + piece)
        self._escape = "\\" if text.endswith("\\") else ""
        parts = text.split('"')
        outside = "".join(parts[self._in_string :: 2])
        self._in_string ^= len(parts) % 2 == 0
        self._descend(outside.encode(errors="replace").translate(None, _OTHER_BYTES))

    def _descend(self, brackets: bytes) -> None:
        depths = accumulate(map(_STEP.__getitem__, brackets), initial=self._depth)
        deepest = self._depth
        for depth in depths:
            deepest = max(deepest, depth)
            self._depth = depth
        if deepest > MAX_DEPTH:
            raise TooDeep()


def read_json(
    text: str | bytes,
    *,
    parse_float: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
) -> Any:  # noqa: ANN401 - whatever JSON can say
    """Returns the value of a JSON text with at most 100 levels. Bytes are UTF-8.

    Raises ValueError for invalid JSON, and for numbers of thousands of digits; TooDeep is one.
    """
    if isinstance(text, bytes):
        text = text.decode()
    check_depth(text)
    return json.loads(text, parse_float=parse_float, parse_constant=parse_constant)


def read_utf_8_json(raw: bytes) -> Any:  # noqa: ANN401 - whatever JSON can say
    """Returns the value of a JSON text, with `?` for each half of a surrogate pair.

    An escape can name a half, and no text with one can be stored. Raises ValueError as above.
    """
    found = read_json(raw)
    if not _MAY_HALVE.search(raw):
        return found
    return json.loads(json.dumps(found, ensure_ascii=False).encode(errors="replace"))


def check_depth(text: str) -> None:
    """Raises TooDeep for more than 100 levels."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return  # as most do: a text can't be deeper than it has brackets
    guard = DepthGuard()
    for piece in _slices(text):
        guard.feed(piece)


def _slices(text: str) -> Iterator[str]:
    for start in range(0, len(text), _SLICE):
        yield text[start : start + _SLICE]

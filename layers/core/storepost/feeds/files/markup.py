"""Rows of XML: the items of RSS or of a bare channel, the entries of Atom.

Expat from the standard library reads it. It fetches nothing, and a file that declares entities is
refused, so that there is nothing to expand.
"""

from collections.abc import Iterator
from xml.parsers import expat

from storepost.feeds.files.bounds import MAX_NAME_LENGTH
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.source import FeedText
from storepost.values.json_reading import MAX_DEPTH

_ROWS = frozenset({"item", "entry", "product"})
_MERCHANT = "http://base.google.com/ns/1.0"


def xml_rows(text: FeedText) -> Iterator[dict[str, str]]:
    """The items as rows. Raises FeedUnusable."""
    reader = _Reader()
    try:
        while piece := text.read():
            # Text, not bytes: whatever the file declares, it is decoded already.
            reader.parser.Parse(piece, False)  # noqa: FBT003 - expat takes no name for it
            if reader.rows:
                text.row_ended()
                yield from reader.rows
                reader.rows.clear()
        reader.parser.Parse(b"", True)  # noqa: FBT003
    except expat.ExpatError as error:
        raise FeedUnusable(FeedFailure.UNREADABLE) from error


class _Reader:
    """What expat tells of, put together to rows.

    A column is named as its element is. Of two that differ in the prefix alone, such as `title` and
    `g:title`, the merchant's is the one. What stands inside another element is a column of its own,
    `outer.inner`; what stands there twice is one column, with commas.
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, str]] = []
        self._row: dict[str, list[str]] | None = None
        self._depth = 0
        self._path: list[str] = []
        self._path_length = 0
        self._text: list[str] = []
        self._merchants: set[str] = set()
        self._prefixes = {"g"}
        self._is_root = True
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text.append
        self.parser.EntityDeclHandler = _refuse
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._row is not None:
            self._path.append(name)
            self._path_length += len(name) + 1
            if name == "link" and "href" in attributes:
                self._link(self._row, attributes)
        else:
            if self._is_root:
                self._begin(name, attributes)
            if name.rpartition(":")[2] in _ROWS:
                self._row = {}
                self._merchants.clear()
        if self._depth > MAX_DEPTH or self._path_length > MAX_NAME_LENGTH:
            _refuse()
        self._text.clear()

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._is_root = False
        if name.lower() == "html":
            raise FeedUnusable(FeedFailure.UNREADABLE)
        for key, value in attributes.items():
            if key.startswith("xmlns:") and value == _MERCHANT:
                self._prefixes.add(key.removeprefix("xmlns:"))

    def _link(self, row: dict[str, list[str]], attributes: dict[str, str]) -> None:
        if attributes.get("rel", "alternate") == "alternate":
            row.setdefault("link", [attributes["href"]])

    def _end(self, _name: str) -> None:
        self._depth -= 1
        row = self._row
        if row is None:
            return
        if not self._path:
            self.rows.append({name: ",".join(values) for name, values in row.items()})
            self._row = None
            return
        value = "".join(self._text).strip()
        self._text.clear()
        if value:
            self._put(row, value)
        self._path_length -= len(self._path.pop()) + 1

    def _put(self, row: dict[str, list[str]], value: str) -> None:
        whole = ".".join(self._path)
        prefix, colon, rest = whole.partition(":")
        is_merchants = bool(colon) and prefix in self._prefixes
        name = rest.replace(f".{prefix}:", ".") if is_merchants else whole
        if is_merchants and name not in self._merchants:
            self._merchants.add(name)
            row[name] = [value]
        elif is_merchants or name not in self._merchants:
            row.setdefault(name, []).append(value)


def _refuse(*_declaration: object) -> None:
    raise FeedUnusable(FeedFailure.UNREADABLE)

"""Finds which element of an XML file is a row: by its name, or by how the beginning is built."""

from collections.abc import Callable
from dataclasses import dataclass
from xml.parsers import expat

from storepost.values.json_reading import MAX_DEPTH

HEAD_LENGTH = 65_536
"""Characters of the beginning that are examined."""
_MAX_PATHS = 500
_KNOWN = frozenset(
    {
        "item",
        "entry",
        "product",
        "offer",
        "shopitem",
        "listing",
        "article",
        "artikel",
        "produkt",
        "produit",
        "producto",
        "prodotto",
    }
)
_AROUND = frozenset(
    {
        "channel",
        "shop",
        "categories",
        "category",
        "currencies",
        "currency",
        "delivery-options",
        "pickup-options",
        "option",
        "link",
        "author",
        "image",
    }
)
"""Elements that say something of the file, and aren't rows although they are full or repeated."""

type Path = tuple[str, ...]
"""The names of an element and of its ancestors, the outermost first."""


def local_name(name: str) -> str:
    """Returns the name without its prefix, in lower case."""
    return name.rpartition(":")[2].lower()


@dataclass
class _Seen:
    """What was counted of the elements at one path."""

    count: int = 0
    children: int = 0
    """Different child elements, and attributes."""


def rows_in(head: str) -> Callable[[Path], bool]:
    """Returns a test of whether an element is a row, by its path in local names."""
    outline = _Outline(head)
    known = [path for path in outline.seen if path[-1] in _KNOWN and outline.has_content(path)]
    if known or not outline.seen:
        depth = min(map(len, known), default=0)
        names = frozenset(path[-1] for path in known if len(path) == depth) or _KNOWN
        return lambda path: path[-1] in names
    likeliest = outline.likeliest()
    return (lambda path: path == likeliest) if likeliest else _first_known()


def _first_known() -> Callable[[Path], bool]:
    """Returns the test for a beginning without rows: they are called as known ones are.

    There may be none. The first one decides how deep in the file they are.
    """
    first: list[Path] = []

    def is_row(path: Path) -> bool:
        if path[-1] not in _KNOWN:
            return False
        if not first:
            first.append(path)
        return len(path) == len(first[0])

    return is_row


class _Outline:
    """The elements of a file's beginning, which may end anywhere."""

    def __init__(self, head: str) -> None:
        self.seen: dict[Path, _Seen] = {}
        self._path: Path = ()
        parser = expat.ParserCreate()
        parser.specified_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        try:
            parser.Parse(head, False)  # noqa: FBT003 - expat takes no name for it
        except (expat.ExpatError, _TooManyPaths):
            return

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path = (*self._path, local_name(name))
        if len(self._path) > MAX_DEPTH or len(self.seen) > _MAX_PATHS:
            raise _TooManyPaths
        if self._path not in self.seen:
            self.seen[self._path] = _Seen(children=len(attributes))
            if self._path[:-1]:
                self.seen[self._path[:-1]].children += 1
        self.seen[self._path].count += 1

    def _end(self, _name: str) -> None:
        self._path = self._path[:-1]

    def has_content(self, path: Path) -> bool:
        """Returns whether elements at that path have child elements or attributes."""
        return self.seen[path].children > 0

    def likeliest(self) -> Path | None:
        """Returns the repeated element with most in it; if none is repeated, the fullest one.

        None if only elements around the rows have anything in them.
        """
        inner = [
            path
            for path in self.seen
            if len(path) > 1 and path[-1] not in _AROUND and self.has_content(path)
        ]
        repeated = [p for p in inner if self.seen[p].count > 1 and self.seen[p].children > 1]
        return max(
            repeated or inner,
            key=lambda path: (self._within(path, repeated), -len(path)),
            default=None,
        )

    def _within(self, path: Path, repeated: list[Path]) -> int:
        if not repeated:
            return self.seen[path].children
        return sum(1 for each in self.seen if each[: len(path)] == path) + self.seen[path].children


class _TooManyPaths(Exception):  # noqa: N818 - it is what the file has
    """The file has more paths than any feed has."""

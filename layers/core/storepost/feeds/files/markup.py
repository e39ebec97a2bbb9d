"""Rows of XML: items of RSS, entries of Atom, offers, products, or any repeated element.

Expat from the standard library reads it. It fetches nothing, and a file that declares entities is
refused, so that there is nothing to expand. Attributes count only where an element has them: a
declaration could give a long one to each of a million elements.
"""

import re
from collections.abc import Iterator
from itertools import chain
from xml.parsers import expat

from storepost.feeds.files.bounds import MAX_NAME_LENGTH
from storepost.feeds.files.failures import FeedFailure, FeedUnusable
from storepost.feeds.files.objects import variant_rows
from storepost.feeds.files.outline import HEAD_LENGTH, local_name, rows_in
from storepost.feeds.files.source import FeedText
from storepost.values.json_reading import MAX_DEPTH

_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\r"))
_NO_CHARACTERS = ("\ufffe", "\uffff")
_MERCHANT = "http://base.google.com/ns/1.0"
_IMAGE_ELEMENTS = re.compile(
    r"image|img|picture|photo|foto|bild|zdj[eę]c|obr[aá]z|gallery|immagin|im[aá]gen|afbeelding"
)
"""Elements of which each repetition counts; of others only the first does."""
_PARAMETERS = frozenset({"param", "parameter", "attribute"})
_ATTRIBUTES = "attrs"
"""Ceneo's element, in which each child is a parameter."""
_NAMES = frozenset({"param_name", "name"})
_VALUES = frozenset({"val", "value"})
_VALUE_ATTRIBUTES = ("url", "src", "href", "value")
"""Attributes that hold the value of an element without text."""
_VENDOR_MODEL = "vendor.model"
"""The type of Yandex's offers whose name is split into parts."""
_NAME_PARTS = ("typePrefix", "vendor", "model")
_VARIANTS = frozenset({"variant", "variation"})
_VARIANT_IDS = frozenset({"variationid", "variation_id", "variantid", "variant_id", "id"})
_VARIANT_ID = "variants.id"
_MAX_CATEGORIES = 50_000
_CATEGORY_LENGTH = 255


def xml_rows(text: FeedText) -> Iterator[dict[str, str]]:
    """Yields the rows. Raises FeedUnusable."""
    head = list[str]()
    pieces = map(_allowed, iter(text.read, ""))
    while sum(map(len, head)) < HEAD_LENGTH and (piece := next(pieces, "")):
        head.append(piece)
    reader = _Reader("".join(head))
    try:
        for piece in chain(head, pieces):
            # Text, not bytes: whatever the file declares, it is decoded already.
            reader.parser.Parse(piece, False)  # noqa: FBT003 - expat takes no name for it
            if reader.has_moved_on():
                text.row_ended()
            if reader.rows:
                yield from reader.rows
                reader.rows.clear()
        reader.parser.Parse(b"", True)  # noqa: FBT003
    except expat.ExpatError as error:
        where = f"line {error.lineno}, column {error.offset + 1}"
        detail = f"The XML isn't well-formed at {where}: {expat.ErrorString(error.code)}."
        raise FeedUnusable(FeedFailure.UNREADABLE, detail) from error


def _allowed(text: str) -> str:
    """Returns the text without the characters that XML doesn't allow, such as control characters.

    Texts that were pasted into a shop have them. They are looked for in UTF-8, since a regular
    expression would take longer than the parser.
    """
    whole = text.encode()
    kept = whole.translate(None, _CONTROLS)
    if len(kept) < len(whole):
        text = kept.decode()
    for each in _NO_CHARACTERS:
        text = text.replace(each, "")
    return text


class _Reader:
    """Puts together rows from what expat reports.

    A column is named after its element. If two names differ in the prefix alone, such as `title`
    and `g:title`, the merchant's wins. An element inside another one is a column of its own,
    `outer.inner`; of repeated ones the first counts, but all images do, joined by commas. A row's
    attributes are columns, too, unless an element has that name. Variants inside a row are rows of
    their own, whose cells override the product's; their id is in the column `variants.id`.
    """

    def __init__(self, head: str) -> None:
        self.rows: list[dict[str, str]] = []
        self._is_row = rows_in(head)
        self._row: dict[str, list[str]] | None = None
        self._of_row: dict[str, str] = {}
        self._variant: _Variant | None = None
        self._variants: list[dict[str, str]] = []
        self._around: list[str] = []
        self._path: list[str] = []
        self._path_length = 0
        self._text: list[str] = []
        self._attributes: dict[str, str] = {}
        self._merchants: set[str] = set()
        self._prefixes = {"g"}
        self._parameter = ""
        self._categories = _Categories()
        self._known = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.specified_attributes = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text.append
        self.parser.EntityDeclHandler = _refuse
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def has_moved_on(self) -> bool:
        """Returns whether a row or a category has ended since the last call."""
        known, self._known = self._known, len(self._categories)
        return bool(self.rows) or known < self._known

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._row is not None:
            self._enter(self._row, name, attributes)
        else:
            self._enter_outer(name, attributes)
        if len(self._around) + len(self._path) > MAX_DEPTH or self._path_length > MAX_NAME_LENGTH:
            _refuse()
        self._text.clear()

    def _enter(self, row: dict[str, list[str]], name: str, attributes: dict[str, str]) -> None:
        if "name" in attributes:
            name = self._named(name, attributes["name"])
        self._path.append(name)
        self._path_length += len(name) + 1
        self._attributes = attributes
        if self._variant is None and local_name(name) in _VARIANTS:
            self._variant = _Variant(len(self._path))
        if name == "link" and "href" in attributes:
            if attributes.get("rel", "alternate") == "alternate":
                row.setdefault("link", [attributes["href"]])
            self._attributes = {}

    def _named(self, name: str, parameter: str) -> str:
        """Returns the column name of an element that has a `name` attribute."""
        if local_name(name) in _PARAMETERS:
            return f"{name}.{parameter}"
        is_parameter = bool(self._path) and local_name(self._path[-1]) == _ATTRIBUTES
        return parameter if is_parameter else name

    def _enter_outer(self, name: str, attributes: dict[str, str]) -> None:
        if not self._around:
            self._begin(name, attributes)
        self._around.append(local_name(name))
        if self._is_row(tuple(self._around)):
            self._row = {}
            self._of_row = attributes
            self._merchants.clear()
            if ":" in name:
                self._prefixes.add(name.partition(":")[0])
        self._attributes = attributes

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name.lower() == "html":
            raise FeedUnusable(FeedFailure.UNREADABLE)
        for key, value in attributes.items():
            if key.startswith("xmlns:") and value == _MERCHANT:
                self._prefixes.add(key.removeprefix("xmlns:"))

    def _end(self, name: str) -> None:
        row = self._row
        if row is None:
            self._leave(name)
        elif not self._path:
            self._around.pop()
            self._end_row(row)
            self._row = None
        else:
            self._end_inner(row)
            self._path_length -= len(self._path.pop()) + 1
        self._text.clear()
        self._attributes = {}

    def _end_row(self, row: dict[str, list[str]]) -> None:
        cells = self._whole(row)
        if self._variants:
            self.rows += variant_rows(cells, self._variants)
            self._variants = []
        else:
            self.rows.append(cells)

    def _end_inner(self, row: dict[str, list[str]]) -> None:
        variant, path = self._variant, self._path
        if variant and len(path) > variant.depth:
            row, path = variant.row, path[variant.depth :]
        elif variant:
            self._variant = None
            if variant.row:
                self._variants.append(variant.cells())
                return
        if value := self._value():
            self._put(row, path, value)

    def _leave(self, name: str) -> None:
        self._around.pop()
        if local_name(name) == "category" and "id" in self._attributes:
            self._categories.add(self._attributes, "".join(self._text).strip())

    def _whole(self, row: dict[str, list[str]]) -> dict[str, str]:
        cells = {name: ",".join(values) for name, values in row.items()}
        for name, value in self._of_row.items():
            if not name.startswith("xmlns"):
                cells.setdefault(name, value)
        if category := self._categories.named(cells.get("categoryId", "")):
            cells.setdefault("category", category)
        if cells.get("type") == _VENDOR_MODEL and "model" in cells:
            names = (cells.get(name, "") for name in _NAME_PARTS)
            cells.setdefault("name", " ".join(filter(None, names)))
        return cells

    def _value(self) -> str:
        """Returns an element's value: its text, else an attribute; a price with its currency."""
        value = "".join(self._text).strip()
        attributes = self._attributes
        if value and "currency" in attributes and value[-1:].isdigit():
            return f"{value} {attributes['currency']}"
        if not value and attributes:
            return next(
                (attributes[each].strip() for each in _VALUE_ATTRIBUTES if each in attributes), ""
            )
        return value

    def _put(self, row: dict[str, list[str]], path: list[str], value: str) -> None:
        if len(path) > 1 and local_name(path[-2]) in _PARAMETERS:
            self._put_parameter(row, path, value)
            return
        whole = ".".join(path)
        prefix, colon, rest = whole.partition(":")
        is_merchants = bool(colon) and prefix in self._prefixes
        name = rest.replace(f".{prefix}:", ".") if is_merchants else whole
        if is_merchants and name not in self._merchants:
            self._merchants.add(name)
            row[name] = [value]
        elif (is_merchants or name not in self._merchants) and (
            name not in row or _IMAGE_ELEMENTS.search(name.lower())
        ):
            row.setdefault(name, []).append(value)

    def _put_parameter(self, row: dict[str, list[str]], path: list[str], value: str) -> None:
        """Puts a parameter into a column of its own, named after the parameter."""
        kind = local_name(path[-1])
        if kind in _NAMES:
            self._parameter = value[:MAX_NAME_LENGTH]
        elif kind in _VALUES and self._parameter:
            row.setdefault(f"{'.'.join(path[:-1])}.{self._parameter}", [value])


class _Variant:
    """A variant inside a row, while it is being read."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        """How deep it is in the row: the row's elements around it, itself included."""
        self.row: dict[str, list[str]] = {}

    def cells(self) -> dict[str, str]:
        """Returns its cells; its id is in the same column for all makers."""
        cells = {name: ",".join(values) for name, values in self.row.items()}
        found = next((name for name in cells if local_name(name) in _VARIANT_IDS), None)
        return {_VARIANT_ID: cells.pop(found), **cells} if found else cells


class _Categories:
    """The categories that a file lists before its rows, which refer to them by id."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def add(self, attributes: dict[str, str], name: str) -> None:
        """Adds a category, up to a bound."""
        parent = attributes.get("parentId", "")
        is_short = len(attributes["id"]) + len(parent) <= _CATEGORY_LENGTH
        if is_short and len(self._known) < _MAX_CATEGORIES:
            self._known[attributes["id"]] = (parent, name[:_CATEGORY_LENGTH])

    def named(self, identifier: str) -> str:
        """Returns the category's name after the names of its parents, as `Clothes > Shirts`."""
        names = list[str]()
        while identifier in self._known and len(names) < 10:
            identifier, name = self._known[identifier]
            names.insert(0, name)
        return " > ".join(names)


def _refuse(*_declaration: object) -> None:
    raise FeedUnusable(FeedFailure.UNREADABLE)

"""XML and JSON of makers' samples, written in other ways."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any
from xml.dom import minidom

from storepost.feeds.files.outline import local_name

type Names = Mapping[str, str]
"""New names of columns."""
_ROWS = frozenset({"item", "offer", "product", "shopitem", "listing", "o", "variation"})
_PARAMETERS = frozenset({"param", "a"})

FORMS: Mapping[str, Callable[[str], bytes]] = {
    "elements in another order": lambda text: _reordered(text, random.Random(5)).encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "a byte order mark": lambda text: text.encode("utf-8-sig"),
    "one line": lambda text: text.replace("\n", " ").encode(),
    "ends of lines of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "comments": lambda text: text.replace("\n", "\n<!-- <item> & -->", 3).encode(),
    "blank lines first": lambda text: text.partition("?>")[2].encode() or text.encode(),
}


def _reordered(text: str, chance: random.Random) -> str:
    document = minidom.parseString(text.encode())
    shuffle(document, chance)
    return document.toxml()


def rows_of(document: minidom.Document) -> Iterator[minidom.Element]:
    """The rows, and the variants inside them."""
    for element in document.getElementsByTagName("*"):
        if local_name(element.tagName) in _ROWS:
            yield element


def shuffle(document: minidom.Document, chance: random.Random) -> None:
    """Puts elements of rows, and attributes, into another order; those of one name keep theirs."""
    for row in rows_of(document):
        attributes = list(row.attributes.items())
        chance.shuffle(attributes)
        for name, value in attributes:
            row.removeAttribute(name)
            row.setAttribute(name, value)
        children = [each for each in row.childNodes if isinstance(each, minidom.Element)]
        names = list(dict.fromkeys(each.tagName for each in children))
        chance.shuffle(names)
        for child in sorted(children, key=lambda each: names.index(each.tagName)):
            row.appendChild(child)


def rename(document: minidom.Document, names: Names) -> None:
    """Renames elements of rows, their attributes, and the names of their parameters."""
    for row in rows_of(document):
        for name, value in list(row.attributes.items()):
            if name in names:
                row.removeAttribute(name)
                row.setAttribute(_element_name(names[name]), value)
        for child in row.getElementsByTagName("*"):
            _rename_parameter(child, names)
            prefix, colon, name = child.tagName.rpartition(":")
            if child.parentNode is row and name in names:
                child.tagName = f"{prefix}{colon}{_element_name(names[name])}"


def _rename_parameter(element: minidom.Element, names: Names) -> None:
    """Ceneo and Yandex name parameters in an attribute, Heureka and Zboží in an element."""
    around = element.parentNode
    outer = around.tagName if isinstance(around, minidom.Element) else ""
    if local_name(element.tagName) in _PARAMETERS and element.hasAttribute("name"):
        kind = outer if element.tagName == "a" else element.tagName
        column = f"{kind}.{element.getAttribute('name')}"
        element.setAttribute("name", names.get(column, element.getAttribute("name")))
    elif element.tagName == "PARAM_NAME":
        text = element.firstChild
        assert isinstance(text, minidom.Text)
        text.data = names.get(f"PARAM.{text.data}", text.data)


def _element_name(name: str) -> str:
    return name.replace(" ", "_")


def add_words(document: minidom.Document, titles: Set[str], words: str) -> None:
    """Writes words after the titles, which are in elements of those names."""
    for row in rows_of(document):
        for child in row.childNodes:
            if isinstance(child, minidom.Element) and _is_title(child, titles):
                text = child.firstChild
                assert isinstance(text, minidom.Text)
                text.data += words


def _is_title(element: minidom.Element, titles: Set[str]) -> bool:
    return element.tagName.rpartition(":")[2] in titles and element.firstChild is not None


def objects_of(content: bytes) -> list[dict[str, Any]]:
    """A sample's objects."""
    found = json.loads(content)
    return list(found["products"] if isinstance(found, dict) else found)


JSON_FORMS = 3


def written(rows: list[dict[str, Any]], form: int, chance: random.Random) -> str:
    """The objects as JSON again, in one of the forms, their members in another order."""
    rows = [dict(chance.sample(list(row.items()), len(row))) for row in rows]
    if form == 0:
        return "\n".join(json.dumps(row) for row in rows)
    if form == 1:
        return json.dumps({"a": 1, "products": rows}, ensure_ascii=False)
    return json.dumps(rows, indent=2, ensure_ascii=False)

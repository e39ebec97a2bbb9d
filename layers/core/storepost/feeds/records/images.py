"""Cells with several images: lists with any separator, JSON arrays, objects."""

import re
from collections.abc import Iterable, Iterator

from storepost.feeds.records.values import address
from storepost.values.json_reading import read_json

MAX_IMAGES = 100
"""Images of one row, the first ones."""
_BETWEEN = re.compile(r"(?<![\s,;|])[\s,;|]++(?=(?:https?:)?//)", re.IGNORECASE)
_SIMPLE = re.compile(r"[|\n]+|;(?=\s|$)")
"""Separators whatever follows them; a semicolon within an address is part of it, as in `&amp;`."""
_ADDRESSES = ("src", "url", "href", "link", "image")


def image_addresses(text: str) -> list[str]:
    """Returns the web addresses in a cell, each once, in their order."""
    if not text:
        return []
    found = (url for each in _parts(text.strip()) if (url := address(_with_scheme(each))))
    return list(dict.fromkeys(found))[:MAX_IMAGES]


def joined(images: Iterable[str]) -> str:
    """Returns the addresses as one text, joined by commas; commas in an address are escaped."""
    return ",".join(each.replace(",", "%2C") for each in images)


def _with_scheme(text: str) -> str:
    """Returns the address with a scheme, which addresses of a shop's own pages often leave out."""
    url = text.strip(" \t\r\n,;|\"'")
    return f"https:{url}" if url.startswith("//") else url


def _parts(text: str) -> Iterable[str]:
    if text.startswith(("[", "{")):
        try:
            return _of_json(read_json(text))
        except ValueError:
            pass
    return [each for some in _SIMPLE.split(text) for each in _BETWEEN.split(some)]


def _of_json(found: object) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, list):
        for each in found[:MAX_IMAGES]:
            yield from _of_json(each)
    elif isinstance(found, dict):
        named = (found[name] for name in _ADDRESSES if isinstance(found.get(name), str))
        yield from (str(each) for each in list(named)[:1])

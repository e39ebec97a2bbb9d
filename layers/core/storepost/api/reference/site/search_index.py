"""The data of the site's search: each section of each page, and each problem's code."""

import re
from collections.abc import Iterator

from storepost.api.reference.documents import catalogue
from storepost.api.reference.markdown import anchor_of
from storepost.api.reference.site.library import Library
from storepost.values.wire import Json

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
_MARKS = re.compile(r"[|#]|\]\([^)]*\)|\[")
_QUIET_MARKS = re.compile("[`*]")
"""Marks that belong to a word, such as the question mark after it."""
_SEARCHED = (
    "guides/",
    "reference/",
    "semantics",
    "interface",
    "glossary",
    "shapes",
    "write-backs",
    "webhook-events",
)


def search_index(library: Library) -> list[Json]:
    """Returns each section's entry: `title`, `page`, `address` below the site's, and `text`."""
    pages = [page for page in library.everything() if page.path.startswith(_SEARCHED)]
    sections = [
        entry for page in pages for entry in _sections(page.path, library.markdown(page.path))
    ]
    return [*sections, *_problems()]


def _sections(path: str, text: str) -> Iterator[Json]:
    _, *parts = _HEADING.split(_FENCE.sub("", text))
    page = _plain(parts[0])
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        yield {
            "title": _plain(heading),
            "page": page,
            "address": f"{path}#{anchor_of(heading)}",
            "text": _plain(body),
        }


def _problems() -> Iterator[Json]:
    for kind in catalogue():
        for code in kind["codes"]:
            yield {
                "title": f"{code['code']}: {code['title']}",
                "page": "Problems",
                "address": f"../problems/{kind['kind']}/{code['code']}",
                "text": _plain(f"{code['meaning']} {code['remedy']}"),
            }


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", _QUIET_MARKS.sub("", text)).split())

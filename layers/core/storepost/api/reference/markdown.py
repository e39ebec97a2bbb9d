"""Converts Markdown to HTML, by markdown-it: descriptions, guides and the reference's pages.

HTML in a text is shown as it is written. The anchor of a heading whose text ends in code is that
code; others have GitHub's anchors.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

_FORBIDDEN = re.compile(r"[^\w\- ]")
_CODE = re.compile(r"`([^`]+)`$")
_MARKS = re.compile(r"[`*]")
_OUTSIDE = re.compile(r"[a-z]+:|//|#")
_SUFFIX = ".md"


@dataclass(frozen=True)
class Place:
    """The page of a text, by which its links are resolved."""

    path: str = ""
    """The page's path below `root`, without a suffix, such as `guides/errors`."""
    root: str = ""
    """The address that the paths of all pages are below, ending in a slash."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Addresses below `root` by the names that lead there, where a text has them as code."""
    served: frozenset[str] | None = None
    """The paths of all pages; a link to any other file stays plain text. None allows all."""

    def address(self, link: str) -> str | None:
        """Returns the address of a link; None if nothing is served there."""
        if _OUTSIDE.match(link):
            return link
        path, mark, anchor = link.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), path))
        page = found.removesuffix(_SUFFIX)
        if self.served is not None and path.endswith(_SUFFIX) and page not in self.served:
            return None
        if found.startswith("../") and self.served is not None:
            return None
        return f"{self.root}{'' if page == 'index' else page}{mark}{anchor}".removesuffix("/")


def to_html(text: str, place: Place | None = None) -> str:
    """Returns the text as HTML."""
    return str(_parser().render(text, {"place": place or Place(), "ids": set()}))


def line_to_html(text: str) -> str:
    """Returns a line's marks as HTML, without a paragraph."""
    return str(_parser().renderInline(text, {"place": Place(), "ids": set()}))


def anchor_of(heading: str) -> str:
    """Returns the anchor of a heading: the code at its end, or GitHub's spelling."""
    code = _CODE.search(heading)
    if code:
        return code[1]
    return _FORBIDDEN.sub("", _MARKS.sub("", heading).lower()).replace(" ", "-")


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only pages need it

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.core.ruler.push("pages", _adapt)
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    parser.add_render_rule("fence", _fence)
    return parser


def _fence(_renderer: "RendererHTML", tokens: "Sequence[Token]", index: int, *_: object) -> str:
    token = tokens[index]
    language = escape(token.info.strip() or "text")
    code = f'<code class="language-{language}">{escape(token.content)}</code>'
    return f'<pre tabindex="0">{code}</pre>\n'


def _adapt(state: Any) -> None:  # noqa: ANN401 - markdown-it's own state
    """Gives headings their ids, links their addresses, and known code a link."""
    place, ids = state.env["place"], state.env["ids"]
    heading = None
    for token in state.tokens:
        if token.type == "heading_open":
            heading = token
        elif token.type == "heading_close":
            heading = None
        elif token.type == "inline":
            if heading is not None:
                heading.attrSet("id", _unique(anchor_of(token.content), ids))
            token.children = _linked(token.children or [], place, plain=heading is not None)


def _unique(anchor: str, taken: set[str]) -> str:
    """Returns the anchor, with a number if a heading above has it already, as GitHub counts."""
    numbered = (f"{anchor}-{number}" if number else anchor for number in range(len(taken) + 1))
    found = next(each for each in numbered if each not in taken)
    taken.add(found)
    return found


def _linked(tokens: "list[Token]", place: Place, *, plain: bool) -> "list[Token]":
    """Returns the inline tokens with their links; `plain` says that code gets none."""
    found: list[Token] = []
    dropped = inside = False
    for token in tokens:
        if token.type == "link_open":
            address = place.address(str(token.attrGet("href")))
            dropped, inside = address is None, True
            token.attrSet("href", address or "")
        if not (dropped and token.type in {"link_open", "link_close"}):
            found += [token] if plain or inside else _code_link(token, place)
        if token.type == "link_close":
            dropped = inside = False
    return found


def _code_link(token: "Token", place: Place) -> "list[Token]":
    address = place.names.get(token.content) if token.type == "code_inline" else None
    if address is None:
        return [token]
    href = urljoin(place.root, address)
    opening = token.copy(type="link_open", tag="a", nesting=1, content="", attrs={"href": href})
    closing = token.copy(type="link_close", tag="a", nesting=-1, content="")
    return [opening, token, closing]

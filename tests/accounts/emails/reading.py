"""An email as its reader sees it: words, links, and whether the markup closes its elements."""

import re
from html.parser import HTMLParser

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
_UNSEEN = frozenset({"head", "style", "title"})
# Elements that separate their text from the text before it on the screen.
_BREAKS = frozenset({"br", "div", "li", "p", "table", "td", "tr", "ul"})


class Page(HTMLParser):
    """Reads HTML strictly: a tag that is closed in the wrong order or left open is a mistake."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.mistakes: list[str] = []
        self.seen = ""
        self.preheader = ""
        self.title = ""
        self.link_texts: list[str] = []
        self._hidden_from: int | None = None
        self.feed(html)
        self.close()
        self.mistakes += [f"<{tag}> is left open" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag in _BREAKS:
            self._show("\n")
        if tag in _VOID:
            return
        self.open.append(tag)
        if "display:none" in (dict(attrs).get("style") or "") and self._hidden_from is None:
            self._hidden_from = len(self.open)
        if tag == "a":
            self.link_texts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.mistakes.append(f"</{tag}> closes {self.open[-1:]}")
            return
        if self._hidden_from == len(self.open):
            self._hidden_from = None
        self.open.pop()
        if tag in _BREAKS:
            self._show("\n")

    def handle_data(self, data: str) -> None:
        if "title" in self.open:
            self.title += data
        if "a" in self.open:
            self.link_texts[-1] += data
        if self._hidden_from is not None:
            self.preheader += data
        self._show(data)

    def _show(self, text: str) -> None:
        if self._hidden_from is None and not _UNSEEN & set(self.open):
            self.seen += text

    @property
    def hrefs(self) -> list[str]:
        return [value for tag, name, value in self.attributes if (tag, name) == ("a", "href")]


def words(text: str) -> str:
    """The words alone, so that bullets, colons and line breaks make no difference."""
    return " ".join(re.findall(r"[\w*@.\u2019'/#?=&:-]*\w", text))

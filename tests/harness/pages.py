"""A page of HTML as a program reads it."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """A page's tags with their attributes, and its text."""

    between_tags = " "
    """What separates the texts of two tags."""

    def __init__(self, html: str) -> None:
        """Reads the whole page."""
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Notes a text between two tags."""
        self._texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of each such tag."""
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        """The ids, in the page's order."""
        return [str(a["id"]) for _, a in self.tags if "id" in a]

    @property
    def links(self) -> list[str]:
        """The addresses of its links."""
        return [str(a["href"]) for a in self.all("a")]

    @property
    def text(self) -> str:
        """All its words."""
        return " ".join(self.between_tags.join(self._texts).split())

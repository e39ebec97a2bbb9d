"""The site's pages as a browser without scripts has them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from local import gateway
from local.gateway import Answer

BASE_URL = "https://api.example.com/v1"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass
class Page(HTMLParser):
    """What a page's tags say."""

    html: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Reads the whole page."""
        super().__init__()
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [str(a["id"]) for _, a in self.tags if "id" in a]

    @property
    def links(self) -> list[str]:
        return [str(a["href"]) for a in self.all("a")]


def get(path: str, **headers: str) -> Answer:
    """The answer to a GET of a path of the whole address, such as `/v1/docs`."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return gateway.handle(gateway.http_event("GET", path, headers=sent))


def page(path: str) -> Page:
    """The page below the documentation's address."""
    answer = get(f"/v1/docs/{path}".rstrip("/"))
    assert answer.status == 200, path
    assert header(answer, "content-type") == "text/html; charset=utf-8"
    return Page(answer.body.decode())


def header(answer: Answer, name: str) -> str | None:
    """The answer's header of that name."""
    found = {key.lower(): value for key, value in answer.headers.items()}
    return found.get(name)

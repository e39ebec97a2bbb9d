"""The site's pages as a browser without scripts has them."""

from local import gateway
from local.gateway import Answer
from tests.harness.pages import Page

BASE_URL = "https://api.example.com/v1"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


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

"""The service's own pages: self-contained, and allowed nothing but what each of them holds.

The pages behind links read what they need from the address's fragment, which no server
sees, and call the API as any other client does.
"""

import json
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from storepost.api.reference.documents import interface
from storepost.api.reference.markup import line, to_html
from storepost.api.reference.page_texts import page_texts
from storepost.api.reference.schemas import ProblemKind
from storepost.values.languages import Language
from storepost.values.problems import NotFound, Problem
from storepost.values.wire import Json

if TYPE_CHECKING:
    from jinja2 import Environment

_DEAD_LINKS = {404: "unknown", 410: "over"}
"""The texts of a problem's page by its status; every other one says that it didn't work."""
LINK_PAGES = ("connect-link", "invitation", "password-reset", "sign-in", "verify-address")
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class WebPage:
    """A page and what a browser is told beside it."""

    html: str
    headers: dict[str, str] = field(repr=False)


def reference_page(base_url: str) -> WebPage:
    """The API reference."""
    document = interface()
    groups = [
        {
            "tag": tag,
            "title": tag["name"].replace("_", " ").capitalize().replace("Api", "API"),
            "operations": _operations(document, tag["name"]),
        }
        for tag in document["tags"]
    ]
    return _page("reference.html", document=document, groups=groups, base_url=base_url)


def problems_page(base_url: str, kinds: list[ProblemKind]) -> WebPage:
    """All kinds of problems."""
    return _page("problems.html", kinds=kinds, base_url=base_url)


def problem_page(base_url: str, kind: ProblemKind) -> WebPage:
    """One kind and its codes."""
    return _page("problem.html", kind=kind, base_url=base_url)


@cache
def link_page(name: str) -> WebPage:
    """The page behind a link, such as an email's; raises NotFound."""
    if name not in LINK_PAGES:
        raise NotFound()
    script = "\n".join(
        (_HERE / "scripts" / file).read_text("utf-8")
        for file in ("requests.js", "account.js", f"{name}.js")
    )
    return _page(f"{name}.html", script=script)


def unsubscribe_page(language: Language, sender: str, address: str) -> WebPage:
    """Whether an address is to get no more marketing emails; its form leads back to the page."""
    return _shoppers_page("unsubscribe.html", "ask", language, sender=sender, address=address)


def unsubscribed_page(language: Language, sender: str, address: str) -> WebPage:
    """That an address gets no more marketing emails."""
    return _shoppers_page("unsubscribed.html", "done", language, sender=sender, address=address)


def dead_link_page(problem: Problem, language: Language | None) -> WebPage:
    """What is wrong with a link, to whoever followed it: in English where no language is known."""
    name = _DEAD_LINKS.get(problem.status, "failed")
    return _shoppers_page("dead-link.html", name, language or Language.ENGLISH)


def _shoppers_page(template: str, name: str, language: Language, **values: str) -> WebPage:
    texts = page_texts(language)[name]
    return _page(template, language=language, personal=True, texts=texts, **values)


def _operations(document: Json, tag: str) -> list[Json]:
    return [
        {**operation, "method": method.upper(), "path": path}
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag in operation["tags"]
    ]


def _page(
    template: str,
    script: str = "",
    *,
    language: Language = Language.ENGLISH,
    personal: bool = False,
    **values: object,
) -> WebPage:
    """`personal` says that it is one person's, and may have a form."""
    from markupsafe import Markup  # noqa: PLC0415 - as Jinja

    style = (_HERE / "templates" / "style.css").read_text("utf-8")
    html = (
        _templates()
        .get_template(template)
        .render(
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own files
            language=language,
            **values,
        )
    )
    headers = _headers(style, script, personal=personal)
    return WebPage(html, {**headers, "Content-Language": language})


def _headers(style: str, script: str, *, personal: bool) -> dict[str, str]:
    """Nothing from elsewhere, no other page around it, and no address told to anybody."""
    policy = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script) if script else "'none'",
        "connect-src": "'self'" if script else "'none'",
        "base-uri": "'none'",
        "form-action": "'self'" if personal else "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cache-Control": "no-store" if personal else "no-cache",
    }


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - 20 ms
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["json"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    environment.filters["markup"] = lambda text: Markup(to_html(text))  # noqa: S704 - it escapes
    environment.filters["line"] = lambda text: Markup(line(text))  # noqa: S704 - it escapes
    return environment

"""The service's own pages: self-contained, and allowed only what each of them contains.

The pages behind links read what they need from the address's fragment, which no server sees, and
call the API as any other client does.
"""

import json
from functools import cache
from pathlib import Path

from storepost.api.reference.schemas import ProblemCodePage, ProblemKind
from storepost.api.reference.web_page import DOCUMENTATION, WebPage, render, scripts
from storepost.values.languages import Language
from storepost.values.problems import MalformedRequest, NotFound, Problem

_DEAD_LINKS = {404: "unknown", 410: "over"}
"""The texts of a problem's page by its status; any other status says that it didn't work."""
_DEAD_OPT_IN_LINKS = {410: "opt_in_over"}
"""The same for an opt-in link."""
type PageTexts = dict[str, dict[str, str]]
"""The texts of a page by the page's name, each by its own: `{"ask": {"title": ...}}`."""
_TEXTS = Path(__file__).parent / "texts"
LINK_PAGES = ("connect-link", "invitation", "password-reset", "sign-in", "verify-address")


def problems_page(base_url: str, kinds: list[ProblemKind]) -> WebPage:
    """Returns all kinds of problems."""
    return render(
        "problems.html", styles=DOCUMENTATION, values={"kinds": kinds, "base_url": base_url}
    )


def problem_page(base_url: str, kind: ProblemKind) -> WebPage:
    """Returns one kind and its codes."""
    values = {"kind": kind, "base_url": base_url}
    return render("problem.html", styles=DOCUMENTATION, values=values)


def problem_code_page(base_url: str, code: ProblemCodePage) -> WebPage:
    """Returns one code of a kind."""
    return render(
        "problem-code.html", styles=DOCUMENTATION, values={"code": code, "base_url": base_url}
    )


@cache
def link_page(name: str) -> WebPage:
    """Returns the page behind a link, such as an email's; raises NotFound."""
    if name not in LINK_PAGES:
        raise NotFound()
    return render(f"{name}.html", scripts("requests.js", "account.js", f"{name}.js"), values={})


def not_connected_page(problem: Problem, _language: Language | None) -> WebPage:
    """Returns a page for whoever approved the app in a shop, where that led nowhere."""
    values = {"is_over": problem.status == MalformedRequest.status}
    return render("not-connected.html", personal=True, values=values)


def unsubscribe_page(language: Language, sender: str, address: str) -> WebPage:
    """Returns a page that asks whether marketing emails are to stop; its form leads back to it."""
    return _shoppers_page("unsubscribe.html", "ask", language, sender=sender, address=address)


def unsubscribed_page(language: Language, sender: str, address: str) -> WebPage:
    """Returns a page that says that an address gets no more marketing emails."""
    return _shoppers_page("unsubscribed.html", "done", language, sender=sender, address=address)


def dead_link_page(problem: Problem, language: Language | None) -> WebPage:
    """Returns a page that says why a link doesn't work; in English if no language is known."""
    name = _DEAD_LINKS.get(problem.status, "failed")
    return _shoppers_page("dead-link.html", name, language or Language.ENGLISH)


def opt_in_page(language: Language, sender: str, address: str) -> WebPage:
    """Returns a page that asks whether marketing emails are wanted; its form leads back to it."""
    return _shoppers_page("opt-in.html", "opt_in_ask", language, sender=sender, address=address)


def opted_in_page(language: Language, sender: str, address: str) -> WebPage:
    """Returns a page that says that an address gets marketing emails."""
    return _shoppers_page("opted-in.html", "opt_in_done", language, sender=sender, address=address)


def dead_opt_in_link_page(problem: Problem, language: Language | None) -> WebPage:
    """Returns the same as `dead_link_page`, for an opt-in link."""
    name = _DEAD_OPT_IN_LINKS.get(problem.status, "opt_in_failed")
    return _shoppers_page("dead-link.html", name, language or Language.ENGLISH)


def _shoppers_page(template: str, name: str, language: Language, **values: str) -> WebPage:
    texts = page_texts(language)[name]
    page = {"texts": texts, **values}
    return render(template, language=language, personal=True, values=page)


@cache
def page_texts(language: Language) -> PageTexts:
    """Returns the texts of the pages for shoppers in a language; they are read once a container.

    `{address}` and `{sender}` are the address and the workspace's name. The texts address people
    formally, or nobody, and don't reveal a person's gender. The Portuguese ones are for Portugal
    and Brazil.
    """
    texts: PageTexts = json.loads((_TEXTS / f"{language}.json").read_text("utf-8"))
    return texts

"""What the pages for shoppers say: all of it in each language, with the same places to fill."""

import string
from collections.abc import Iterator

import pytest

from storepost.api.reference.pages import (
    dead_link_page,
    dead_opt_in_link_page,
    opt_in_page,
    opted_in_page,
    page_texts,
    unsubscribe_page,
    unsubscribed_page,
)
from storepost.values.languages import Language
from storepost.values.problems import Busy, Gone, NotFound, Problem, kinds
from tests.harness.world import CANARY

ENGLISH = page_texts(Language.ENGLISH)
OTHERS = sorted(set(Language) - {Language.ENGLISH})


def texts(language: Language) -> Iterator[tuple[str, str]]:
    """Each text of a language, under the name of its page and its own."""
    for page, named in page_texts(language).items():
        for name, text in named.items():
            yield f"{page}.{name}", text


def placeholders(text: str) -> list[str]:
    """The placeholders, with anything else that the formatting would take for one."""
    return sorted(
        f"{field}{spec}{conversion}"
        for _, field, spec, conversion in string.Formatter().parse(text)
        if field is not None
    )


class TestLanguages:
    """Each language beside English."""

    def test_eight_languages_exist(self) -> None:
        assert {str(each) for each in Language} == {"de", "en", "es", "fr", "it", "nl", "pl", "pt"}

    @pytest.mark.parametrize("language", OTHERS)
    def test_has_every_english_text(self, language: Language) -> None:
        assert [name for name, _ in texts(language)] == [name for name, _ in texts(Language("en"))]

    @pytest.mark.parametrize("language", OTHERS)
    def test_has_same_placeholders(self, language: Language) -> None:
        theirs = {name: placeholders(text) for name, text in texts(language)}
        assert theirs == {name: placeholders(text) for name, text in texts(Language.ENGLISH)}

    @pytest.mark.parametrize("language", OTHERS)
    def test_no_text_equals_english(self, language: Language) -> None:
        english = dict(texts(Language.ENGLISH))
        assert [name for name, text in texts(language) if text == english[name]] == []

    @pytest.mark.parametrize("language", Language)
    def test_is_plain_text(self, language: Language) -> None:
        for name, text in texts(language):
            assert text == text.strip(), name
            assert text.isprintable() or "\xa0" in text, name
            assert not set("<>&[]`*") & set(text), name
            assert ("…" in text, "  " in text) == (False, False), name


class TestPages:
    """Each page in each language."""

    @pytest.mark.parametrize("language", Language)
    def test_every_text_is_shown(self, language: Language) -> None:
        address, sender = f"{CANARY}@example.com", f"{CANARY} shop"
        html = {
            "ask": unsubscribe_page(language, sender, address).html,
            "done": unsubscribed_page(language, sender, address).html,
            "unknown": dead_link_page(NotFound(), language).html,
            "over": dead_link_page(Gone(), language).html,
            "failed": dead_link_page(Problem.__new__(kinds()[-1]), language).html,
            "opt_in_ask": opt_in_page(language, sender, address).html,
            "opt_in_done": opted_in_page(language, sender, address).html,
            "opt_in_over": dead_opt_in_link_page(Gone(), language).html,
            "opt_in_failed": dead_opt_in_link_page(Busy(), language).html,
        }
        assert html.keys() == ENGLISH.keys()
        for name, text in texts(language):
            for part in text.replace("{sender}", "{address}").split("{address}"):
                assert part.replace("'", "&#39;") in html[name.partition(".")[0]], name
        for page in ("ask", "done", "opt_in_ask", "opt_in_done"):
            assert address in html[page]
            assert html[page].count(sender) >= 3  # the title, the head and the sentence
            assert "{" not in html[page].partition("</style>")[2]

    @pytest.mark.parametrize("kind", [k for k in kinds() if k.status not in {404, 410}])
    def test_other_problems_show_failure_text(self, kind: type[Problem]) -> None:
        assert ENGLISH["failed"]["title"] in dead_link_page(kind(), None).html
        assert ENGLISH["opt_in_failed"]["text"] in dead_opt_in_link_page(kind(), None).html

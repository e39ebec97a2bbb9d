"""What emails to shoppers say: all of it in each language, and what is kept of it as evidence."""

import json
import string
from pathlib import Path

import pytest

from storepost.accounts.emails import shopper_texts as module
from storepost.accounts.emails.messages import OptIn, to_params
from storepost.accounts.emails.rendering import RenderedEmail, render
from storepost.accounts.emails.shopper_texts import opt_in_wording, shopper_texts
from storepost.values.languages import Language
from tests.accounts.emails.reading import Page, words

LINK = "https://api.example.com/v1/opt-in/AQf2xk3VQpY2l0bG9uZ3Rva2Vu"
SHOP = "Nordlicht & Söhne"
OTHERS = sorted(set(Language) - {Language.ENGLISH})


def texts(language: Language) -> dict[str, str]:
    """The texts of the opt-in email, read from their file."""
    path = Path(module.__file__).parent / "texts" / f"{language}.json"
    found: dict[str, dict[str, str]] = json.loads(path.read_text("utf-8"))
    return found["opt_in"]


def email_in(language: Language, workspace: str = SHOP) -> RenderedEmail:
    return render(OptIn.template, to_params(OptIn(workspace, language, LINK)))


def placeholders(text: str) -> list[str]:
    return sorted(field for _, field, _, _ in string.Formatter().parse(text) if field is not None)


class TestLanguages:
    """Each language beside English."""

    @pytest.mark.parametrize("language", OTHERS)
    def test_translates_every_english_text(self, language: Language) -> None:
        english, own = texts(Language.ENGLISH), texts(language)
        assert list(own) == list(english)
        assert {name: placeholders(text) for name, text in own.items()} == {
            name: placeholders(text) for name, text in english.items()
        }
        assert [name for name, text in own.items() if text == english[name]] == []

    @pytest.mark.parametrize("language", Language)
    def test_html_lang_attribute_matches_the_language(self, language: Language) -> None:
        page = Page(email_in(language).html)
        assert ("html", "lang", language) in page.attributes
        assert page.mistakes == []


class TestOptIn:
    """The email that asks."""

    @pytest.mark.parametrize("language", Language)
    def test_texts_are_in_plain_text_and_html_parts(self, language: Language) -> None:
        email = email_in(language)
        page, filled = Page(email.html), shopper_texts("opt_in", language, SHOP)
        assert email.subject == page.title == filled["subject"]
        for name in filled.keys() - {"subject", "otherwise"}:
            assert words(filled[name]) in words(email.text)
        for name in filled.keys() - {"subject"}:
            assert words(filled[name]) in words(page.seen)
        assert set(page.hrefs) == {LINK}

    @pytest.mark.parametrize("language", Language)
    def test_evidence_is_the_email_without_the_link(self, language: Language) -> None:
        email, wording = email_in(language), opt_in_wording(language, SHOP)
        email_words = words(email.subject + " " + email.text.replace(LINK, ""))
        assert words(wording) == email_words
        assert len(wording) <= 4000
        assert "http" not in wording

    def test_longest_workspace_name_fits(self) -> None:
        for language in Language:
            email = email_in(language, "W" * 500)
            assert len(email.subject) <= 120
            assert len(opt_in_wording(language, "W" * 500)) <= 4000
            assert email.sender == "W" * 99 + "…"

    def test_names_only_the_workspace(self) -> None:
        email = email_in(Language.ENGLISH)
        assert email.sender == SHOP
        assert "Storepost" not in email.subject + email.text + email.html

"""The language of the unsubscribe page: the profile's, else the browser's, else English."""

import pytest

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.api.http.deadline import DeadlineReached
from storepost.people.unsubscribing import service
from storepost.values.problems import Busy, Conflict
from tests.harness.world import Answer
from tests.people.matching.scenario import ANN, Scenario
from tests.people.unsubscribing.following import (
    BROWSER,
    BY_PAGE,
    FORM,
    ONE_CLICK,
    forget,
    posted,
    subscriber,
)
from tests.people.unsubscribing.test_page import Page

TITLES = {
    "de": ("Möchten Sie sich abmelden?", "Sie sind abgemeldet"),
    "en": ("Unsubscribe?", "You are unsubscribed"),
    "es": ("¿Desea darse de baja?", "Se ha dado de baja"),
    "fr": ("Voulez-vous vous désabonner ?", "Votre désabonnement est enregistré"),
    "it": ("Vuole annullare l'iscrizione?", "L'iscrizione è stata annullata"),
    "nl": ("Wilt u zich afmelden?", "U bent afgemeld"),
    "pl": ("Zrezygnować z subskrypcji?", "Subskrypcja została anulowana"),
    "pt": ("Deixar de receber e-mails promocionais?", "Cancelamento concluído"),
}
"""What the page asks, and what it says in the end."""
DEAD = {
    "de": ("Dieser Link ist unvollständig", "Dieser Link ist nicht mehr gültig"),
    "en": ("This link is not complete", "This link is no longer valid"),
    "es": ("Este enlace está incompleto", "Este enlace ya no es válido"),
    "fr": ("Ce lien est incomplet", "Ce lien n'est plus valable"),
    "it": ("Questo link è incompleto", "Questo link non è più valido"),
    "nl": ("Deze link is niet volledig", "Deze link is niet meer geldig"),
    "pl": ("Ten link jest niekompletny", "Ten link jest już nieważny"),
    "pt": ("Este link está incompleto", "Este link deixou de ser válido"),
}
"""What it says of a link that isn't whole, and of one that leads to nobody."""


def opened(scenario: Scenario, path: str, languages: str | None = None) -> Answer:
    """The link, opened by a browser with these languages."""
    sent = {"accept": BROWSER, **({} if languages is None else {"accept-language": languages})}
    return scenario.world.call("GET", path, headers=sent)


def speaks(answer: Answer, language: str, words: str) -> None:
    """Asserts the page's one language, as browsers, screen readers and caches see it."""
    page = Page(answer)
    assert page.all("html") == [{"lang": language}]
    assert answer.header("content-language") == language
    named = {each.strip() for each in (answer.header("vary") or "").split(",")}
    assert "Accept-Language" in named
    assert words in page.text.translate({0xA0: " ", 0x2019: "'"})


class TestPageLanguage:
    """The source of the language."""

    @pytest.mark.parametrize("language", TITLES)
    def test_profile_locale_before_browser_language(
        self, scenario: Scenario, language: str
    ) -> None:
        reader = subscriber(scenario)
        locale = {"locale": f"{language}-CH"}
        assert scenario.call("PATCH", f"/profiles/{reader.id}", locale).status == 200
        other = "it" if language == "de" else "de"
        asks, is_done = TITLES[language]
        speaks(opened(scenario, reader.path, other), language, asks)
        sent = {"accept-language": other, "content-type": FORM}
        body = b"List-Unsubscribe=By-Page"
        answer = scenario.world.call("POST", reader.path, headers=sent, body=body)
        assert answer.status == 200
        speaks(answer, language, is_done)

    @pytest.mark.parametrize("language", TITLES)
    @pytest.mark.parametrize("locale", [None, "sv-SE", "nds"])
    def test_browser_language_if_profile_locale_is_unsupported(
        self, scenario: Scenario, language: str, locale: str | None
    ) -> None:
        reader = subscriber(scenario)
        assert scenario.call("PATCH", f"/profiles/{reader.id}", {"locale": locale}).status == 200
        speaks(opened(scenario, reader.path, f"da, {language}-AT;q=0.9, en;q=0.1"), language, "")

    @pytest.mark.parametrize("languages", [None, "", "da,sv;q=0.9", "*", "de;q=0", "\x00;,;q="])
    def test_english_if_neither_is_supported(
        self, scenario: Scenario, languages: str | None
    ) -> None:
        speaks(opened(scenario, subscriber(scenario).path, languages), "en", TITLES["en"][0])

    def test_profile_locale_in_workspace_that_shop_moved_to(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The address has no profile any more in the workspace that made the link."""
        there = Scenario(scenario.world)
        reader = subscriber(scenario)
        there.upsert(email=ANN, locale="pl")
        forget(scenario)
        workspace = WorkspaceRepository(there.workspace).get()
        monkeypatch.setattr(service, "successors_of", lambda *_, **__: [workspace])
        speaks(opened(scenario, reader.path, "de"), "pl", TITLES["pl"][0])

    def test_one_click_without_language_is_english(self, scenario: Scenario) -> None:
        answer = posted(scenario, subscriber(scenario).path, ONE_CLICK)
        speaks(answer, "en", TITLES["en"][1])


class TestDeadLinks:
    """A dead link leads to no person: its page has the browser's language."""

    @pytest.mark.parametrize("language", DEAD)
    def test_incomplete_link_in_browser_language(self, scenario: Scenario, language: str) -> None:
        answer = opened(scenario, "/unsubscribe/AQ", language)
        assert answer.status == 404
        speaks(answer, language, DEAD[language][0])

    @pytest.mark.parametrize("language", DEAD)
    def test_link_of_erased_person_in_browser_language(
        self, scenario: Scenario, language: str
    ) -> None:
        reader = subscriber(scenario)
        scenario.call("PATCH", f"/profiles/{reader.id}", {"locale": "nl"})
        forget(scenario)
        answer = opened(scenario, reader.path, language)
        assert answer.status == 410
        speaks(answer, language, DEAD[language][1])

    def test_api_client_gets_problem_json(self, scenario: Scenario) -> None:
        sent = {"accept-language": "de"}
        answer = scenario.world.call("GET", "/unsubscribe/AQ", headers=sent)
        assert answer.problem() == (404, "not_found")
        assert answer.header("content-language") is None
        assert answer.header("vary") == "Accept, Accept-Language"


class TestUntrustedInput:
    """No text that a stranger sends as a language is in the answer."""

    @pytest.mark.parametrize(
        "languages",
        [
            "de\r\nSet-Cookie: a=b",
            'de"><script>alert(1)</script>',
            "fr-\u0131\u0000",
            "../../etc/passwd",
            "{address.__class__}",
            "d" * 9000,
            "de;q=1e9, fr;q=nan, it;q=inf, nl;q=-1, es;q=0x1",
            ",".join(["xx;q=0.5"] * 1200),
        ],
    )
    def test_accept_language_header_is_not_echoed(self, scenario: Scenario, languages: str) -> None:
        reader = subscriber(scenario)
        for path in (reader.path, "/unsubscribe/AQ"):
            answer = opened(scenario, path, languages)
            assert Page(answer).all("html") == [{"lang": answer.header("content-language")}]
            assert answer.header("content-language") in TITLES
            assert answer.header("set-cookie") is None
            assert languages not in answer.body.decode()

    @pytest.mark.parametrize("language", TITLES)
    def test_sender_name_is_escaped_in_every_language(
        self, scenario: Scenario, language: str
    ) -> None:
        name = "<b>{address.__class__} & {sender}</b>"
        path = f"/workspaces/{scenario.workspace.id}"
        assert scenario.call("PATCH", path, {"name": name}).status == 204
        answer = opened(scenario, subscriber(scenario).path, language)
        speaks(answer, language, name)
        assert b"<b>" not in answer.body


class TestErrorPages:
    """A person who presses the button always gets a page, never a program's answer."""

    @pytest.mark.parametrize("fields", [BY_PAGE, ONE_CLICK])
    def test_internal_error_is_page_with_instructions(
        self, scenario: Scenario, fields: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reader = subscriber(scenario)

        def fail(*_: object) -> None:
            raise ValueError("of the test")

        with monkeypatch.context() as patched:
            patched.setattr(service, "record_statement", fail)
            answer = posted(scenario, reader.path, fields, accept=BROWSER)
            program = posted(scenario, reader.path, fields)
        assert answer.status == 500
        speaks(answer, "en", "Please open the link from the email again in a few minutes")
        assert program.problem() == (500, "internal")
        assert reader.state == "subscribed"

    @pytest.mark.parametrize(
        ("trouble", "status"),
        [(Busy(retry_after=7), 503), (Conflict(), 409), (DeadlineReached(), 500)],
    )
    def test_transient_errors_are_pages_with_retry_advice(
        self,
        scenario: Scenario,
        trouble: BaseException,
        status: int,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Problems that end by themselves: busy, too many at once, or out of time."""
        reader = subscriber(scenario)

        def fail(*_: object) -> None:
            raise trouble

        monkeypatch.setattr(service, "record_statement", fail)
        sent = {"accept": BROWSER, "accept-language": "nl", "content-type": FORM}
        body = b"List-Unsubscribe=By-Page"
        answer = scenario.world.call("POST", reader.path, headers=sent, body=body)
        assert answer.status == status
        assert answer.header("retry-after") == ("7" if status == 503 else None)
        speaks(answer, "nl", "over een paar minuten opnieuw")

    def test_problem_is_logged_with_status_and_code(
        self, scenario: Scenario, caplog: pytest.LogCaptureFixture
    ) -> None:
        opened(scenario, "/unsubscribe/AQ", "de")
        [line] = [vars(each) for each in caplog.records if each.message == "request"]
        assert (line["operation"], line["status"], line["code"]) == (
            "unsubscribe.get",
            404,
            "not_found",
        )

    @pytest.mark.parametrize("accept", [BROWSER, "*/*"])
    def test_error_pages_are_not_cached(self, scenario: Scenario, accept: str) -> None:
        """404 and 410 may be cached unless they forbid it (RFC 9110, section 15.1).

        The same link unsubscribes an erased person who returned.
        """
        reader = subscriber(scenario)
        forget(scenario)
        for path, status in ((reader.path, 410), ("/unsubscribe/AQ", 404)):
            answer = scenario.world.call("GET", path, headers={"accept": accept})
            assert (answer.status, answer.header("cache-control")) == (status, "no-store")

    def test_other_routes_return_problem_json_to_browsers(self, scenario: Scenario) -> None:
        """A program creates a link, whatever it accepts."""
        sent = {"accept": BROWSER}
        answer = scenario.world.call("POST", "/profiles/7/unsubscribe-links", headers=sent)
        assert answer.problem() == (401, "unauthenticated")

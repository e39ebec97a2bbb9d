"""GET and POST /opt-in/{token}: the page with the question, and the effect of its button."""

from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.emails.shopper_texts import opt_in_wording
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.people.profiles.lists import is_drained
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.unsubscribing.links import UnsubscribeLink
from storepost.platform.attempts import posting
from storepost.values import clock
from storepost.values.languages import Language
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.receiver import Receiver
from tests.people.consent.listening_store import HOOK, URL
from tests.people.matching.scenario import ANN, BOB, Scenario, day
from tests.people.opt_in.links import is_over
from tests.people.opt_in.requested import (
    EVIDENCE,
    PROOF,
    SUBSCRIBE,
    WORDING,
    path_in,
    pressed,
    somebody,
)
from tests.people.opt_in.test_requests import name_of
from tests.people.unsubscribing.following import (
    BROWSER,
    BY_PAGE,
    FIREFOX,
    listening_stores,
    opened,
    posted,
)
from tests.people.unsubscribing.test_page import NOWHERE, Page

TOKENS = [token for token in NOWHERE if token not in {"", "%2F"}]
"""That the path takes; with a slash, or nothing, it is another path."""


class TestOptInPage:
    """GET /opt-in/{token}."""

    def test_page_with_form(self, scenario: Scenario) -> None:
        answer = opened(scenario, somebody(scenario).request_link())
        page = Page(answer)
        assert answer.status == 200
        assert "a•••@example.com" in page.text
        assert ANN not in answer.body.decode()
        assert page.text.count(name_of(scenario)) >= 2
        assert page.fields == SUBSCRIBE
        assert [button for button in page.all("button") if "type" not in button]

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
    def test_safe_methods_change_nothing(self, scenario: Scenario, method: str) -> None:
        """Scanners of links and browsers that prefetch send such requests."""
        person = somebody(scenario)
        path = person.request_link()
        before = [row.serialize() for row in scenario.world.rows()]
        for agent in ("BarracudaCentral", "Mozilla/5.0 (compatible; GoogleImageProxy)", FIREFOX):
            headers = {"user-agent": agent, "sec-purpose": "prefetch"}
            scenario.world.call(method, path, headers=headers)
        assert [row.serialize() for row in scenario.world.rows()] == before
        assert person.state == "pending"

    @pytest.mark.parametrize("token", TOKENS)
    def test_invalid_token_is_gone(self, scenario: Scenario, token: str) -> None:
        assert scenario.world.call("GET", f"/opt-in/{token}").problem() == (410, "gone")

    def test_unsubscribe_link_is_refused(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        link = UnsubscribeLink(scenario.workspace, UUID(person.id), ANN, "x" * 16)
        is_over(scenario, f"/opt-in/{link.token}")

    def test_opt_in_link_cannot_unsubscribe(self, scenario: Scenario) -> None:
        path = somebody(scenario).request_link().replace("/opt-in/", "/unsubscribe/")
        assert scenario.world.call("GET", path).problem() == (404, "not_found")
        assert posted(scenario, path, BY_PAGE).problem() == (404, "not_found")

    def test_confirmed_link_shows_result_page(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        pressed(scenario, person.request_link())
        page = Page(opened(scenario, person.path))
        assert "You are subscribed" in page.text
        assert page.all("form") == []

    @pytest.mark.parametrize("language", Language)
    def test_page_is_in_profile_language(self, scenario: Scenario, language: Language) -> None:
        person = somebody(scenario, locale=language)
        path = person.request_link()
        sent = {"accept-language": "it" if language == "de" else "de"}
        answer = opened(scenario, path, headers=sent)
        assert answer.header("content-language") == language
        assert Page(answer).all("html") == [{"lang": language}]

    @pytest.mark.parametrize(("reads", "expected"), [("nl;q=0.9, sv", "nl"), ("sv", "pl")])
    def test_browser_language_before_email_language(
        self, scenario: Scenario, reads: str, expected: str
    ) -> None:
        assert scenario.call("POST", "/locales", {"code": "pl-PL"}).status == 201
        path = somebody(scenario).request_link()
        answer = opened(scenario, path, headers={"accept-language": reads})
        assert answer.header("content-language") == expected


class TestConfirm:
    """POST /opt-in/{token}."""

    @pytest.mark.parametrize("by_key", [True, False])
    def test_subscribes_with_both_steps_as_evidence(self, scenario: Scenario, by_key: bool) -> None:
        person = somebody(scenario, locale="de")
        key = scenario.world.api_key(scenario.workspace, KeyScope.WRITE) if by_key else None
        assert person.ask(key, evidence=EVIDENCE, occurredAt=day(1)).status == 202
        path = path_in(person.emails[-1])
        before = clock.now()
        answer = pressed(scenario, path, source_ip="198.51.100.23")
        assert answer.status == 200
        assert "Sie sind angemeldet" in Page(answer).text
        assert person.state == "subscribed"
        maker = {
            "userId": None if key else str(scenario.owner.id),
            "apiKeyId": str(scenario.world.key_of(key).id) if key else None,
        }
        [change, pending] = person.changes
        assert before <= clock.from_text(change["occurredAt"]) <= clock.now()
        assert pending["state"] == "pending"
        assert change == {
            "id": change["id"],
            "channel": "email",
            "state": "subscribed",
            "source": "api" if key else "manual",
            "store": None,
            "address": ANN,
            "proof": {
                "ip": "198.51.100.23",
                "userAgent": FIREFOX,
                "reference": PROOF["reference"],
                **maker,
            },
            "by": pending["by"],
            "occurredAt": change["occurredAt"],
            "recordedAt": change["recordedAt"],
            "writeBacks": [],
        }
        [click, form] = person.evidence
        assert (form["text"], form["proof"]) == (WORDING, {**PROOF, **maker})
        assert (form["occurredAt"], form["changeId"]) == (day(1), pending["id"])
        assert click["proof"] == change["proof"]
        assert (click["optInLevel"], click["changeId"]) == ("confirmed", change["id"])
        assert click["text"] == opt_in_wording(Language.GERMAN, name_of(scenario))

    def test_form_fields_of_page_are_accepted(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        fields = Page(opened(scenario, person.request_link())).fields
        answer = pressed(scenario, person.path, fields, accept=BROWSER)
        assert (answer.status, person.state) == (200, "subscribed")
        assert Page(answer).all("form") == []

    def test_multipart_body(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        assert pressed(scenario, person.request_link(), multipart="b0undary").status == 200
        assert person.state == "subscribed"

    def test_repeated_confirmation_returns_same_response(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        first = pressed(scenario, person.request_link())
        after = [row.serialize() for row in scenario.world.rows()]
        for days in (1, 5, 20):
            scenario.world.advance(days=days)
            again = pressed(scenario, person.path)
            assert (again.status, again.body) == (200, first.body)
        assert [row.serialize() for row in scenario.world.rows()] == after

    @pytest.mark.parametrize(
        "fields", [{}, {"answer": ""}, {"answer": "no"}, {"List-Unsubscribe": "One-Click"}]
    )
    def test_bad_input(self, scenario: Scenario, fields: dict[str, str]) -> None:
        person = somebody(scenario)
        assert pressed(scenario, person.request_link(), fields).error_paths() == ["/answer"]
        assert person.state == "pending"

    def test_missing_body_is_refused(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        assert scenario.world.call("POST", person.request_link()).error_paths() == [""]
        assert person.state == "pending"

    @pytest.mark.parametrize("sent", ["application/json", "text/plain", ""])
    def test_other_content_type_is_refused(self, scenario: Scenario, sent: str) -> None:
        person = somebody(scenario)
        headers = {"content-type": sent}
        body = b'{"answer": "subscribe"}'
        answer = scenario.world.call("POST", person.request_link(), headers=headers, body=body)
        assert answer.problem() == (415, "unsupported_media_type")
        assert person.state == "pending"

    @pytest.mark.parametrize("token", TOKENS)
    def test_invalid_token_is_gone(self, scenario: Scenario, token: str) -> None:
        assert pressed(scenario, f"/opt-in/{token}").problem() == (410, "gone")

    def test_unconfirmed_subscriber_becomes_confirmed(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        scenario.consent(person.id, "subscribed")
        path = person.request_link(evidence=EVIDENCE)
        assert person.state == "subscribed"
        assert pressed(scenario, path).status == 200
        assert [change["state"] for change in person.changes] == ["subscribed"]
        assert [each["optInLevel"] for each in person.evidence] == [
            "confirmed",
            "unknown",
            "unknown",
        ]
        assert person.ask().problem() == (409, "already_confirmed")


class TestWriteBacks:
    """Both steps are written back to the stores that know the person, as any change."""

    def test_both_steps_are_written_back_to_each_store(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listener, stores = listening_stores(scenario, monkeypatch)
        person = somebody(scenario)
        path = person.request_link()
        assert [each.json["data"]["state"] for each in listener.received] == ["pending"] * 2
        listener.received.clear()
        assert pressed(scenario, path).status == 200
        scenario.world.deliver()
        assert [each.json["data"]["state"] for each in listener.received] == ["subscribed"] * 2
        [change] = person.changes[:1]
        assert [each["store"]["id"] for each in change["writeBacks"]] == stores
        assert {each["status"] for each in change["writeBacks"]} == {"written"}
        pressed(scenario, path)
        scenario.world.deliver()
        assert len(listener.received) == 2

    def test_confirmation_of_subscriber_is_not_sent_to_custom_store(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A subscribed person confirms: the store would learn nothing new."""
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        listener = Receiver()
        monkeypatch.setattr(posting, "post", listener.post)
        store = scenario.store()
        assert scenario.call("PUT", f"/stores/{store}/write-back", {"url": URL}).status == 200
        assert scenario.customer(store, "c-1", email=ANN).status == 201
        person = somebody(scenario)
        scenario.consent(person.id, "subscribed")
        path = person.request_link()
        listener.received.clear()
        assert pressed(scenario, path).status == 200
        scenario.world.deliver()
        assert listener.received == []


class TestCrashesAndRaces:
    """Killed at any call, and with concurrent writers."""

    def test_killed_at_any_call(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        found = crashes(scenario.world, lambda: pressed(scenario, path))
        assert len(found.positions) > 4
        for _ in found:
            assert pressed(scenario, path).status == 200
            assert [each["state"] for each in person.changes] == ["subscribed", "pending"]
            assert len(person.evidence) == 2
            assert person.state == "subscribed"

    def test_interrupted_move_in_store_lists_is_continued(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The next save of the profile continues the move."""
        stores = [scenario.store() for _ in range(5)]
        for store in stores:
            assert scenario.customer(store, "c-1", at=5, email=ANN).status == 201
        person = somebody(scenario)
        path = person.request_link()
        with monkeypatch.context() as cut_short:
            cut_short.setattr(ProfileRepository, "_drain", lambda *_: None)
            earlier = {"externalCreatedAt": day(1), "email": ANN}
            assert scenario.customer(stores[0], "c-1", at=6, **earlier).status == 200
        profiles = ProfileRepository(scenario.workspace)
        cut = profiles.get(UUID(person.id))
        assert cut is not None
        assert not is_drained(cut)
        assert pressed(scenario, path).status == 200
        after_move = profiles.get(UUID(person.id))
        assert after_move is not None
        assert is_drained(after_move)
        scenario.check_rows()

    def test_concurrent_confirmations_record_one_change(self, scenario: Scenario) -> None:
        person, answers = somebody(scenario), list[Any]()
        path = person.request_link()
        with before_the_commit(lambda: answers.append(pressed(scenario, path, agent="First"))):
            answers.append(pressed(scenario, path, agent="Second"))
        assert [answer.status for answer in answers] == [200, 200]
        assert answers[0].body == answers[1].body
        assert [each["state"] for each in person.changes] == ["subscribed", "pending"]
        assert person.changes[0]["proof"]["userAgent"] == "First"
        assert len(person.evidence) == 2

    def test_concurrent_unsubscription_wins(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        with before_the_commit(lambda: scenario.consent(person.id, "unsubscribed")):
            assert pressed(scenario, path).problem() == (410, "gone")
        assert person.state == "unsubscribed"

    def test_concurrent_unsubscription_of_subscriber_wins(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        scenario.consent(person.id, "subscribed")
        path = person.request_link()
        with before_the_commit(lambda: scenario.consent(person.id, "unsubscribed")):
            assert pressed(scenario, path).problem() == (410, "gone")
        assert person.state == "unsubscribed"

    def test_concurrent_erasure_ends_link(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        with before_the_commit(lambda: scenario.call("DELETE", f"/profiles/{person.id}")):
            assert pressed(scenario, path).problem() == (410, "gone")

    def test_concurrent_merge_records_change_for_survivor(self, scenario: Scenario) -> None:
        person, other = somebody(scenario), somebody(scenario, BOB)
        path = person.request_link()
        with before_the_commit(lambda: scenario.merge(other.id, person.id)):
            assert pressed(scenario, path).status == 200
        assert (other.changes[0]["address"], other.changes[0]["state"]) == (ANN, "subscribed")


class TestSender:
    """The workspace's name is text, in the email and on the page."""

    def test_workspace_name_is_escaped(self, scenario: Scenario) -> None:
        name = '<b>Ann & "Bob"\'s {{ shop }} {address}</b>'
        path = f"/workspaces/{scenario.workspace.id}"
        assert scenario.call("PATCH", path, {"name": name}).status == 204
        person = somebody(scenario)
        answer = opened(scenario, person.request_link())
        [email] = person.emails
        assert name in Page(answer).text
        assert name in email.text
        assert "&lt;b&gt;Ann" in email.html
        for html in (answer.body.decode(), email.html):
            assert "<b>" not in html

    def test_email_sender_is_workspace(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        person.request_link()
        sender = WorkspaceRepository(scenario.workspace).get()
        assert sender is not None
        [email] = person.emails
        assert email.sender == sender.name
        assert "Storepost" not in email.text + email.html

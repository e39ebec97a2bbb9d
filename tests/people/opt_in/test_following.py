"""GET and POST /opt-in/{token}: the page that asks, and what its button does."""

from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.emails.shopper_texts import opt_in_wording
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.repository import (
    WorkspaceItem,
    WorkspaceRepository,
    workspace_key,
)
from storepost.people.consent.states import Channel
from storepost.people.consent_changes import requests
from storepost.people.deliverability.service import suppression_of
from storepost.people.profiles.lists import is_drained
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.unsubscribing.links import UnsubscribeLink
from storepost.values import clock
from storepost.values.languages import Language
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.people.consent.listening_store import HOOK, URL, Listener
from tests.people.matching.scenario import ANN, BOB, Town, day
from tests.people.opt_in.asked import (
    EVIDENCE,
    PROOF,
    SUBSCRIBE,
    WORDING,
    opened,
    path_in,
    pressed,
    somebody,
)
from tests.people.opt_in.test_requests import name_of, suppress
from tests.people.unsubscribing.following import BROWSER, BY_PAGE, FIREFOX, forget, posted
from tests.people.unsubscribing.test_ask import NOWHERE, Page

TOKENS = [token for token in NOWHERE if token not in {"", "%2F"}]
"""That the path takes; with a slash, or nothing, it is another path."""
IS_OVER = "This link is no longer valid"


def is_over(town: Town, path: str) -> None:
    """Neither the page nor its button does anything any more, and both say so."""
    before = [row.serialize() for row in town.world.rows()]
    for answer in (town.world.call("GET", path), pressed(town, path)):
        assert answer.problem() == (410, "gone")
        assert answer.header("cache-control") == "no-store"
    for answer in (opened(town, path), pressed(town, path, accept=BROWSER)):
        page = Page(answer)
        assert (answer.status, page.all("form")) == (410, [])
        assert IS_OVER in page.text
    assert [row.serialize() for row in town.world.rows()] == before


class TestAsk:
    """GET /opt-in/{token}."""

    def test_the_page(self, town: Town) -> None:
        answer = opened(town, somebody(town).asked())
        page = Page(answer)
        assert answer.status == 200
        assert "a•••@example.com" in page.text
        assert ANN not in answer.body.decode()
        assert page.text.count(name_of(town)) >= 2
        assert page.fields == SUBSCRIBE
        assert [button for button in page.all("button") if "type" not in button]

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
    def test_changes_nothing(self, town: Town, method: str) -> None:
        """What scanners of links and browsers that fetch ahead do."""
        person = somebody(town)
        path = person.asked()
        before = [row.serialize() for row in town.world.rows()]
        for agent in ("BarracudaCentral", "Mozilla/5.0 (compatible; GoogleImageProxy)", FIREFOX):
            headers = {"user-agent": agent, "sec-purpose": "prefetch"}
            town.world.call(method, path, headers=headers)
        assert [row.serialize() for row in town.world.rows()] == before
        assert person.state == "pending"

    @pytest.mark.parametrize("token", TOKENS)
    def test_a_link_that_nobody_made(self, town: Town, token: str) -> None:
        assert town.world.call("GET", f"/opt-in/{token}").problem() == (410, "gone")

    def test_an_unsubscribe_link_is_none(self, town: Town) -> None:
        person = somebody(town)
        link = UnsubscribeLink(town.workspace, UUID(person.id), ANN, "x" * 16)
        is_over(town, f"/opt-in/{link.token}")

    def test_an_opt_in_link_unsubscribes_nobody(self, town: Town) -> None:
        path = somebody(town).asked().replace("/opt-in/", "/unsubscribe/")
        assert town.world.call("GET", path).problem() == (404, "not_found")
        assert posted(town, path, BY_PAGE).problem() == (404, "not_found")

    def test_once_it_is_confirmed(self, town: Town) -> None:
        person = somebody(town)
        pressed(town, person.asked())
        page = Page(opened(town, person.path))
        assert "You are subscribed" in page.text
        assert page.all("form") == []

    @pytest.mark.parametrize("language", Language)
    def test_in_the_profiles_language(self, town: Town, language: Language) -> None:
        person = somebody(town, locale=language)
        path = person.asked()
        sent = {"accept-language": "it" if language == "de" else "de"}
        answer = opened(town, path, headers=sent)
        assert answer.header("content-language") == language
        assert Page(answer).all("html") == [{"lang": language}]

    @pytest.mark.parametrize(("reads", "expected"), [("nl;q=0.9, sv", "nl"), ("sv", "pl")])
    def test_else_in_the_browsers_else_in_the_emails(
        self, town: Town, reads: str, expected: str
    ) -> None:
        assert town.call("POST", "/locales", {"code": "pl-PL"}).status == 201
        path = somebody(town).asked()
        answer = opened(town, path, headers={"accept-language": reads})
        assert answer.header("content-language") == expected


class TestConfirm:
    """POST /opt-in/{token}."""

    @pytest.mark.parametrize("by_key", [True, False])
    def test_subscribes_with_both_steps_as_evidence(self, town: Town, by_key: bool) -> None:
        person = somebody(town, locale="de")
        key = town.world.api_key(town.workspace, KeyScope.WRITE) if by_key else None
        assert person.ask(key, evidence=EVIDENCE, occurredAt=day(1)).status == 202
        path = path_in(person.emails[-1])
        before = clock.now()
        answer = pressed(town, path, source_ip="198.51.100.23")
        assert answer.status == 200
        assert "Sie sind angemeldet" in Page(answer).text
        assert person.state == "subscribed"
        maker = {
            "userId": None if key else str(town.owner.id),
            "apiKeyId": str(town.world.key_of(key).id) if key else None,
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
        assert click["text"] == opt_in_wording(Language.GERMAN, name_of(town))

    def test_what_the_page_sends_is_what_it_takes(self, town: Town) -> None:
        person = somebody(town)
        fields = Page(opened(town, person.asked())).fields
        answer = pressed(town, person.path, fields, accept=BROWSER)
        assert (answer.status, person.state) == (200, "subscribed")
        assert Page(answer).all("form") == []

    def test_in_parts(self, town: Town) -> None:
        person = somebody(town)
        assert pressed(town, person.asked(), multipart="b0undary").status == 200
        assert person.state == "subscribed"

    def test_again_and_again_shows_the_same(self, town: Town) -> None:
        person = somebody(town)
        first = pressed(town, person.asked())
        after = [row.serialize() for row in town.world.rows()]
        for days in (1, 5, 20):
            town.world.advance(days=days)
            again = pressed(town, person.path)
            assert (again.status, again.body) == (200, first.body)
        assert [row.serialize() for row in town.world.rows()] == after

    @pytest.mark.parametrize(
        "fields", [{}, {"answer": ""}, {"answer": "no"}, {"List-Unsubscribe": "One-Click"}]
    )
    def test_bad_input(self, town: Town, fields: dict[str, str]) -> None:
        person = somebody(town)
        assert pressed(town, person.asked(), fields).error_paths() == ["/answer"]
        assert person.state == "pending"

    def test_no_body(self, town: Town) -> None:
        person = somebody(town)
        assert town.world.call("POST", person.asked()).error_paths() == [""]
        assert person.state == "pending"

    @pytest.mark.parametrize("sent", ["application/json", "text/plain", ""])
    def test_no_form(self, town: Town, sent: str) -> None:
        person = somebody(town)
        headers = {"content-type": sent}
        body = b'{"answer": "subscribe"}'
        answer = town.world.call("POST", person.asked(), headers=headers, body=body)
        assert answer.problem() == (415, "unsupported_media_type")
        assert person.state == "pending"

    @pytest.mark.parametrize("token", TOKENS)
    def test_a_link_that_nobody_made(self, town: Town, token: str) -> None:
        assert pressed(town, f"/opt-in/{token}").problem() == (410, "gone")

    def test_somebody_subscribed_without_confirmation(self, town: Town) -> None:
        person = somebody(town)
        town.consent(person.id, "subscribed")
        path = person.asked(evidence=EVIDENCE)
        assert person.state == "subscribed"
        assert pressed(town, path).status == 200
        assert [change["state"] for change in person.changes] == ["subscribed"]
        assert [each["optInLevel"] for each in person.evidence] == [
            "confirmed",
            "unknown",
            "unknown",
        ]
        assert person.ask().problem() == (409, "already_confirmed")


class TestOver:
    """What ends a link, and what doesn't."""

    def test_seven_days(self, town: Town) -> None:
        person = somebody(town)
        path = person.asked()
        town.world.advance(days=6, hours=23, minutes=59)
        assert opened(town, path).status == 200
        town.world.advance(minutes=2)
        is_over(town, path)

    def test_a_no_meanwhile(self, town: Town) -> None:
        person = somebody(town)
        path = person.asked()
        town.consent(person.id, "unsubscribed")
        is_over(town, path)
        assert (opened(town, path).status, person.state) == (410, "unsubscribed")

    def test_a_no_and_a_yes_meanwhile(self, town: Town) -> None:
        """A link is followed by what came before it: who said no since is asked anew."""
        person = somebody(town)
        path = person.asked()
        town.consent(person.id, "unsubscribed")
        town.consent(person.id, "subscribed")
        is_over(town, path)

    def test_a_no_after_the_confirmation(self, town: Town) -> None:
        """A link that has subscribed somebody doesn't do so twice."""
        person = somebody(town)
        pressed(town, person.asked())
        town.consent(person.id, "unsubscribed")
        is_over(town, person.path)

    def test_a_no_from_before_the_form_ends_nothing(self, town: Town) -> None:
        person = somebody(town)
        town.consent(person.id, "subscribed", occurredAt=day(1))
        path = person.asked(occurredAt=day(3))
        town.consent(person.id, "unsubscribed", occurredAt=day(2))
        assert person.state == "unsubscribed"
        assert pressed(town, path).status == 200
        assert person.state == "subscribed"

    def test_a_no_from_between_two_yeses_ends_nothing(self, town: Town) -> None:
        """Of somebody subscribed since, who is asked by an old form."""
        person = somebody(town)
        for state, at in (("unsubscribed", day(2)), ("subscribed", day(3))):
            town.consent(person.id, state, occurredAt=at)
        assert pressed(town, person.asked(occurredAt=day(1))).status == 200
        assert person.evidence[0]["optInLevel"] == "confirmed"

    def test_a_complaint_meanwhile(self, town: Town) -> None:
        """It unsubscribes, too."""
        person = somebody(town)
        path = person.asked()
        suppress(town, ANN, "complaint")
        is_over(town, path)

    @pytest.mark.parametrize("reason", ["manual", "hard_bounce"])
    def test_a_suppression_ends_nothing(self, town: Town, reason: str) -> None:
        """It stands beside consent: neither changes the other, and nothing is sent all the same."""
        person = somebody(town)
        path = person.asked()
        suppress(town, ANN, reason)
        assert pressed(town, path).status == 200
        assert person.state == "subscribed"
        assert suppression_of(town.workspace, Channel.EMAIL, ANN)

    def test_another_address_since(self, town: Town) -> None:
        """The link speaks for the address that it was sent to, whoever shows another one now."""
        person = somebody(town)
        path = person.asked()
        changed = f"/profiles/{person.id}"
        assert town.call("PATCH", changed, {"email": BOB}).status == 200
        assert person.state == "not_subscribed"
        assert pressed(town, path).status == 200
        assert person.state == "not_subscribed"
        assert (person.changes[0]["address"], person.changes[0]["state"]) == (ANN, "subscribed")
        assert town.call("PATCH", changed, {"email": ANN}).status == 200
        assert person.state == "subscribed"

    def test_nobody_has_the_address(self, town: Town) -> None:
        person = somebody(town, locale="de")
        path = person.asked()
        assert town.call("PATCH", f"/profiles/{person.id}", {"email": BOB}).status == 200
        [claim] = [
            row["id"]
            for row in town.get(f"/profiles/{person.id}/identities")["items"]
            if row["value"] == ANN
        ]
        assert town.call("DELETE", f"/profiles/{person.id}/identities/{claim}").status == 204
        is_over(town, path)

    def test_somebody_else_has_the_address(self, town: Town) -> None:
        person = somebody(town)
        path = person.asked()
        assert town.call("PATCH", f"/profiles/{person.id}", {"email": BOB}).status == 200
        [claim] = [
            row["id"]
            for row in town.get(f"/profiles/{person.id}/identities")["items"]
            if row["value"] == ANN
        ]
        assert town.call("DELETE", f"/profiles/{person.id}/identities/{claim}").status == 204
        other = somebody(town)
        assert other.id != person.id
        assert pressed(town, path).status == 200
        assert (other.state, person.state) == ("subscribed", "not_subscribed")
        assert other.changes[0]["proof"]["reference"] == PROOF["reference"]

    @pytest.mark.parametrize("moved", [True, False])
    def test_after_a_merge(self, town: Town, moved: bool) -> None:
        person, other = somebody(town), somebody(town, BOB)
        path = person.asked()
        assert town.merge(other.id, person.id).status == 200
        if moved:
            town.world.deliver()
            town.check_rows()
        assert pressed(town, path).status == 200
        assert other.state == "not_subscribed"
        assert (other.changes[0]["address"], other.changes[0]["state"]) == (ANN, "subscribed")
        assert [each["optInLevel"] for each in other.evidence] == ["confirmed", "unknown"]

    @pytest.mark.parametrize("delivered", [True, False])
    def test_erased(self, town: Town, delivered: bool) -> None:
        person = somebody(town)
        path = person.asked()
        assert town.call("DELETE", f"/profiles/{person.id}").status == 204
        if delivered:
            town.world.deliver()
            assert person.requests == []
            town.check_gone([person.id])
            kept = repr([row.attribute_values for row in town.world.rows(town.workspace.key)])
            assert not [each for each in (ANN, *PROOF.values()) if each in kept]
        is_over(town, path)
        somebody(town)
        is_over(town, path)

    def test_erased_after_a_merge(self, town: Town) -> None:
        person, other = somebody(town), somebody(town, BOB)
        path = person.asked()
        assert town.merge(other.id, person.id).status == 200
        town.world.deliver()
        assert town.call("DELETE", f"/profiles/{other.id}").status == 204
        town.world.deliver()
        assert person.requests == []
        is_over(town, path)

    def test_who_had_the_address_since_was_erased(self, town: Town) -> None:
        """The request of its former holder is over, too: it was the address that was erased."""
        person = somebody(town)
        path = person.asked()
        assert town.call("PATCH", f"/profiles/{person.id}", {"email": BOB}).status == 200
        [claim] = [
            row["id"]
            for row in town.get(f"/profiles/{person.id}/identities")["items"]
            if row["value"] == ANN
        ]
        assert town.call("DELETE", f"/profiles/{person.id}/identities/{claim}").status == 204
        assert town.call("DELETE", f"/profiles/{somebody(town).id}").status == 204
        somebody(town)
        is_over(town, path)

    def test_the_workspace_is_gone(self, town: Town) -> None:
        path = somebody(town).asked()
        WorkspaceItem.get(*workspace_key(town.workspace), consistent_read=True).delete()
        is_over(town, path)

    def test_whose_rows_are_lost(self, town: Town) -> None:
        person = somebody(town)
        path = person.asked()
        forget(town, claims=False)
        is_over(town, path)


class TestStores:
    """The stores that know the person are told of both steps, as of any change."""

    def test_each_is_told(self, town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        listener = Listener()
        monkeypatch.setattr(requests, "post", listener.post)
        stores = sorted(town.store() for _ in range(2))
        for store in stores:
            assert town.call("PUT", f"/stores/{store}/write-back", {"url": URL}).status == 200
            assert town.customer(store, f"c-{store[:4]}", email=ANN).status == 201
        person = somebody(town)
        path = person.asked()
        assert [each.json["data"]["state"] for each in listener.received] == ["pending"] * 2
        listener.received.clear()
        assert pressed(town, path).status == 200
        town.world.deliver()
        assert [each.json["data"]["state"] for each in listener.received] == ["subscribed"] * 2
        [change] = person.changes[:1]
        assert [each["store"]["id"] for each in change["writeBacks"]] == stores
        assert {each["status"] for each in change["writeBacks"]} == {"written"}
        pressed(town, path)
        town.world.deliver()
        assert len(listener.received) == 2

    def test_a_custom_store_knows_no_levels(
        self, town: Town, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Somebody who was subscribed before confirms: nothing that it could learn."""
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        listener = Listener()
        monkeypatch.setattr(requests, "post", listener.post)
        store = town.store()
        assert town.call("PUT", f"/stores/{store}/write-back", {"url": URL}).status == 200
        assert town.customer(store, "c-1", email=ANN).status == 201
        person = somebody(town)
        town.consent(person.id, "subscribed")
        path = person.asked()
        listener.received.clear()
        assert pressed(town, path).status == 200
        town.world.deliver()
        assert listener.received == []


class TestAtOnce:
    """Killed anywhere, and beside others."""

    def test_killed_anywhere(self, town: Town) -> None:
        person = somebody(town)
        path = person.asked()
        found = crashes(town.world, lambda: pressed(town, path))
        assert len(found.places) > 4
        for _ in found:
            assert pressed(town, path).status == 200
            assert [each["state"] for each in person.changes] == ["subscribed", "pending"]
            assert len(person.evidence) == 2
            assert person.state == "subscribed"

    def test_whose_move_in_the_stores_lists_was_cut_short(
        self, town: Town, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever saves the profile next moves it on."""
        stores = [town.store() for _ in range(5)]
        for store in stores:
            assert town.customer(store, "c-1", at=5, email=ANN).status == 201
        person = somebody(town)
        path = person.asked()
        with monkeypatch.context() as cut_short:
            cut_short.setattr(ProfileRepository, "_drain", lambda *_: None)
            earlier = {"externalCreatedAt": day(1), "email": ANN}
            assert town.customer(stores[0], "c-1", at=6, **earlier).status == 200
        profiles = ProfileRepository(town.workspace)
        cut = profiles.get(UUID(person.id))
        assert cut is not None
        assert not is_drained(cut)
        assert pressed(town, path).status == 200
        moved = profiles.get(UUID(person.id))
        assert moved is not None
        assert is_drained(moved)
        town.check_rows()

    def test_two_clicks_at_once(self, town: Town) -> None:
        person, answers = somebody(town), list[Any]()
        path = person.asked()
        with before_the_commit(lambda: answers.append(pressed(town, path, agent="First"))):
            answers.append(pressed(town, path, agent="Second"))
        assert [answer.status for answer in answers] == [200, 200]
        assert answers[0].body == answers[1].body
        assert [each["state"] for each in person.changes] == ["subscribed", "pending"]
        assert person.changes[0]["proof"]["userAgent"] == "First"
        assert len(person.evidence) == 2

    def test_a_no_at_the_same_time_holds(self, town: Town) -> None:
        person = somebody(town)
        path = person.asked()
        with before_the_commit(lambda: town.consent(person.id, "unsubscribed")):
            assert pressed(town, path).problem() == (410, "gone")
        assert person.state == "unsubscribed"

    def test_a_no_at_the_same_time_of_somebody_subscribed(self, town: Town) -> None:
        person = somebody(town)
        town.consent(person.id, "subscribed")
        path = person.asked()
        with before_the_commit(lambda: town.consent(person.id, "unsubscribed")):
            assert pressed(town, path).problem() == (410, "gone")
        assert person.state == "unsubscribed"

    def test_beside_an_erasure(self, town: Town) -> None:
        person = somebody(town)
        path = person.asked()
        with before_the_commit(lambda: town.call("DELETE", f"/profiles/{person.id}")):
            assert pressed(town, path).problem() == (410, "gone")

    def test_beside_a_merge(self, town: Town) -> None:
        person, other = somebody(town), somebody(town, BOB)
        path = person.asked()
        with before_the_commit(lambda: town.merge(other.id, person.id)):
            assert pressed(town, path).status == 200
        assert (other.changes[0]["address"], other.changes[0]["state"]) == (ANN, "subscribed")


class TestSender:
    """The workspace's name is text, in the email and on the page."""

    def test_whatever_it_is_called(self, town: Town) -> None:
        name = '<b>Ann & "Bob"\'s {{ shop }} {address}</b>'
        path = f"/workspaces/{town.workspace.id}"
        assert town.call("PATCH", path, {"name": name}).status == 204
        person = somebody(town)
        answer = opened(town, person.asked())
        [email] = person.emails
        assert name in Page(answer).text
        assert name in email.text
        assert "&lt;b&gt;Ann" in email.html
        for html in (answer.body.decode(), email.html):
            assert "<b>" not in html

    def test_the_email_is_from_the_workspace(self, town: Town) -> None:
        person = somebody(town)
        person.asked()
        sender = WorkspaceRepository(town.workspace).get()
        assert sender is not None
        [email] = person.emails
        assert email.sender == sender.name
        assert "Storepost" not in email.text + email.html

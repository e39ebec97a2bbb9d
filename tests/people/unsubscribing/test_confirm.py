"""POST /unsubscribe/{token}: unsubscribing, by a mailbox provider's button or by the page."""

from typing import Any
from uuid import UUID

import pytest

from storepost.people.profiles.lists import is_drained
from storepost.people.profiles.repository import ProfileRepository
from storepost.values import clock
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import CANARY
from tests.people.matching.scenario import ANN, BOB, Scenario, day
from tests.people.unsubscribing.following import (
    BROWSER,
    BY_PAGE,
    FIREFOX,
    ONE_CLICK,
    forget,
    in_parts,
    listening_stores,
    opened,
    posted,
    subscriber,
)
from tests.people.unsubscribing.test_page import NOWHERE, Page

GMAIL, YAHOO = "Google-Gmail-Unsubscribe", "YahooMailProxy; https://help.yahoo.com/kb/1.html"


class TestConfirm:
    """POST /unsubscribe/{token}."""

    @pytest.mark.parametrize(
        ("fields", "source"), [(ONE_CLICK, "one_click"), (BY_PAGE, "unsubscribe_link")]
    )
    def test_change_is_recorded_with_proof(
        self, scenario: Scenario, fields: dict[str, str], source: str
    ) -> None:
        reader = subscriber(scenario)
        path = reader.link(reference="spring sale")
        before = clock.now()
        answer = posted(scenario, path, fields, source_ip="198.51.100.23")
        assert answer.status == 200
        assert "You are unsubscribed" in Page(answer).text
        assert "a•••@example.com" in Page(answer).text
        [change, subscribed] = reader.changes
        assert before <= clock.from_text(change["occurredAt"]) <= clock.now()
        assert subscribed["state"] == "subscribed"
        assert change == {
            "id": str(UUID(change["id"])),
            "channel": "email",
            "state": "unsubscribed",
            "source": source,
            "store": None,
            "address": ANN,
            "proof": {
                "ip": "198.51.100.23",
                "userAgent": FIREFOX,
                "userId": None,
                "apiKeyId": None,
                "reference": "spring sale",
            },
            "by": None,
            "occurredAt": change["occurredAt"],
            "recordedAt": change["occurredAt"],
            "writeBacks": [],
        }
        assert reader.state == "unsubscribed"

    def test_form_fields_of_page_are_accepted(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        fields = Page(opened(scenario, reader.path)).fields
        answer = posted(scenario, reader.path, fields, accept=BROWSER)
        assert answer.status == 200
        assert Page(answer).all("form") == []
        assert reader.changes[0]["source"] == "unsubscribe_link"

    @pytest.mark.parametrize("agent", [GMAIL, YAHOO, None])
    @pytest.mark.parametrize("boundary", [None, "----b0undary7", "'()+_,-./:=?"])
    def test_one_click_in_either_encoding(
        self, scenario: Scenario, agent: str | None, boundary: str | None
    ) -> None:
        reader = subscriber(scenario)
        quoted = f'"{boundary}"' if boundary and "/" in boundary else boundary
        kind = (
            {} if boundary is None else {"content-type": f"Multipart/Form-Data; Boundary={quoted}"}
        )
        sent = {**({"user-agent": agent} if agent else {}), **kind}
        if boundary is None:
            answer = posted(scenario, reader.path, ONE_CLICK, agent=agent)
        else:
            body = in_parts(ONE_CLICK, boundary)
            answer = scenario.world.call("POST", reader.path, headers=sent, body=body)
        assert (answer.status, answer.header("location")) == (200, None)
        assert reader.changes[0]["source"] == "one_click"
        assert reader.changes[0]["proof"]["userAgent"] == agent

    @pytest.mark.parametrize("boundary", [None, "b"])
    def test_other_form_fields_are_ignored(self, scenario: Scenario, boundary: str | None) -> None:
        reader = subscriber(scenario)
        fields = {"utf8": "✓", **ONE_CLICK, "more": "€ & more"}
        assert posted(scenario, reader.path, fields, multipart=boundary).status == 200
        assert reader.state == "unsubscribed"

    def test_base64_body(self, scenario: Scenario) -> None:
        """The gateway passes a body that isn't known to be text in base64."""
        for body, kind in (
            (b"List-Unsubscribe=One-Click&f=\xff", "application/x-www-form-urlencoded"),
            (in_parts(ONE_CLICK, "b") + b"\xff", "multipart/form-data; boundary=b"),
        ):
            reader = subscriber(scenario)
            headers = {"content-type": kind}
            answer = scenario.world.call("POST", reader.path, headers=headers, body=body)
            if kind.startswith("multipart"):  # bytes after the last part are no part
                assert (answer.status, reader.state) == (200, "unsubscribed")
            else:
                assert answer.problem() == (400, "malformed_request")
                assert reader.state == "subscribed"

    def test_repeated_requests_record_one_change(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        first = posted(scenario, reader.path, ONE_CLICK)
        for fields in (ONE_CLICK, BY_PAGE, ONE_CLICK):
            scenario.world.advance(minutes=1)
            again = posted(scenario, reader.path, fields)
            assert (again.status, again.body) == (200, first.body)
        assert [change["state"] for change in reader.changes] == ["unsubscribed", "subscribed"]
        assert reader.changes[0]["source"] == "one_click"

    def test_unsubscribed_address_records_no_change(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        scenario.consent(reader.id, "unsubscribed")
        before = reader.changes
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        assert reader.changes == before

    def test_old_link_unsubscribes_after_resubscription(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        scenario.world.advance(days=3000)
        scenario.token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)
        reader.subscribe()
        assert reader.state == "subscribed"
        assert posted(scenario, reader.path, BY_PAGE).status == 200
        assert reader.state == "unsubscribed"
        assert [change["state"] for change in reader.changes] == ["unsubscribed", "subscribed"] * 2

    def test_link_unsubscribes_former_address_after_change(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        path = f"/profiles/{reader.id}"
        assert scenario.call("PATCH", path, {"email": BOB}).status == 200
        reader.subscribe()
        page = Page(opened(scenario, reader.path))
        assert "a•••@example.com" in page.text
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        assert reader.state == "subscribed"
        assert (reader.changes[0]["address"], reader.changes[0]["state"]) == (ANN, "unsubscribed")
        assert scenario.call("PATCH", path, {"email": ANN}).status == 200
        assert reader.state == "unsubscribed"

    def test_link_for_unclaimed_address_unsubscribes_former_holder(
        self, scenario: Scenario
    ) -> None:
        """Nobody has the address any more; the link unsubscribes its former person."""
        reader = subscriber(scenario)
        forget(scenario, profiles=False)
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        assert reader.state == "unsubscribed"

    @pytest.mark.parametrize("after_move", [True, False])
    def test_link_of_merged_profile_unsubscribes_address(
        self, scenario: Scenario, after_move: bool
    ) -> None:
        reader = subscriber(scenario)
        other = subscriber(scenario, BOB)
        assert scenario.merge(other.id, reader.id).status == 200
        if after_move:
            scenario.world.deliver()
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        assert other.state == "subscribed"
        assert (other.changes[0]["address"], other.changes[0]["state"]) == (ANN, "unsubscribed")
        assert posted(scenario, other.path, ONE_CLICK).status == 200
        assert other.state == "unsubscribed"

    def test_link_of_erased_person_unsubscribes_new_holder(self, scenario: Scenario) -> None:
        """An erased person who returns is a new profile, and still gets the mail."""
        reader = subscriber(scenario)
        forget(scenario)
        back = subscriber(scenario)
        assert back.id != reader.id
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        assert back.state == "unsubscribed"

    def test_link_of_erased_person_is_gone(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        forget(scenario)
        before = len(scenario.world.rows())
        assert posted(scenario, reader.path, ONE_CLICK).problem() == (410, "gone")
        answer = posted(scenario, reader.path, BY_PAGE, accept=BROWSER)
        assert (answer.status, Page(answer).all("form")) == (410, [])
        assert len(scenario.world.rows()) == before

    @pytest.mark.parametrize("token", NOWHERE)
    def test_invalid_token_is_not_found(self, scenario: Scenario, token: str) -> None:
        assert posted(scenario, f"/unsubscribe/{token}", ONE_CLICK).problem() == (404, "not_found")

    @pytest.mark.parametrize(
        "fields",
        [
            {},
            {"list-unsubscribe": "One-Click"},
            {"List-Unsubscribe": ""},
            {"List-Unsubscribe": "one-click"},
            {"List-Unsubscribe": "No"},
        ],
    )
    @pytest.mark.parametrize("boundary", [None, "b"])
    def test_bad_input(
        self, scenario: Scenario, fields: dict[str, str], boundary: str | None
    ) -> None:
        reader = subscriber(scenario)
        answer = posted(scenario, reader.path, fields, multipart=boundary)
        assert answer.error_paths() == ["/List-Unsubscribe"]
        assert reader.state == "subscribed"

    def test_missing_body_is_refused(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        assert scenario.world.call("POST", reader.path).error_paths() == [""]
        assert reader.state == "subscribed"

    @pytest.mark.parametrize("sent", ["application/json", "text/plain", "", "multipart/mixed"])
    def test_other_content_type_is_refused(self, scenario: Scenario, sent: str) -> None:
        reader = subscriber(scenario)
        body, headers = b'{"List-Unsubscribe": "One-Click"}', {"content-type": sent}
        answer = scenario.world.call("POST", reader.path, headers=headers, body=body)
        assert answer.problem() == (415, "unsupported_media_type")
        assert "multipart/form-data" in answer.json["detail"]
        assert reader.state == "subscribed"

    def test_too_large_body_is_refused(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        answer = posted(scenario, reader.path, {**ONE_CLICK, "more": "m" * 1_000_000})
        assert answer.problem() == (413, "payload_too_large")
        assert reader.state == "subscribed"

    def test_long_user_agent_is_truncated(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        assert posted(scenario, reader.path, ONE_CLICK, agent=CANARY * 1000).status == 200
        assert reader.changes[0]["proof"]["userAgent"] == (CANARY * 1000)[:1000]
        assert reader.changes[0]["proof"]["reference"] is None


class TestWriteBacks:
    """The change is written back to the stores that know the person, as any change."""

    def test_change_is_written_back_to_each_store_once(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listener, stores = listening_stores(scenario, monkeypatch)
        reader = subscriber(scenario)
        scenario.world.deliver()
        listener.received.clear()
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        scenario.world.deliver()
        [change] = reader.changes[:1]
        assert [each["store"]["id"] for each in change["writeBacks"]] == stores
        assert {each["status"] for each in change["writeBacks"]} == {"written"}
        assert [each.json["data"]["source"] for each in listener.received] == ["one_click"] * 2
        external_ids = {
            each.json["data"]["customers"][0]["externalId"] for each in listener.received
        }
        assert external_ids == {f"c-{store[:4]}" for store in stores}
        posted(scenario, reader.path, ONE_CLICK)
        scenario.world.deliver()
        assert len(listener.received) == 2


class TestCrashesAndRaces:
    """Killed at any call, and with concurrent writers."""

    def test_killed_at_any_call(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        found = crashes(scenario.world, lambda: posted(scenario, reader.path, ONE_CLICK))
        assert len(found.positions) > 4
        for _ in found:
            assert posted(scenario, reader.path, ONE_CLICK).status == 200
            assert [each["state"] for each in reader.changes] == ["unsubscribed", "subscribed"]
            assert reader.state == "unsubscribed"

    def test_concurrent_requests_record_one_change(self, scenario: Scenario) -> None:
        reader = subscriber(scenario)
        answers: list[Any] = []
        with before_the_commit(lambda: answers.append(posted(scenario, reader.path, BY_PAGE))):
            answers.append(posted(scenario, reader.path, ONE_CLICK))
        assert [answer.status for answer in answers] == [200, 200]
        assert [each["source"] for each in reader.changes] == ["unsubscribe_link", "manual"]

    def test_concurrent_subscription_is_overridden(self, scenario: Scenario) -> None:
        """The later writer is later by a millisecond at least, and holds."""
        reader = subscriber(scenario)
        scenario.consent(reader.id, "unsubscribed")
        with before_the_commit(reader.subscribe):
            assert posted(scenario, reader.path, ONE_CLICK).status == 200
        assert reader.state == "unsubscribed"
        assert reader.changes[0]["source"] == "one_click"

    def test_interrupted_move_in_store_lists_is_continued(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The next save of the profile continues the move."""
        stores = [scenario.store() for _ in range(5)]
        for store in stores:
            assert scenario.customer(store, "c-1", at=5, email=ANN).status == 201
        reader = subscriber(scenario)
        with monkeypatch.context() as cut_short:
            cut_short.setattr(ProfileRepository, "_drain", lambda *_: None)
            earlier = {"externalCreatedAt": day(1), "email": ANN}
            assert scenario.customer(stores[0], "c-1", at=6, **earlier).status == 200
        profiles = ProfileRepository(scenario.workspace)
        cut = profiles.get(UUID(reader.id))
        assert cut is not None
        assert not is_drained(cut)
        assert posted(scenario, reader.path, ONE_CLICK).status == 200
        after_move = profiles.get(UUID(reader.id))
        assert after_move is not None
        assert is_drained(after_move)
        scenario.check_rows()

    def test_concurrent_merge_still_records_change(self, scenario: Scenario) -> None:
        reader, other = subscriber(scenario), subscriber(scenario, BOB)
        with before_the_commit(lambda: scenario.merge(other.id, reader.id)):
            assert posted(scenario, reader.path, ONE_CLICK).status == 200
        scenario.world.deliver()
        assert other.changes[0]["address"] == ANN
        assert {each["state"] for each in other.changes if each["address"] == ANN} == {
            "subscribed",
            "unsubscribed",
        }
        scenario.check_rows()

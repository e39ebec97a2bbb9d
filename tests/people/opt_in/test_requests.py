"""POST /profiles/{id}/opt-in-requests: who may get one, how often, and what is stored of it."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.emails.shopper_texts import opt_in_wording
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.people.consent.states import Channel
from storepost.people.deliverability import service
from storepost.people.opt_in.repository import OptInSendsItem
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.values import clock
from storepost.values.languages import Language
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import LEASE_SECONDS, crashes
from tests.people.matching.scenario import ANN, BOB, PHONE, Scenario, day
from tests.people.opt_in.requested import (
    EVIDENCE,
    PROOF,
    WORDING,
    Requested,
    pressed,
    somebody,
)
from tests.people.unsubscribing.following import opened


def name_of(scenario: Scenario) -> str:
    """What the workspace is called."""
    workspace = WorkspaceRepository(scenario.workspace).get()
    assert workspace is not None
    return workspace.name


def suppress(scenario: Scenario, address: str, reason: str = "manual") -> None:
    """Suppresses an address, as a worker does."""
    source, now = SuppressionSource.SES, clock.now()
    service.suppress(
        scenario.workspace, Channel.EMAIL, address, SuppressionReason(reason), source, at=now
    )


class TestCreate:
    """POST /profiles/{id}/opt-in-requests."""

    def test_complete_response(self, scenario: Scenario) -> None:
        person, before = somebody(scenario), clock.now()
        answer = person.ask()
        sent_at = clock.from_text(answer.json["sentAt"])
        assert answer.status == 202
        assert before <= sent_at <= clock.now()
        assert answer.json == {
            "id": str(UUID(answer.json["id"])),
            "channel": "email",
            "status": "sent",
            "sentAt": answer.json["sentAt"],
            "expiresAt": clock.to_text(sent_at + timedelta(days=7)),
            "confirmedAt": None,
        }

    def test_emails_the_address_once(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = person.request_link()
        [email] = person.emails
        assert path.startswith("/opt-in/")
        assert name_of(scenario) in email.subject
        assert name_of(scenario) in email.text
        assert opened(scenario, path).status == 200

    def test_address_becomes_pending_with_form_as_evidence(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        key = scenario.world.api_key(scenario.workspace, KeyScope.WRITE)
        assert person.ask(key, evidence=EVIDENCE, occurredAt=day(1)).status == 202
        assert person.state == "pending"
        [change] = person.changes
        assert (change["state"], change["source"]) == ("pending", "api")
        [evidence] = person.evidence
        assert evidence == {
            "id": evidence["id"],
            "channel": "email",
            "address": ANN,
            "state": "pending",
            "occurredAt": day(1),
            "recordedAt": evidence["recordedAt"],
            "source": "api",
            "store": None,
            "proof": {**PROOF, "userId": None, "apiKeyId": str(scenario.world.key_of(key).id)},
            "text": WORDING,
            "textVersion": "2026-01",
            "url": EVIDENCE["url"],
            "optInLevel": "unknown",
            "changeId": change["id"],
        }

    def test_source_is_manual_for_person(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        person.request_link()
        [change] = person.changes
        assert change["source"] == "manual"
        assert change["proof"] == {**PROOF, "userId": str(scenario.owner.id), "apiKeyId": None}

    def test_subscriber_stays_subscribed(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        scenario.consent(person.id, "subscribed")
        before = person.changes
        person.request_link(evidence=EVIDENCE)
        assert person.state == "subscribed"
        assert person.changes == before
        form, _ = person.evidence
        assert (form["state"], form["text"], form["changeId"]) == ("pending", WORDING, None)
        assert form["proof"]["reference"] == PROOF["reference"]

    def test_new_holder_with_same_form_gets_own_evidence(self, scenario: Scenario) -> None:
        """The erasure finds the request by that evidence."""
        first, form = somebody(scenario), {"occurredAt": day(1)}
        assert first.ask(**form).status == 202
        other = somebody(scenario, BOB)
        [claim] = [
            row["id"]
            for row in scenario.get(f"/profiles/{first.id}/identities")["items"]
            if row["value"] == ANN
        ]
        scenario.upsert(email=ANN, phone=PHONE)
        assert scenario.call("DELETE", f"/profiles/{first.id}/identities/{claim}").status == 204
        assert scenario.call("PATCH", f"/profiles/{other.id}", {"email": ANN}).status == 200
        scenario.world.advance(days=2)
        scenario.token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)
        assert other.ask(**form).status == 202
        assert [each["occurredAt"] for each in other.evidence] == [day(1)]

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/proof"]),
            ({"proof": None}, ["/proof"]),
            ({"proof": {}}, ["/proof/reference"]),
            ({"proof": {"reference": " "}}, ["/proof/reference"]),
            ({"proof": PROOF, "occurredAt": "2999-01-01T00:00:00Z"}, ["/occurredAt"]),
            ({"proof": PROOF, "evidence": {"optInLevel": "confirmed"}}, ["/evidence"]),
            ({"proof": PROOF, "state": "subscribed"}, ["/state"]),
            ([], [""]),
        ],
    )
    def test_bad_input(self, scenario: Scenario, body: object, paths: list[str]) -> None:
        person = somebody(scenario)
        answer = scenario.call("POST", f"/profiles/{person.id}/opt-in-requests", body)
        assert answer.error_paths() == paths
        assert person.requests == []


class TestList:
    """GET /profiles/{id}/opt-in-requests."""

    def listed(self, scenario: Scenario, profile: str, **query: object) -> Any:
        return scenario.get(f"/profiles/{profile}/opt-in-requests", **query)

    def test_empty_list(self, scenario: Scenario) -> None:
        empty = {"items": [], "total": 0, "page": 1, "pageSize": 25}
        assert self.listed(scenario, somebody(scenario).id) == empty

    def test_status_of_expired_and_confirmed_requests(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        first = person.ask().json
        scenario.world.advance(days=8)
        scenario.token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)
        before = clock.now()
        assert pressed(scenario, person.request_link()).status == 200
        found = self.listed(scenario, person.id)
        assert found["total"] == 2
        assert found["items"][1] == {**first, "status": "expired"}
        assert (found["items"][0]["status"], found["items"][0]["channel"]) == ("confirmed", "email")
        assert before <= clock.from_text(found["items"][0]["confirmedAt"]) <= clock.now()
        assert self.listed(scenario, person.id, page=1, pageSize=10)["items"] == found["items"]

    def test_requests_of_merged_profiles_are_included(self, scenario: Scenario) -> None:
        ann, bob = somebody(scenario), somebody(scenario, BOB)
        made = [ann.ask().json, bob.ask().json]
        assert scenario.merge(bob.id, ann.id).status == 200
        for _ in range(2):
            for each in (ann, bob):
                assert self.listed(scenario, each.id)["items"] == made[::-1]
            scenario.world.deliver()

    def test_request_expires_after_30_days(self, scenario: Scenario) -> None:
        """DynamoDB deletes an expired row days later; a followed link ends on time, too."""
        person = somebody(scenario)
        assert pressed(scenario, person.request_link()).status == 200
        scenario.world.advance(days=29, hours=23)
        assert opened(scenario, person.path).status == 200
        scenario.world.advance(hours=1)
        scenario.token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)
        assert self.listed(scenario, person.id)["total"] == 0
        assert opened(scenario, person.path).status == 410

    def test_export_contains_requests(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        made = person.ask().json
        section = scenario.get(f"/profiles/{person.id}/export")["optInRequests"]
        assert section == {"items": [made], "total": 1}


class TestRefused:
    """Requests that are refused: nothing is sent then, and nothing stored."""

    def test_profile_without_email(self, scenario: Scenario) -> None:
        made = scenario.upsert(phone=PHONE)
        answer = scenario.call("POST", f"/profiles/{made['id']}/opt-in-requests", {"proof": PROOF})
        assert answer.problem() == (409, "no_email")

    @pytest.mark.parametrize("how", ["link", "evidence"])
    def test_confirmed_subscriber(self, scenario: Scenario, how: str) -> None:
        person = somebody(scenario)
        if how == "link":
            assert pressed(scenario, person.request_link()).status == 200
        else:
            scenario.consent(person.id, "subscribed", evidence={"optInLevel": "confirmed"})
        known = len(person.emails), len(person.requests)
        assert person.ask().problem() == (409, "already_confirmed")
        scenario.world.deliver()
        assert (len(person.emails), len(person.requests)) == known

    @pytest.mark.parametrize("form", [None, day(2), day(3)])
    def test_unsubscription_not_older_than_form(self, scenario: Scenario, form: str | None) -> None:
        person = somebody(scenario)
        scenario.consent(person.id, "unsubscribed", occurredAt=day(3))
        assert person.ask(occurredAt=form).problem() == (409, "unsubscribed")
        scenario.world.deliver()
        assert (person.emails, person.requests, person.state) == ([], [], "unsubscribed")

    def test_form_later_than_unsubscription_is_accepted(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        scenario.consent(person.id, "unsubscribed", occurredAt=day(3))
        path = person.request_link(occurredAt=day(4))
        assert person.state == "pending"
        assert pressed(scenario, path).status == 200
        assert person.state == "subscribed"

    @pytest.mark.parametrize("state", ["not_subscribed", "subscribed", "unsubscribed"])
    def test_suppressed_address(self, scenario: Scenario, state: str) -> None:
        person = somebody(scenario)
        if state != "not_subscribed":
            scenario.consent(person.id, state)
        suppress(scenario, ANN)
        assert person.ask().problem() == (409, "suppressed")
        scenario.world.deliver()
        assert (person.emails, person.requests, person.state) == ([], [], state)

    def test_person_erased_after_form(self, scenario: Scenario) -> None:
        form = clock.to_text(clock.now())
        assert scenario.call("DELETE", f"/profiles/{somebody(scenario).id}").status == 204
        scenario.world.deliver()
        back = somebody(scenario)
        assert back.ask(occurredAt=form).problem() == (409, "unsubscribed")
        assert back.ask().status == 202


class TestLimits:
    """One email a day, and two in 30 days, to one address."""

    def later(self, scenario: Scenario, **by: float) -> None:
        scenario.world.advance(**by)
        scenario.token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)

    def test_one_email_per_day(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        assert person.ask().status == 202
        scenario.world.advance(hours=1)
        answer = person.ask()
        assert answer.problem() == (429, "opt_in_recently_sent")
        assert 82_700 < int(answer.header("retry-after") or 0) <= 82_800
        self.later(scenario, hours=23)
        assert person.ask().status == 202
        scenario.world.deliver()
        assert len(person.emails) == 2

    def test_two_emails_per_30_days(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        assert person.ask().status == 202
        self.later(scenario, days=2)
        assert person.ask().status == 202
        self.later(scenario, days=27, hours=23)
        answer = person.ask()
        assert answer.problem() == (429, "opt_in_recently_sent")
        assert 3500 < int(answer.header("retry-after") or 0) <= 3600
        self.later(scenario, hours=1)
        assert person.ask().status == 202

    def test_erasure_does_not_reset_count(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        assert person.ask().status == 202
        assert scenario.call("DELETE", f"/profiles/{person.id}").status == 204
        scenario.world.deliver()
        [sends] = [row for row in scenario.world.rows() if isinstance(row, OptInSendsItem)]
        assert ANN not in repr((sends.pk, sends.sk, sends.attribute_values))
        assert somebody(scenario).ask().problem() == (429, "opt_in_recently_sent")

    def test_addresses_and_workspaces_are_counted_separately(self, scenario: Scenario) -> None:
        assert somebody(scenario).ask().status == 202
        assert somebody(scenario, BOB).ask().status == 202
        assert somebody(Scenario(scenario.world)).ask().status == 202

    def test_count_belongs_to_address_not_profile(self, scenario: Scenario) -> None:
        ann, bob = somebody(scenario), somebody(scenario, BOB)
        assert ann.ask().status == 202
        assert scenario.merge(bob.id, ann.id).status == 200
        assert scenario.call("PATCH", f"/profiles/{bob.id}", {"email": ANN}).status == 200
        assert bob.ask().problem() == (429, "opt_in_recently_sent")

    def test_stored_count_expires_after_30_days(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        assert person.ask().status == 202
        [sends] = [row for row in scenario.world.rows() if isinstance(row, OptInSendsItem)]
        [request] = person.requests
        month = timedelta(days=30)
        assert sends.expiration is not None
        assert abs(sends.expiration - request.sent_at - month) < timedelta(seconds=1)
        assert request.expiration == sends.expiration


class TestCrashesAndRaces:
    """Killed at any call, repeated, and with concurrent writers."""

    def test_killed_at_any_call(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        path = f"/profiles/{person.id}/opt-in-requests"

        def ask() -> Any:
            return scenario.call("POST", path, {"proof": PROOF}, key="k")

        found = crashes(scenario.world, ask)
        assert len(found.positions) > 4
        for _ in found:
            scenario.world.advance(seconds=LEASE_SECONDS)
            assert ask().status == 202
            scenario.world.deliver()
            assert len(person.emails) == len(person.requests) == len(person.changes) == 1

    def test_concurrent_requests_send_one_email(self, scenario: Scenario) -> None:
        person, answers = somebody(scenario), []
        with before_the_commit(lambda: answers.append(person.ask())):
            answers.append(person.ask())
        assert [answer.status for answer in answers] == [202, 429]
        scenario.world.deliver()
        assert len(person.emails) == 1

    def test_concurrent_unsubscription_refuses_request(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        with before_the_commit(lambda: scenario.consent(person.id, "unsubscribed")):
            assert person.ask().problem() == (409, "unsubscribed")
        scenario.world.deliver()
        assert (person.state, person.emails) == ("unsubscribed", [])

    def test_concurrent_unsubscription_of_subscriber_refuses_request(
        self, scenario: Scenario
    ) -> None:
        """The request asserts nothing as the person stays subscribed, but depends on that state."""
        person = somebody(scenario)
        scenario.consent(person.id, "subscribed")
        with before_the_commit(lambda: scenario.consent(person.id, "unsubscribed")):
            assert person.ask().problem() == (409, "unsubscribed")
        scenario.world.deliver()
        assert person.emails == []

    def test_concurrent_suppression_refuses_request(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        with before_the_commit(lambda: suppress(scenario, ANN)):
            assert person.ask().problem() == (409, "suppressed")
        scenario.world.deliver()
        assert person.emails == []

    def test_concurrent_merge_emails_survivor(self, scenario: Scenario) -> None:
        ann, bob = somebody(scenario), somebody(scenario, BOB)
        with before_the_commit(lambda: scenario.merge(bob.id, ann.id)):
            assert ann.ask().status == 202
        scenario.world.deliver()
        # The merged id stands for its survivor, whose shown address gets the email.
        assert (len(ann.emails), len(bob.emails)) == (0, 1)


class TestEmailLanguage:
    """The email is in the profile's language, else the workspace's, else in English."""

    @pytest.mark.parametrize("language", Language)
    def test_profile_locale(self, scenario: Scenario, language: Language) -> None:
        person = somebody(scenario, locale=f"{language}-CH")
        person.request_link()
        [email] = person.emails
        wording = opt_in_wording(language, name_of(scenario))
        assert email.subject == wording.partition("\n")[0]
        for part in wording.split("\n")[2:]:
            assert part in email.text

    @pytest.mark.parametrize(("default", "expected"), [("pl-PL", "pl"), ("sv-SE", "en")])
    @pytest.mark.parametrize("locale", [None, "sv-SE"])
    def test_workspace_language_if_profile_locale_is_unsupported(
        self, scenario: Scenario, locale: str | None, default: str, expected: str
    ) -> None:
        for code in (default, "fr-FR"):
            assert scenario.call("POST", "/locales", {"code": code}).status == 201
        person = somebody(scenario, locale=locale)
        person.request_link()
        assert (
            person.emails[0].subject
            == opt_in_wording(Language(expected), name_of(scenario)).partition("\n")[0]
        )

    def test_english_without_any_locale(self, scenario: Scenario) -> None:
        person = somebody(scenario)
        person.request_link()
        assert person.emails[0].subject.startswith("Please confirm")


class TestUndatedSubscriptions:
    """A request alone lets no undated subscription override an earlier opt-out."""

    @pytest.fixture
    def ann(self, scenario: Scenario) -> Requested:
        """A person who opted out a while ago."""
        ann = somebody(scenario)
        assert scenario.consent(ann.id, "unsubscribed").status == 200
        scenario.world.advance(hours=1)
        return ann

    def listed(self, ann: Requested, state: str = "subscribed", at: datetime | None = None) -> None:
        """A list without a proof has a statement about the address, by default of now."""
        change = {"email": ANN, "state": state, "occurredAt": clock.to_text(at or clock.now())}
        answer = ann.scenario.call("POST", "/consent/import", {"changes": [change]})
        assert answer.json["failed"] == []

    def may_get_marketing(self, ann: Requested) -> bool:
        """What a sender is answered."""
        addresses = {"addresses": [{"channel": "email", "address": ANN}]}
        [item] = ann.scenario.call("POST", "/reachability/check", addresses).json["items"]
        listed = ann.scenario.get("/profiles", reachable="email")["total"]
        assert bool(listed) == item["marketing"]
        return bool(item["marketing"])

    def test_import_without_proof_leaves_address_pending(
        self, scenario: Scenario, ann: Requested
    ) -> None:
        path = ann.request_link(occurredAt=clock.to_text(clock.now()))
        scenario.world.advance(hours=1)
        self.listed(ann)
        assert (ann.state, self.may_get_marketing(ann)) == ("pending", False)
        assert pressed(scenario, path).status == 200
        assert (ann.state, self.may_get_marketing(ann)) == ("subscribed", True)

    def test_store_without_consent_time_leaves_address_pending(
        self, scenario: Scenario, ann: Requested
    ) -> None:
        assert ann.ask(occurredAt=clock.to_text(clock.now())).status == 202
        consent = {"emailMarketingConsent": "subscribed"}
        answer = scenario.customer(scenario.store(), "c-1", at=400, email=ANN, **consent)
        assert answer.status == 201
        assert (ann.state, self.may_get_marketing(ann)) == ("pending", False)

    def test_earlier_undated_subscription_leaves_address_pending(
        self, scenario: Scenario, ann: Requested
    ) -> None:
        form = clock.to_text(clock.now())
        scenario.world.advance(hours=1)
        self.listed(ann)
        assert ann.state == "unsubscribed"
        assert ann.ask(occurredAt=form).status == 202
        assert (ann.state, self.may_get_marketing(ann)) == ("pending", False)

    def test_older_unsubscription_arriving_later_leaves_address_pending(
        self, scenario: Scenario
    ) -> None:
        """The order of arrival doesn't matter."""
        ann, before = somebody(scenario), clock.now()
        scenario.world.advance(hours=1)
        assert ann.ask().status == 202
        scenario.world.advance(hours=1)
        self.listed(ann)
        assert (ann.state, self.may_get_marketing(ann)) == ("subscribed", True)
        self.listed(ann, "unsubscribed", before)
        assert (ann.state, self.may_get_marketing(ann)) == ("pending", False)

    def test_import_with_proof_subscribes(self, scenario: Scenario, ann: Requested) -> None:
        assert ann.ask(occurredAt=clock.to_text(clock.now())).status == 202
        scenario.world.advance(hours=1)
        scenario.consent(ann.id, "subscribed")
        assert (ann.state, self.may_get_marketing(ann)) == ("subscribed", True)

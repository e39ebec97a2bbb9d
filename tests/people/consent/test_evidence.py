"""Evidence of consent: a statement's proof is kept, also if the statement changes nothing."""

from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from storepost.people.consent.evidence_rows import WordingItem, wording_partition
from tests.harness.receiver import Receiver
from tests.harness.world import BASE_URL, Answer
from tests.people.consent.customers_of_stores import put_customer, subscribed
from tests.people.consent.imports import (
    ANN,
    BEN,
    PROOF,
    at,
    counts,
    profile_of,
    row,
    send,
    upserted,
)
from tests.people.consent.listening_store import Shop

WORDING = "I want news by email. I can unsubscribe at any time."
FORM = {
    "text": WORDING,
    "textVersion": "2025-03",
    "url": "https://shop.example.com/newsletter",
    "optInLevel": "single",
}
NOTHING = {"text": None, "textVersion": None, "url": None, "optInLevel": "unknown"}
PROVEN = {"reference": "form-7", "ip": "203.0.113.9", "userAgent": "Browser/1"}


def ask(shop: Shop, profile: object, **query: object) -> Answer:
    """The answer of a page of a profile's evidence."""
    return shop.owner.call("GET", f"/profiles/{profile}/consent/evidence", query=query)


def evidence_of(shop: Shop, address: str = ANN, **query: object) -> list[dict[str, Any]]:
    """The evidence of the person who has an address, the newest first."""
    answer = ask(shop, profile_of(shop, address)["id"], pageSize=100, **query)
    assert answer.status == 200, answer.body
    assert answer.json["total"] == len(answer.json["items"])
    return list(answer.json["items"])


def change(shop: Shop, state: str, email: str = ANN, **body: object) -> dict[str, Any]:
    """The change that a request makes of an address."""
    path = f"/profiles/{upserted(shop, email=email)['id']}/consent/email"
    payload = {"state": state, **body}
    answer = shop.owner.call("PUT", path, payload)
    assert answer.status == 200, answer.body
    return dict(answer.json)


def follow_link(shop: Shop, person: str, reference: str, by: str) -> None:
    """Unsubscribes by a link to the person, as a mail program or its page's form does."""
    path, body = f"/profiles/{person}/unsubscribe-links", {"reference": reference}
    made = shop.owner.call("POST", path, body)
    link = str(made.json["url"]).removeprefix(BASE_URL)
    form = {"content-type": "application/x-www-form-urlencoded"}
    sent = shop.world.call("POST", link, headers=form, body=f"List-Unsubscribe={by}".encode())
    assert sent.status == 200


class TestStoredEvidence:
    def test_all_fields_of_request(self, shop: Shop) -> None:
        made = change(shop, "subscribed", occurredAt=at(5), proof=PROVEN, evidence=FORM)
        [one] = evidence_of(shop)
        assert UUID(one.pop("id"))
        assert one == {
            "channel": "email",
            "address": ANN,
            "state": "subscribed",
            "occurredAt": at(5),
            "recordedAt": made["recordedAt"],
            "source": "manual",
            "store": None,
            "proof": {**PROVEN, "userId": made["proof"]["userId"], "apiKeyId": None},
            **FORM,
            "changeId": made["id"],
        }

    def test_sms_statement(self, shop: Shop) -> None:
        person = upserted(shop, phone="+14155550123")["id"]
        path = f"/profiles/{person}/consent/sms"
        body = {"state": "subscribed", "evidence": {"url": FORM["url"]}}
        assert shop.owner.call("PUT", path, body).status == 200
        change(shop, "unsubscribed")
        [one] = ask(shop, person).json["items"]
        assert (one["channel"], one["address"], one["url"]) == ("sms", "+14155550123", FORM["url"])

    def test_proof_for_unchanged_state(self, shop: Shop) -> None:
        first = change(shop, "subscribed", occurredAt=at(5))
        again = change(shop, "subscribed", occurredAt=at(6), proof=PROVEN, evidence=FORM)
        assert again["id"] == first["id"]
        better, bare = evidence_of(shop)
        assert (bare["changeId"], better["changeId"]) == (first["id"], None)
        assert better["text"] == WORDING
        assert better["proof"]["ip"] == PROVEN["ip"]

    def test_proof_without_time(self, shop: Shop) -> None:
        change(shop, "subscribed")
        change(shop, "subscribed", proof=PROVEN)
        assert [each["proof"]["reference"] for each in evidence_of(shop)] == ["form-7", None]

    def test_statement_older_than_effective_one(self, shop: Shop) -> None:
        change(shop, "unsubscribed", occurredAt=at(10))
        change(shop, "subscribed", occurredAt=at(5), proof=PROVEN)
        older, effective = evidence_of(shop)
        assert (older["state"], older["occurredAt"]) == ("subscribed", at(5))
        assert older["changeId"] not in {None, effective["changeId"]}

    def test_unsubscriptions_by_links(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)["id"]
        for reference in ("spring", "summer"):
            follow_link(shop, person, reference, "One-Click")
        second, first = evidence_of(shop)
        assert first["source"] == second["source"] == "one_click"
        assert (first["proof"]["reference"], second["proof"]["reference"]) == ("spring", "summer")
        assert first["proof"]["ip"]
        assert (first["changeId"] is None, second["changeId"]) == (False, None)


class TestNoEvidence:
    def test_link_followed_repeatedly(self, shop: Shop) -> None:
        """Anybody who has an email may follow its link without end: no rows are added."""
        person = upserted(shop, email=ANN)["id"]
        for by in ("One-Click", "By-Page", "One-Click"):
            follow_link(shop, person, "spring", by)
        assert [each["source"] for each in evidence_of(shop)] == ["one_click"]
        change(shop, "subscribed", proof=PROVEN)
        follow_link(shop, person, "spring", "By-Page")
        sources = [each["source"] for each in evidence_of(shop)]
        assert sources == ["unsubscribe_link", "manual", "one_click"]

    def test_repetition_without_proof(self, shop: Shop) -> None:
        change(shop, "subscribed")
        change(shop, "subscribed")
        assert len(evidence_of(shop)) == 1

    def test_identical_statement(self, shop: Shop) -> None:
        for _ in range(2):
            change(shop, "subscribed", occurredAt=at(5), proof=PROVEN, evidence=FORM)
        assert len(evidence_of(shop)) == 1
        change(shop, "subscribed", occurredAt=at(5), proof={**PROVEN, "ip": "203.0.113.8"})
        assert len(evidence_of(shop)) == 2

    def test_repeated_import(self, shop: Shop) -> None:
        for _ in range(3):
            send(shop, [row(ANN, minutes=5, proof=PROOF)])
        assert len(evidence_of(shop)) == 1


class TestImports:
    def test_each_row_is_stored(self, shop: Shop) -> None:
        rows = [
            row(ANN, minutes=5, proof=PROOF, evidence=FORM),
            row(ANN, minutes=6, evidence={"text": WORDING}),
            row(ANN, "unsubscribed", minutes=7),
        ]
        assert counts(shop, *rows) == (2, 1, 0)
        third, second, first = evidence_of(shop)
        assert {each["source"] for each in (first, second, third)} == {"import"}
        assert (first["text"], second["text"], third["text"]) == (WORDING, WORDING, None)
        assert (first["optInLevel"], second["optInLevel"]) == ("single", "unknown")
        assert [each["changeId"] is None for each in (first, second, third)] == [False, True, False]

    def test_same_wording_is_stored_once(self, shop: Shop) -> None:
        rows = [row(f"p{n}@example.com", evidence={"text": WORDING}) for n in range(40)]
        assert counts(shop, *rows) == (40, 0, 0)
        [one] = shop.world.rows(wording_partition(shop.workspace))
        assert isinstance(one, WordingItem)
        assert one.text == WORDING


class TestStores:
    def test_evidence_of_customer(self, shop: Shop) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 0, **subscribed(5, evidence=FORM, proof=PROVEN))
        [one] = evidence_of(shop)
        assert one["store"] == {"id": str(store), "name": one["store"]["name"]}
        assert {name: one[name] for name in FORM} == FORM
        assert one["proof"]["ip"] == PROVEN["ip"]
        assert (one["occurredAt"], one["source"]) == (at(5), "manual")

    def test_repeated_record_adds_no_evidence(self, shop: Shop) -> None:
        store = shop.store()
        for minutes in (1, 2, 3):
            put_customer(
                shop,
                store,
                "c",
                minutes,
                **subscribed(1, evidence=FORM),
                firstName=f"Ann {minutes}",
            )
        assert len(evidence_of(shop)) == 1

    @pytest.mark.parametrize(
        "more",
        [
            subscribed(2, evidence=FORM),
            subscribed(1, evidence={"optInLevel": "confirmed"}),
            subscribed(1, proof=PROVEN),
        ],
        ids=["later", "confirmed", "proof"],
    )
    def test_better_proof_adds_evidence(
        self, shop: Shop, listener: Receiver, more: dict[str, Any]
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 2, **subscribed(1))
        put_customer(shop, store, "c", 3, **more)
        better, first = evidence_of(shop)
        assert (better["changeId"], first["changeId"] is None) == (None, False)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "subscribed"
        assert listener.received == []

    def test_unticked_box(self, shop: Shop) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 1, **subscribed(1))
        put_customer(shop, store, "c", 2, emailMarketingConsent="not_subscribed")
        assert [each["state"] for each in evidence_of(shop)] == ["unsubscribed", "subscribed"]

    def test_statement_about_address_of_other_profile(self, shop: Shop) -> None:
        store = shop.store()
        put_customer(shop, store, "a", 1, **subscribed(1))
        put_customer(shop, store, "b", 1, email="ben@example.com")
        put_customer(shop, store, "b", 2, **subscribed(2, evidence=FORM))
        newer, older = evidence_of(shop)
        assert (newer["text"], older["text"]) == (WORDING, None)

    def test_old_consent_at_new_address(self, shop: Shop) -> None:
        """It asserts nothing, but is still the store's statement about that address."""
        store = shop.store()
        put_customer(shop, store, "c", 1, **subscribed(1))
        change(shop, "unsubscribed", occurredAt=at(5))
        put_customer(shop, store, "c", 6, **subscribed(1, email=BEN))
        assert profile_of(shop, BEN)["emailMarketingConsent"] == "not_subscribed"
        newest = evidence_of(shop, BEN)[0]
        assert (newest["address"], newest["state"]) == (BEN, "subscribed")
        assert newest["changeId"] is None

    def test_not_subscribed_leaves_no_evidence(self, shop: Shop) -> None:
        put_customer(
            shop, shop.store(), "c", 1, evidence=FORM, emailMarketingConsent="not_subscribed"
        )
        assert evidence_of(shop) == []


class TestReading:
    def test_channel_filter(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN, phone="+14155550123")["id"]
        token = shop.owner.token
        for number in range(3):
            for channel in ("email", "sms"):
                body = {"state": "subscribed", "occurredAt": at(number)}
                path = f"/profiles/{person}/consent/{channel}"
                assert shop.world.call("PUT", path, token=token, json_body=body).status == 200
        both = ask(shop, person).json["items"]
        assert [each["channel"] for each in both] == ["sms", "email"] * 3
        assert [each["channel"] for each in evidence_of(shop, channel="sms")] == ["sms"] * 3
        assert evidence_of(shop, channel="email,sms") == both

    def test_page_past_the_end(self, shop: Shop) -> None:
        change(shop, "subscribed")
        answer = ask(shop, profile_of(shop, ANN)["id"], page=2, pageSize=10)
        assert (answer.status, answer.json["items"], answer.json["total"]) == (200, [], 1)

    def test_unknown_channel_is_refused(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)["id"]
        answer = ask(shop, person, channel="post")
        assert (answer.status, answer.json["errors"][0]["path"]) == (422, "query.channel")

    def test_other_workspaces_profile_is_not_found(self, shop: Shop) -> None:
        change(shop, "subscribed")
        stranger = shop.world.person()
        shop.world.workspace(stranger)
        path = f"/profiles/{profile_of(shop, ANN)['id']}/consent/evidence"
        assert stranger.call("GET", path).status == 404

    def test_evidence_of_merged_profiles_is_one_list(self, shop: Shop) -> None:
        people = [upserted(shop, email=f"m{n}@example.com")["id"] for n in range(3)]
        for number in range(4):
            for person in people:
                path = f"/profiles/{person}/consent/email"
                body = {"state": "subscribed", "occurredAt": at(number)}
                token = shop.owner.token
                assert shop.world.call("PUT", path, token=token, json_body=body).status == 200
        first, *others = people
        for other in others:
            path = f"/profiles/{first}/merge"
            body = {"profileId": other}
            merged = shop.owner.call("POST", path, body)
            assert merged.status == 200
        shop.world.deliver()
        shop.change(shop.profile(UUID(first)), "unsubscribed")
        found = ask(shop, others[0], pageSize=100).json
        assert found["total"] == len(found["items"]) == 13
        assert {each["address"] for each in found["items"]} == {
            f"m{n}@example.com" for n in range(3)
        }
        moments = [each["recordedAt"] for each in found["items"]]
        assert all(newer >= older for newer, older in pairwise(moments))
        paged = [
            each
            for page in (1, 2)
            for each in ask(shop, first, page=page, pageSize=10).json["items"]
        ]
        assert paged == found["items"]

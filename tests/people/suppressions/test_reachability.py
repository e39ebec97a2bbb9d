"""Who may be sent email: one by one, 500 at once, and on the list of profiles."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.profiles.lists import ProfileLists
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.persistence.counted_tree import scanning
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values import clock
from tests.harness.world import CANARY
from tests.people.consent.customers_of_stores import put_customer
from tests.people.consent.imports import ANN, BEN, CAT, upserted
from tests.people.consent.listening_store import PHONE, Shop
from tests.people.suppressions.suppression_requests import (
    call,
    channel_of,
    consent,
    create,
    lift,
    reachability,
    reachable,
)
from tests.people.suppressions.test_erasures import erase
from tests.people.suppressions.test_suppress import bounced, show

STATES = (None, "subscribed", "unsubscribed")
REASONS = ("manual", "invalid", "hard_bounce", "complaint")
SETS: tuple[tuple[str, ...], ...] = (
    (),
    *((reason,) for reason in REASONS),
    ("manual", "invalid"),
    REASONS,
)


def addresses(*values: str) -> dict[str, Any]:
    """The body of a check of addresses."""
    return {"addresses": [{"channel": channel_of(each), "address": each} for each in values]}


def check(shop: Shop, *values: str) -> list[dict[str, Any]]:
    """What may be sent to addresses."""
    answer = call(shop, "POST", "/reachability/check", addresses(*values))
    assert answer.status == 200, answer.body
    return list(answer.json["items"])


def check_suppressions(shop: Shop, *values: str) -> list[dict[str, Any]]:
    """Which addresses are suppressed."""
    answer = call(shop, "POST", "/suppressions/check", addresses(*values))
    assert answer.status == 200, answer.body
    return list(answer.json["items"])


class TestEveryState:
    """One address, in every known state: all operations agree."""

    @pytest.mark.parametrize(("state", "reasons"), list(product(STATES, SETS)))
    @pytest.mark.parametrize("address", [ANN, PHONE])
    def test_consent_and_suppressions_decide_reachability(
        self, shop: Shop, address: str, state: str | None, reasons: tuple[str, ...]
    ) -> None:
        channel = channel_of(address)
        person = upserted(shop, **{"email" if channel == "email" else "phone": address})
        made = {reason: create(shop, address, reason) for reason in reasons}
        if state:
            shop.world.advance(minutes=1)
            consent(shop, person, state, channel)
        elif "complaint" in reasons:
            state = "unsubscribed"
        strongest = max(reasons, key=REASONS.index, default=None)
        why = [] if state == "subscribed" else [state or "not_subscribed"]
        why += ["suppressed"] if reasons else []
        marketing, transactional = not why, set(reasons) <= {"manual"}
        shown = reachability(shop, person)
        assert shown[channel] == {
            "channel": channel,
            "address": address,
            "consent": state or "not_subscribed",
            "suppression": made[strongest] if strongest else None,
            "marketing": marketing,
            "transactional": transactional,
            "why": why,
        }
        other = "sms" if channel == "email" else "email"
        assert shown[other] == {
            "channel": other,
            "address": None,
            "consent": "not_subscribed",
            "suppression": None,
            "marketing": False,
            "transactional": False,
            "why": ["no_address"],
        }
        assert check(shop, address) == [
            {
                "channel": channel,
                "address": address,
                "marketing": marketing,
                "transactional": transactional,
                "why": why,
            }
        ]
        assert check_suppressions(shop, address) == [
            {
                "channel": channel,
                "address": address,
                "suppressed": bool(reasons),
                "reason": strongest,
            }
        ]
        assert reachable(shop, channel) == ({person["id"]} if marketing else set())
        assert reachable(shop, other) == set()
        assert reachable(shop, "email", "sms") == reachable(shop, channel)
        assert faults(ProfileLists(shop.workspace).by_first_seen) == []


class TestCheck:
    """POST /reachability/check and POST /suppressions/check."""

    def test_items_are_in_request_order_with_duplicates(self, shop: Shop) -> None:
        upserted(shop, email=ANN)
        create(shop, BEN)
        addresses = [BEN, ANN, PHONE, BEN, CAT]
        assert [each["address"] for each in check(shop, *addresses)] == addresses
        found = check_suppressions(shop, *addresses)
        assert [each["suppressed"] for each in found] == [True, False, False, True, False]

    def test_address_without_profile(self, shop: Shop) -> None:
        [found] = check(shop, ANN)
        assert (found["marketing"], found["transactional"]) == (False, True)
        assert found["why"] == ["not_subscribed"]

    def test_response_has_normalized_address(self, shop: Shop) -> None:
        create(shop, ANN)
        [found] = check_suppressions(shop, f" {ANN.upper()}")
        assert (found["address"], found["suppressed"]) == (ANN, True)

    def test_erased_address_stays_suppressed(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        consent(shop, person, "subscribed")
        create(shop, ANN)
        erase(shop, person)
        [found] = check(shop, ANN)
        assert (found["marketing"], found["transactional"]) == (False, True)
        assert found["why"] == ["not_subscribed", "suppressed"]
        assert check_suppressions(shop, ANN)[0]["suppressed"]

    @pytest.mark.parametrize("path", ["/reachability/check", "/suppressions/check"])
    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/addresses"]),
            ({"addresses": []}, ["/addresses"]),
            (addresses(*[ANN] * 501), ["/addresses"]),
            ({"addresses": [{"channel": "email"}]}, ["/addresses/0/address"]),
            (
                {"addresses": [*addresses(ANN)["addresses"], {"channel": "sms", "address": ANN}]},
                ["/addresses/1/address"],
            ),
        ],
    )
    def test_bad_input(self, shop: Shop, path: str, body: object, paths: list[str]) -> None:
        assert call(shop, "POST", path, body).error_paths() == paths

    def test_other_workspaces_suppressions_are_ignored(self, shop: Shop) -> None:
        create(shop, ANN)
        stranger = shop.world.person()
        shop.world.workspace(stranger)
        answer = call(shop, "POST", "/suppressions/check", addresses(ANN), token=stranger.token)
        assert not answer.json["items"][0]["suppressed"]


class TestProfile:
    """GET /profiles/{id}/reachability."""

    def test_erased_profile_is_not_found(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        path = f"/profiles/{person['id']}/reachability"
        erase(shop, person)
        assert call(shop, "GET", path).problem() == (404, "not_found")

    def test_merged_id_returns_survivor(self, shop: Shop) -> None:
        person, other = upserted(shop, email=ANN), upserted(shop, phone=PHONE)
        create(shop, PHONE)
        body = {"profileId": other["id"]}
        assert call(shop, "POST", f"/profiles/{person['id']}/merge", body).status == 200
        assert reachability(shop, other) == reachability(shop, person)
        assert reachability(shop, other)["sms"]["why"] == ["not_subscribed", "suppressed"]

    def test_ended_suppression_is_ignored(self, shop: Shop) -> None:
        """It is evaluated at the time of the request, whatever the table still has."""
        person = upserted(shop, email=ANN)
        consent(shop, person, "subscribed")
        bounced(shop, ends_at=clock.now() + timedelta(days=180))
        assert not reachability(shop, person)["email"]["marketing"]
        shop.world.advance(days=180)
        key = shop.world.api_key(shop.workspace, KeyScope.READ)  # a session has ended by then
        shop = replace(shop, owner=replace(shop.owner, token=key))
        assert reachability(shop, person)["email"]["marketing"]
        assert check(shop, ANN)[0]["marketing"]
        assert not check_suppressions(shop, ANN)[0]["suppressed"]


class TestFilter:
    """GET /profiles?reachable=email."""

    def test_with_other_filters(self, shop: Shop) -> None:
        people = {}
        for number, email in enumerate((ANN, BEN, CAT)):
            people[email] = upserted(shop, email=email, phone=f"+43660123450{number}")
            consent(shop, people[email], "subscribed")
        consent(shop, people[ANN], "subscribed", "sms")
        create(shop, BEN)
        ann, ben, cat = (people[each]["id"] for each in (ANN, BEN, CAT))
        assert reachable(shop, "email") == {ann, cat}
        assert reachable(shop, "sms") == {ann}
        assert reachable(shop, "email", "sms") == {ann, cat}
        assert reachable(shop, "email", emailMarketingConsent="subscribed") == {ann, cat}
        assert reachable(shop, "email", emailMarketingConsent="unsubscribed") == set()
        assert reachable(shop, "email", smsMarketingConsent="subscribed") == {ann}
        assert reachable(shop, "email", isCustomer="false") == {ann, cat}
        assert reachable(shop, "email", isCustomer="true") == set()
        assert reachable(shop, "email", email=BEN) == set()
        assert reachable(shop, "email", email=CAT) == {cat}
        assert reachable(shop, "email", "sms", sort="email") == {ann, cat}
        assert reachable(shop, "email", sort="-name") == {ann, cat}
        first = people[BEN]["firstSeenAt"]
        assert reachable(shop, "email", firstSeenFrom=first) == {cat}
        assert reachable(shop, "email", lastSeenFrom=first) <= {ann, cat}
        shop.world.deliver()
        assert reachable(shop, "email", q="ben") == set()
        assert reachable(shop, "email", q="cat") == {cat}
        listing = call(shop, "GET", "/profiles", query={"emailMarketingConsent": "subscribed"}).json
        assert {each["id"] for each in listing["items"]} == {ann, ben, cat}
        assert listing["total"] == 3

    def test_with_store_filter(self, shop: Shop) -> None:
        store = shop.store(listens=False)
        for number, email in enumerate((ANN, BEN)):
            put_customer(
                shop, store, f"c{number}", 5, email=email, emailMarketingConsent="subscribed"
            )
        create(shop, BEN)
        ann = upserted(shop, email=ANN)["id"]
        assert reachable(shop, "email", storeId=store) == {ann}
        assert reachable(shop, "email", "sms", storeId=store) == {ann}

    def test_two_channels_over_too_many_profiles_are_too_broad(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for email in (ANN, BEN, CAT):
            upserted(shop, email=email)
        monkeypatch.setattr(scanning, "MAX_ROWS", 2)
        answer = call(shop, "GET", "/profiles", query={"reachable": "email,sms"})
        assert answer.problem() == (422, "filter_too_broad")
        assert reachable(shop, "email") == set()

    def test_list_follows_consent_suppression_and_lift(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        seen = [reachable(shop, "email")]
        consent(shop, person, "subscribed")
        seen.append(reachable(shop, "email"))
        made = create(shop, ANN, "invalid")
        seen.append(reachable(shop, "email"))
        lift(shop, made)
        seen.append(reachable(shop, "email"))
        made = create(shop, ANN, "complaint")
        lift(shop, made, "a mistake")
        seen.append(reachable(shop, "email"))
        consent(shop, person, "subscribed")
        seen.append(reachable(shop, "email"))
        own = {person["id"]}
        assert seen == [set(), own, set(), own, set(), own]

    def test_list_follows_change_of_shown_address(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        consent(shop, person, "subscribed")
        create(shop, ANN)
        show(shop, person, BEN)
        consent(shop, person, "subscribed")
        assert reachable(shop, "email") == {person["id"]}
        show(shop, person, ANN)
        assert reachable(shop, "email") == set()

    def test_suppression_outlives_erasure(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        consent(shop, person, "subscribed")
        create(shop, ANN)
        erase(shop, person)
        again = upserted(shop, email=ANN)
        consent(shop, again, "subscribed")
        assert reachable(shop, "email") == set()
        assert faults(ProfileLists(shop.workspace).by_first_seen) == []


class TestOtherOperations:
    """Other operations that show suppressions."""

    def test_export_contains_suppressions(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN, phone=PHONE)
        create(shop, BEN)
        made = [create(shop, ANN), create(shop, PHONE, "invalid"), create(shop, ANN, "invalid")]
        lift(shop, made[0])
        answer = call(shop, "GET", f"/profiles/{person['id']}/export")
        assert answer.status == 200, answer.body
        found = answer.json["suppressions"]
        assert found["total"] == 3
        assert [each["id"] for each in found["items"]] == [each["id"] for each in made[::-1]]
        assert [bool(each["liftedAt"]) for each in found["items"]] == [False, False, True]

    def test_search_finds_suppressions_by_address(self, shop: Shop) -> None:
        made, lifted = create(shop, ANN, "invalid"), create(shop, BEN)
        lift(shop, lifted)
        shop.world.deliver()
        query = {"q": ANN, "kinds": "suppression"}
        [group] = call(shop, "GET", "/search", query=query).json["groups"]
        assert group == {
            "kind": "suppression",
            "total": 1,
            "items": [
                {
                    "kind": "suppression",
                    "id": made["id"],
                    "title": ANN,
                    "detail": "invalid",
                    "image": None,
                    "platform": None,
                }
            ],
        }
        query = {"q": CANARY, "kinds": "profile,suppression"}
        [group] = call(shop, "GET", "/search", query=query).json["groups"]
        assert [each["detail"] for each in group["items"]] == ["lifted", "invalid"]
        query = {"q": made["id"], "kinds": "suppression"}
        [group] = call(shop, "GET", "/search", query=query).json["groups"]
        assert group["total"] == 1
        assert call(shop, "GET", "/search", query={"q": ANN}).json["groups"] == []

    def test_merge_leaves_suppressions_with_address(self, shop: Shop) -> None:
        person, other = upserted(shop, email=ANN), upserted(shop, email=BEN)
        made = create(shop, BEN)
        before = SuppressionRepository(shop.workspace).lists.in_force.counts()
        body = {"profileId": other["id"]}
        assert call(shop, "POST", f"/profiles/{person['id']}/merge", body).status == 200
        shop.world.deliver()
        assert reachability(shop, person)["email"]["suppression"] is None
        show(shop, person, BEN)
        assert reachability(shop, person)["email"]["suppression"] == made
        assert SuppressionRepository(shop.workspace).lists.in_force.counts() == before

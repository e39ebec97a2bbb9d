"""Consent of a profile, an operation a class."""

from datetime import timedelta
from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.states import ConsentState
from storepost.values import clock
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY
from tests.people.consent.listening_store import EMAIL, PHONE, Shop
from tests.people.consent.paths import NOBODY, path_of

LONG_IP = "2001:0DB8:AAAA:BBBB:CCCC:DDDD:EEEE:0001"


class TestChangeEmail:
    """PUT /profiles/{id}/consent/email."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/state"]),
            ({"state": "pending"}, ["/state"]),
            ({"state": "not_subscribed"}, ["/state"]),
            ({"state": None}, ["/state"]),
            ({"state": "subscribed", "more": 1}, ["/more"]),
            ({"state": "subscribed", "occurredAt": "yesterday"}, ["/occurredAt"]),
            ({"state": "subscribed", "occurredAt": "2026-01-01T00:00:00"}, ["/occurredAt"]),
            ({"state": "subscribed", "proof": {}}, ["/proof/reference"]),
            ({"state": "subscribed", "proof": {"reference": ""}}, ["/proof/reference"]),
            ({"state": "subscribed", "proof": {"reference": "r" * 201}}, ["/proof/reference"]),
            ({"state": "subscribed", "proof": {"reference": "r", "ip": "1" * 65}}, ["/proof/ip"]),
            ({"state": "subscribed", "proof": {"reference": "r", "ip": "nope"}}, ["/proof/ip"]),
            ({"state": "subscribed", "proof": {"reference": "r", "ip": ""}}, ["/proof/ip"]),
            (
                {"state": "subscribed", "proof": {"reference": "r", "userAgent": "u" * 1001}},
                ["/proof/userAgent"],
            ),
            (
                {"state": "subscribed", "proof": {"reference": "r", "userId": str(NOBODY)}},
                ["/proof/userId"],
            ),
        ],
    )
    def test_bad_input(self, shop: Shop, body: object, paths: list[str]) -> None:
        profile = shop.person()
        assert shop.owner.call("PUT", path_of(profile, "email"), body).error_paths() == paths
        assert shop.profile(profile.id) == profile

    def test_future_time_is_refused(self, shop: Shop) -> None:
        profile = shop.person()
        soon = clock.to_text(clock.now() + timedelta(minutes=1))
        answer = shop.owner.call(
            "PUT", path_of(profile, "email"), {"state": "subscribed", "occurredAt": soon}
        )
        assert answer.error_paths() == ["/occurredAt"]

    def test_profile_without_email_is_refused(self, shop: Shop) -> None:
        profile = shop.person(email=None)
        answer = shop.owner.call("PUT", path_of(profile, "email"), {"state": "subscribed"})
        assert answer.problem() == (409, "no_email")

    def test_change_by_signed_in_person(self, shop: Shop) -> None:
        here, there = shop.store(), shop.store(listens=False)
        profile = shop.person(here, there)
        before = clock.now()
        body = shop.change(profile, "unsubscribed")
        occurred = clock.from_text(body["occurredAt"])
        assert before <= occurred <= clock.now()
        pending = {"status": "pending", "skipReason": None, "error": None, "doneAt": None}
        assert body == {
            "id": str(UUID(body["id"])),
            "channel": "email",
            "state": "unsubscribed",
            "source": "manual",
            "store": None,
            "address": EMAIL,
            "proof": {
                "ip": None,
                "userAgent": None,
                "userId": str(shop.owner.id),
                "apiKeyId": None,
                "reference": None,
            },
            "by": shop.owner.name,
            "occurredAt": body["occurredAt"],
            "recordedAt": body["occurredAt"],
            "writeBacks": [
                {"store": {"id": str(store_id), "name": f"Store {CANARY}"}, **pending}
                for store_id in sorted((here, there))
            ],
        }
        assert shop.read(profile, body) == body
        assert shop.profile(profile.id).email_consent is ConsentState.UNSUBSCRIBED
        assert shop.profile(profile.id).sms_consent is ConsentState.NOT_SUBSCRIBED
        assert sorted(shop.queued(), key=lambda each: each["storeId"]) == [
            {
                "workspaceId": str(shop.workspace.id),
                "profileId": str(profile.id),
                "changeId": body["id"],
                "storeId": str(store_id),
            }
            for store_id in sorted((here, there), key=str)
        ]

    def test_change_by_api_key_with_proof(self, shop: Shop) -> None:
        profile = shop.person()
        key = shop.world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        long_ago = "2024-02-29T23:59:59.123456+02:00"
        answer = shop.world.call(
            "PUT",
            path_of(profile, "email"),
            token=key,
            headers={"user-agent": "the caller's own"},
            json_body={
                "state": "subscribed",
                "occurredAt": long_ago,
                "proof": {"reference": "r" * 200, "ip": LONG_IP, "userAgent": "u" * 1000},
            },
        )
        assert answer.status == 200
        body = answer.json
        assert body["source"] == "api"
        assert body["by"] == shop.world.key_of(key).name
        assert body["occurredAt"] == "2024-02-29T21:59:59.123Z"
        assert body["proof"] == {
            "ip": "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1",
            "userAgent": "u" * 1000,
            "userId": None,
            "apiKeyId": str(shop.world.key_of(key).id),
            "reference": "r" * 200,
        }
        assert body["writeBacks"] == []
        assert shop.queued() == []

    def test_invalid_ip_address_is_refused_with_plain_message(self, shop: Shop) -> None:
        profile = shop.person()
        proof = {"reference": "form 7", "ip": "203.0.113.7:443"}
        body = {"state": "subscribed", "proof": proof}
        answer = shop.owner.call("PUT", path_of(profile, "email"), body)
        assert (answer.status, answer.json) == (
            422,
            {
                "type": "https://api.example.com/v1/problems/validation",
                "title": "The request isn't valid",
                "status": 422,
                "detail": "Fix the fields listed in `errors`.",
                "code": "validation",
                "errors": [
                    {
                        "path": "/proof/ip",
                        "message": "Must be an IPv4 or IPv6 address, like `203.0.113.7` or "
                        "`2001:db8::7`",
                    }
                ],
            },
        )
        assert shop.profile(profile.id) == profile

    def test_callers_own_ip_address_is_not_stored_as_proof(self, shop: Shop) -> None:
        profile = shop.person()
        body = shop.change(profile, "subscribed", proof={"reference": "form 7"})
        assert body["proof"]["ip"] is None
        assert body["proof"]["userAgent"] is None
        assert body["proof"]["reference"] == "form 7"

    def test_unchanged_state_records_nothing(self, shop: Shop) -> None:
        profile = shop.person(shop.store())
        first = shop.change(profile, "subscribed")
        messages = shop.queued()
        shop.world.advance(hours=1)
        assert shop.change(profile, "subscribed") == first
        assert shop.queued() == messages
        listed = shop.owner.call("GET", path_of(profile)).json
        assert listed["total"] == 1

    def test_unchanged_state_raises_as_of(self, shop: Shop) -> None:
        profile = shop.person()
        first = shop.change(profile, "subscribed")
        shop.world.advance(hours=2)
        shop.change(profile, "subscribed")
        between = clock.to_text(clock.now() - timedelta(hours=1))
        assert shop.change(profile, "unsubscribed", occurredAt=between) == first
        assert shop.profile(profile.id).email_consent is ConsentState.SUBSCRIBED

    def test_older_statement_is_only_recorded_in_history(self, shop: Shop) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        holding = shop.change(profile, "unsubscribed")
        messages = shop.queued()
        earlier = clock.to_text(clock.now() - timedelta(days=1))
        assert shop.change(profile, "subscribed", occurredAt=earlier) == holding
        assert shop.profile(profile.id).email_consent is ConsentState.UNSUBSCRIBED
        assert shop.queued() == messages
        listed = shop.owner.call("GET", path_of(profile)).json
        assert [row["state"] for row in listed["items"]] == ["subscribed", "unsubscribed"]
        [old, _] = listed["items"]
        assert old["occurredAt"] == earlier
        assert old["writeBacks"] == [
            {
                "store": {"id": str(store_id), "name": f"Store {CANARY}"},
                "status": "skipped",
                "skipReason": "superseded",
                "error": None,
                "doneAt": old["recordedAt"],
            }
        ]

    def test_unsubscribed_wins_at_same_time(self, shop: Shop) -> None:
        profile, moment = shop.person(), clock.to_text(clock.now() - timedelta(hours=1))
        shop.change(profile, "subscribed", occurredAt=moment)
        body = shop.change(profile, "unsubscribed", occurredAt=moment)
        assert body["state"] == "unsubscribed"
        assert shop.change(profile, "subscribed", occurredAt=moment) == body

    def test_request_without_time_always_wins(self, shop: Shop) -> None:
        profile = shop.person()
        states = ["subscribed", "unsubscribed"] * 3
        bodies = [shop.change(profile, state) for state in states]
        assert [body["state"] for body in bodies] == states
        moments = [body["occurredAt"] for body in bodies]
        assert moments == sorted(set(moments))

    def test_store_with_orders_only_gets_no_write_back(self, shop: Shop) -> None:
        store_id = shop.store()
        profile = shop.person()
        linked = profile.linked(store_id, orders=1)
        shop.save(profile, linked)
        assert shop.change(linked, "subscribed")["writeBacks"] == []

    def test_store_with_deleted_customer_has_write_back(self, shop: Shop) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, deleted_at=clock.now())
        [write_back] = shop.change(profile, "subscribed")["writeBacks"]
        assert write_back["store"]["id"] == str(store_id)

    def test_state_belongs_to_address_not_profile(self, shop: Shop) -> None:
        first, second = shop.person(), shop.person()
        body = shop.change(first, "subscribed")
        assert shop.change(second, "subscribed") == body
        assert shop.change(second, "unsubscribed")["state"] == "unsubscribed"


class TestChangeSms:
    """PUT /profiles/{id}/consent/sms: as the email's, of the phone."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/state"]),
            ({"state": "pending"}, ["/state"]),
            ({"state": "subscribed", "phone": PHONE}, ["/phone"]),
            ({"state": "subscribed", "occurredAt": "2999-01-01T00:00:00Z"}, ["/occurredAt"]),
            ({"state": "subscribed", "proof": {}}, ["/proof/reference"]),
        ],
    )
    def test_bad_input(self, shop: Shop, body: object, paths: list[str]) -> None:
        profile = shop.person()
        assert shop.owner.call("PUT", path_of(profile, "sms"), body).error_paths() == paths
        assert shop.profile(profile.id) == profile

    def test_profile_without_phone_is_refused(self, shop: Shop) -> None:
        profile = shop.person(phone=None)
        answer = shop.owner.call("PUT", path_of(profile, "sms"), {"state": "subscribed"})
        assert answer.problem() == (409, "no_phone")
        assert shop.change(profile, "subscribed")["channel"] == "email"

    def test_change_by_api_key_with_proof(self, shop: Shop) -> None:
        store_id = shop.store()
        profile = shop.person(store_id, email=None)
        key = shop.world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        answer = shop.world.call(
            "PUT",
            path_of(profile, "sms"),
            token=key,
            json_body={
                "state": "subscribed",
                "occurredAt": "2025-03-01T12:00:00Z",
                "proof": {"reference": "keyword JOIN", "ip": "192.0.2.7"},
            },
        )
        assert answer.status == 200
        body = answer.json
        made_by = shop.world.key_of(key)
        assert body == {
            "id": str(UUID(body["id"])),
            "channel": "sms",
            "state": "subscribed",
            "source": "api",
            "store": None,
            "address": PHONE,
            "proof": {
                "ip": "192.0.2.7",
                "userAgent": None,
                "userId": None,
                "apiKeyId": str(made_by.id),
                "reference": "keyword JOIN",
            },
            "by": made_by.name,
            "occurredAt": "2025-03-01T12:00:00.000Z",
            "recordedAt": body["recordedAt"],
            "writeBacks": [
                {
                    "store": {"id": str(store_id), "name": f"Store {CANARY}"},
                    "status": "pending",
                    "skipReason": None,
                    "error": None,
                    "doneAt": None,
                }
            ],
        }
        assert shop.read(profile, body) == body
        after = shop.profile(profile.id)
        assert after.sms_consent is ConsentState.SUBSCRIBED
        assert after.email_consent is ConsentState.NOT_SUBSCRIBED

    def test_channels_are_independent(self, shop: Shop) -> None:
        profile = shop.person()
        shop.change(profile, "unsubscribed")
        shop.change(profile, "subscribed", channel="sms")
        after = shop.profile(profile.id)
        assert after.email_consent is ConsentState.UNSUBSCRIBED
        assert after.sms_consent is ConsentState.SUBSCRIBED

    def test_unchanged_state_records_nothing(self, shop: Shop) -> None:
        profile = shop.person(shop.store())
        first = shop.change(profile, "unsubscribed", channel="sms")
        messages = shop.queued()
        shop.world.advance(hours=1)
        assert shop.change(profile, "unsubscribed", channel="sms") == first
        assert shop.queued() == messages

    def test_older_statement_does_not_change_state(self, shop: Shop) -> None:
        profile = shop.person()
        holding = shop.change(profile, "unsubscribed", channel="sms")
        earlier = clock.to_text(clock.now() - timedelta(days=1))
        assert shop.change(profile, "subscribed", channel="sms", occurredAt=earlier) == holding
        assert shop.profile(profile.id).sms_consent is ConsentState.UNSUBSCRIBED

    def test_change_is_written_back_to_stores(self, shop: Shop, listener: Receiver) -> None:
        here, there = shop.store(), shop.store()
        profile = shop.person(here, there)
        shop.customer(profile, there, phone="+436609999999")
        body = shop.change(profile, "subscribed", channel="sms")
        shop.world.deliver()
        assert shop.outcome(profile, body, here) == "written"
        assert shop.outcome(profile, body, there) == "no_email"
        [message] = listener.received
        assert message.json["data"]["channel"] == "sms"
        assert message.json["data"]["address"] == PHONE

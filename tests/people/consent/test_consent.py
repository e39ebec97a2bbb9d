"""Consent of a profile, an operation a class."""

from datetime import timedelta
from functools import partial
from typing import Any
from unittest import mock
from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Subject
from storepost.people.consent.repository import ConsentChangeItem
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes import listing
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.attempts.waits import WAITS
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from tests.harness.later_attempts import make_all
from tests.harness.world import CANARY
from tests.people.consent.asserting import assert_consent
from tests.people.consent.listening_store import EMAIL, PHONE, Listener, Shop, hand_over

LONG_IP = "2001:0DB8:AAAA:BBBB:CCCC:DDDD:EEEE:0001"
NOBODY = UUID("8d7c2f53-1b43-4a39-8c0e-0d1f6f7f0a11")


def path_of(profile: Profile | UUID, *rest: object) -> str:
    """The path of something of a profile's consent."""
    profile_id = profile.id if isinstance(profile, Profile) else profile
    return "/".join(("", "profiles", str(profile_id), "consent", *map(str, rest)))


def said(
    shop: Shop,
    profile: Profile,
    state: ConsentState,
    *,
    channel: Channel = Channel.EMAIL,
    source: ConsentSource = ConsentSource.IMPORT,
) -> None:
    """Somebody's word about the person, by another way than the API."""
    value = profile.email if channel is Channel.EMAIL else profile.phone
    assert value is not None
    changes = Changes()
    subject = Subject(shop.workspace, profile.id, ())
    assert_consent(changes, subject, Address(channel, value), state, ConsentOrigin(source))
    before = shop.profile(profile.id)
    ProfileRepository(shop.workspace).save(changes, before, before)
    changes.commit()


class TestChangeEmail:
    """PUT /profiles/{id}/consent/email."""

    def test_another_workspaces_profile_is_not_found(self, shop: Shop) -> None:
        profile, stranger = shop.person(), shop.world.person()
        shop.world.workspace(stranger)
        answer = shop.world.call(
            "PUT",
            path_of(profile, "email"),
            token=stranger.token,
            json_body={"state": "subscribed"},
        )
        assert answer.problem() == (404, "not_found")
        assert shop.profile(profile.id) == profile

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
        answer = shop.world.call(
            "PUT", path_of(profile, "email"), token=shop.owner.token, json_body=body
        )
        assert answer.error_paths() == paths
        assert shop.profile(profile.id) == profile

    def test_the_path_is_no_uuid(self, shop: Shop) -> None:
        answer = shop.world.call(
            "PUT",
            "/profiles/7/consent/email",
            token=shop.owner.token,
            json_body={"state": "subscribed"},
        )
        assert answer.error_paths() == ["path.id"]

    def test_not_in_the_future(self, shop: Shop) -> None:
        profile = shop.person()
        soon = clock.to_text(clock.now() + timedelta(minutes=1))
        answer = shop.world.call(
            "PUT",
            path_of(profile, "email"),
            token=shop.owner.token,
            json_body={"state": "subscribed", "occurredAt": soon},
        )
        assert answer.error_paths() == ["/occurredAt"]

    def test_without_an_email(self, shop: Shop) -> None:
        profile = shop.person(email=None)
        answer = shop.world.call(
            "PUT",
            path_of(profile, "email"),
            token=shop.owner.token,
            json_body={"state": "subscribed"},
        )
        assert answer.problem() == (409, "no_email")

    def test_by_a_person(self, shop: Shop) -> None:
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

    def test_by_a_key_with_proof(self, shop: Shop) -> None:
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

    def test_what_is_no_network_address_is_refused_in_plain_words(self, shop: Shop) -> None:
        profile = shop.person()
        proof = {"reference": "form 7", "ip": "203.0.113.7:443"}
        body = {"state": "subscribed", "proof": proof}
        answer = shop.world.call(
            "PUT", path_of(profile, "email"), token=shop.owner.token, json_body=body
        )
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

    def test_the_callers_own_address_is_no_proof(self, shop: Shop) -> None:
        profile = shop.person()
        body = shop.change(profile, "subscribed", proof={"reference": "form 7"})
        assert body["proof"]["ip"] is None
        assert body["proof"]["userAgent"] is None
        assert body["proof"]["reference"] == "form 7"

    def test_the_state_that_is_there_already(self, shop: Shop) -> None:
        profile = shop.person(shop.store())
        first = shop.change(profile, "subscribed")
        messages = shop.queued()
        shop.world.advance(hours=1)
        assert shop.change(profile, "subscribed") == first
        assert shop.queued() == messages
        listed = shop.world.call("GET", path_of(profile), token=shop.owner.token).json
        assert listed["total"] == 1

    def test_it_still_raises_as_of(self, shop: Shop) -> None:
        profile = shop.person()
        first = shop.change(profile, "subscribed")
        shop.world.advance(hours=2)
        shop.change(profile, "subscribed")
        between = clock.to_text(clock.now() - timedelta(hours=1))
        assert shop.change(profile, "unsubscribed", occurredAt=between) == first
        assert shop.profile(profile.id).email_consent is ConsentState.SUBSCRIBED

    def test_an_older_word_is_history_only(self, shop: Shop) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        holding = shop.change(profile, "unsubscribed")
        messages = shop.queued()
        earlier = clock.to_text(clock.now() - timedelta(days=1))
        assert shop.change(profile, "subscribed", occurredAt=earlier) == holding
        assert shop.profile(profile.id).email_consent is ConsentState.UNSUBSCRIBED
        assert shop.queued() == messages
        listed = shop.world.call("GET", path_of(profile), token=shop.owner.token).json
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

    def test_the_same_moment_unsubscribed_wins(self, shop: Shop) -> None:
        profile, moment = shop.person(), clock.to_text(clock.now() - timedelta(hours=1))
        shop.change(profile, "subscribed", occurredAt=moment)
        body = shop.change(profile, "unsubscribed", occurredAt=moment)
        assert body["state"] == "unsubscribed"
        assert shop.change(profile, "subscribed", occurredAt=moment) == body

    def test_without_a_moment_it_always_wins(self, shop: Shop) -> None:
        profile = shop.person()
        states = ["subscribed", "unsubscribed"] * 3
        bodies = [shop.change(profile, state) for state in states]
        assert [body["state"] for body in bodies] == states
        moments = [body["occurredAt"] for body in bodies]
        assert moments == sorted(set(moments))

    def test_a_store_with_orders_alone_is_not_told(self, shop: Shop) -> None:
        store_id = shop.store()
        profile = shop.person()
        linked = profile.linked(store_id, orders=1)
        shop.save(profile, linked)
        assert shop.change(linked, "subscribed")["writeBacks"] == []

    def test_a_store_whose_customer_was_deleted_is_told_of(self, shop: Shop) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, deleted_at=clock.now())
        [write_back] = shop.change(profile, "subscribed")["writeBacks"]
        assert write_back["store"]["id"] == str(store_id)

    def test_the_state_is_the_addresss(self, shop: Shop) -> None:
        first, second = shop.person(), shop.person()
        body = shop.change(first, "subscribed")
        assert shop.change(second, "subscribed") == body
        assert shop.change(second, "unsubscribed")["state"] == "unsubscribed"

    def test_replay(self, shop: Shop) -> None:
        profile = shop.person(shop.store())

        def send(state: str) -> Any:
            return shop.world.call(
                "PUT",
                path_of(profile, "email"),
                token=shop.owner.token,
                json_body={"state": state},
                key="k",
            )

        first = send("subscribed")
        shop.change(profile, "unsubscribed")
        again = send("subscribed")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert send("unsubscribed").problem() == (422, "idempotency_key_reused")
        assert shop.profile(profile.id).email_consent is ConsentState.UNSUBSCRIBED


class TestChangeSms:
    """PUT /profiles/{id}/consent/sms: as the email's, of the phone."""

    def test_another_workspaces_profile_is_not_found(self, shop: Shop) -> None:
        profile, stranger = shop.person(), shop.world.person()
        shop.world.workspace(stranger)
        answer = shop.world.call(
            "PUT", path_of(profile, "sms"), token=stranger.token, json_body={"state": "subscribed"}
        )
        assert answer.problem() == (404, "not_found")
        assert shop.profile(profile.id) == profile

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
        answer = shop.world.call(
            "PUT", path_of(profile, "sms"), token=shop.owner.token, json_body=body
        )
        assert answer.error_paths() == paths
        assert shop.profile(profile.id) == profile

    def test_without_a_phone(self, shop: Shop) -> None:
        profile = shop.person(phone=None)
        answer = shop.world.call(
            "PUT",
            path_of(profile, "sms"),
            token=shop.owner.token,
            json_body={"state": "subscribed"},
        )
        assert answer.problem() == (409, "no_phone")
        assert shop.change(profile, "subscribed")["channel"] == "email"

    def test_by_a_key_with_proof(self, shop: Shop) -> None:
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

    def test_the_channels_know_nothing_of_each_other(self, shop: Shop) -> None:
        profile = shop.person()
        shop.change(profile, "unsubscribed")
        shop.change(profile, "subscribed", channel="sms")
        after = shop.profile(profile.id)
        assert after.email_consent is ConsentState.UNSUBSCRIBED
        assert after.sms_consent is ConsentState.SUBSCRIBED

    def test_the_state_that_is_there_already(self, shop: Shop) -> None:
        profile = shop.person(shop.store())
        first = shop.change(profile, "unsubscribed", channel="sms")
        messages = shop.queued()
        shop.world.advance(hours=1)
        assert shop.change(profile, "unsubscribed", channel="sms") == first
        assert shop.queued() == messages

    def test_an_older_word_is_history_only(self, shop: Shop) -> None:
        profile = shop.person()
        holding = shop.change(profile, "unsubscribed", channel="sms")
        earlier = clock.to_text(clock.now() - timedelta(days=1))
        answer = shop.change(profile, "subscribed", channel="sms", occurredAt=earlier)
        assert answer == holding
        assert shop.profile(profile.id).sms_consent is ConsentState.UNSUBSCRIBED

    def test_the_stores_are_told(self, shop: Shop, listener: Listener) -> None:
        here, there = shop.store(), shop.store()
        profile = shop.person(here, there)
        shop.customer(profile, there, phone="+436609999999")
        body = shop.change(profile, "subscribed", channel="sms")
        shop.world.deliver()
        assert shop.outcome(profile, body, here) == "written"
        assert shop.outcome(profile, body, there) == "no_email"
        [told] = listener.received
        assert told.json["data"]["channel"] == "sms"
        assert told.json["data"]["address"] == PHONE

    def test_replay(self, shop: Shop) -> None:
        profile = shop.person(shop.store())

        def send(state: str) -> Any:
            return shop.world.call(
                "PUT",
                path_of(profile, "sms"),
                token=shop.owner.token,
                json_body={"state": state},
                key="k",
            )

        first = send("subscribed")
        again = send("subscribed")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert send("unsubscribed").problem() == (422, "idempotency_key_reused")
        assert len(shop.queued()) == 1


class TestList:
    """GET /profiles/{id}/consent."""

    def test_another_workspaces_profile_is_not_found(self, shop: Shop) -> None:
        profile, stranger = shop.person(), shop.world.person()
        shop.world.workspace(stranger)
        answer = shop.world.call("GET", path_of(profile), token=stranger.token)
        assert answer.problem() == (404, "not_found")

    @pytest.mark.parametrize(
        ("query", "paths"),
        [
            ({"channel": "post"}, ["query.channel"]),
            ({"state": "maybe"}, ["query.state"]),
            ({"source": "guess"}, ["query.source"]),
            ({"page": "0", "pageSize": "7"}, ["query.page", "query.pageSize"]),
        ],
    )
    def test_bad_input(self, shop: Shop, query: dict[str, object], paths: list[str]) -> None:
        answer = shop.world.call("GET", path_of(NOBODY), token=shop.owner.token, query=query)
        assert answer.error_paths() == paths

    def test_nothing_yet(self, shop: Shop) -> None:
        key = shop.world.api_key(shop.workspace, KeyScope.READ, shop.owner)
        answer = shop.world.call("GET", path_of(shop.person()), token=key)
        assert answer.status == 200
        assert answer.json == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    def test_newest_first_by_pages(self, shop: Shop) -> None:
        profile = shop.person()
        for number in range(12):
            shop.change(profile, ["subscribed", "unsubscribed"][number % 2])
        shop.world.advance(seconds=1)
        last = shop.change(profile, "subscribed")

        def page(number: int) -> Any:
            return shop.world.call(
                "GET",
                path_of(profile),
                token=shop.owner.token,
                query={"page": number, "pageSize": 10},
            ).json

        first, second, past = page(1), page(2), page(3)
        assert first["items"][0] == last
        rows = first["items"] + second["items"]
        assert [len(first["items"]), len(second["items"]), past["items"]] == [10, 3, []]
        assert [p["total"] for p in (first, second, past)] == [13] * 3
        recorded = [row["recordedAt"] for row in rows]
        assert recorded == sorted(recorded, reverse=True)

    def test_a_page_reads_no_further_than_its_end(self, shop: Shop) -> None:
        """The total is counted on the profile."""
        profile = shop.person()
        for number in range(15):
            shop.change(profile, ["subscribed", "unsubscribed"][number % 2])
        read, plain = list[object](), ConsentChangeItem.from_raw_data

        def counted(raw: Any) -> ConsentChangeItem:
            read.append(raw)
            return plain(raw)

        query = {"page": 1, "pageSize": 10}
        with mock.patch.object(ConsentChangeItem, "from_raw_data", counted):
            answer = shop.world.call("GET", path_of(profile), token=shop.owner.token, query=query)
        assert (len(answer.json["items"]), answer.json["total"], len(read)) == (10, 15, 10)

    @pytest.mark.parametrize(
        ("query", "wanted"),
        [
            ({"channel": "sms"}, ["sms pending import"]),
            (
                {"state": "unsubscribed,pending"},
                ["sms pending import", "email unsubscribed manual"],
            ),
            ({"source": "one_click,import"}, ["sms pending import", "email subscribed one_click"]),
            ({"channel": "email", "state": "pending"}, []),
            (
                {"channel": "email,sms"},
                [
                    "sms pending import",
                    "email unsubscribed manual",
                    "email subscribed one_click",
                ],
            ),
        ],
    )
    def test_filters(self, shop: Shop, query: dict[str, object], wanted: list[str]) -> None:
        profile = shop.person()
        said(shop, profile, ConsentState.SUBSCRIBED, source=ConsentSource.ONE_CLICK)
        shop.world.advance(seconds=1)
        shop.change(profile, "unsubscribed")
        shop.world.advance(seconds=1)
        said(shop, profile, ConsentState.PENDING, channel=Channel.SMS)
        body = shop.world.call("GET", path_of(profile), token=shop.owner.token, query=query).json
        rows = [f"{row['channel']} {row['state']} {row['source']}" for row in body["items"]]
        assert rows == wanted
        assert body["total"] == len(wanted)
        assert {row["address"] for row in body["items"]} <= {EMAIL, PHONE}

    def test_so_many(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """A filter looks at each row; without one, all can be read page by page."""
        monkeypatch.setattr(listing, "MAX_ROWS", 2)
        profile = shop.person()
        for state in (ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED, ConsentState.PENDING):
            said(shop, profile, state)
            shop.world.advance(seconds=1)
        read = partial(shop.world.call, "GET", path_of(profile), token=shop.owner.token)
        for query in ({"channel": "sms"}, {"state": "pending"}, {"source": "api"}):
            broad = read(query=query)
            assert broad.problem() == (422, "filter_too_broad")
            [error] = broad.json["errors"]
            assert [error["path"]] == [f"query.{name}" for name in query]
            assert "without any filter" in error["message"]
        assert read().json["total"] == 3


class TestGet:
    """GET /profiles/{id}/consent/{changeId}."""

    def test_another_workspaces_change_is_not_found(self, shop: Shop) -> None:
        profile, stranger = shop.person(), shop.world.person()
        body = shop.change(profile, "subscribed")
        shop.world.workspace(stranger)
        answer = shop.world.call("GET", path_of(profile, body["id"]), token=stranger.token)
        assert answer.problem() == (404, "not_found")

    def test_another_profiles_change_is_not_found(self, shop: Shop) -> None:
        body = shop.change(shop.person(), "subscribed")
        answer = shop.world.call("GET", path_of(shop.person(), body["id"]), token=shop.owner.token)
        assert answer.problem() == (404, "not_found")

    def test_unknown(self, shop: Shop) -> None:
        answer = shop.world.call("GET", path_of(shop.person(), uuid4()), token=shop.owner.token)
        assert answer.problem() == (404, "not_found")

    def test_the_path_is_no_uuid(self, shop: Shop) -> None:
        answer = shop.world.call("GET", path_of(shop.person(), "1"), token=shop.owner.token)
        assert answer.error_paths() == ["path.changeId"]

    def test_by_a_reader(self, shop: Shop) -> None:
        profile = shop.person(shop.store())
        body = shop.change(profile, "subscribed")
        key = shop.world.api_key(shop.workspace, KeyScope.READ, shop.owner)
        answer = shop.world.call("GET", path_of(profile, body["id"]), token=key)
        assert (answer.status, answer.json) == (200, body)


class TestRetryWriteBack:
    """POST /profiles/{id}/consent/{changeId}/write-backs/{storeId}/retry."""

    def failed(self, shop: Shop, listener: Listener) -> tuple[Profile, dict[str, Any], UUID]:
        """A change that a store refused."""
        store_id = shop.store()
        profile = shop.person(store_id)
        body = shop.change(profile, "subscribed")
        listener.answers = [400]
        shop.world.deliver()
        assert shop.outcome(profile, body, store_id) == "failed"
        return profile, body, store_id

    def retry(self, shop: Shop, *path: object, token: str | None = None, **more: Any) -> Any:
        profile, change, store_id = path
        return shop.world.call(
            "POST",
            path_of(profile, change, "write-backs", store_id, "retry"),  # type: ignore[arg-type]
            token=token or shop.owner.token,
            **more,
        )

    def test_another_workspaces_change_is_not_found(self, shop: Shop, listener: Listener) -> None:
        profile, body, store_id = self.failed(shop, listener)
        stranger = shop.world.person()
        shop.world.workspace(stranger)
        answer = self.retry(shop, profile, body["id"], store_id, token=stranger.token)
        assert answer.problem() == (404, "not_found")
        assert shop.outcome(profile, body, store_id) == "failed"

    def test_paths_are_uuids(self, shop: Shop) -> None:
        answer = self.retry(shop, NOBODY, "c", "s")
        assert answer.error_paths() == ["path.changeId", "path.storeId"]

    def test_unknown(self, shop: Shop, listener: Listener) -> None:
        profile, body, store_id = self.failed(shop, listener)
        other = shop.store()
        for path in (
            (NOBODY, body["id"], store_id),
            (profile, NOBODY, store_id),
            (profile, body["id"], other),
        ):
            assert self.retry(shop, *path).problem() == (404, "not_found")

    def test_pending_and_written_have_not_failed(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        body = shop.change(profile, "subscribed")
        for outcome in ("pending", "written"):
            assert shop.outcome(profile, body, store_id) == outcome
            answer = self.retry(shop, profile, body["id"], store_id)
            assert answer.problem() == (409, "write_back_not_failed")
            shop.world.deliver()
        assert len(listener.received) == 1

    def test_pending_for_a_day_is_lost(self, shop: Shop, listener: Listener) -> None:
        """Its queue was, as after a local run that ended."""
        store_id = shop.store()
        profile = shop.person(store_id)
        body = shop.change(profile, "subscribed")
        shop.world.lose_stream()
        for row in shop.world.rows("due#outbox#"):
            row.delete()
        for _ in range(2):  # and once more, should that be lost too
            shop.world.advance(hours=23)
            refused = self.retry(shop, profile, body["id"], store_id)
            assert refused.problem() == (409, "write_back_not_failed")
            shop.world.advance(hours=1, minutes=1)
            answer = self.retry(shop, profile, body["id"], store_id)
            assert answer.status == 200
            assert [each["status"] for each in answer.json["writeBacks"]] == ["pending"]
        shop.world.deliver()
        assert shop.outcome(profile, body, store_id) == "written"
        assert listener.states == ["subscribed"]

    def test_tries_again(self, shop: Shop, listener: Listener) -> None:
        profile, body, store_id = self.failed(shop, listener)
        before = shop.read(profile, body)
        answer = self.retry(shop, profile, body["id"], store_id)
        assert answer.status == 200
        [write_back] = before["writeBacks"]
        assert write_back["error"] == "The store answered with status 400."
        assert write_back["doneAt"] >= body["recordedAt"]
        pending = {**write_back, "status": "pending", "error": None, "doneAt": None}
        assert answer.json == {**before, "writeBacks": [pending]}
        assert shop.read(profile, body) == answer.json
        shop.world.deliver()
        assert shop.outcome(profile, body, store_id) == "written"
        assert shop.given(store_id) is ConsentState.SUBSCRIBED
        first, second = listener.received
        assert first.headers["webhook-id"] == second.headers["webhook-id"]

    def test_it_has_all_its_tries_again(self, shop: Shop, listener: Listener) -> None:
        profile, body, store_id = self.failed(shop, listener)
        self.retry(shop, profile, body["id"], store_id)
        [message] = shop.queued()
        listener.answers = [503] * (len(WAITS) + 1)
        listener.received.clear()
        assert hand_over(message)
        make_all()
        assert len(listener.received) == len(WAITS) + 1
        assert shop.outcome(profile, body, store_id) == "failed"

    def test_replay(self, shop: Shop, listener: Listener) -> None:
        profile, body, store_id = self.failed(shop, listener)
        first = self.retry(shop, profile, body["id"], store_id, key="k")
        again = self.retry(shop, profile, body["id"], store_id, key="k")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert len(shop.queued()) == 1

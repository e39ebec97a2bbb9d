"""Telling the stores: what each is told, how often, and why not."""

import base64
import hashlib
import hmac
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from storepost.people.consent.from_stores import StoreConsent, assert_from_store
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    ConsentOrigin,
    ConsentSource,
    Subject,
)
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.consent_summary import subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.attempts.signing import signed_headers
from storepost.platform.attempts.waits import JITTER, WAITS
from storepost.platform.fetching import FetchFailed, UrlNotAllowed
from storepost.platform.fetching.guard import Failure, UrlRefusal
from storepost.platform.messaging.tries import RECEIVES, TRIES
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.values import clock
from tests.harness.call_interruption import (
    Killed,
    Side,
    another_container,
    around_calls,
)
from tests.harness.crash_points import crashes
from tests.harness.later_attempts import advance, make_all
from tests.harness.world import CANARY, World
from tests.people.consent.asserting import assert_consent
from tests.people.consent.listening_store import (
    EMAIL,
    HOOK,
    URL,
    Listener,
    Shop,
    StoreAnswer,
    hand_over,
    open_shop,
)
from tests.platform.fetching.servers import OK, serving

ATTEMPTS = len(WAITS) + 1
SUBSCRIBED, UNSUBSCRIBED = ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED
NO_ANSWER = FetchFailed(Failure.TIMED_OUT)


def gave(shop: Shop, profile: Profile, store_id: UUID, state: ConsentState) -> None:
    """The store pushes its customer with another state, under its own consent time."""
    changes = Changes()
    customer = shop.customer(profile, store_id)
    now = clock.now()
    assert_from_store(
        changes,
        subject_of(profile),
        Channel.EMAIL,
        before=StoreConsent(customer.email, customer.email_consent),
        after=StoreConsent(customer.email, state, now),
        updated_at=now,
        origin=ConsentOrigin(ConsentSource.API, store_id),
    )
    before = shop.profile(profile.id)
    ProfileRepository(shop.workspace).save(changes, before, replace(before, email_consent=state))
    changes.commit()
    shop.customer(profile, store_id, email_consent=state)


def said_of_old(
    shop: Shop,
    profile: Profile,
    state: ConsentState,
    day: int,
    *,
    dated: bool = True,
    store_id: UUID | None = None,
) -> None:
    """An import says so of a day of a month that is past; undated, a store may."""
    changes, address = Changes(), Address(Channel.EMAIL, EMAIL)
    origin = ConsentOrigin(ConsentSource.IMPORT, None if dated else store_id)
    subject = Subject(shop.workspace, profile.id, profile.store_ids)
    at = clock.now() - timedelta(days=20 - day)
    assert_consent(changes, subject, address, state, origin, occurred_at=at, dated=dated)
    changes.commit()


class TestTheRequest:
    """What a store is sent."""

    def test_what_is_sent(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        long_ago = clock.to_text(clock.now() - timedelta(days=400))
        change = shop.change(profile, "unsubscribed", occurredAt=long_ago)
        shop.world.deliver()
        [received] = listener.received
        assert received.url == URL
        assert received.timeout == 10
        assert received.headers["content-type"] == "application/json"
        assert received.headers["webhook-id"] == f"{change['id']}.{store_id}"
        assert received.json == {
            "type": "consent.changed",
            "timestamp": change["recordedAt"],
            "data": {
                "changeId": change["id"],
                "channel": "email",
                "state": "unsubscribed",
                "address": EMAIL,
                "occurredAt": long_ago,
                "source": "manual",
                "customers": [{"externalId": f"c-{CANARY}"}],
            },
        }

    def test_what_is_noted(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        before = clock.now()
        shop.world.deliver()
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert before <= clock.from_text(write_back["doneAt"]) <= clock.now()
        assert write_back == {
            "store": {"id": str(store_id), "name": f"Store {CANARY}"},
            "status": "written",
            "skipReason": None,
            "error": None,
            "doneAt": write_back["doneAt"],
        }
        assert shop.given(store_id) is SUBSCRIBED
        address = shop.world.call(
            "GET", f"/stores/{store_id}/write-back", token=shop.owner.token
        ).json
        assert address == {
            "url": URL,
            "lastSucceededAt": write_back["doneAt"],
            "lastError": None,
        }
        assert shop.queued() == []
        assert shop.world.queue_depth("WriteBackQueue") == 0

    def test_over_a_real_connection(
        self, shop: Shop, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving(OK) as server:
            monkeypatch.setenv("FEED_ALLOW_HOSTS", f"127.0.0.1:{server.port}")
            store_id = shop.store(listens=False)
            answer = world.call(
                "PUT",
                f"/stores/{store_id}/write-back",
                token=shop.owner.token,
                json_body={"url": f"http://127.0.0.1:{server.port}/hook?a=b"},
            )
            profile = shop.person(store_id)
            change = shop.change(profile, "subscribed")
            world.deliver()
            assert server.lines[0] == "POST /hook?a=b HTTP/1.1"
            names = ("webhook-id", "webhook-timestamp", "webhook-signature")
            headers = {name: server.header(name)[0] for name in names}
            message = Webhook(answer.json["secret"]).verify(server.body, headers)
            assert message["data"]["changeId"] == change["id"]
        assert shop.outcome(profile, change, store_id) == "written"

    def test_a_redirect_is_not_followed(
        self, shop: Shop, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving(OK) as elsewhere:
            location = f"http://127.0.0.1:{elsewhere.port}/"
            moved = f"HTTP/1.1 307 Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
            with serving(lambda connection: connection.sendall(moved.encode())) as server:
                hosts = f"127.0.0.1:{server.port},127.0.0.1:{elsewhere.port},{HOOK}"
                monkeypatch.setenv("FEED_ALLOW_HOSTS", hosts)
                store_id = shop.store()
                world.call(
                    "PUT",
                    f"/stores/{store_id}/write-back",
                    token=shop.owner.token,
                    json_body={"url": f"http://127.0.0.1:{server.port}/"},
                )
                profile = shop.person(store_id)
                change = shop.change(profile, "subscribed")
                world.deliver()
            assert elsewhere.requests == []
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert write_back["status"] == "failed"
        assert write_back["error"] == (
            "The store answered with status 307. Redirects aren't followed."
        )


class TestSignature:
    """Standard Webhooks, by its own library."""

    def test_verified_by_the_reference(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store(listens=False)
        secret = shop.secret(store_id)
        shop.change(shop.person(store_id), "subscribed")
        shop.world.deliver()
        [received] = listener.received
        assert Webhook(secret).verify(received.body, received.headers) == received.json
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(received.body + b" ", received.headers)

    def test_both_secrets_sign_for_a_day(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store(listens=False)
        old = shop.secret(store_id)
        rotated = shop.world.call(
            "POST", f"/stores/{store_id}/write-back/rotate", token=shop.owner.token
        )
        new = rotated.json["secret"]
        profile = shop.person(store_id)
        shop.change(profile, "subscribed")
        shop.world.deliver()
        [during] = listener.received
        assert [part[:3] for part in during.headers["webhook-signature"].split(" ")] == ["v1,"] * 2
        assert new != old
        for secret in (old, new):
            assert Webhook(secret).verify(during.body, during.headers) == during.json
        shop.world.advance(hours=24)
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        after = listener.received[-1]
        headers = {**after.headers, "webhook-timestamp": after.headers["webhook-timestamp"]}
        assert after.state == "unsubscribed"
        assert signs(new, after.body, headers)
        assert not signs(old, after.body, headers)

    @settings(max_examples=50, deadline=None)
    @given(st.binary(min_size=24, max_size=64), st.text(max_size=40), st.binary(max_size=200))
    def test_any_body(self, key: bytes, identifier: str, body: bytes) -> None:
        secret = "whsec_" + base64.b64encode(key).decode()
        headers = signed_headers(identifier, clock.now(), body, [secret])
        assert signs(secret, body, headers)


def signs(secret: str, body: bytes, headers: dict[str, str]) -> bool:
    """Whether one of the signatures is the secret's, reckoned from the standard's own words.

    The reference refuses what is more than five minutes from its own clock, so it can't judge what
    is sent a day ahead.
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return wanted in headers["webhook-signature"].split(" ")


class TestSkipped:
    """Each reason that a custom store can reach, in the order in which they count."""

    def test_store_disconnected(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.customer(profile, store_id, deleted_at=clock.now())
        path = f"/stores/{store_id}/disconnect"
        assert shop.world.call("POST", path, token=shop.owner.token).status == 200
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "store_disconnected"
        assert listener.received == []

    def test_customer_deleted(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.customer(profile, store_id, deleted_at=clock.now(), email="other@example.com")
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "customer_deleted"

    @pytest.mark.parametrize("own", [None, f"other.{CANARY}@example.com"])
    def test_no_email(self, shop: Shop, listener: Listener, own: str | None) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.customer(profile, store_id, email=own)
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "no_email"

    def test_permission_missing(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "permission_missing"

    def test_the_address_was_removed(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        path = f"/stores/{store_id}/write-back"
        assert shop.world.call("DELETE", path, token=shop.owner.token).status == 204
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "permission_missing"

    def test_superseded(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        first = shop.change(profile, "subscribed")
        second = shop.change(profile, "unsubscribed")
        shop.world.deliver()
        assert shop.outcome(profile, first, store_id) == "superseded"
        assert shop.outcome(profile, second, store_id) == "written"
        assert listener.states == ["unsubscribed"]

    @pytest.mark.parametrize(
        ("in_vain", "is_from_there"), [(True, False), (False, False), (False, True)]
    )
    def test_what_holds_again_is_told(
        self, shop: Shop, listener: Listener, in_vain: bool, is_from_there: bool
    ) -> None:
        """`pending` lifts the refusal, and what holds then is a subscription without a time."""
        store_id = shop.store()
        profile = shop.person(store_id)
        of_store = store_id if is_from_there else None

        def said(state: ConsentState, day: int, *, dated: bool = True) -> None:
            said_of_old(shop, profile, state, day, dated=dated, store_id=of_store)
            shop.world.deliver()

        if not in_vain:
            shop.customer(profile, store_id, email_consent=SUBSCRIBED)
            said(SUBSCRIBED, 10, dated=False)
        said(UNSUBSCRIBED, 5)
        if in_vain:
            said(SUBSCRIBED, 10, dated=False)
        assert shop.given(store_id) is UNSUBSCRIBED
        said(ConsentState.PENDING, 7)
        assert listener.states == ["unsubscribed", "subscribed"]
        assert shop.given(store_id) is SUBSCRIBED
        history = ConsentRepository(shop.workspace).history(profile.id)
        told = {
            c.state: [each.skip_reason or each.status for each in c.write_backs] for c in history
        }
        assert told[SUBSCRIBED] == told[UNSUBSCRIBED] == ["written"]
        assert told[ConsentState.PENDING] == ["superseded"]

    def test_already_current(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        change = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "already_current"
        assert listener.received == []

    def test_the_originating_store_is_current_too(self, shop: Shop, listener: Listener) -> None:
        here, there = shop.store(), shop.store()
        profile = shop.person(here, there)
        gave(shop, profile, here, SUBSCRIBED)
        shop.world.deliver()
        [change] = shop.world.call(
            "GET", f"/profiles/{profile.id}/consent", token=shop.owner.token
        ).json["items"]
        assert change["store"] == {"id": str(here), "name": f"Store {CANARY}"}
        assert shop.outcome(profile, change, here) == "already_current"
        assert shop.outcome(profile, change, there) == "written"
        assert [r.headers["webhook-id"] for r in listener.received] == [f"{change['id']}.{there}"]

    def test_it_has_a_time_and_no_error(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        before = clock.now()
        shop.world.deliver()
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert write_back["error"] is None
        assert before <= clock.from_text(write_back["doneAt"]) <= clock.now()
        assert shop.given(store_id) is ConsentState.NOT_SUBSCRIBED


class TestTries:
    """Which failures are tried again, and how often."""

    def test_what_nobody_expected_fails_at_last(self, shop: Shop, listener: Listener) -> None:
        """Else it stayed pending for ever, which nobody may retry."""
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        listener.answers = [ArithmeticError()] * TRIES
        for tries in range(1, TRIES):
            assert not hand_over(message, tries)
            assert shop.outcome(profile, change, store_id) == "pending"
        assert hand_over(message, TRIES)
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert (write_back["status"], write_back["error"]) == (
            "failed",
            "The store couldn't be told.",
        )

    def test_whose_last_try_was_killed_fails_untried(self, shop: Shop, listener: Listener) -> None:
        """The queue brings it once more for that."""
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        assert hand_over(message, RECEIVES)
        assert listener.received == []
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert (write_back["status"], write_back["error"]) == (
            "failed",
            "The store couldn't be told.",
        )

    @pytest.mark.parametrize("answer", [408, 429, 500, 503, 599, NO_ANSWER])
    def test_is_tried_so_often(
        self, shop: Shop, listener: Listener, answer: int | FetchFailed
    ) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        listener.answers = [answer] * ATTEMPTS
        assert hand_over(message)
        for wait in WAITS:
            assert shop.outcome(profile, change, store_id) == "pending"
            advance(wait * (1 + JITTER) + timedelta(seconds=1))
        [write_back] = shop.read(profile, change)["writeBacks"]
        error = (
            f"The store answered with status {answer}."
            if isinstance(answer, int)
            else f"The store didn't answer: {answer.reason}."
        )
        assert (write_back["status"], write_back["error"]) == ("failed", error)
        assert write_back["doneAt"] is not None
        assert self.address(shop, store_id) == {
            "url": URL,
            "lastSucceededAt": None,
            "lastError": error,
        }
        assert len({each.headers["webhook-id"] for each in listener.received}) == 1
        assert len({each.body for each in listener.received}) == 1
        assert len(listener.received) == ATTEMPTS
        assert shop.given(store_id) is ConsentState.NOT_SUBSCRIBED

    @pytest.mark.parametrize("answer", [300, 301, 304, 307, 400, 401, 404, 409, 410, 422])
    def test_any_other_fails_at_once(self, shop: Shop, listener: Listener, answer: int) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        listener.answers = [answer]
        assert hand_over(message)
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert write_back["status"] == "failed"
        redirect = " Redirects aren't followed." if 300 <= answer < 400 else ""
        assert write_back["error"] == f"The store answered with status {answer}.{redirect}"
        assert hand_over(message, 2)
        assert len(listener.received) == 1

    def test_a_refused_address_fails_at_once(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        listener.answers = [UrlNotAllowed(UrlRefusal.NOT_PUBLIC)]
        shop.world.deliver()
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert (write_back["status"], write_back["error"]) == (
            "failed",
            UrlRefusal.NOT_PUBLIC.value,
        )

    @pytest.mark.parametrize("answer", [200, 201, 202, 204, 299])
    def test_any_2xx_is_written(self, shop: Shop, listener: Listener, answer: int) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        listener.answers = [answer]
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "written"

    def test_a_success_clears_the_error(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        shop.change(shop.person(store_id), "subscribed")
        [message] = shop.queued()
        listener.answers = [500]
        assert hand_over(message)
        assert self.address(shop, store_id)["lastError"] == "The store answered with status 500."
        advance(timedelta(seconds=6))
        assert self.address(shop, store_id)["lastError"] is None
        assert self.address(shop, store_id)["lastSucceededAt"] is not None

    def test_a_success_is_noted_once_a_minute(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)

        def succeeded(state: str) -> Any:
            shop.change(profile, state)
            shop.world.deliver()
            return self.address(shop, store_id)["lastSucceededAt"]

        first = succeeded("subscribed")
        shop.world.advance(seconds=30)
        assert succeeded("unsubscribed") == first
        shop.world.advance(seconds=30)
        assert succeeded("subscribed") > first
        assert listener.states == ["subscribed", "unsubscribed", "subscribed"]

    def test_between_tries_a_newer_change_supersedes(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        first = shop.change(profile, "subscribed")
        [message] = shop.queued()
        listener.answers = [503]
        assert hand_over(message)
        shop.change(profile, "unsubscribed")
        advance(timedelta(seconds=6))
        assert shop.outcome(profile, first, store_id) == "superseded"
        assert listener.states == ["subscribed"]

    def test_one_stores_failure_is_not_anothers(self, shop: Shop, listener: Listener) -> None:
        stores = [shop.store(), shop.store()]
        profile = shop.person(*stores)
        change = shop.change(profile, "subscribed")
        listener.answers = [400]
        shop.world.deliver()
        outcomes = sorted(shop.outcome(profile, change, store_id) for store_id in stores)
        assert outcomes == ["failed", "written"]

    def address(self, shop: Shop, store_id: UUID) -> dict[str, Any]:
        """How the store's address is doing."""
        path = f"/stores/{store_id}/write-back"
        return dict(shop.world.call("GET", path, token=shop.owner.token).json)


@dataclass(frozen=True)
class Known:
    """Somebody whom a store knows, made once for all the examples of a test."""

    shop: Shop
    profile: Profile
    begin: Callable[[], None]
    """Brings back how they were at first."""


@pytest.fixture
def known(shop: Shop) -> Known:
    """Somebody whom a store knows that listens."""
    profile = shop.person(shop.store())
    return Known(shop, profile, shop.world.checkpoint())


class TestAgainAndAgain:
    """Messages that come twice, out of order, late, or after a run that was killed."""

    def test_the_same_message_three_times(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        for _ in range(3):
            assert hand_over(message)
        assert len(listener.received) == 1
        assert shop.outcome(profile, change, store_id) == "written"

    def test_a_message_without_its_change_is_done(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        shop.change(shop.person(store_id), "subscribed")
        [message] = shop.queued()
        assert hand_over({**message, "profileId": str(UUID(int=7))})
        assert listener.received == []

    def test_killed_between_telling_and_noting(self, shop: Shop, listener: Listener) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        listener.answers = [Killed()]
        with pytest.raises(Killed):
            hand_over(message)
        assert shop.outcome(profile, change, store_id) == "pending"
        assert hand_over(message, 2)
        assert shop.outcome(profile, change, store_id) == "written"
        assert len({each.headers["webhook-id"] for each in listener.received}) == 1

    def test_told_and_killed_then_back_to_what_the_store_gave(
        self, shop: Shop, listener: Listener
    ) -> None:
        """The store gave `subscribed`, yet it was told otherwise: it must be told again."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        shop.change(profile, "unsubscribed")
        [first] = shop.queued()
        listener.answers = [Killed()]
        with pytest.raises(Killed):
            hand_over(first)
        shop.change(profile, "subscribed")
        second = shop.queued()[-1]
        assert hand_over(first, 2)
        assert hand_over(second)
        assert listener.states == ["unsubscribed", "subscribed"]
        assert shop.given(store_id) is SUBSCRIBED

    def test_killed_anywhere(
        self, world: World, listener: Listener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)

        shop = open_shop(world)
        profile = shop.person(shop.store())
        [store_id] = profile.store_ids
        body, message = changed(shop, profile)
        work = partial(hand_over, message)
        found = crashes(world, work, outside=[listener.received], deliver=False)
        assert len(found.places) > 10
        for _ in found:
            assert hand_over(message, 2)
            assert shop.outcome(profile, body, store_id) == "written"
            assert shop.given(store_id) is SUBSCRIBED
            assert 1 <= len(listener.received) <= 2
            assert len({each.headers["webhook-id"] for each in listener.received}) == 1

    def test_killed_anywhere_and_then_back_to_what_the_store_gave(
        self, shop: Shop, listener: Listener
    ) -> None:
        """Whatever the killed run did or noted: what the store was told is taken back there."""
        profile = shop.person(shop.store())
        [store_id] = profile.store_ids
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        shop.change(profile, "unsubscribed")
        [first] = shop.queued()
        work = partial(hand_over, first)
        found = crashes(shop.world, work, outside=[listener.received], deliver=False)
        assert len(found.places) > 10
        for places in found:
            shop.change(profile, "subscribed")
            second = shop.queued()[-1]
            assert hand_over(first, 2)
            assert hand_over(second)
            assert listener.states[-1:] in ([], ["subscribed"]), places
            assert shop.given(store_id) is SUBSCRIBED

    def test_told_and_refused_then_back_to_what_the_store_gave(
        self, shop: Shop, listener: Listener
    ) -> None:
        """A store may have taken what it answered with an error."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        shop.change(profile, "unsubscribed")
        listener.answers = [400]
        shop.world.deliver()
        change = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert listener.states == ["unsubscribed", "subscribed"]
        assert shop.outcome(profile, change, store_id) == "written"

    def test_what_was_told_for_certain_needs_no_repetition(
        self, shop: Shop, listener: Listener
    ) -> None:
        """An older word of the store's own is in the history only, but what it has is known."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        last = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert listener.states == ["unsubscribed"]
        assert shop.outcome(profile, last, store_id) == "already_current"

    def test_back_before_anybody_was_told(self, shop: Shop, listener: Listener) -> None:
        """Nobody knows that by then, so the store is told what it has."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        first = shop.change(profile, "unsubscribed")
        last = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert shop.outcome(profile, first, store_id) == "superseded"
        assert listener.states == ["subscribed"]
        assert shop.outcome(profile, last, store_id) == "written"

    def test_a_store_that_came_later_is_known_from_its_own_word(
        self, shop: Shop, listener: Listener
    ) -> None:
        """It was told of none of the changes before."""
        profile = shop.person()
        for state in ("subscribed", "unsubscribed", "subscribed"):
            shop.change(profile, state)
        store_id = shop.store()
        known = shop.known_to(profile, store_id)
        gave(shop, known, store_id, UNSUBSCRIBED)
        shop.world.deliver()
        [change, *_] = shop.world.call(
            "GET", f"/profiles/{profile.id}/consent", token=shop.owner.token
        ).json["items"]
        assert shop.outcome(known, change, store_id) == "already_current"
        assert listener.received == []

    def test_another_address_meanwhile_keeps_what_the_store_gave(
        self, shop: Shop, listener: Listener
    ) -> None:
        """What was written is said of the address that the customer had."""
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            if listener.received and operation == "UpdateItem" and moment is Side.BEFORE:
                with another_container():
                    shop.customer(profile, store_id, email=f"other.{CANARY}@example.com")

        with around_calls(meanwhile):
            assert hand_over(message)
        assert shop.outcome(profile, change, store_id) == "written"
        assert shop.given(store_id) is ConsentState.NOT_SUBSCRIBED

    def test_two_stores_mark_one_change_at_the_same_time(
        self, shop: Shop, listener: Listener
    ) -> None:
        stores = [shop.store(), shop.store()]
        profile = shop.person(*stores)
        change = shop.change(profile, "subscribed")
        first, second = shop.queued()
        waiting = [second]

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            told = len(listener.received) == 1
            if told and operation == "UpdateItem" and moment is Side.BEFORE and waiting:
                assert hand_over(waiting.pop())

        with around_calls(meanwhile):
            assert hand_over(first)
        assert waiting == []
        assert [shop.outcome(profile, change, store_id) for store_id in stores] == ["written"] * 2
        assert len(listener.received) == 2

    def test_what_a_store_gives_while_it_is_told_stays(
        self, shop: Shop, listener: Listener
    ) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        waiting = [UNSUBSCRIBED]

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            told = len(listener.received) == 1
            if told and operation == "UpdateItem" and moment is Side.BEFORE and waiting:
                with another_container():
                    gave(shop, profile, store_id, waiting.pop())

        with around_calls(meanwhile):
            assert hand_over(message)
        assert waiting == []
        assert shop.outcome(profile, change, store_id) == "written"
        assert shop.given(store_id) is UNSUBSCRIBED
        shop.change(profile, "subscribed")
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        assert listener.states[-1] == "unsubscribed"

    def test_our_own_write_that_comes_back_records_nothing(
        self, shop: Shop, listener: Listener
    ) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        gave(shop, profile, store_id, UNSUBSCRIBED)
        listed = shop.world.call(
            "GET", f"/profiles/{profile.id}/consent", token=shop.owner.token
        ).json
        assert listed["total"] == 1

    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(data=st.data())
    def test_however_they_come_the_store_ends_on_the_newest(
        self, known: Known, listener: Listener, data: st.DataObject
    ) -> None:
        known.begin()
        shop, profile, queue = known.shop, known.profile, Queue(listener)
        [store_id] = profile.store_ids
        given_first = data.draw(st.sampled_from(list(ConsentState)))
        shop.customer(profile, store_id, email_consent=given_first)
        states = data.draw(st.permutations(["subscribed", "unsubscribed"])) * 2
        messages: list[dict[str, str]] = []
        for state in states[: data.draw(st.integers(1, 4))]:
            shop.change(profile, state)
            messages = shop.queued()
            early = st.tuples(st.sampled_from(messages), st.sampled_from(Ending))
            for message, ending in data.draw(st.lists(early, max_size=3)):
                queue.hand_over(message, ending)
        for message in data.draw(st.permutations(messages * 3)):
            queue.hand_over(message, Ending.FINE)
        queue.later()
        newest = shop.profile(profile.id).email_consent
        assert (queue.taken or [given_first])[-1] == newest
        assert shop.given(store_id) is newest


class TestToldAgain:
    """A change that holds again: a subscription without a time, once a refusal is lifted."""

    @pytest.fixture
    def person(self, shop: Shop) -> Profile:
        """Somebody whom a store knows that listens."""
        return shop.person(shop.store())

    def subscribed(self, shop: Shop, person: Profile) -> None:
        said_of_old(shop, person, SUBSCRIBED, 10, dated=False)

    def unsubscribed(self, shop: Shop, person: Profile) -> None:
        said_of_old(shop, person, UNSUBSCRIBED, 5)

    def lifted(self, shop: Shop, person: Profile) -> None:
        """The first of the changes holds again."""
        said_of_old(shop, person, ConsentState.PENDING, 7)

    def holds_again(self, shop: Shop, person: Profile) -> dict[str, str]:
        """The message by which the store is told of the first, having been told of both."""
        for said in (self.subscribed, self.unsubscribed):
            said(shop, person)
            shop.world.deliver()
        self.lifted(shop, person)
        *_, message = shop.queued()
        return message

    def first(self, shop: Shop, person: Profile) -> ConsentChange:
        """The one that holds again, as it is now."""
        *_, change = ConsentRepository(shop.workspace).history(person.id)
        assert change.state is SUBSCRIBED
        return change

    def test_it_is_a_message_of_its_own(
        self, shop: Shop, person: Profile, listener: Listener
    ) -> None:
        """Whoever drops a message that is known by its id takes this one; each try has one id."""
        message = self.holds_again(shop, person)
        listener.answers = [503, 400]
        assert hand_over(message)
        advance(timedelta(seconds=6))
        change, [store_id] = self.first(shop, person), person.store_ids
        assert [each.status for each in change.write_backs] == ["failed"]
        path = f"/profiles/{person.id}/consent/{change.id}/write-backs/{store_id}/retry"
        assert shop.world.call("POST", path, token=shop.owner.token).status == 200
        shop.world.deliver()
        assert listener.states == ["subscribed", "unsubscribed", *["subscribed"] * 3]
        first, second, *again = (each.headers["webhook-id"] for each in listener.received)
        assert first == f"{change.id}.{store_id}"
        assert again == [f"{change.id}.2.{store_id}"] * 3
        assert second not in {first, *again}
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]

    def test_what_was_noted_of_the_first_time_is_not_of_the_second(
        self, shop: Shop, person: Profile, listener: Listener
    ) -> None:
        """The store took what came between, but its answers were lost."""
        self.subscribed(shop, person)
        shop.world.deliver()
        self.unsubscribed(shop, person)
        *_, message = shop.queued()
        listener.answers = [NO_ANSWER, 400]
        assert hand_over(message)
        advance(timedelta(seconds=6))
        self.lifted(shop, person)
        shop.world.deliver()
        assert listener.states == ["subscribed", "unsubscribed", "unsubscribed", "subscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]
        assert shop.given(person.store_ids[0]) is SUBSCRIBED

    def test_killed_between_noting_and_marking(
        self, shop: Shop, person: Profile, listener: Listener
    ) -> None:
        message = self.holds_again(shop, person)

        def kill_at_the_mark(_number: int, operation: str, moment: Side) -> None:
            if operation == "UpdateItem" and moment is Side.AFTER:
                raise Killed

        with pytest.raises(Killed), around_calls(kill_at_the_mark):
            hand_over(message)
        assert shop.given(person.store_ids[0]) is SUBSCRIBED
        assert [each.status for each in self.first(shop, person).write_backs] == ["pending"]
        assert hand_over(message, 2)
        assert listener.states == ["subscribed", "unsubscribed", "subscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]

    def test_a_late_run_of_the_first_time_says_nothing_of_the_second(
        self, shop: Shop, person: Profile, listener: Listener
    ) -> None:
        """While it waited for its answer another run told the store, and then of a refusal."""
        self.subscribed(shop, person)
        [message] = shop.queued()
        waiting = [message]

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            if listener.received and operation == "UpdateItem" and moment is Side.BEFORE:
                while waiting:
                    with another_container():
                        assert hand_over(waiting.pop())
                        self.unsubscribed(shop, person)
                        assert hand_over(shop.queued()[-1])
                        self.lifted(shop, person)

        with around_calls(meanwhile):
            assert hand_over(message)
        assert listener.states == ["subscribed", "subscribed", "unsubscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["pending"]
        shop.world.deliver()
        assert listener.states[3:] == ["subscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]
        assert shop.given(person.store_ids[0]) is SUBSCRIBED


def changed(shop: Shop, profile: Profile) -> tuple[dict[str, Any], dict[str, str]]:
    """A change of the person's consent, and the message that it queued for the one store."""
    body = shop.change(profile, "subscribed")
    [message] = shop.queued()
    clear_key_cache()  # as a function has none that has just started
    return body, message


class Ending(StrEnum):
    """How a run ends."""

    FINE = "fine"
    KILLED_ONCE_TOLD = "killed"
    BUSY = "busy"


class Queue:
    """Hands messages to the worker, and knows what the store took."""

    def __init__(self, listener: Listener) -> None:
        self.taken: list[str] = []
        self._listener = listener

    def hand_over(self, message: dict[str, str], ending: Ending) -> None:
        """One run."""
        answers: dict[Ending, list[StoreAnswer]]
        answers = {Ending.KILLED_ONCE_TOLD: [Killed()], Ending.BUSY: [503]}
        self._listener.received.clear()
        self._listener.answers = answers.get(ending, [])
        with suppress(Killed):
            hand_over(message)
        if ending is not Ending.BUSY:
            self.taken += self._listener.states

    def later(self) -> None:
        """The attempts that are still to come."""
        self._listener.received.clear()
        self._listener.answers = []
        make_all()
        self.taken += self._listener.states

"""Write-backs: what each store is sent, how often, and why not."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import ConsentState
from storepost.platform.attempts.waits import JITTER, WAITS
from storepost.platform.fetching import FetchFailed, UrlNotAllowed
from storepost.platform.fetching.guard import UrlRefusal
from storepost.platform.messaging.tries import RECEIVES, TRIES
from storepost.values import clock
from tests.harness.call_interruption import counted
from tests.harness.later_attempts import advance
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY
from tests.people.consent.listening_store import URL, Shop, hand_over
from tests.people.consent.past_statements import (
    NO_ANSWER,
    SUBSCRIBED,
    UNSUBSCRIBED,
    gave,
    past_statement,
)

ATTEMPTS = len(WAITS) + 1


class TestSkipped:
    """Each reason that applies to a custom store, in the order in which they are checked."""

    def test_store_disconnected(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.customer(profile, store_id, deleted_at=clock.now())
        assert shop.owner.call("POST", f"/stores/{store_id}/disconnect").status == 200
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "store_disconnected"
        assert listener.received == []

    def test_customer_deleted(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.customer(profile, store_id, deleted_at=clock.now(), email="other@example.com")
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "customer_deleted"

    @pytest.mark.parametrize("own", [None, f"other.{CANARY}@example.com"])
    def test_no_email(self, shop: Shop, listener: Receiver, own: str | None) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.customer(profile, store_id, email=own)
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "no_email"

    def test_permission_missing(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "permission_missing"

    def test_url_was_removed(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        assert shop.owner.call("DELETE", f"/stores/{store_id}/write-back").status == 204
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "permission_missing"

    def test_superseded(self, shop: Shop, listener: Receiver) -> None:
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
    def test_restored_subscription_is_sent(
        self, shop: Shop, listener: Receiver, in_vain: bool, is_from_there: bool
    ) -> None:
        """`pending` overrides the refusal; an undated subscription holds then."""
        store_id = shop.store()
        profile = shop.person(store_id)
        of_store = store_id if is_from_there else None

        def state_it(state: ConsentState, day: int, *, dated: bool = True) -> None:
            past_statement(shop, profile, state, day, dated=dated, store_id=of_store)
            shop.world.deliver()

        if not in_vain:
            shop.customer(profile, store_id, email_consent=SUBSCRIBED)
            state_it(SUBSCRIBED, 10, dated=False)
        state_it(UNSUBSCRIBED, 5)
        if in_vain:
            state_it(SUBSCRIBED, 10, dated=False)
        assert shop.store_consent(store_id) is UNSUBSCRIBED
        state_it(ConsentState.PENDING, 7)
        assert listener.states == ["unsubscribed", "subscribed"]
        assert shop.store_consent(store_id) is SUBSCRIBED
        history = ConsentRepository(shop.workspace).history(profile.id)
        outcomes = {
            c.state: [each.skip_reason or each.status for each in c.write_backs] for c in history
        }
        assert outcomes[SUBSCRIBED] == outcomes[UNSUBSCRIBED] == ["written"]
        assert outcomes[ConsentState.PENDING] == ["superseded"]

    def test_already_current(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        change = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "already_current"
        assert listener.received == []

    def test_originating_store_is_already_current(self, shop: Shop, listener: Receiver) -> None:
        here, there = shop.store(), shop.store()
        profile = shop.person(here, there)
        gave(shop, profile, here, SUBSCRIBED)
        shop.world.deliver()
        [change] = shop.owner.call("GET", f"/profiles/{profile.id}/consent").json["items"]
        assert change["store"] == {"id": str(here), "name": f"Store {CANARY}"}
        assert shop.outcome(profile, change, here) == "already_current"
        assert shop.outcome(profile, change, there) == "written"
        assert [r.headers["webhook-id"] for r in listener.received] == [f"{change['id']}.{there}"]

    def test_skipped_write_back_has_time_and_no_error(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store(listens=False)
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        before = clock.now()
        shop.world.deliver()
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert write_back["error"] is None
        assert before <= clock.from_text(write_back["doneAt"]) <= clock.now()
        assert shop.store_consent(store_id) is ConsentState.NOT_SUBSCRIBED


class TestAttempts:
    """Which failures are tried again, and how often."""

    def test_unexpected_error_fails_after_last_try(self, shop: Shop, listener: Receiver) -> None:
        """Otherwise it would stay pending for ever, and nobody may retry that."""
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
            "The change couldn't be sent to the store.",
        )

    def test_write_back_fails_after_last_try_was_killed(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The queue delivers the message once more for that."""
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        assert hand_over(message, RECEIVES)
        assert listener.received == []
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert (write_back["status"], write_back["error"]) == (
            "failed",
            "The change couldn't be sent to the store.",
        )

    @pytest.mark.parametrize("answer", [408, 429, 500, 503, 599, NO_ANSWER])
    def test_transient_failure_has_ten_attempts(
        self, shop: Shop, listener: Receiver, answer: int | FetchFailed
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
        assert shop.store_consent(store_id) is ConsentState.NOT_SUBSCRIBED

    @pytest.mark.parametrize("answer", [300, 301, 304, 307, 400, 401, 404, 409, 410, 422])
    def test_other_status_fails_at_once(self, shop: Shop, listener: Receiver, answer: int) -> None:
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

    def test_disallowed_url_fails_at_once(self, shop: Shop, listener: Receiver) -> None:
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
    def test_any_2xx_is_written(self, shop: Shop, listener: Receiver, answer: int) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        listener.answers = [answer]
        shop.world.deliver()
        assert shop.outcome(profile, change, store_id) == "written"

    def test_success_clears_error(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        shop.change(shop.person(store_id), "subscribed")
        [message] = shop.queued()
        listener.answers = [500]
        assert hand_over(message)
        assert self.address(shop, store_id)["lastError"] == "The store answered with status 500."
        advance(timedelta(seconds=6))
        assert self.address(shop, store_id)["lastError"] is None
        assert self.address(shop, store_id)["lastSucceededAt"] is not None

    def test_success_is_recorded_once_a_minute(self, shop: Shop, listener: Receiver) -> None:
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

    def test_newer_change_supersedes_between_attempts(self, shop: Shop, listener: Receiver) -> None:
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

    def test_failure_of_one_store_does_not_affect_other(
        self, shop: Shop, listener: Receiver
    ) -> None:
        stores = [shop.store(), shop.store()]
        profile = shop.person(*stores)
        change = shop.change(profile, "subscribed")
        listener.answers = [400]
        shop.world.deliver()
        outcomes = sorted(shop.outcome(profile, change, store_id) for store_id in stores)
        assert outcomes == ["failed", "written"]

    def address(self, shop: Shop, store_id: UUID) -> dict[str, Any]:
        """The health of the store's address."""
        return dict(shop.owner.call("GET", f"/stores/{store_id}/write-back").json)


class TestCalls:
    """The calls of DynamoDB for a write-back."""

    def test_write_back_is_decided_with_four_reads(self, shop: Shop, listener: Receiver) -> None:
        """The change; then its person and store; the customer; the store's address."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.change(profile, "subscribed")
        [message] = shop.queued()
        made = counted(lambda: hand_over(message))
        reads = [each for each in made if each.startswith(("Get", "BatchGet", "Query"))]
        assert reads == ["GetItem", "BatchGetItem", "BatchGetItem", "GetItem"]
        assert listener.states == ["subscribed"]

"""Stores that refuse write-backs: the owner gets one email, and failed ones are sent again."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from storepost.people.consent.missed_write_backs import missed_partition
from storepost.people.consent.resending import MAX_RESENDS
from storepost.people.consent.states import ConsentState
from storepost.platform.attempts import posting
from storepost.platform.messaging.outbox import PARTITION, OutboxItem, Queue
from storepost.stores.stores.repository import StoreRepository
from tests.harness.later_attempts import advance
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY, Email
from tests.people.consent.customers_of_stores import (
    change_consent,
    put_customer,
    send_write_backs,
    subscribed,
)
from tests.people.consent.listening_store import HOOK, Shop, hand_over

DAY_HOURS = 24


def failing(email: Email) -> bool:
    """Whether an email is about a failing store."""
    return "take changes of consent" in email.subject


def emails(shop: Shop) -> list[Email]:
    """The emails about a failing store."""
    return [email for email in shop.world.emails() if failing(email)]


def later(shop: Shop, **by: float) -> None:
    """Time passes, and what is due is sent."""
    shop.world.advance(**by)
    shop.world.sweep()
    shop.world.deliver()


class TestOwnerEmail:
    """One email, as soon as the owner has to act."""

    def test_sent_at_once_when_store_refuses(self, shop: Shop, listener: Receiver) -> None:
        person = shop.person(shop.store())
        for state in ("subscribed", "unsubscribed", "subscribed"):
            shop.change(person, state)
            listener.answers = [410]
            shop.world.deliver()
        [email] = emails(shop)
        assert email.to == shop.owner.email
        assert "still write to people who unsubscribed" in email.text

    @pytest.mark.parametrize("status", [408, 429, 500, 503])
    def test_not_sent_at_once_for_transient_failure(
        self, shop: Shop, listener: Receiver, status: int
    ) -> None:
        shop.change(shop.person(shop.store()), "subscribed")
        [message] = shop.queued()
        listener.answers = [status]
        assert hand_over(message)
        assert emails(shop) == []

    def test_sent_after_a_day_without_further_change(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        shop.change(shop.person(store), "subscribed")
        [message] = shop.queued()
        listener.answers = [503] * 100
        assert hand_over(message)
        later(shop, hours=DAY_HOURS - 1)
        assert emails(shop) == []
        later(shop, hours=2)
        assert len(emails(shop)) == 1
        for _ in range(3):
            later(shop, days=3)
        assert len(emails(shop)) == 1

    def test_not_sent_if_store_accepted_since(self, shop: Shop, listener: Receiver) -> None:
        person = shop.person(shop.store())
        shop.change(person, "subscribed")
        [message] = shop.queued()
        listener.answers = [503]
        hand_over(message)
        advance(timedelta(seconds=6))
        later(shop, days=2)
        assert emails(shop) == []
        assert due(shop) == []

    def test_not_sent_if_store_is_disconnected(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        shop.change(shop.person(store), "subscribed")
        [message] = shop.queued()
        listener.answers = [503]
        hand_over(message)
        assert shop.owner.call("POST", f"/stores/{store}/disconnect").status == 200
        later(shop, days=2)
        assert emails(shop) == []

    def test_sent_once_a_week_if_store_fails_intermittently(
        self, shop: Shop, listener: Receiver
    ) -> None:
        person = shop.person(shop.store())
        for number in range(6):
            shop.change(person, ("subscribed", "unsubscribed")[number % 2])
            listener.answers = [(422, 204)[number % 2]]
            shop.world.deliver()
        assert len(emails(shop)) == 1
        later(shop, days=8)
        shop.change(person, "subscribed")
        listener.answers = [422]
        shop.world.deliver()
        assert len(emails(shop)) == 2

    def test_store_has_one_waiting_message(self, shop: Shop, listener: Receiver) -> None:
        person = shop.person(shop.store())
        for number in range(4):
            shop.change(person, ("subscribed", "unsubscribed")[number % 2])
            message = [each for each in shop.queued() if "changeId" in each][-1]
            listener.answers = [503, 204]
            hand_over(message)
            advance(timedelta(seconds=6))
            assert len(due(shop)) == 1

    def test_sent_again_if_new_url_fails(self, shop: Shop, listener: Receiver) -> None:
        store = shop.store()
        person = shop.person(store)
        for number in range(2):
            shop.change(person, ("subscribed", "unsubscribed")[number])
            listener.answers = [404, 404]
            shop.world.deliver()
            assert len(emails(shop)) == number + 1
            move(shop, store, f"http://{HOOK}/{number}")


def due(shop: Shop) -> list[OutboxItem]:
    """The outbox rows that are due later."""
    rows = [row for row in shop.world.rows(PARTITION) if isinstance(row, OutboxItem)]
    return [row for row in rows if row.queue == Queue.WRITE_BACKS and not row.is_due]


def move(shop: Shop, store: UUID, url: str) -> None:
    """Gives the store another address for write-backs."""
    path, body = f"/stores/{store}/write-back", {"url": url}
    answer = shop.owner.call("PUT", path, body)
    assert answer.status == 200, answer.body


class TestResending:
    """All failed write-backs are sent again after a new address, and after the first success."""

    def two_failed(self, shop: Shop, listener: Receiver) -> tuple[UUID, list[dict[str, Any]]]:
        """A store that refused two people's unsubscriptions, dated so that both hold."""
        store = shop.store()
        changes = list[dict[str, Any]]()
        for name in ("ann", "ben"):
            put_customer(
                shop, store, name, 5, **{**subscribed(5), "email": f"{name}.{CANARY}@example.com"}
            )
        send_write_backs(shop)
        for name in ("ann", "ben"):
            listener.answers = [404]
            changes.append(change_consent(shop, f"{name}.{CANARY}@example.com", "unsubscribed", 10))
            send_write_backs(shop)
        listener.received.clear()
        return store, changes

    def test_new_url_resends_failed_write_backs(self, shop: Shop, listener: Receiver) -> None:
        store, changes = self.two_failed(shop, listener)
        move(shop, store, f"http://{HOOK}/mended")
        send_write_backs(shop)
        urls = {each.json["data"]["changeId"]: each.url for each in listener.received}
        assert urls == {change["id"]: f"http://{HOOK}/mended" for change in changes}
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    def test_unchanged_url_resends_nothing(self, shop: Shop, listener: Receiver) -> None:
        store, _ = self.two_failed(shop, listener)
        current = shop.owner.call("GET", f"/stores/{store}/write-back")
        move(shop, store, current.json["url"])
        assert send_write_backs(shop) == 0
        assert listener.received == []

    def test_first_success_resends_failed_write_backs(self, shop: Shop, listener: Receiver) -> None:
        store, changes = self.two_failed(shop, listener)
        put_customer(shop, store, "cat", 5, email=f"cat.{CANARY}@example.com")
        change_consent(shop, f"cat.{CANARY}@example.com", "subscribed")
        send_write_backs(shop)
        change_ids = [each.json["data"]["changeId"] for each in listener.received]
        assert sorted(change_ids[1:]) == sorted(change["id"] for change in changes)
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []
        found = StoreRepository(shop.workspace).get(store)
        assert found is not None
        assert found.failures.since is None

    def test_permanently_refused_write_back_has_resend_limit(
        self, shop: Shop, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A store may refuse one customer and accept all others: resending has a bound."""
        store, _ = self.two_failed(shop, listener)
        put_customer(shop, store, "cat", 5, email=f"cat.{CANARY}@example.com")
        refused = f"ann.{CANARY}@example.com"

        def post(url: str, *, body: bytes, headers: Any, timeout: float) -> Any:
            listener.answers = [422 if refused.encode() in body else 204]
            return listener.post(url, body=body, headers=headers, timeout=timeout)

        monkeypatch.setattr(posting, "post", post)
        for number in range(MAX_RESENDS + 3):
            state = ("subscribed", "unsubscribed")[number % 2]
            change_consent(shop, f"cat.{CANARY}@example.com", state)
            send_write_backs(shop)
        tried = [each for each in listener.received if each.json["data"]["address"] == refused]
        assert len(tried) == MAX_RESENDS
        path, body = "/write-backs/retry", {"storeId": str(store)}
        assert shop.owner.call("POST", path, body).json == {"queued": 1}

    def test_store_that_repeats_subscribed_gets_no_automatic_resend(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        change_consent(shop, f"ann.{CANARY}@example.com", "unsubscribed", 10)
        email = f"ann.{CANARY}@example.com"
        for minute in range(25):
            put_customer(shop, store, "c", 20 + minute, **{**subscribed(), "email": email})
            send_write_backs(shop)
        listener.received.clear()
        put_customer(shop, store, "cat", 5, email=f"cat.{CANARY}@example.com")
        for answer in (404, 204):
            listener.answers = [answer]
            change_consent(
                shop, f"cat.{CANARY}@example.com", ("subscribed", "unsubscribed")[answer == 204]
            )
            send_write_backs(shop)
        assert email not in [each.json["data"]["address"] for each in listener.received]
        query = {"status": "failed", "storeId": str(store)}
        listed = shop.owner.call("GET", "/write-backs", query=query)
        assert [each["state"] for each in listed.json["items"]] == ["subscribed", "unsubscribed"]

    @pytest.mark.parametrize("state", ["unsubscribed", "subscribed"])
    def test_first_url_gets_earlier_unsubscriptions_only(
        self, shop: Shop, listener: Receiver, state: str
    ) -> None:
        store = shop.store(listens=False)
        person = shop.person(store)
        shop.customer(person, store, email_consent=ConsentState.SUBSCRIBED)
        change = shop.change(person, state)
        send_write_backs(shop)
        assert shop.outcome(person, change, store) == "permission_missing"
        shop.secret(store)
        send_write_backs(shop)
        assert listener.states == ["unsubscribed"] * (state == "unsubscribed")

    def test_url_changed_during_failing_attempt_is_tried_next(
        self, shop: Shop, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = shop.store()
        person = shop.person(store)
        change = shop.change(person, "unsubscribed")

        def post(url: str, *, body: bytes, headers: Any, timeout: float) -> Any:
            if not listener.received:
                move(shop, store, f"http://{HOOK}/mended")
                listener.answers = [404]
            return listener.post(url, body=body, headers=headers, timeout=timeout)

        monkeypatch.setattr(posting, "post", post)
        [message] = shop.queued()
        assert [hand_over(message, number) for number in (1, 2)] == [False, True]
        assert [each.url.rpartition("/")[2] for each in listener.received] == ["consent", "mended"]
        assert shop.outcome(person, change, store) == "written"

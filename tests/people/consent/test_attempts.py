"""The attempts to send a store a change: ten over three days, as for webhook endpoints."""

from datetime import timedelta
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest

from local.events.pumps import pump_queue
from storepost.people.consent.missed_write_backs import missed_partition
from storepost.people.consent.repository import ConsentRepository
from storepost.people.profiles.model import Profile
from storepost.platform.attempts.due import PARTITION
from storepost.platform.attempts.waits import WAITS
from storepost.values import clock
from tests.harness.crash_points import crashes
from tests.harness.faults import FAULT, THROTTLED, faults, refusal
from tests.harness.later_attempts import RETRIES, advance, delayed, lose_delayed, make_all, run_due
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY
from tests.people.consent.customers_of_stores import owed_rows
from tests.people.consent.listening_store import EMAIL, HOOK, Shop, hand_over
from tests.people.consent.test_write_back_relay import sweep_later

DOWN = [503] * 100


@pytest.fixture
def store(shop: Shop) -> UUID:
    """A store that listens."""
    return shop.store()


@pytest.fixture
def person(shop: Shop, store: UUID) -> Profile:
    """A customer of the store."""
    return shop.person(store)


def unsubscribed(shop: Shop, person: Profile) -> tuple[dict[str, Any], dict[str, str]]:
    """A change that is to be written back to the store, and its message."""
    change = shop.change(person, "unsubscribed")
    [message] = shop.queued()
    return change, message


def named(message: dict[str, str], attempt: int) -> dict[str, Any]:
    """The message of a later attempt of the same delivery."""
    return {**message, "attempt": attempt}


def listed(shop: Shop) -> dict[str, Any]:
    """The one write-back of the workspace's list."""
    answer = shop.owner.call("GET", "/write-backs")
    [found] = answer.json["items"]
    return dict(found)


def due_at(shop: Shop, person: Profile, change: dict[str, Any]) -> Any:
    """The time of the next attempt."""
    [found] = [c for c in ConsentRepository(shop.workspace).history(person.id)]
    assert str(found.id) == change["id"]
    [each] = found.write_backs
    return each.next_attempt_at


class TestTimes:
    """The times of attempts."""

    def test_ten_attempts_with_jittered_waits_then_failed(
        self, shop: Shop, store: UUID, person: Profile, listener: Receiver
    ) -> None:
        change, message = unsubscribed(shop, person)
        listener.answers = list(DOWN)
        assert hand_over(message)
        for made, wait in enumerate(WAITS, start=1):
            assert shop.outcome(person, change, store) == "pending"
            shown = listed(shop)
            assert len(shown["attempts"]) == len(listener.received) == made
            due = clock.from_text(shown["nextAttemptAt"])
            last = clock.from_text(shown["attempts"][-1]["at"])
            assert wait <= due - last <= wait * 1.1 + timedelta(seconds=2)
            advance(due - clock.now() - timedelta(seconds=1.5))
            assert len(listener.received) == made
            advance(timedelta(seconds=1.6))
        assert len(listener.received) == 10
        assert shop.outcome(person, change, store) == "failed"
        assert listed(shop)["nextAttemptAt"] is None
        assert len({each.headers["webhook-id"] for each in listener.received}) == 1
        advance(timedelta(days=2))
        assert len(listener.received) == 10

    def test_store_down_for_two_days_gets_the_change(
        self, shop: Shop, store: UUID, person: Profile, listener: Receiver
    ) -> None:
        change, message = unsubscribed(shop, person)
        listener.answers = list(DOWN)
        hand_over(message)
        for _ in range(16):
            advance(timedelta(hours=3))
        assert shop.outcome(person, change, store) == "pending"
        listener.answers = []
        listener.received.clear()
        for _ in range(8):
            advance(timedelta(hours=3))
        assert listener.states == ["unsubscribed"]
        assert shop.outcome(person, change, store) == "written"
        assert shop.world.rows(PARTITION) == []

    def test_retry_after_header_is_respected(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change, message = unsubscribed(shop, person)
        listener.answers = [(429, {"retry-after": "3600"})]
        assert hand_over(message)
        advance(timedelta(minutes=59))
        assert len(listener.received) == 1
        advance(timedelta(minutes=1, seconds=5))
        assert shop.outcome(person, change, store) == "written"

    def test_permanent_refusal_fails_at_once(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change, message = unsubscribed(shop, person)
        listener.answers = [503, 404]
        assert hand_over(message)
        advance(timedelta(seconds=6))
        assert shop.outcome(person, change, store) == "failed"
        make_all()
        assert len(listener.received) == 2


class TestListedAttempts:
    """What a list of write-backs shows of the attempts."""

    def test_each_attempt_is_listed(self, shop: Shop, person: Profile, listener: Receiver) -> None:
        _, message = unsubscribed(shop, person)
        assert (listed(shop)["attempts"], listed(shop)["nextAttemptAt"]) == ([], None)
        listener.answers = [503]
        assert hand_over(message)
        advance(timedelta(seconds=6))
        shown = listed(shop)
        assert shown["writeBack"]["status"] == "written"
        assert [(a["status"], a["error"]) for a in shown["attempts"]] == [
            (503, "The store answered with status 503."),
            (204, None),
        ]
        first, second = (clock.from_text(a["at"]) for a in shown["attempts"])
        assert first < second <= clock.now()
        assert all(a["durationMs"] >= 0 for a in shown["attempts"])
        assert set(shown["attempts"][0]) == {"at", "status", "error", "durationMs"}

    def test_consent_change_response_has_no_attempts(
        self, shop: Shop, person: Profile, listener: Receiver
    ) -> None:
        change, message = unsubscribed(shop, person)
        listener.answers = [503]
        assert hand_over(message)
        [shown] = shop.read(person, change)["writeBacks"]
        assert set(shown) == {"store", "status", "skipReason", "error", "doneAt"}
        assert (shown["status"], shown["error"], shown["doneAt"]) == ("pending", None, None)

    def test_waiting_attempts_contain_no_personal_data(
        self, shop: Shop, person: Profile, listener: Receiver
    ) -> None:
        _, message = unsubscribed(shop, person)
        listener.answers = list(DOWN)
        assert hand_over(message)
        for wait in WAITS[:3]:
            texts = [str(row.to_simple_dict()) for row in shop.world.rows(PARTITION)]
            texts += [each.body for each in delayed()]
            assert texts
            for text in texts:
                assert CANARY not in text
                assert EMAIL not in text
            advance(wait * 1.1 + timedelta(seconds=1))


class TestOrder:
    """A newer change takes precedence over a waiting one."""

    def test_newer_change_is_sent_at_once_and_supersedes_older(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        older = shop.change(person, "subscribed")
        shop.world.deliver_outbox()
        listener.answers = [503, 503, 503]
        run_due()
        advance(timedelta(seconds=6))
        advance(timedelta(minutes=6))
        assert len(shop.world.rows(PARTITION)) == 1
        listener.received.clear()
        newer = shop.change(person, "unsubscribed")
        shop.world.deliver()
        assert shop.outcome(person, newer, store) == "written"
        make_all()
        assert listener.states == ["unsubscribed"]
        assert shop.outcome(person, older, store) == "superseded"


class TestEarlyRetry:
    """Waiting write-backs are sent at once when the store accepts one again."""

    def waiting(self, shop: Shop, person: Profile, listener: Receiver) -> dict[str, Any]:
        """A change whose fourth attempt is half an hour away."""
        change, message = unsubscribed(shop, person)
        listener.answers = [503] * 3
        assert hand_over(message)
        advance(timedelta(seconds=6))
        advance(timedelta(minutes=6))
        assert len(listener.received) == 3
        listener.received.clear()
        shop.world.deliver()
        return change

    def test_first_success_sends_waiting_write_backs(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change = self.waiting(shop, person, listener)
        other = shop.change(person, "subscribed", channel="sms")
        shop.world.deliver()
        assert [each.json["data"]["changeId"] for each in listener.received] == [
            other["id"],
            change["id"],
        ]
        assert shop.outcome(person, change, store) == "written"
        listener.received.clear()
        make_all()
        assert listener.received == []
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []

    def test_new_url_sends_waiting_write_backs(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change = self.waiting(shop, person, listener)
        path, body = f"/stores/{store}/write-back", {"url": f"http://{HOOK}/mended"}
        assert shop.owner.call("PUT", path, body).status == 200
        shop.world.deliver()
        assert [each.url for each in listener.received] == [body["url"]]
        assert shop.outcome(person, change, store) == "written"
        make_all()
        assert len(listener.received) == 1

    def test_bulk_retry_of_failed_skips_waiting_ones(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        self.waiting(shop, person, listener)
        body = {"storeId": str(store)}
        assert shop.owner.call("POST", "/write-backs/retry", body).json == {"queued": 0}
        failed = shop.owner.call("GET", "/write-backs", query={"status": "failed"})
        assert failed.json["items"] == []

    def test_single_retry_of_waiting_write_back_is_refused(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change = self.waiting(shop, person, listener)
        path = f"/profiles/{person.id}/consent/{change['id']}/write-backs/{store}/retry"
        assert shop.owner.call("POST", path).problem() == (409, "write_back_not_failed")


class TestErased:
    """An opt-out of a person who is erased while its next attempt waits."""

    def erase(self, shop: Shop, person: Profile) -> None:
        assert shop.owner.call("DELETE", f"/profiles/{person.id}").status == 204

    def test_opt_out_is_sent_by_customer_id_after_days(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        _, message = unsubscribed(shop, person)
        listener.answers = list(DOWN)
        assert hand_over(message)
        advance(timedelta(minutes=6))
        self.erase(shop, person)
        shop.world.deliver()
        for _ in range(8):
            advance(timedelta(hours=6))
        listener.received.clear()
        for row in shop.world.rows("due#"):
            assert CANARY not in str(row.to_simple_dict())
        listener.answers = []
        for _ in range(6):
            advance(timedelta(hours=6))
        [sent] = listener.received
        assert sent.json["data"]["address"] is None
        assert sent.json["data"]["customers"] == [{"externalId": f"c-{CANARY}"}]
        assert shop.world.rows(PARTITION) == []
        assert [row for row in shop.world.rows() if "c-canary" in str(row.to_simple_dict())] == []

    @pytest.mark.parametrize("minutes", [0, 1, 6, 60, 600])
    @pytest.mark.parametrize("is_removed", [False, True], ids=["before it is removed", "after"])
    def test_opt_out_is_sent_at_once_whichever_attempt_waits(
        self, shop: Shop, person: Profile, listener: Receiver, minutes: int, is_removed: bool
    ) -> None:
        """Also if the message arrives before the worker has removed the person's change."""
        listener.answers = list(DOWN)
        shop.change(person, "unsubscribed")
        shop.world.deliver()
        advance(timedelta(minutes=minutes))
        self.erase(shop, person)
        shop.world.relay()
        if is_removed:
            assert pump_queue("ProfileErasureQueue") == 1
        listener.received.clear()
        listener.answers = [503]
        shop.world.deliver()
        assert len(listener.received) == 1
        advance(timedelta(seconds=6))
        assert [each.json["data"]["address"] for each in listener.received] == [None, None]
        assert owed_rows(shop) == []
        advance(timedelta(days=1))
        assert len(listener.received) == 2

    def test_opt_out_waits_for_new_url_after_last_attempt(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        unsubscribed(shop, person)
        self.erase(shop, person)
        listener.answers = list(DOWN)
        shop.world.deliver()
        listener.received.clear()
        listener.answers = list(DOWN)
        make_all()
        assert len(listener.received) <= 10
        assert len(shop.world.rows(missed_partition(shop.workspace, store))) == 1
        assert shop.world.rows(PARTITION) == []
        listener.received.clear()
        listener.answers = [503]
        path, body = f"/stores/{store}/write-back", {"url": f"http://{HOOK}/mended"}
        assert shop.owner.call("PUT", path, body).status == 200
        shop.world.deliver()
        advance(timedelta(seconds=6))
        assert len(listener.received) == 2
        assert shop.world.rows(missed_partition(shop.workspace, store)) == []


class TestKilled:
    """An attempt that fails, killed before and after each of its calls."""

    @pytest.mark.parametrize("made", [0, 2], ids=["soon", "in a row"])
    def test_next_attempt_follows_after_kill_at_any_call(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver, made: int
    ) -> None:
        """After the third attempt, the next one waits in a row; after the first two, in SQS."""
        change, first = unsubscribed(shop, person)
        listener.answers = list(DOWN)
        message: dict[str, Any] = dict(first)
        for wait in WAITS[:made]:
            assert hand_over(message)
            message = named(first, message.get("attempt", 1) + 1)
            advance(wait * 0.5)
            for each in delayed():
                each.visible_at = 10**15
        del listener.received[:]
        found = crashes(
            shop.world,
            lambda: hand_over(message),
            outside=[listener.received],
            deliver=False,
        )
        assert len(found.positions) > 6
        for positions in found:
            listener.answers = list(DOWN)
            assert hand_over(message, 2), positions
            listener.answers = []
            make_all()
            assert shop.outcome(person, change, store) == "written", positions
            assert shop.world.rows(PARTITION) == [], positions
            assert shop.world.queue_depth(RETRIES) == 0, positions

    def test_duplicate_messages_in_any_order_make_one_attempt(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change, first = unsubscribed(shop, person)
        listener.answers = [503]
        assert hand_over(first)
        second, third = (named(first, number) for number in (2, 3))
        begin_anew = shop.world.checkpoint(deliver=False)
        for order in permutations([first, second, third]):
            begin_anew()
            listener.received.clear()
            listener.answers = []
            for each in [*order, *order]:
                assert hand_over(each)
            assert listener.states == ["unsubscribed"]
            assert shop.outcome(person, change, store) == "written"

    def test_messages_of_earlier_attempts_are_ignored_after_retry(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change, first = unsubscribed(shop, person)
        listener.answers = [503, 404, 503]
        assert hand_over(first)
        advance(timedelta(seconds=6))
        path = f"/profiles/{person.id}/consent/{change['id']}/write-backs/{store}/retry"
        assert shop.owner.call("POST", path).status == 200
        shop.world.deliver()
        made = len(listener.received)
        assert hand_over(named(first, 5))
        assert len(listener.received) == made
        assert shop.outcome(person, change, store) == "pending"

    @pytest.mark.parametrize("operation", ["GetItem", "UpdateItem"])
    @pytest.mark.parametrize("code", [THROTTLED[0], FAULT.response["Error"]["Code"]])
    def test_throttled(
        self,
        shop: Shop,
        person: Profile,
        store: UUID,
        listener: Receiver,
        code: str,
        operation: str,
    ) -> None:
        change, message = unsubscribed(shop, person)
        listener.answers = [503] * 2
        with faults(refusal(code), operation, times=2) as met:
            done = hand_over(message)
        assert met.met > 0
        assert done or hand_over(message, 2)
        listener.answers = []
        make_all()
        assert shop.outcome(person, change, store) == "written"


class TestSwept:
    """A waiting attempt doesn't count as lost, an overdue one does."""

    def test_waiting_attempt_is_not_queued_again(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        unsubscribed(shop, person)
        shop.world.deliver_outbox()
        listener.answers = list(DOWN)
        run_due()
        advance(timedelta(minutes=10))
        advance(timedelta(hours=2))
        made = len(listener.received)
        for _ in range(61):
            shop.world.advance(seconds=60)
            shop.world.sweep()
        assert shop.queued() == []
        assert len(listener.received) == made

    def test_lost_message_is_replaced_by_next_attempt(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        shop.world.deliver_outbox()
        change, message = unsubscribed(shop, person)
        listener.answers = [503]
        assert hand_over(message)
        lose_delayed()
        sweep_later(shop)
        shop.world.deliver()
        assert shop.outcome(person, change, store) == "written"
        assert len(listed(shop)["attempts"]) == 2

    def test_lost_row_can_be_retried_a_day_after_due_time(
        self, shop: Shop, person: Profile, store: UUID, listener: Receiver
    ) -> None:
        change, message = unsubscribed(shop, person)
        listener.answers = [503] * 3
        assert hand_over(message)
        advance(timedelta(seconds=6))
        advance(timedelta(minutes=6))
        shop.world.lose_stream()
        for row in shop.world.rows(PARTITION):
            row.delete()
        path = f"/profiles/{person.id}/consent/{change['id']}/write-backs/{store}/retry"
        shop.world.advance(hours=24)
        answer = shop.owner.call("POST", path)
        assert answer.problem() == (409, "write_back_not_failed")
        shop.world.advance(hours=1)
        answer = shop.owner.call("POST", path)
        assert answer.status == 200
        shop.world.deliver()
        assert shop.outcome(person, change, store) == "written"

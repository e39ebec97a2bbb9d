"""New changes of consent reach the write-backs' queue from the table's stream, without a row."""

import hashlib
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import boto3
import pytest

from local import aws
from local.events.pumps import pump_queue
from local.functions import invoke
from local.template import functions
from storepost.people.consent import write_back_relay
from storepost.people.consent.write_back_index import indexed_rows_behind
from storepost.people.consent.write_back_messages import group_of
from storepost.people.consent.write_back_relay import LOST_AFTER
from storepost.people.profiles.model import Profile
from storepost.platform.messaging.outbox import PARTITION, SHARDS, Queue, send_with
from storepost.platform.messaging.queues import client as sqs
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.sweeping import SweptWorkspaceItem, swept_key
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import counted
from tests.harness.crash_points import crashes
from tests.harness.faults import FAULT, THROTTLED, faults, refusal
from tests.harness.receiver import Receiver
from tests.harness.world import World
from tests.people.consent.customers_of_stores import QUEUE, change_consent, put_customer, subscribed
from tests.people.consent.imports import profile_of
from tests.people.consent.listening_store import EMAIL, Shop, hand_over, open_shop

REPAIRS = "SearchRepairQueue"


def advance_to_sweep(shop: Shop) -> None:
    """Moves the time to the next minute in which the sweep handles the workspace."""
    minute = shop.workspace.id.int % 60
    shop.world.advance(minutes=(minute - clock.now().minute) % 60)


def sweep_later(shop: Shop) -> None:
    """Sweeps when a pending write-back's message must be lost; the messages that it queued."""
    shop.world.advance(seconds=LOST_AFTER.total_seconds() + 60)
    advance_to_sweep(shop)
    shop.world.sweep()
    shop.world.lose_stream()
    shop.world.advance(minutes=3)
    shop.world.sweep()


def received() -> list[dict[str, Any]]:
    """The messages in the write-backs' queue."""
    answer = boto3.client("sqs").receive_message(
        QueueUrl=aws.queue_url(QUEUE),
        MaxNumberOfMessages=10,
        MessageSystemAttributeNames=["All"],
    )
    return [dict(each) for each in answer.get("Messages", [])]


def record(world: World) -> dict[str, Any]:
    """The one record that waits for the relay, as Lambda receives it."""
    [waiting] = world.records_to_queue()
    return waiting


def run_relay(*records: dict[str, Any]) -> list[dict[str, str]]:
    """Hands records to the relay; returns those that failed."""
    [relay] = [each for each in functions() if each.job == "outbox_relay"]
    answer = invoke(relay, {"Records": list(records)})
    return list(answer["batchItemFailures"])


def sweep_row(shop: Shop) -> SweptWorkspaceItem:
    """The row with the sweep's progress."""
    return SweptWorkspaceItem.get(*swept_key(shop.workspace), consistent_read=True)


class Known:
    """A customer of a store, who subscribes."""

    def __init__(self, shop: Shop, *stores: UUID) -> None:
        """The stores are one that listens, unless they are given."""
        self.shop = shop
        self.stores = stores or (shop.store(),)
        self.profile: Profile = shop.person(*self.stores)
        shop.world.deliver()
        self.change = shop.change(self.profile, "subscribed")

    @property
    def outcomes(self) -> list[str]:
        """The outcomes of the write-backs."""
        return [self.shop.outcome(self.profile, self.change, each) for each in self.stores]


class TestMessages:
    """The messages of the queue."""

    def test_transaction_has_no_outbox_row(self, shop: Shop, listener: Receiver) -> None:
        known = Known(shop)
        assert shop.world.rows(PARTITION) == []
        shop.world.deliver()
        assert (known.outcomes, listener.states) == (["written"], ["subscribed"])

    def test_each_store_has_message_in_own_group(self, shop: Shop) -> None:
        known = Known(shop, shop.store(), shop.store())
        shop.world.relay()
        messages = {each["Body"]: each["Attributes"]["MessageGroupId"] for each in received()}
        digests = {
            store: hashlib.sha256(f"{store}\x1f{EMAIL}".encode()).digest() for store in known.stores
        }
        assert messages == {
            f'{{"workspaceId":"{shop.workspace.id}","profileId":"{known.profile.id}",'
            f'"changeId":"{known.change["id"]}","storeId":"{store}"}}': f"{store}#{digest[0] % 8}"
            for store, digest in digests.items()
        }

    def test_store_that_hangs_holds_up_eight_groups_at_most(self) -> None:
        store = uuid4()
        groups = {group_of(f"{number}@example.com", store) for number in range(500)}
        assert groups == {f"{store}#{shard}" for shard in range(8)}

    def test_initially_superseded_change_queues_no_message(self, shop: Shop) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, email=EMAIL, **subscribed(5))
        change_consent(shop, EMAIL, "unsubscribed", 10)
        shop.world.relay()
        before = len(received())
        changes = change_consent(shop, EMAIL, "subscribed", 7)
        shop.world.relay()
        assert changes["state"] == "unsubscribed"
        assert (before, received()) == (1, [])
        assert profile_of(shop, EMAIL)["emailMarketingConsent"] == "unsubscribed"

    def test_duplicate_stream_record_queues_one_message(self, shop: Shop) -> None:
        Known(shop)
        found = record(shop.world)
        assert run_relay(found, found) == []
        assert run_relay(found) == []
        assert shop.world.queue_depth(QUEUE) == 1


class TestKilled:
    """The relay and the sweep, killed before and after each of their calls to AWS."""

    def delivered_once(self, known: Known, listener: Receiver, positions: object) -> None:
        known.shop.world.deliver()
        assert known.outcomes == ["written"], positions
        assert listener.states == ["subscribed"], positions
        assert known.shop.world.rows(PARTITION) == [], positions
        listener.received.clear()

    def test_relay_killed_and_stream_redelivers_record(
        self, shop: Shop, listener: Receiver
    ) -> None:
        known = Known(shop)
        found = record(shop.world)
        for positions in crashes(shop.world, partial(run_relay, found), deliver=False):
            assert run_relay(found) == []
            self.delivered_once(known, listener, positions)

    def test_relay_killed_and_stream_loses_record(self, shop: Shop, listener: Receiver) -> None:
        known = Known(shop)
        found = record(shop.world)
        for positions in crashes(shop.world, partial(run_relay, found), deliver=False):
            sweep_later(shop)
            self.delivered_once(known, listener, positions)

    def test_sweep_killed_at_any_call(self, shop: Shop, listener: Receiver) -> None:
        known = Known(shop)
        shop.world.lose_stream()
        shop.world.advance(seconds=LOST_AFTER.total_seconds() + 60)
        advance_to_sweep(shop)
        found = crashes(shop.world, shop.world.sweep, deliver=False)
        assert len(found.positions) > 20
        for positions in found:
            shop.world.lose_stream()
            sweep_later(shop)
            self.delivered_once(known, listener, positions)


class TestRefused:
    """A queue that refuses messages for a while, or for good."""

    def test_throttled_send_is_retried(self, shop: Shop, listener: Receiver) -> None:
        known = Known(shop)
        with faults(refusal(THROTTLED[1]), "SendMessageBatch", times=1) as met:
            shop.world.deliver()
        assert (met.met, known.outcomes, listener.states) == (1, ["written"], ["subscribed"])

    def test_partially_refused_batch_is_retried(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """SQS answers 200 and names the messages that it refused."""
        Known(shop)
        found = record(shop.world)
        number = found["dynamodb"]["SequenceNumber"]
        with monkeypatch.context() as refusing:
            failed = {"Failed": [{"Id": "0", "Code": "InternalError"}]}
            refusing.setattr(sqs(), "send_message_batch", lambda **_: failed)
            assert run_relay(found) == [{"itemIdentifier": number}]
        assert run_relay(found) == []
        assert shop.world.queue_depth(QUEUE) == 1

    def test_record_at_failure_destination_is_repaired(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The stream's failure destination names the record's position in the stream."""
        known = Known(shop)
        with pytest.MonkeyPatch.context() as patched, faults(FAULT, "SendMessageBatch"):
            patched.setitem(shop.world._relay.source, "MaximumRetryAttempts", 1)
            shop.world.relay()
        assert shop.world.queue_depth(REPAIRS) == 1
        assert pump_queue(REPAIRS) == 1
        [message] = shop.queued()
        assert message["changeId"] == known.change["id"]
        shop.world.deliver()
        assert (known.outcomes, listener.states) == (["written"], ["subscribed"])

    def test_write_back_sent_since_is_not_repaired(self, shop: Shop, listener: Receiver) -> None:
        known = Known(shop)
        message = shop.queued()[0]
        with pytest.MonkeyPatch.context() as patched, faults(FAULT, "SendMessageBatch"):
            patched.setitem(shop.world._relay.source, "MaximumRetryAttempts", 1)
            shop.world.relay()
        assert hand_over(message)
        assert pump_queue(REPAIRS) == 1
        assert (shop.queued(), known.outcomes) == ([], ["written"])
        assert listener.states == ["subscribed"]


class TestSweep:
    """The index of write-backs shows lost ones, once an hour."""

    def test_record_lost_by_stream_is_queued(self, shop: Shop, listener: Receiver) -> None:
        known = Known(shop)
        shop.world.lose_stream()
        sweep_later(shop)
        shop.world.deliver()
        assert (known.outcomes, listener.states) == (["written"], ["subscribed"])

    def test_pending_write_back_is_not_swept_before_attempts_end(self, shop: Shop) -> None:
        """Until then its own message may still be sent to a failing store."""
        Known(shop)
        shop.world.lose_stream()
        shop.world.advance(minutes=59)
        advance_to_sweep(shop)
        shop.world.sweep()
        assert shop.queued() == []
        assert sweep_row(shop).swept_to is None

    def test_sent_write_back_is_not_queued_again(self, shop: Shop, listener: Receiver) -> None:
        Known(shop)
        shop.world.deliver()
        sweep_later(shop)
        shop.world.deliver()
        assert (shop.queued(), listener.states) == ([], ["subscribed"])

    def test_each_change_is_swept_once(self, shop: Shop) -> None:
        """The second sweep reads no change: an hour without one costs two queries.

        The other queries are those of the outbox.
        """
        Known(shop)
        shop.world.lose_stream()
        shop.world.advance(seconds=LOST_AFTER.total_seconds() + 60)
        advance_to_sweep(shop)
        first, second = counted(shop.world.sweep), counted(shop.world.sweep)
        assert [first.count(each) for each in ("BatchGetItem", "TransactWriteItems")] == [1, 1]
        assert (second, len(shop.queued())) == (["Query"] * (SHARDS + 2), 1)

    def test_many_pages(
        self, shop: Shop, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(write_back_relay, "MAX_CHANGES", 2)
        store = shop.store()
        person = shop.person(store)
        shop.world.deliver()
        for _ in range(3):
            shop.change(person, "subscribed")
            shop.change(person, "unsubscribed")
            shop.world.advance(seconds=1)
        last = shop.change(person, "subscribed")
        shop.world.lose_stream()
        sweep_later(shop)
        shop.world.deliver()
        assert shop.outcome(person, last, store) == "written"
        assert listener.states == ["subscribed"]
        history = shop.owner.call("GET", f"/profiles/{person.id}/consent").json["items"]
        outcomes = {each["writeBacks"][0]["status"] for each in history}
        assert (len(history), outcomes) == (7, {"written", "skipped"})

    def test_remaining_changes_are_swept_by_next_run(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(write_back_relay, "MAX_CHANGES", 1)
        monkeypatch.setattr(write_back_relay, "MAX_PAGES", 1)
        person = shop.person(shop.store())
        shop.world.deliver()
        for state in ("subscribed", "unsubscribed"):
            shop.change(person, state)
        shop.world.lose_stream()
        shop.world.advance(seconds=LOST_AFTER.total_seconds() + 60)
        advance_to_sweep(shop)
        for hour in range(1, 4):
            shop.world.sweep()
            assert len(shop.queued()) == min(hour, 2)

    def test_failing_workspace_does_not_block_others(
        self, world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = open_shop(world)
        for each in (shop, other):
            Known(each)
        world.lose_stream()
        rows = [sweep_row(each) for each in (shop, other)]
        world.advance(seconds=LOST_AFTER.total_seconds())
        monkeypatch.setattr(write_back_relay, "swept_in", lambda _minute: rows)
        plain = indexed_rows_behind

        def broken(workspace: WorkspaceScope, *more: Any) -> Any:
            if workspace == shop.workspace:
                raise ValueError("canary")
            return plain(workspace, *more)

        with monkeypatch.context() as breaking:
            breaking.setattr(write_back_relay, "indexed_rows_behind", broken)
            with pytest.raises(write_back_relay.NotSwept):
                write_back_relay.sweep_write_backs(0)
        [message] = shop.queued()
        assert message["workspaceId"] == str(other.workspace.id)

    def test_workspaces_of_minute_in_which_run_started(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The outbox's rows are sent first, which may take a while."""
        Known(shop)
        shop.world.lose_stream()
        shop.world.advance(seconds=LOST_AFTER.total_seconds() - 180)
        shop.world.advance(minutes=(shop.workspace.id.int - clock.now().minute - 3) % 60)
        changes = Changes()
        send_with(changes, Queue.EMAILS, [({"n": 1}, None)])
        changes.commit()
        shop.world.advance(minutes=3)

        def slow(**_: object) -> dict[str, object]:
            shop.world.advance(minutes=1)
            return {}

        with monkeypatch.context() as slowed:
            slowed.setattr(sqs(), "send_message_batch", slow)
            shop.world.sweep()
        assert sweep_row(shop).swept_to is not None

    def test_workspace_farthest_behind_is_swept_first(
        self, world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """If a run is cut short, the remaining workspaces have no other run in that hour."""
        shops = [shop, *(open_shop(world) for _ in range(2))]
        for each in shops:
            Known(each)
        rows = [sweep_row(each) for each in shops]
        rows[0].swept_to, rows[1].swept_to = "change#2", "change#1"
        monkeypatch.setattr(write_back_relay, "swept_in", lambda _minute: iter(rows))
        seen: list[WorkspaceScope] = []

        def noted(workspace: WorkspaceScope, *_: object) -> list[object]:
            seen.append(workspace)
            return []

        monkeypatch.setattr(write_back_relay, "indexed_rows_behind", noted)
        assert write_back_relay.sweep_write_backs(0) == 0
        assert seen == [each.workspace for each in reversed(shops)]

    def test_workspace_deleted_concurrently_is_skipped(self, shop: Shop) -> None:
        Known(shop)
        shop.world.lose_stream()
        row = sweep_row(shop)
        row.delete()
        assert write_back_relay._sweep(row, clock.now()) == 0
        assert shop.world.rows("due#write_backs#") == []

    def test_first_store_adds_workspace_to_sweep(self, shop: Shop) -> None:
        assert shop.world.rows("due#write_backs#") == []
        for _ in range(2):
            shop.store()
        [row] = shop.world.rows("due#write_backs#")
        assert row.key == swept_key(shop.workspace)

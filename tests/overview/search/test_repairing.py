"""Postings after the stream failed: those of records, and those of an erased person."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3
import pytest

from local import aws, functions
from local.events import pumps
from storepost.overview.search import indexing, repairing
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.rows import PostingItem
from storepost.values.scope import WorkspaceScope
from tests.concurrency.people import customer
from tests.harness.faults import THROTTLED, fake_clock, faults, refusal
from tests.harness.world import CANARY, Answer, Someone, World
from tests.webhooks.receiving import HOOK, URL

QUEUE, MIGRATIONS = "SearchRepairQueue", "MigrationQueue"
EMAIL = f"ada.{CANARY}@example.com"


type Postings = dict[tuple[str, str], tuple[Any, ...]]
"""The search's rows of a workspace, by key."""


@dataclass
class Searched:
    """A workspace with a store, and the worker that repairs its postings."""

    world: World
    owner: Someone
    workspace: WorkspaceScope
    store: str

    def call(self, method: str, path: str, body: object = None) -> Answer:
        """A request of the owner's."""
        return self.owner.call(method, path, body)

    def put_customer(self, **more: object) -> None:
        """The store's one customer, with these fields besides."""
        body = {**customer(EMAIL), "firstName": "Ada", "lastName": f"Lovelace {CANARY}", **more}
        assert self.call("PUT", f"/stores/{self.store}/customers/c-1", body).status in {200, 201}

    @property
    def rows(self) -> list[PostingItem]:
        """All stored postings."""
        return [row for row in self.world.rows() if isinstance(row, PostingItem)]

    @property
    def postings(self) -> Postings:
        """Those of the workspace."""
        own = (row for row in self.rows if WorkspaceScope.of(row.pk) == self.workspace)
        return {row.key: (row.at, row.text, row.exact) for row in own}

    def fail_for_good(self) -> None:
        """Runs the stream's reader while no posting can be written."""
        reader = next(r for r in self.world._stream.readers if "Search" in r.function.name)
        with (
            pytest.MonkeyPatch.context() as patched,
            faults(refusal(THROTTLED[0]), "BatchWriteItem"),
        ):
            fake_clock(patched)
            patched.setitem(reader.source, "MaximumRetryAttempts", 1)
            self.world._stream.pump()

    def repair(self, queue: str = QUEUE) -> None:
        """Lets a worker handle all messages in its queue."""
        while pumps.pump_queue(queue):
            pass

    def rebuild(self, workspace: WorkspaceScope, run: int = 1) -> None:
        """Rebuilds all postings of a workspace, as an operator would."""
        send(rebuild_message(workspace, run), MIGRATIONS)
        self.world.deliver()


@pytest.fixture
def searched(world: World) -> Searched:
    """A workspace with a store, whose own postings are written."""
    owner = world.person()
    workspace = world.workspace(owner)
    store = world.store(owner)
    world.deliver()
    return Searched(world, owner, workspace, store)


def rebuild_message(workspace: WorkspaceScope, run: int = 1) -> dict[str, Any]:
    """The message that starts or continues a rebuild of a workspace's postings."""
    return {"workspaceId": str(workspace.id), "name": "rebuild-search", "run": run}


def send(message: dict[str, Any], queue: str = QUEUE) -> None:
    """Puts a message into a worker's queue."""
    boto3.client("sqs").send_message(QueueUrl=aws.queue_url(queue), MessageBody=json.dumps(message))


def events(queue: str = QUEUE) -> list[str]:
    """The bodies of a worker's queue, taken out of it."""
    sqs, url = boto3.client("sqs"), aws.queue_url(queue)
    received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    for message in received:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return [message["Body"] for message in received]


def _nothing_else(_record: Mapping[str, Any]) -> None:
    """Other tests check what else the records lead to."""


class TestFailedRecords:
    """A record that failed for good."""

    def test_postings_are_right_after_replay(self, searched: Searched) -> None:
        searched.put_customer()
        searched.fail_for_good()
        assert searched.world.queue_depth(QUEUE) >= 1
        searched.repair()
        assert (
            searched.world.queue_depth(QUEUE),
            searched.world.queue_depth("StreamDeadLetters"),
        ) == (0, 0)
        repaired = searched.postings
        assert len(repaired) > 3
        searched.rebuild(searched.workspace)
        assert searched.postings == repaired

    def test_webhook_event_is_sent_again(
        self, searched: Searched, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The relay may have failed with the same records; the delivery's id stays the same."""
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
        body = {"url": URL, "events": ["profile.created"]}
        made = searched.call("POST", "/webhook-endpoints", body)
        assert made.status == 201
        searched.put_customer()
        searched.fail_for_good()
        [by_relay] = events("WebhookDeliveryQueue")
        assert json.loads(by_relay)["endpointId"] == made.json["endpoint"]["id"]
        searched.repair()
        assert events("WebhookDeliveryQueue") == [by_relay]

    def test_later_change_is_not_undone(self, searched: Searched) -> None:
        """The name has changed since, and the stream delivered that: the record must not undo it.

        The words that both names share are in no later record.
        """
        searched.put_customer(firstName="Grace")
        searched.fail_for_good()
        searched.put_customer(externalUpdatedAt="2026-02-02T00:00:00.000Z")
        searched.world._stream.pump()
        searched.repair()
        words = {sk for _, sk in searched.postings}
        assert not [word for word in words if word.startswith("grace")]
        assert [word for word in words if word.startswith("ada\x01")]
        assert [word for word in words if word.startswith("lovelace")]

    def test_concurrent_change_is_not_undone(
        self, searched: Searched, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The row changes after it was read and before its postings are written."""
        searched.put_customer(firstName="Grace")
        searched.fail_for_good()
        plain, later = PostingRepository.write_all, ["once"]

        def meanwhile(*arguments: Any) -> Any:
            if later:
                later.clear()
                searched.put_customer(externalUpdatedAt="2026-02-02T00:00:00.000Z")
                searched.world._stream.pump()
            return plain(*arguments)

        monkeypatch.setattr(PostingRepository, "write_all", meanwhile)
        [event] = events()
        with functions.apart():
            repairing.repair(event, _nothing_else)
        words = {sk for _, sk in searched.postings}
        assert not [word for word in words if word.startswith("grace")]
        assert [word for word in words if word.startswith("ada\x01")]

    def test_records_no_longer_in_stream_fail(self, searched: Searched) -> None:
        """The stream no longer has them: the message ends among the dead letters."""
        arn = boto3.client("dynamodb").describe_table(TableName="Table")["Table"]
        message = {
            "DDBStreamBatchInfo": {
                "shardId": "shardId-00000000000000000000-00000000",
                "startSequenceNumber": "1",
                "endSequenceNumber": "1",
                "batchSize": 1,
                "streamArn": arn["LatestStreamArn"] + "gone",
            }
        }
        send(message)
        pumps.pump_queue(QUEUE)
        assert searched.world.queue_depth(QUEUE) == 1


class TestErased:
    """An erased person's postings."""

    def test_postings_are_deleted_without_stream(
        self, searched: Searched, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = searched.postings
        searched.put_customer()
        searched.world.deliver()
        assert searched.postings != before
        self.erase(searched, monkeypatch)
        assert searched.postings == before

    def test_person_with_name_and_no_address(
        self, searched: Searched, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = searched.postings
        named = {"anonymousId": "a-1", "firstName": "Zoë", "lastName": f"De {CANARY}"}
        assert searched.call("POST", "/profiles", named).status == 201
        searched.world.deliver()
        assert len(searched.postings) == len(before) + 3
        self.erase(searched, monkeypatch)
        assert searched.postings == before

    def test_person_whose_address_has_no_postings_yet(
        self, searched: Searched, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The stream failed before the erasure, too."""
        before = searched.postings
        named = {"anonymousId": "a-1", "firstName": "Zoë"}
        made = searched.call("POST", "/profiles", named).json
        searched.world.deliver()
        path, more = f"/profiles/{made['id']}", {"email": EMAIL}
        assert searched.call("PATCH", path, more).status == 200
        self.erase(searched, monkeypatch)
        assert searched.postings == before

    def erase(self, searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
        """Erases the only person, while the stream delivers no record to the search."""
        [profile] = searched.call("GET", "/profiles").json["items"]
        assert searched.call("DELETE", f"/profiles/{profile['id']}").status == 204
        with monkeypatch.context() as patched:
            patched.setattr(indexing, "posting_writes", lambda *_: None)
            handler = "functions.workers.search_postings.handler"
            patched.setattr(f"{handler}.posting_writes", lambda *_: None)
            searched.world.deliver()

"""Postings after the stream failed: of records, of a whole workspace, of an erased person."""

import json
from typing import Any

import boto3
import pytest

from local import aws, functions, pumps
from storepost.postings.repository import PostingItem, PostingRepository
from storepost.scope import WorkspaceScope
from storepost.search import following, repairing
from tests.concurrency.people import customer
from tests.faults import THROTTLED, faults, refusal
from tests.orders.sample import order
from tests.world import CANARY, Someone, World

QUEUE = "SearchRepairQueue"
EMAIL = f"ada.{CANARY}@example.com"


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    return world.person()


@pytest.fixture
def workspace(world: World, owner: Someone) -> WorkspaceScope:
    """The owner's workspace."""
    return world.workspace(owner)


@pytest.fixture
def store(world: World, owner: Someone, workspace: WorkspaceScope) -> str:
    """One of its stores, whose own postings are there."""
    made = world.store(owner)
    world.deliver()
    return made


def put_customer(world: World, by: Someone, store: str, **more: object) -> None:
    path = f"/stores/{store}/customers/c-1"
    body = {**customer(EMAIL), "firstName": "Ada", "lastName": f"Lovelace {CANARY}", **more}
    assert world.call("PUT", path, token=by.token, json_body=body).status in {200, 201}


def postings(world: World, workspace: WorkspaceScope) -> dict[tuple[str, str], tuple[Any, ...]]:
    """The search's rows of a workspace, by key."""
    rows = world.rows(f"w#{workspace.id}") or world.rows()
    return {
        row.key: (row.at, row.text, row.exact)
        for row in rows
        if isinstance(row, PostingItem) and _is_of(row.pk, workspace)
    }


def _is_of(partition: str, workspace: WorkspaceScope) -> bool:
    return WorkspaceScope.of(partition) == workspace


def found(world: World, by: Someone, q: str) -> list[str]:
    """The kinds of what a search finds."""
    groups = world.call("GET", "/search", token=by.token, query={"q": q}).json["groups"]
    return sorted(item["kind"] for group in groups for item in group["items"])


def fail_for_good(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Carries the stream while no posting can be written."""
    with monkeypatch.context() as patched:
        reader = next(r for r in world._stream.readers if "Search" in r.function.name)
        patched.setitem(reader.source, "MaximumRetryAttempts", 1)
        with faults(refusal(THROTTLED[0]), "BatchWriteItem"):
            world._stream.pump()


def pump(world: World) -> None:
    """Has the worker repair all that is in its queue."""
    while pumps.pump_queue(QUEUE):
        pass


class TestRecords:
    """A record that failed for good."""

    def test_right_after_the_replay(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        store: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        put_customer(world, owner, store)
        fail_for_good(world, monkeypatch)
        assert world.queue_depth(QUEUE) >= 1
        pump(world)
        assert (world.queue_depth(QUEUE), world.queue_depth("StreamDeadLetters")) == (0, 0)
        repaired = postings(world, workspace)
        assert len(repaired) > 3
        rebuild(world, workspace)
        assert postings(world, workspace) == repaired

    def test_what_followed_it_stays_right(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        store: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The name changed since, and the stream has done that: the record must not bring it back.

        What both names share is in no later record.
        """
        put_customer(world, owner, store, firstName="Grace")
        fail_for_good(world, monkeypatch)
        put_customer(world, owner, store, externalUpdatedAt="2026-02-02T00:00:00.000Z")
        world._stream.pump()
        pump(world)
        words = {sk for _, sk in postings(world, workspace)}
        assert not [word for word in words if word.startswith("grace")]
        assert [word for word in words if word.startswith("ada\x01")]
        assert [word for word in words if word.startswith("lovelace")]

    def test_a_change_that_comes_meanwhile_is_not_undone(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        store: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Between reading the row and writing its postings."""
        put_customer(world, owner, store, firstName="Grace")
        fail_for_good(world, monkeypatch)
        plain, later = PostingRepository.settle, ["once"]

        def meanwhile(*given: Any) -> Any:
            if later:
                later.clear()
                put_customer(world, owner, store, externalUpdatedAt="2026-02-02T00:00:00.000Z")
                world._stream.pump()
            return plain(*given)

        monkeypatch.setattr(PostingRepository, "settle", meanwhile)
        [event] = events()
        with functions.apart():
            repairing.repair(event, lambda: 300_000)
        words = {sk for _, sk in postings(world, workspace)}
        assert not [word for word in words if word.startswith("grace")]
        assert [word for word in words if word.startswith("ada\x01")]

    def test_records_of_yesterday_fail_and_ring(self, world: World, store: str) -> None:
        """The stream has them no more: the message ends among the dead letters."""
        arn = boto3.client("dynamodb").describe_table(TableName="Table")["Table"]
        told = {
            "DDBStreamBatchInfo": {
                "shardId": "shardId-00000000000000000000-00000000",
                "startSequenceNumber": "1",
                "endSequenceNumber": "1",
                "batchSize": 1,
                "streamArn": arn["LatestStreamArn"] + "gone",
            }
        }
        send(told)
        pumps.pump_queue(QUEUE)
        assert world.queue_depth(QUEUE) == 1


def send(told: dict[str, Any]) -> None:
    """Puts a message into the worker's queue."""
    boto3.client("sqs").send_message(QueueUrl=aws.queue_url(QUEUE), MessageBody=json.dumps(told))


def events() -> list[str]:
    """The bodies of what is in the worker's queue, taken out of it."""
    sqs, url = boto3.client("sqs"), aws.queue_url(QUEUE)
    received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    for message in received:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return [message["Body"] for message in received]


def rebuild(world: World, workspace: WorkspaceScope) -> None:
    """As an operator does."""
    send({"workspaceId": str(workspace.id)})
    pump(world)
    world.deliver()


class TestWorkspace:
    """All postings of a workspace, made anew while it is in use."""

    @pytest.fixture
    def whole(
        self, world: World, owner: Someone, workspace: WorkspaceScope, store: str
    ) -> dict[tuple[str, str], tuple[Any, ...]]:
        """The postings of some people, orders and products."""
        for number in range(3):
            body = order(number=f"#{number}", customer={"email": f"{number}.{EMAIL}"})
            path = f"/stores/{store}/orders/o-{number}"
            assert world.call("PUT", path, token=owner.token, json_body=body).status == 201
        put_customer(world, owner, store)
        world.deliver()
        return postings(world, workspace)

    def test_what_was_lost_and_what_is_too_much(
        self,
        world: World,
        workspace: WorkspaceScope,
        whole: dict[tuple[str, str], tuple[Any, ...]],
    ) -> None:
        rows = [row for row in world.rows() if isinstance(row, PostingItem)]
        for row in rows[::2]:
            row.delete()
        for row in rows[1::4]:
            PostingItem(row.pk, f"zzz{row.sk}", at=row.at, text="stale").save()
        PostingItem(rows[1].pk, "nobody\x01" + "-" * 22, at=rows[1].at, text="stale").save()
        assert postings(world, workspace) != whole
        rebuild(world, workspace)
        assert postings(world, workspace) == whole

    def test_another_workspaces_stay(
        self, world: World, workspace: WorkspaceScope, whole: dict[tuple[str, str], Any]
    ) -> None:
        stranger = world.workspace(world.person())
        rebuild(world, stranger)
        assert postings(world, workspace) == whole

    def test_what_does_not_fit_into_a_run_goes_into_the_next_message(
        self,
        world: World,
        workspace: WorkspaceScope,
        whole: dict[tuple[str, str], tuple[Any, ...]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for row in world.rows():
            if isinstance(row, PostingItem):
                row.delete()
        send({"workspaceId": str(workspace.id)})
        with monkeypatch.context() as short:
            short.setattr(repairing, "MARGIN_MILLISECONDS", 10**9)
            pumps.pump_queue(QUEUE)
        assert postings(world, workspace) == {}
        world.deliver()
        assert postings(world, workspace) == whole

    def test_in_as_many_messages_as_it_takes(
        self,
        world: World,
        workspace: WorkspaceScope,
        whole: dict[tuple[str, str], Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A page a run, killed or not: what is left goes into the next message."""
        monkeypatch.setattr(repairing, "_ROWS", 2)
        monkeypatch.setattr(repairing, "_POSTINGS", 5)
        for row in [row for row in world.rows() if isinstance(row, PostingItem)]:
            row.delete()
        message, runs = json.dumps({"workspaceId": str(workspace.id)}), 0
        while message:
            times = iter([300_000, 0])
            repairing.repair(message, lambda times=times: next(times, 0))  # type: ignore[misc]
            world.deliver_outbox()
            runs += 1
            message = next(iter(events()), "")
        assert runs > 10
        assert postings(world, workspace) == whole


class TestErased:
    """An erased person's postings."""

    def test_gone_without_the_stream(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        store: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        before = postings(world, workspace)
        put_customer(world, owner, store)
        world.deliver()
        self.erase(world, owner, monkeypatch)
        assert postings(world, workspace) == before

    def test_who_has_a_name_and_no_address(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        named = {"anonymousId": "a-1", "firstName": "Zoë", "lastName": f"De {CANARY}"}
        assert world.call("POST", "/profiles", token=owner.token, json_body=named).status == 201
        world.deliver()
        assert len(postings(world, workspace)) == 3
        self.erase(world, owner, monkeypatch)
        assert postings(world, workspace) == {}

    def test_whose_address_has_not_got_its_postings(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The stream failed before the erasure, too."""
        named = {"anonymousId": "a-1", "firstName": "Zoë"}
        made = world.call("POST", "/profiles", token=owner.token, json_body=named).json
        world.deliver()
        path, more = f"/profiles/{made['id']}", {"email": EMAIL}
        assert world.call("PATCH", path, token=owner.token, json_body=more).status == 200
        self.erase(world, owner, monkeypatch)
        assert postings(world, workspace) == {}

    def erase(self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
        """Erases the only person, while the stream brings the search nothing."""
        [profile] = world.call("GET", "/profiles", token=owner.token).json["items"]
        path = f"/profiles/{profile['id']}"
        assert world.call("DELETE", path, token=owner.token).status == 204
        with monkeypatch.context() as patched:
            patched.setattr(following, "follow", lambda *_: None)
            patched.setattr("functions.workers.search_postings.handler.follow", lambda *_: None)
            world.deliver()

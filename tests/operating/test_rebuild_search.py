"""`make rebuild-search`: the postings of a workspace made anew, while people change."""

import json
from uuid import uuid4

import boto3
import pytest

from operating import rebuild_search as command
from operating.queues import NoSuchQueue
from operating.rebuild_search import NoSuchWorkspace, ask_for_rebuild
from storepost.overview.search import repairing
from tests.concurrency.people import customer
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.world import CANARY, World
from tests.operating.test_redrive import Stack
from tests.overview.search.test_repairing import Searched, events, searched

__all__ = ["searched"]

PEOPLE = 4


def put_person(searched: Searched, number: int, name: str, moment: str) -> None:
    """A customer of the store as it is then."""
    body = {**customer(f"{number}.{CANARY}@example.com"), "firstName": name}
    path = f"/stores/{searched.store}/customers/c-{number}"
    answer = searched.call("PUT", path, {**body, "externalUpdatedAt": moment})
    assert answer.status in {200, 201}


def people(searched: Searched) -> None:
    """Some people, found by their names."""
    for number in range(PEOPLE):
        put_person(searched, number, f"Before{number}", "2026-02-01T00:00:00.000Z")
    searched.world.deliver()


def ask(searched: Searched) -> None:
    """The operator's command."""
    ask_for_rebuild("ours", str(searched.workspace.id), Stack(), boto3.client("sqs"))


def test_what_was_lost_is_found_again(searched: Searched) -> None:
    people(searched)
    before = searched.postings
    for row in searched.rows:
        row.delete()
    assert searched.postings == {}
    ask(searched)
    searched.repair()
    searched.world.deliver()
    assert searched.postings == before


@in_shards(2)
def test_killed_at_every_call(
    searched: Searched, shard: Shard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One was renamed, one deleted, half of the postings are lost: the search ends exact."""
    monkeypatch.setattr(repairing, "_ROWS", 2)
    people(searched)
    for row in searched.rows[::2]:
        row.delete()
    put_person(searched, 0, "After", "2026-02-02T00:00:00.000Z")
    path = f"/stores/{searched.store}/customers/c-1"
    assert searched.call("DELETE", path).status == 204
    back = searched.world.checkpoint()
    ask(searched)
    [message] = events()

    def work() -> None:
        repairing.repair(message, lambda: 300_000, lambda _record: None)

    work()
    searched.world.deliver()
    exact = searched.postings
    assert [sk for _, sk in exact if sk.startswith("after\x01")]
    back()
    killed = 0
    for _ in crashes(searched.world, work, deliver=False).shard(shard):
        killed += 1
        work()
        searched.world.deliver()
        assert searched.postings == exact
    assert killed > 2


@pytest.mark.parametrize("given", ["", "mine", "4711"])
def test_what_is_no_id_sends_nothing(world: World, given: str) -> None:
    with pytest.raises(NoSuchWorkspace, match="WORKSPACE"):
        ask_for_rebuild("ours", given, Stack(), boto3.client("sqs"))
    assert events() == []


def test_a_stack_without_the_queue(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "QUEUE_NAME", "NoQueue")
    with pytest.raises(NoSuchQueue, match="NoQueue"):
        ask_for_rebuild("ours", str(uuid4()), Stack(), boto3.client("sqs"))


def test_the_command(
    searched: Searched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    identifier, plain = str(searched.workspace.id), boto3.client
    monkeypatch.setattr(
        boto3, "client", lambda name: Stack() if name == "cloudformation" else plain(name)
    )
    monkeypatch.setenv("STACK", "ours")
    monkeypatch.setenv("WORKSPACE", identifier)
    assert command.main() == 0
    assert identifier in capsys.readouterr().out
    assert [json.loads(body) for body in events()] == [{"workspaceId": identifier}]
    monkeypatch.setenv("WORKSPACE", "x")
    assert command.main() == 1
    assert "WORKSPACE" in capsys.readouterr().err

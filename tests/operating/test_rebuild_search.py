"""`make rebuild-search`: starts the rebuild of a workspace's search, and shows its progress."""

import json
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import boto3
import pytest

from local.events.pumps import pump_queue
from operating import rebuild_search as command
from operating.queues import NoSuchQueue
from operating.rebuild_search import NoSuchWorkspace, Rebuild, StandsStill, rebuild_of
from operating.tables import table_of
from storepost.platform.jobs.runs import Run
from tests.harness.world import World
from tests.operating.stack import Stack
from tests.overview.search.test_repairing import MIGRATIONS, Searched, events, searched

__all__ = ["searched"]


def rebuild(workspace: str, stack: Stack | None = None) -> Rebuild:
    """The command's rebuild of a workspace."""
    aws = (boto3.client(name) for name in ("sqs", "dynamodb"))
    return rebuild_of("ours", workspace, stack or Stack(), *aws)


def lose(searched: Searched) -> None:
    """Deletes all postings."""
    for row in searched.rows:
        row.delete()


def test_rebuild_is_started_and_followed_to_the_end(searched: Searched) -> None:
    before, shown = searched.postings, list[str]()
    lose(searched)
    migration = rebuild(str(searched.workspace.id))
    run = migration.start()
    migration.show_progress(run, shown.append, lambda _seconds: searched.world.deliver())
    assert searched.postings == before
    number = len(before)
    counts = f"{number} postings written, 1 store rows, {number} postings checked"
    assert shown == [f"done: {counts}"]


def test_progress_is_shown_while_running(
    searched: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "is_over", lambda _run: True)
    shown = list[str]()
    migration = rebuild(str(searched.workspace.id))

    def wait(_seconds: float) -> None:
        pump_queue(MIGRATIONS)
        searched.world.deliver_outbox()

    migration.show_progress(migration.start(), shown.append, wait)
    assert shown[0] == "write suppression: nothing yet"
    assert shown[-2].startswith("check suppression: ")
    assert shown[-1].startswith("done: ")
    assert shown[-1].count(" store rows, ") == 1


def test_second_start_follows_the_running_rebuild(searched: Searched) -> None:
    migration = rebuild(str(searched.workspace.id))
    with pytest.MonkeyPatch.context() as short:
        short.setattr(Run, "is_over", lambda _run: True)
        assert migration.start() == 1
        searched.repair(MIGRATIONS)
        assert migration.start() == 1
    searched.world.deliver()
    assert migration.start() == 2
    searched.world.deliver()
    progress = migration.progress()
    assert progress is not None
    assert (progress.run, progress.is_done) == (2, True)


def test_stalled_rebuild_is_reported(searched: Searched) -> None:
    """Its message is lost: no worker continues it."""
    waited = list[float]()
    migration = rebuild(str(searched.workspace.id))
    run = migration.start()
    events(MIGRATIONS)
    with pytest.raises(StandsStill, match="MigrationQueue"):
        migration.show_progress(run, lambda _line: None, waited.append)
    assert sum(waited) == 900


@pytest.mark.parametrize("workspace_id", ["", "mine", "4711"])
def test_invalid_workspace_id_is_refused(world: World, workspace_id: str) -> None:
    with pytest.raises(NoSuchWorkspace, match="WORKSPACE"):
        rebuild(workspace_id)


def test_unknown_workspace_queues_no_message(searched: Searched) -> None:
    with pytest.raises(NoSuchWorkspace, match="WORKSPACE"):
        rebuild(str(uuid4()))
    assert events(MIGRATIONS) == []


def test_missing_queue_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "QUEUE_NAME", "NoQueue")
    with pytest.raises(NoSuchQueue, match="NoQueue"):
        rebuild(str(uuid4()))


def test_table_is_the_stacks_or_the_existing_one() -> None:
    arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/restored"
    assert table_of("ours", Stack(), None).name == "Table"
    assert table_of("ours", Stack(ExistingTableArn=""), None).name == "Table"
    assert table_of("ours", Stack(ExistingTableArn=arn), None).name == "restored"


class TestCommand:
    @pytest.fixture(autouse=True)
    def _environment(self, searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
        plain = boto3.client

        def client(name: str, **more: Any) -> Any:
            return Stack() if name == "cloudformation" else plain(name, **more)  # type: ignore[call-overload]

        monkeypatch.setattr(boto3, "client", client)
        monkeypatch.setenv("STACK", "ours")
        monkeypatch.setenv("WORKSPACE", str(searched.workspace.id))

    def test_prints_start_and_result(
        self,
        searched: Searched,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        waiting = SimpleNamespace(sleep=lambda _seconds: searched.world.deliver())
        monkeypatch.setattr(command, "time", waiting)
        assert command.main() == 0
        out = capsys.readouterr().out.splitlines()
        assert out[0].startswith("Run 1 of the rebuild")
        assert out[-1].startswith("done: ")

    def test_interrupt_leaves_the_rebuild_running(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def interrupt(_seconds: float) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(command, "time", SimpleNamespace(sleep=interrupt))
        assert command.main() == 0
        [body] = events(MIGRATIONS)
        assert json.loads(body)["run"] == 1
        assert "goes on" in capsys.readouterr().out

    def test_prints_the_error(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("WORKSPACE", "x")
        assert command.main() == 1
        assert "WORKSPACE" in capsys.readouterr().err

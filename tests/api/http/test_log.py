"""What the log says of a request, and the metrics beside it."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from aws_lambda_powertools import Metrics

from storepost.platform.persistence import changes
from storepost.platform.persistence.changes import LostRace
from storepost.values import logs, metrics
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World


@pytest.fixture
def counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator["Counted"]:
    """Metrics as a deployed function writes them."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "storepost-test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "storepost")
    fresh = Metrics()
    monkeypatch.setattr(metrics, "_metrics", fresh)
    metrics._counted.clear()
    yield Counted(capsys)
    fresh.clear_metrics()


class Counted:
    """The lines that CloudWatch reads."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def lines(self) -> list[dict[str, object]]:
        """What was written since the last look."""
        metrics = [line for line in self._capsys.readouterr().out.splitlines() if '"_aws"' in line]
        return [json.loads(line) for line in metrics]


class TestCounts:
    def test_metric_is_summed_over_any_number_of_counts(self, counted: Counted) -> None:
        """Powertools has at most 100 values of a metric, and then writes a line without what the
        invocation was about."""
        for _ in range(250):
            metrics.count("ImportedRows", 2)
        assert counted.lines() == []
        metrics.flush(workspaceId="w")
        [line] = counted.lines()
        assert (line["ImportedRows"], line["workspaceId"]) == ([500.0], "w")

    def test_disabled_metrics_need_no_namespace(
        self, counted: Counted, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A local run has no namespace: a long import there must not fail because of that."""
        monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
        monkeypatch.delenv("POWERTOOLS_METRICS_NAMESPACE")
        monkeypatch.setattr(metrics, "_metrics", Metrics())
        for _ in range(250):
            metrics.count("ImportedRows")
        metrics.flush()
        assert counted.lines() == []


class TestLogLines:
    def test_lines_have_operation_request_id_and_workspace(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        keys: list[dict[str, object]] = []
        plain = logs.logger.info

        def note(message: str, **fields: Any) -> None:
            keys.append(dict(logs.logger.thread_safe_get_current_keys()))
            plain(message, **fields)

        monkeypatch.setattr(logs.logger, "info", note)
        assert owner.call("GET", "/locales").status == 200
        assert world.call("GET", "/locales").status == 401
        signed_in, anonymous = keys
        assert signed_in["operation"] == anonymous["operation"] == "locales.list"
        assert signed_in["workspaceId"] == str(workspace.id)
        assert "workspaceId" not in anonymous
        assert signed_in["requestId"] != anonymous["requestId"]
        assert not set(logs.KEYS) & set(logs.logger.thread_safe_get_current_keys())


class TestMetrics:
    def test_request_is_counted_with_operation_and_workspace(
        self, owner: Someone, workspace: WorkspaceScope, counted: Counted
    ) -> None:
        owner.call("GET", "/locales")
        (line,) = counted.lines()
        assert line["Requests"] == [1.0]
        assert (line["operation"], line["workspaceId"]) == ("locales.list", str(workspace.id))
        (directive,) = line["_aws"]["CloudWatchMetrics"]  # type: ignore[index]
        # Each further dimension would be a metric of its own, which costs.
        assert directive["Dimensions"] == [["service"]]
        assert directive["Namespace"] == "storepost-test"

    def test_conflicts_and_retries_are_counted(
        self,
        owner: Someone,
        workspace: WorkspaceScope,
        counted: Counted,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def lose(_changes: changes.Changes) -> None:
            raise LostRace()

        monkeypatch.setattr(changes.Changes, "commit", lose)
        monkeypatch.setattr(time, "sleep", lambda _seconds: None)
        assert owner.call("POST", "/locales", {"code": "da"}).status in {409, 503}
        (line,) = counted.lines()
        assert line["Conflicts"] == [1.0]
        retries: Any = line["Retries"]
        assert sum(retries) >= 3

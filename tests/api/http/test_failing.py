"""500 and deadlines: the answer to a fault says only that there was one."""

import importlib
import time
from typing import Any

import pytest
from botocore.exceptions import HTTPClientError

from local import functions
from local.functions import Context
from storepost.api.http.deadline import MARGIN_SECONDS
from storepost.platform.persistence.changes import MAX_RUNS, Changes, LostRace
from storepost.platform.persistence.idempotency import RecordItem
from storepost.platform.persistence.item import dynamodb_client
from storepost.stores.locales import service
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World

pytestmark = pytest.mark.usefixtures("workspace")


def create(by: Someone, key: str | None = None) -> Answer:
    """The answer to a new locale."""
    return by.call("POST", "/locales", {"code": "de"}, key=key)


def total(by: Someone) -> int:
    """How many locales the workspace has."""
    count: int = by.call("GET", "/locales").json["total"]
    return count


def errors(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The log's lines of errors."""
    return [vars(record) for record in caplog.records if record.levelname == "ERROR"]


class TestInternal:
    """A fault of the service."""

    def test_error_details_are_not_revealed(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail(*_: object) -> None:
            raise ValueError(f"of {CANARY}") from KeyError(CANARY)

        with monkeypatch.context() as patched:
            patched.setattr(service, "add_locale", fail)
            answer = create(owner, key="k")
        assert answer.problem() == (500, "internal")
        assert CANARY not in str(answer)
        [line] = errors(caplog)
        assert (line["error"], line["cause"]) == ("ValueError", "KeyError")
        assert line["frames"][-1].endswith(" fail")
        assert list(RecordItem.scan()) == []
        again = create(owner, key="k")
        assert (again.status, again.header("idempotency-replayed")) == (201, None)

    def test_response_that_violates_its_schema_is_not_committed(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nothing is written then: the answer is built before the effect."""
        plain = service.add_locale

        def broken(*arguments: Any) -> Any:
            return {"code": plain(*arguments).code}

        with monkeypatch.context() as patched:
            patched.setattr(service, "add_locale", broken)
            assert create(owner, key="k").problem() == (500, "internal")
        assert total(owner) == 0
        assert create(owner, key="k").status == 201


class TestConflict:
    """A race that is lost every time."""

    @pytest.mark.parametrize("key", [None, "k"])
    def test_conflict_after_every_run_lost_the_race(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch, key: str | None
    ) -> None:
        runs: list[int] = []

        def lose(changes: Changes) -> None:
            runs.append(len(changes))
            raise LostRace()

        with monkeypatch.context() as patched:
            patched.setattr(service, "add_locale", lambda *arguments: lose(arguments[-1]))
            answer = create(owner, key)
        assert answer.problem() == (409, "conflict")
        assert runs == [0] * MAX_RUNS
        again = create(owner, key)
        assert (again.status, again.header("idempotency-replayed")) == (201, None)

    def test_last_run_succeeds(self, owner: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
        plain, lost = service.add_locale, [LostRace()] * (MAX_RUNS - 1)

        def lose_first(*arguments: Any) -> Any:
            made = plain(*arguments)
            if lost:
                raise lost.pop()
            return made

        monkeypatch.setattr(service, "add_locale", lose_first)
        assert create(owner, "k").status == 201
        assert (lost, total(owner)) == ([], 1)


class TestDeadline:
    """A function that has used up its time answers before Lambda ends it."""

    @pytest.fixture(autouse=True)
    def _short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each invocation has 0.8 seconds until its own deadline, none of them for an import."""
        importlib.import_module("aws_lambda_powertools.utilities.idempotency")
        milliseconds = int((MARGIN_SECONDS + 0.8) * 1000)
        monkeypatch.setattr(functions, "Context", lambda name, _: Context(name, milliseconds))

    def refused(self, owner: Someone, problem: tuple[int, str] = (500, "internal")) -> None:
        """Sees the request refused, in time and with nothing done."""
        began = time.monotonic()
        assert create(owner, "k").problem() == problem
        assert time.monotonic() - began < MARGIN_SECONDS
        assert list(RecordItem.scan()) == []

    def test_deadline_in_service_code(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(service, "add_locale", lambda *_: time.sleep(30))
            self.refused(owner)
        [line] = errors(caplog)
        assert line["error"] == "DeadlineReached"
        assert create(owner, "k").status == 201

    def test_deadline_inside_botocore(
        self, owner: Someone, workspace: WorkspaceScope, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its HTTP session takes every exception for the connection's, and it tries again.

        What DynamoDB doesn't answer in time is its being busy, not a fault of ours.
        """
        plain, slow = service.add_locale, list[bool]()

        def hang(**_: Any) -> None:
            if not slow:
                return
            slow.pop()
            try:
                time.sleep(30)
            except Exception as error:
                raise HTTPClientError(error=error) from error

        def add(*arguments: Any) -> Any:
            slow.append(True)
            return plain(*arguments)

        events = dynamodb_client().meta.events
        events.register_first("before-send.dynamodb", hang)
        try:
            with monkeypatch.context() as patched:
                patched.setattr(service, "add_locale", add)
                self.refused(owner, (503, "busy"))
        finally:
            events.unregister("before-send.dynamodb", hang)
        assert slow == []
        assert total(owner) == 0
        assert create(owner, "k").status == 201

    def test_no_state_leaks_into_the_next_request(
        self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The container that runs on keeps neither its caller nor its writes."""
        with monkeypatch.context() as patched:
            patched.setattr(service, "add_locale", lambda *_: time.sleep(30))
            self.refused(owner)
        assert world.call("GET", "/locales").problem() == (401, "unauthenticated")

    def test_deadline_passed_before_the_handler_starts(
        self, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A container whose start took all of the time."""
        monkeypatch.setattr(functions, "Context", lambda name, _: Context(name, 0))
        self.refused(owner)

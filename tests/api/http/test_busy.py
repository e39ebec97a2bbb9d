"""503: DynamoDB refused calls, or didn't answer, for all of the request's time."""

import importlib
import time
from threading import Event

import pytest
from botocore.exceptions import ClientError

from local import functions
from local.functions import Context
from storepost.api.http.deadline import MARGIN_SECONDS
from storepost.platform.persistence import patience
from storepost.platform.persistence.idempotency import RecordItem
from storepost.stores.locales import service
from storepost.values.problems import FieldError, ValidationFailed
from tests.harness.answers import codes_in, operations
from tests.harness.call_interruption import Side, around_calls, before_the_commit
from tests.harness.faults import (
    CONFLICT,
    CONFLICT_OF_ONE,
    FAULT,
    NO_ANSWER,
    THROTTLED,
    FakeTime,
    faults,
    lost_answer,
    refusal,
)
from tests.harness.world import Answer, Someone, World

pytestmark = pytest.mark.usefixtures("workspace", "fake_time")

KEY = "k"
MANY = 40


def create(by: Someone, key: str | None = KEY, code: str = "de") -> Answer:
    """The answer to a new locale."""
    return by.call("POST", "/locales", {"code": code}, key=key)


def codes(by: Someone) -> list[str]:
    """The codes of the workspace's locales."""
    answer = by.call("GET", "/locales")
    return sorted(item["code"] for item in answer.json["items"])


def is_busy(answer: Answer) -> bool:
    """Whether the answer is 503 and says when to retry."""
    if answer.problem() != (503, "busy"):
        return False
    return int(answer.header("retry-after") or 0) >= 1


def name_of(error: Exception) -> str:
    """The code of DynamoDB's error."""
    return error.response["Error"]["Code"] if isinstance(error, ClientError) else "no answer"


class TestFaultOutlastsRequest:
    """Faults that last longer than the request's patience."""

    @pytest.mark.parametrize("key", [None, KEY])
    @pytest.mark.parametrize(
        "error", [CONFLICT, FAULT, NO_ANSWER, *map(refusal, THROTTLED)], ids=name_of
    )
    def test_write_is_busy(
        self, world: World, owner: Someone, error: Exception, key: str | None
    ) -> None:
        with faults(error, "TransactWriteItems") as met:
            assert is_busy(create(owner, key))
        assert met.met > 12  # a second's wait at most, for the twelve seconds that it has
        assert codes(owner) == []
        world.advance(minutes=1)  # the key's lease: giving it back was refused too
        assert create(owner, key).status == 201

    @pytest.mark.parametrize("error", [FAULT, NO_ANSWER, *map(refusal, THROTTLED)], ids=name_of)
    @pytest.mark.parametrize("operation", ["GetItem", "BatchGetItem"])
    def test_read_is_busy(self, owner: Someone, error: Exception, operation: str) -> None:
        """Also the read of the caller's rows, which comes before all others."""
        with faults(error, operation) as met:
            answer = owner.call("GET", "/members")
        assert met.met > 12
        assert is_busy(answer)

    def test_retries_until_three_seconds_before_the_deadline(
        self, owner: Someone, fake_time: FakeTime
    ) -> None:
        began = fake_time.now
        with faults(CONFLICT, "TransactWriteItems"):
            create(owner, key=None)
        assert fake_time.now - began == pytest.approx(12)

    def test_idempotency_key_is_released(self, world: World, owner: Someone) -> None:
        """So the retry after `Retry-After` runs, and isn't told that the first call still runs."""
        with faults(CONFLICT, "TransactWriteItems") as met:
            assert is_busy(create(owner, "another"))
        world.advance(days=2)
        commits = met.met - 1  # the last one was to release the key
        with faults(CONFLICT, "TransactWriteItems", commits):
            assert is_busy(create(owner))
        assert [record.status for record in RecordItem.scan()] == ["INPROGRESS"]  # the other one
        assert create(owner).status == 201

    def test_committed_write_is_replayed(self, owner: Someone) -> None:
        """The client got no answer to the commit: the retry gets it."""
        with faults(NO_ANSWER, "TransactWriteItems", moment=Side.AFTER):
            assert is_busy(create(owner))
        assert codes(owner) == ["de"]
        again = create(owner)
        assert (again.status, again.header("idempotency-replayed")) == (201, "true")


class TestFaultEndsInTime:
    """Faults that end before that: the caller doesn't notice them."""

    @pytest.mark.parametrize(
        "error", [CONFLICT, FAULT, NO_ANSWER, *map(refusal, THROTTLED)], ids=name_of
    )
    def test_write_succeeds(self, owner: Someone, error: Exception) -> None:
        with faults(error, "TransactWriteItems", 10) as met:
            assert create(owner).status == 201
        assert met.met == 10
        assert codes(owner) == ["de"]

    def test_lost_responses_cause_no_second_write(self, owner: Someone) -> None:
        with lost_answer("TransactWriteItems", 3):
            assert create(owner).status == 201
        assert codes(owner) == ["de"]


class TestDeadlineWhileRetrying:
    """The function's own deadline passes while a call hangs that was refused before."""

    @pytest.fixture(autouse=True)
    def _short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each invocation has 0.3 seconds until its own deadline, none of them for an import."""
        importlib.import_module("aws_lambda_powertools.utilities.idempotency")
        milliseconds = int((MARGIN_SECONDS + 0.3) * 1000)
        monkeypatch.setattr(functions, "Context", lambda name, _: Context(name, milliseconds))

    def test_is_busy(self, owner: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
        def hang(*_: object) -> None:
            Event().wait(5)

        monkeypatch.setattr(time, "sleep", hang)
        monkeypatch.setattr(patience, "MARGIN_SECONDS", 0.0)
        with faults(CONFLICT, "TransactWriteItems"):
            assert is_busy(create(owner, key=None))
        assert codes(owner) == []


class TestIdempotencyClaim:
    """The key's own record, and faults of the call that claims it."""

    def test_second_call_while_the_first_commits_is_in_progress(self, owner: Someone) -> None:
        """The second call's put conflicts with the first call's transaction."""
        with faults(CONFLICT_OF_ONE, "PutItem", 1):
            answer = create(owner)
        assert answer.problem() == (409, "idempotency_in_progress")
        assert answer.header("retry-after") == "1"
        assert create(owner).status == 201

    def test_lost_response_does_not_block_the_key(self, owner: Someone) -> None:
        """The retried put fails as the row exists, but the row's owner is the same call."""
        with lost_answer("PutItem") as calls:
            assert create(owner).status == 201
        assert calls.made.count("PutItem") == 2
        again = create(owner)
        assert (again.status, again.header("idempotency-replayed")) == (201, "true")

    def test_lost_response_before_a_conflict_does_not_block_the_key(self, owner: Someone) -> None:
        """The first put was carried out, whatever error the second one gets."""
        puts = list[Side]()

        def step(_number: int, operation: str, moment: Side) -> None:
            if operation == "PutItem":
                puts.append(moment)
                if puts == [Side.BEFORE, Side.AFTER]:
                    raise NO_ANSWER
                if len(puts) == 3:
                    raise CONFLICT_OF_ONE

        with around_calls(step):
            assert create(owner).problem() == (409, "idempotency_in_progress")
        again = create(owner)
        assert (again.status, again.header("idempotency-replayed")) == (201, None)

    def test_conflict_does_not_release_the_claim_of_the_first_call(self, owner: Someone) -> None:
        """A call releases its own claim only."""

        def second() -> None:
            with faults(CONFLICT_OF_ONE, "PutItem", 1):
                assert create(owner).problem() == (409, "idempotency_in_progress")

        with before_the_commit(second):
            assert create(owner).status == 201
        assert create(owner).header("idempotency-replayed") == "true"

    def test_stored_record_still_applies_after_lost_response(self, owner: Someone) -> None:
        first = create(owner)
        with lost_answer("PutItem"):
            again = create(owner)
        assert (again.status, again.body) == (201, first.body)
        assert again.header("idempotency-replayed") == "true"
        with lost_answer("PutItem"):
            assert create(owner, code="fr").problem() == (422, "idempotency_key_reused")

    def test_failed_release_does_not_hide_the_problem(
        self, world: World, owner: Someone, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The key is free once its lease ends."""

        def refuse(*_: object) -> None:
            raise ValidationFailed(errors=[FieldError("/code", "Not today")])

        with monkeypatch.context() as patched, faults(CONFLICT, "TransactWriteItems"):
            patched.setattr(service, "add_locale", refuse)
            assert create(owner).error_paths() == ["/code"]
        assert create(owner).problem() == (409, "idempotency_in_progress")
        world.advance(minutes=1)
        assert create(owner).status == 201


def test_every_operation_documents_503_busy() -> None:
    for _, _, operation in operations():
        response = operation["responses"]["503"]
        assert codes_in(response) == ["busy"], operation["operationId"]

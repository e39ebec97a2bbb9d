"""Calls that DynamoDB refuses for a moment or doesn't answer: how often and how long they are tried
again."""

import random
import time
from unittest import mock

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError

from storepost.accounts.identity.repository import (
    PersonItem,
)
from storepost.platform.persistence import item
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, dynamodb_client, existing, find_raw
from storepost.platform.persistence.patience import MARGIN_SECONDS, patience
from storepost.values.problems import Busy, Gone
from tests.harness.accounts import rename, row_of
from tests.harness.faults import (
    CONFLICT,
    FAULT,
    NO_ANSWER,
    THROTTLED,
    FakeTime,
    faults,
    lost_answer,
    refusal,
)
from tests.harness.world import World

MANY = 40
"""Refusals one after the other: what DynamoDB has in store for a row that many want."""
NO_TIME = int(MARGIN_SECONDS * 1000)


TRANSIENT = {
    "conflict": CONFLICT,
    "throttled in part": refusal("TransactionCanceledException", "ThrottlingError", "None"),
    "throughput": refusal("TransactionCanceledException", "ProvisionedThroughputExceeded"),
    "in progress": refusal("TransactionInProgressException"),
    "fault": FAULT,
    "unavailable": refusal("ServiceUnavailable", status=503),
    "no answer": NO_ANSWER,
    "no connection": ConnectTimeoutError(endpoint_url="https://dynamodb.example.com"),
    **{code: refusal(code) for code in THROTTLED},
}


@pytest.mark.usefixtures("fake_time")
class TestRetried:
    """Retried as long as there is time."""

    @pytest.mark.parametrize("error", TRANSIENT.values(), ids=TRANSIENT)
    def test_transaction_is_retried(self, world: World, error: Exception) -> None:
        someone = world.person()
        with patience(60_000), faults(error, "TransactWriteItems", MANY) as met:
            rename(someone, "Ann")
        assert met.made.count("TransactWriteItems") == MANY + 1
        assert row_of(someone).name == "Ann"

    @pytest.mark.parametrize(
        "error", [FAULT, NO_ANSWER, *map(refusal, THROTTLED)], ids=lambda e: type(e).__name__
    )
    def test_read_is_retried(self, world: World, error: Exception) -> None:
        someone = world.person("Ann")
        with patience(60_000), faults(error, "GetItem", MANY):
            assert row_of(someone).name == "Ann"
        with patience(60_000), faults(error, "Query", MANY):
            assert len(list(PersonItem.query(row_of(someone).pk))) == 1

    def test_reads_by_threads_are_retried(self, world: World) -> None:
        """Threads have the patience of the run that started them."""
        someone = world.person("Ann")
        key = row_of(someone).key
        keys = [(f"nobody{n}", "x") for n in range(200)] + [key]
        with patience(600_000), faults(refusal(THROTTLED[0]), "BatchGetItem", 3 * MANY):
            assert existing(PersonItem, keys) == {key}

    def test_transaction_retried_with_the_same_token_writes_once(self, world: World) -> None:
        """So a transaction whose answer was lost isn't written twice: its version counts once."""
        someone = world.person()
        before = row_of(someone).version
        with patience(60_000), lost_answer("TransactWriteItems", 3):
            rename(someone, "Ann")
        assert row_of(someone).version == before + 1


class TestNotRetried:
    """Errors that no retry can change."""

    @pytest.mark.parametrize(
        "error",
        [refusal("ValidationException"), refusal("AccessDeniedException")],
        ids=["invalid", "forbidden"],
    )
    def test_validation_or_access_error_is_not_retried(
        self, world: World, error: ClientError
    ) -> None:
        with patience(60_000), faults(error, "GetItem") as met, pytest.raises(Exception) as raised:  # noqa: PT011
            row_of(world.person())
        assert not isinstance(raised.value, Busy)
        assert met.met == 1

    def test_failed_condition_beside_a_conflict_is_not_retried(self, world: World) -> None:
        changes = Changes()
        changes.update(
            PersonItem(*row_of(world.person()).key), [PersonItem.name.set("Ann")], None, Gone()
        )
        both = ("ConditionalCheckFailed", "TransactionConflict")
        error = refusal("TransactionCanceledException", *both)
        with patience(60_000), faults(error, "TransactWriteItems") as met, pytest.raises(Gone):
            changes.commit()
        assert met.met == 1


class TestDeadline:
    """Until three seconds before the function's time is over."""

    @pytest.mark.parametrize("seconds", [4, 15, 29, 300])
    def test_retries_end_as_busy_before_the_deadline(
        self, world: World, fake_time: FakeTime, seconds: int
    ) -> None:
        someone, began = world.person(), fake_time.now
        with (
            patience(seconds * 1000),
            faults(CONFLICT, "TransactWriteItems") as met,
            pytest.raises(Busy) as busy,
        ):
            rename(someone, "Ann")
        assert fake_time.now - began == pytest.approx(seconds - MARGIN_SECONDS)
        assert int(busy.value.headers["Retry-After"]) >= 1
        assert met.met > seconds - MARGIN_SECONDS

    def test_worker_retries_until_the_deadline(self, world: World, fake_time: FakeTime) -> None:
        """More than a thousand times."""
        someone = world.person()
        with patience(1_200_000), faults(FAULT, "GetItem", 10_000), pytest.raises(Busy):
            row_of(someone)
        assert len(fake_time.waits) > 1_100

    def test_call_is_made_once_after_the_deadline(self, world: World) -> None:
        someone = world.person()
        with patience(NO_TIME):
            rename(someone, "Ann")
            with faults(CONFLICT, "TransactWriteItems") as met, pytest.raises(Busy):
                rename(someone, "Bea")
        assert met.met == 1

    def test_backoff_grows_to_a_second_with_jitter(
        self, world: World, fake_time: FakeTime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bounds: list[tuple[float, float]] = []

        def chosen(least: float, most: float) -> float:
            bounds.append((least, most))
            return most

        monkeypatch.setattr(random, "uniform", chosen)
        with patience(60_000), faults(FAULT, "GetItem", 10):
            row_of(world.person())
        assert [least for least, _ in bounds] == [0] * 10
        assert [most for _, most in bounds] == [0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1, 1, 1, 1]

    def test_retries_end_without_a_set_deadline(self, world: World, fake_time: FakeTime) -> None:
        someone = world.person()
        with faults(CONFLICT, "TransactWriteItems"), pytest.raises(Busy):
            rename(someone, "Ann")
        assert fake_time.now < 1015

    def test_botocore_retries_are_disabled(self) -> None:
        """It knows no deadline: five tries of five seconds are longer than a request."""
        config = dynamodb_client().meta.config
        assert config.retries["total_max_attempts"] == 1
        assert config.read_timeout <= MARGIN_SECONDS
        assert config.connect_timeout <= 1


class TestUnprocessed:
    """Unprocessed keys of a batch are throttled too."""

    KEYS = [(f"p{number}", "s") for number in range(150)]  # noqa: RUF012

    def test_unprocessed_keys_are_retried(self, fake_time: FakeTime) -> None:
        answers = [
            {"Responses": {}, "UnprocessedKeys": {Item.Meta.table_name: {"Keys": keys}}}
            for keys in [[{"pk": {"S": "p0"}, "sk": {"S": "s"}}]] * MANY
        ]
        answers.append({"Responses": {}, "UnprocessedKeys": {}})
        with (
            patience(60_000),
            mock.patch.object(item.connection, "batch_get_item", side_effect=answers) as batch_get,
        ):
            assert find_raw(self.KEYS[:1]) == {}
        assert batch_get.call_count == MANY + 1
        assert fake_time.waits


def test_deadline_counts_from_now() -> None:
    """`patience` counts from now on, not from when the process began."""
    with patience(4_000) as own:
        assert own.until == pytest.approx(time.monotonic() + 1, abs=0.5)

"""Functions that run elsewhere: their events, and how their answers are read."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from local import aws, functions
from local.containers.sam import FunctionFailed, NoAnswer, invoke_at, read_answer
from local.events import pumps
from local.events.pumps import StreamPump
from local.template import Function
from local.template import functions as declared
from tests.harness.world import World
from tests.local.containers.conftest import Listener
from tests.local.test_pumps import write_rows
from tests.local.test_sample_events import sample, shape

type Event = dict[str, Any]


class Elsewhere:
    """Replaces the runner of functions, and records its calls."""

    def __init__(self) -> None:
        """Has no answer until a test sets one."""
        self.calls: list[tuple[Function, Event]] = []
        self.answer: Any = None

    def invoke(self, function: Function, event: Event) -> Any:
        """Records the event, and returns or raises the answer that was set."""
        self.calls.append((function, event))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    """Functions run elsewhere during the test."""
    other = Elsewhere()
    functions.run_elsewhere(other.invoke)
    yield other
    functions.run_elsewhere(None)


class TestResponses:
    @pytest.mark.parametrize("answer", [None, [], "text", {"sent": 3}, {"errorMessage": "a field"}])
    def test_json_result_is_returned(self, answer: object) -> None:
        assert read_answer(200, json.dumps(answer).encode()) == answer

    def test_function_error_reports_only_the_type(self) -> None:
        raised = {
            "errorMessage": "jane.canary@example.com",
            "errorType": "KeyError",
            "stackTrace": [],
        }
        with pytest.raises(FunctionFailed) as failed:
            read_answer(200, json.dumps(raised).encode())
        assert str(failed.value) == "KeyError"

    @pytest.mark.parametrize("status", [404, 500, 502])
    def test_failed_invocation_raises_no_answer(self, status: int) -> None:
        with pytest.raises(NoAnswer, match=f"^{status}$"):
            read_answer(status, b"not JSON: canary")


class TestInvocations:
    def test_are_sent_to_the_lambda_invoke_path(self, listener: Listener) -> None:
        listener.answers((200, {}, b'{"sent": 1}'))
        (sweep,) = [each for each in declared() if each.job == "outbox_sweep"]
        assert invoke_at(listener.port, sweep, {"é": 1}) == {"sent": 1}
        (request,) = listener.requests
        assert (request.method, request.target) == (
            "POST",
            "/2015-03-31/functions/OutboxSweepFunction/invocations",
        )
        assert json.loads(request.body) == {"é": 1}

    def test_are_delegated_to_the_container_runner(self, elsewhere: Elsewhere) -> None:
        assert not functions.are_here()
        elsewhere.answer = {"sent": 5}
        assert pumps.run_schedule("outbox_sweep") == {"sent": 5}
        ((function, event),) = elsewhere.calls
        assert function.name == "OutboxSweepFunction"
        assert shape(event) == shape(sample(function))


class TestEvents:
    """An event of a pump leaves this process as JSON, in the shape of the function's sample."""

    def sent(self, elsewhere: Elsewhere) -> tuple[Function, Event]:
        """The only event that was sent."""
        ((function, event),) = elsewhere.calls
        assert json.loads(json.dumps(event)) == event
        return function, event

    def test_stream_event(self, world: World, elsewhere: Elsewhere) -> None:
        write_rows("one")
        assert StreamPump().pump() == 1
        relay, event = self.sent(elsewhere)
        assert relay.job == "outbox_relay"
        assert shape(event) == shape(sample(relay))
        (record,) = event["Records"]
        assert isinstance(record["dynamodb"]["ApproximateCreationDateTime"], int)

    def test_queue_event(self, world: World, elsewhere: Elsewhere) -> None:
        boto3.client("sqs").send_message(QueueUrl=aws.queue_url("EmailQueue"), MessageBody='"one"')
        assert pumps.pump_queue("EmailQueue") == 1
        sender, event = self.sent(elsewhere)
        assert sender.job == "email_sender"
        assert shape(event) == shape(sample(sender))
        assert world.queue_depth("EmailQueue") == 0

    def test_failed_message_stays_in_the_queue(
        self, world: World, elsewhere: Elsewhere, capfd: pytest.CaptureFixture[str]
    ) -> None:
        elsewhere.answer = FunctionFailed("KeyError")
        boto3.client("sqs").send_message(QueueUrl=aws.queue_url("EmailQueue"), MessageBody='"one"')
        assert pumps.pump_queue("EmailQueue") == 1
        assert world.queue_depth("EmailQueue") == 1
        assert "email_sender: FunctionFailed" in capfd.readouterr().err

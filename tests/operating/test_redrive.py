"""`make redrive`: the dead letters of a queue go back to it, each once."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest

from local import aws, functions
from local.events.pumps import pump_queue, read_queues
from local.template import QUEUE, resources
from operating import redrive as command
from operating.clients import client_of
from operating.queues import DeadLetters, NoSuchQueue, all_dead_letters, dead_letters_of
from operating.redrive import NotMoved, redrive
from tests.harness.world import World
from tests.operating.stack import Stack

LETTERS = 12
"""More than SQS hands over at once."""


def kill_letters(queue: str, bodies: list[str]) -> None:
    """Sends messages, and receives each without deleting it until it is a dead letter."""
    sqs, url = boto3.client("sqs"), aws.queue_url(queue)
    fifo = aws.queue_name(queue).endswith(".fifo")
    for body in bodies:
        names: dict[str, Any] = (
            {"MessageGroupId": body, "MessageDeduplicationId": body} if fifo else {}
        )
        sqs.send_message(QueueUrl=url, MessageBody=body, **names)
    while received := sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=0
    ).get("Messages"):
        assert len(received) <= 10


def receive_all(queue: str) -> Counter[str]:
    """The messages that the queue's function receives until none is left, by body."""
    handed: Counter[str] = Counter()

    def note(_function: Any, event: dict[str, Any]) -> None:
        for record in event["Records"]:
            assert record["attributes"]["ApproximateReceiveCount"] == "1"
            handed[record["body"]] += 1

    functions.run_elsewhere(note)
    try:
        while pump_queue(queue):
            pass
    finally:
        functions.run_elsewhere(None)
    return handed


def never(_seconds: float) -> None:
    raise AssertionError("a task here has ended when it answers")


@pytest.mark.parametrize("name", read_queues())
def test_dead_letters_of_each_queue_are_redelivered_once(name: str, world: World) -> None:
    sqs = boto3.client("sqs")
    bodies = [f"letter {number}" for number in range(LETTERS)]
    kill_letters(name, bodies)
    queue = dead_letters_of("ours", name, Stack(), sqs)
    assert queue.waiting == LETTERS
    assert redrive(queue, sqs, never) == LETTERS
    assert receive_all(name) == Counter(bodies)
    assert dead_letters_of("ours", name, Stack(), sqs).waiting == 0
    assert redrive(queue, sqs, never) == 0
    assert receive_all(name) == Counter()


def test_message_failing_again_is_dead_lettered_after_all_retries(world: World) -> None:
    sqs = boto3.client("sqs")
    kill_letters("EmailQueue", ["bad"])
    redrive(dead_letters_of("ours", "EmailQueue", Stack(), sqs), sqs, never)
    assert dead_letters_of("ours", "EmailQueue", Stack(), sqs).waiting == 0
    tries = 0
    while sqs.receive_message(QueueUrl=aws.queue_url("EmailQueue"), VisibilityTimeout=0).get(
        "Messages"
    ):
        tries += 1
    policy = resources(QUEUE)["EmailQueue"]["RedrivePolicy"]
    assert tries == policy["maxReceiveCount"]
    assert dead_letters_of("ours", "EmailQueue", Stack(), sqs).waiting == 1


def test_all_queues_are_listed_with_counts(world: World) -> None:
    kill_letters("WriteBackQueue", ["a", "b"])
    found = {q.name: q.waiting for q in all_dead_letters("ours", Stack(), boto3.client("sqs"))}
    assert found == {**dict.fromkeys(sorted(read_queues()), 0), "WriteBackQueue": 2}


@pytest.mark.parametrize("name", ["EmailDeadLetters", "Emails", ""])
def test_unknown_queue_name_is_refused(name: str, world: World) -> None:
    with pytest.raises(NoSuchQueue, match="Leave QUEUE out"):
        dead_letters_of("ours", name, Stack(), boto3.client("sqs"))


class Tasks:
    """SQS with given answers about move tasks, one after the other; the last one is repeated."""

    def __init__(self, *listed: dict[str, Any]) -> None:
        """`listed` is the newest task at each call of the list."""
        self._listed = list(listed)
        self.started: list[tuple[str, str]] = []

    def list_message_move_tasks(self, **_parameters: Any) -> dict[str, Any]:
        """The newest task."""
        task = self._listed.pop(0) if len(self._listed) > 1 else self._listed[0]
        return {"Results": [task] if task else []}

    def start_message_move_task(self, *, SourceArn: str, DestinationArn: str) -> None:  # noqa: N803
        """Records source and destination."""
        self.started.append((SourceArn, DestinationArn))


LETTERS_OF_ONE = DeadLetters("Q", "arn:q", "url:dead", "arn:dead", 3)
DONE = {"Status": "COMPLETED", "ApproximateNumberOfMessagesMoved": 3, "StartedTimestamp": 2}
RUNNING = {"Status": "RUNNING", "StartedTimestamp": 2}
EARLIER = {"Status": "COMPLETED", "ApproximateNumberOfMessagesMoved": 9, "StartedTimestamp": 1}


class TestMoveTasks:
    """How SQS's task is followed."""

    def test_redrive_waits_for_the_task(self) -> None:
        tasks, waits = Tasks(EARLIER, RUNNING, RUNNING, DONE), list[float]()
        assert redrive(LETTERS_OF_ONE, tasks, waits.append) == 3
        assert len(waits) == 2
        assert tasks.started == [("arn:dead", "arn:q")]

    def test_running_task_is_followed(self) -> None:
        """SQS runs one task for a queue at a time."""
        tasks = Tasks(RUNNING, DONE)
        assert redrive(LETTERS_OF_ONE, tasks, never) == 3
        assert tasks.started == []

    def test_previous_task_is_not_mistaken_for_the_new_one(self) -> None:
        tasks, waits = Tasks(EARLIER, EARLIER, DONE), list[float]()
        assert redrive(LETTERS_OF_ONE, tasks, waits.append) == 3
        assert len(waits) == 1

    def test_failed_task_raises_the_reason(self) -> None:
        failed = {"Status": "FAILED", "FailureReason": "AccessDenied"}
        with pytest.raises(NotMoved, match="AccessDenied"):
            redrive(LETTERS_OF_ONE, Tasks({}, failed), never)


class TestCommand:
    """The command line."""

    @pytest.fixture(autouse=True)
    def _stack(self, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """A stack `ours` of CloudFormation's with one queue and its dead letters."""
        queues = ("EmailQueue", "EmailDeadLetters")
        made = {name: {"Type": QUEUE, "Properties": resources(QUEUE)[name]} for name in queues}
        cloudformation = boto3.client("cloudformation")
        cloudformation.create_stack(StackName="ours", TemplateBody=json.dumps({"Resources": made}))
        monkeypatch.setenv("STACK", "ours")
        yield
        cloudformation.delete_stack(StackName="ours")

    @pytest.fixture
    def ran(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> Callable[[str], tuple[int, str, str]]:
        """Runs the command for a queue."""

        def run(queue: str) -> tuple[int, str, str]:
            monkeypatch.setenv("QUEUE", queue)
            code = command.main()
            shown = capsys.readouterr()
            return code, shown.out, shown.err

        return run

    def test_moves_messages_and_prints_counts(
        self, ran: Callable[[str], tuple[int, str, str]]
    ) -> None:
        sqs = boto3.client("sqs")
        queue = dead_letters_of("ours", "EmailQueue", boto3.client("cloudformation"), sqs)
        sqs.send_message(QueueUrl=queue.dead_letters_url, MessageBody="x")
        assert ran("") == (0, "       1  EmailQueue\n", "")
        assert ran("EmailQueue") == (0, "1 messages went back to EmailQueue.\n", "")
        assert ran("") == (0, "       0  EmailQueue\n", "")

    def test_unknown_queue_exits_with_an_error(
        self, ran: Callable[[str], tuple[int, str, str]]
    ) -> None:
        code, out, err = ran("WriteBackQueue")
        assert (code, out) == (1, "")
        assert "ours has no queue WriteBackQueue" in err

    def test_unknown_stack_exits_with_an_error(
        self, ran: Callable[[str], tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("STACK", "nobodys")
        code, out, err = ran("EmailQueue")
        assert (code, out) == (1, "")
        assert err.startswith("AWS can't be asked: ")
        assert "AWS_REGION" in err

    @pytest.mark.parametrize("default", [None, "us-east-1"])
    def test_region_is_that_of_the_documented_variable(
        self, monkeypatch: pytest.MonkeyPatch, default: str | None
    ) -> None:
        """boto3 itself reads another one."""
        monkeypatch.setenv("AWS_REGION", "eu-west-1")
        monkeypatch.delenv("AWS_DEFAULT_REGION")
        if default:
            monkeypatch.setenv("AWS_DEFAULT_REGION", default)
        assert client_of("sqs").meta.region_name == "eu-west-1"

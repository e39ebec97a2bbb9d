"""Streams, queues and schedules in the local run: nothing is lost, and nothing stops a pump."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import boto3
import pytest

from local import aws, functions, running
from local.events import pumps
from local.events.pumps import StreamPump, passes
from local.events.schedules import Schedules, every
from local.running import LocalRun
from local.template import resources
from storepost.platform.messaging import outbox
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from tests.harness.world import World
from tests.local.conftest import Client, soon

RELAY, SENDER, SWEEP = "OutboxRelayFunction", "EmailSenderFunction", "OutboxSweepFunction"

type Event = dict[str, Any]
type Handler = Callable[[Event], Event | None]


@pytest.fixture
def instead(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Handler], None]:
    """Replaces a function by some work; the other functions stay."""
    real, works = functions.handler_of, dict[str, Handler]()

    def handler_of(name: str) -> Callable[[Event, Any], Any]:
        if name in works:
            return lambda event, _context: works[name](event)
        return real(name)

    monkeypatch.setattr(functions, "handler_of", handler_of)
    return works.__setitem__


def send(queue: str, *bodies: str) -> None:
    """Puts messages into a queue."""
    sqs = boto3.client("sqs")
    for body in bodies:
        sqs.send_message(QueueUrl=aws.queue_url(queue), MessageBody=body)


def messages_in(queue: str) -> list[Any]:
    """The bodies of a queue's messages, as JSON."""
    received = boto3.client("sqs").receive_message(
        QueueUrl=aws.queue_url(queue), MaxNumberOfMessages=10
    )
    return [json.loads(message["Body"]) for message in received.get("Messages", [])]


def write_rows(*names: str) -> None:
    """Outbox rows, each with one message of that name to the emails' queue, one after another."""
    for name in names:
        changes = Changes()
        outbox.send_with(changes, outbox.Queue.EMAILS, [({"name": name}, None)])
        changes.commit()


def names_of(event: Event) -> list[str]:
    """The names in a stream's event, in its order."""
    images = [record["dynamodb"]["NewImage"] for record in event["Records"]]
    return [json.loads(json.loads(image["sent"]["S"])[0][0])["name"] for image in images]


def failing(*indexes: int, event: Event) -> Event:
    """A partial response that names these of the event's records."""
    numbers = [record["dynamodb"]["SequenceNumber"] for record in event["Records"]]
    return {"batchItemFailures": [{"itemIdentifier": numbers[i]} for i in indexes]}


class TestQueues:
    def test_poison_message_becomes_a_dead_letter_after_max_receives(
        self,
        client: Client,
        monkeypatch: pytest.MonkeyPatch,
        instead: Callable[[str, Handler], None],
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(running, "FIRST_SECONDS", 0)
        tries: list[str] = []

        def work(event: Event) -> Event:
            bad = [r for r in event["Records"] if r["body"] == '"poison canary"']
            tries.extend(r["attributes"]["ApproximateReceiveCount"] for r in bad)
            return {"batchItemFailures": [{"itemIdentifier": r["messageId"]} for r in bad]}

        instead(SENDER, work)
        send("EmailQueue", '"poison canary"', '"good"')
        soon(lambda: client.get("/_local/queues")["EmailQueue"]["deadLetters"])
        assert client.get("/_local/queues")["EmailQueue"] == {
            "waiting": 0,
            "inFlight": 0,
            "deadLetters": 1,
        }
        most = resources("AWS::SQS::Queue")["EmailQueue"]["RedrivePolicy"]["maxReceiveCount"]
        assert tries == [str(number) for number in range(1, most + 1)]
        assert messages_in("EmailDeadLetters") == ["poison canary"]
        shown = capfd.readouterr().err
        assert "email_sender: 1 of " in shown
        assert "canary" not in shown

    def test_failed_message_is_retried_within_seconds(
        self, client: Client, instead: Callable[[str, Handler], None]
    ) -> None:
        seen: list[str] = []

        def work(event: Event) -> Event | None:
            seen.extend(record["body"] for record in event["Records"])
            if len(seen) == 1:
                raise ValueError("canary")
            return None

        instead(SENDER, work)
        send("EmailQueue", '"again"')
        soon(lambda: len(seen) == 2)
        soon(lambda: client.get("/_local/queues")["EmailQueue"]["inFlight"] == 0)
        assert seen == ['"again"', '"again"']

    @pytest.mark.parametrize(
        "answer", [{"batchItemFailures": [{"itemIdentifier": "of no message"}]}, ValueError()]
    )
    def test_invalid_partial_response_or_error_fails_the_batch(
        self,
        world: World,
        instead: Callable[[str, Handler], None],
        answer: Event | Exception,
    ) -> None:
        def work(_event: Event) -> Event:
            if isinstance(answer, Exception):
                raise answer
            return answer

        instead(SENDER, work)
        send("EmailQueue", '"one"', '"two"')
        assert pumps.pump_queue("EmailQueue", 0) == 2
        assert sorted(messages_in("EmailQueue")) == ["one", "two"]

    def test_batch_size_is_that_of_the_event_source(
        self, world: World, instead: Callable[[str, Handler], None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (source,) = pumps.reader_of("EmailQueue").events_of("SQS")
        assert source["BatchSize"] == 5
        sizes: list[int] = []
        instead(SENDER, lambda event: sizes.append(len(event["Records"])))
        send("EmailQueue", *(f'"{number}"' for number in range(12)))
        assert [pumps.pump_queue("EmailQueue") for _ in range(4)] == [5, 5, 2, 0]
        monkeypatch.setitem(source, "BatchSize", 1)
        send("EmailQueue", '"one"', '"two"')
        assert [pumps.pump_queue("EmailQueue") for _ in range(3)] == [1, 1, 0]
        assert sizes == [5, 5, 2, 1, 1]

    def test_failed_message_stays_hidden_for_the_visibility_timeout(
        self, world: World, instead: Callable[[str, Handler], None]
    ) -> None:
        instead(SENDER, lambda event: {"batchItemFailures": [{"itemIdentifier": ""}]})
        send("EmailQueue", '"one"')
        assert pumps.pump_queue("EmailQueue") == 1
        assert pumps.pump_queue("EmailQueue") == 0
        assert world.queue_depth("EmailQueue") == 1


class TestStream:
    def test_failing_record_is_retried_until_it_succeeds(
        self, world: World, instead: Callable[[str, Handler], None]
    ) -> None:
        tries: list[list[str]] = []
        pauses: list[int] = []

        def work(event: Event) -> Event:
            tries.append(names_of(event))
            return failing(*([0] if len(tries) < 3 else []), event=event)

        instead(RELAY, work)
        stream = StreamPump(pause=pauses.append)
        write_rows("a")
        assert stream.pump() == 1
        assert tries == [["a"]] * 3
        assert pauses == [1, 2]
        assert world.queue_depth("SearchRepairQueue") == 0
        assert stream.pump() == 0

    def test_partial_failure_resumes_at_the_first_failed_record(
        self, world: World, instead: Callable[[str, Handler], None]
    ) -> None:
        tries: list[list[str]] = []

        def work(event: Event) -> Event:
            tries.append(names_of(event))
            return failing(*([2, 1] if len(tries) == 1 else []), event=event)

        instead(RELAY, work)
        write_rows("a", "b", "c")
        StreamPump().pump()
        assert tries == [["a", "b", "c"], ["b", "c"]]

    def test_a_record_has_the_time_of_the_moved_clock(
        self, world: World, instead: Callable[[str, Handler], None]
    ) -> None:
        created: list[int] = []

        def work(event: Event) -> None:
            times = (r["dynamodb"]["ApproximateCreationDateTime"] for r in event["Records"])
            created.extend(times)

        instead(RELAY, work)
        clock.advance(timedelta(days=40))
        before = int(clock.now().timestamp())
        write_rows("a")
        StreamPump().pump()
        assert len(created) == 1
        assert before <= created[0] <= clock.now().timestamp()

    def test_failing_batch_is_bisected_and_only_poison_is_dropped(
        self,
        world: World,
        instead: Callable[[str, Handler], None],
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        done: list[str] = []
        tries: list[Event] = []

        def work(event: Event) -> Event | None:
            if "poison" in names_of(event):
                if len(event["Records"]) == 1:
                    tries.append(event)
                raise KeyError("canary")
            done.extend(names_of(event))
            return None

        instead(RELAY, work)
        write_rows("a", "b", "poison", "c", "d")
        stream = StreamPump()
        assert stream.pump() == 5
        assert done == ["a", "b", "c", "d"]
        (message,) = messages_in("SearchRepairQueue")
        place = tries[0]["Records"][0]["dynamodb"]["SequenceNumber"]
        (source,) = stream.readers[0].function.events_of("DynamoDB")
        assert len(tries) == 1 + source["MaximumRetryAttempts"]
        assert message["requestContext"]["condition"] == "RetryAttemptsExhausted"
        assert message["requestContext"]["approximateInvokeCount"] == len(tries)
        assert message["DDBStreamBatchInfo"]["startSequenceNumber"] == place
        assert message["DDBStreamBatchInfo"]["endSequenceNumber"] == place
        assert message["DDBStreamBatchInfo"]["batchSize"] == 1
        shown = capfd.readouterr().err
        assert "outbox_relay: KeyError" in shown
        assert "canary" not in shown
        assert stream.pump() == 0

    def test_sweep_sends_outbox_rows_that_the_stream_missed(
        self, world: World, instead: Callable[[str, Handler], None]
    ) -> None:
        instead(RELAY, lambda event: failing(0, event=event))
        write_rows("missed")
        StreamPump().pump()
        assert world.queue_depth("EmailQueue") == 0
        assert pumps.run_schedule("outbox_sweep") == {"sent": 0}
        world.advance(minutes=2, seconds=1)
        assert pumps.run_schedule("outbox_sweep") == {"sent": 1}
        assert messages_in("EmailQueue") == [{"name": "missed"}]
        assert world.rows(outbox.PARTITION) == []

    def test_pump_survives_errors(
        self,
        client: Client,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        failed: list[str] = []
        real = aws.client

        def client_of(service: str) -> Any:
            if service == "sqs" and not failed:
                failed.append(service)
                raise ConnectionError("canary")
            return real(service)

        monkeypatch.setattr(pumps, "client", client_of)
        monkeypatch.setattr(running, "FIRST_SECONDS", 0)
        write_rows("a")
        soon(lambda: failed)
        soon(lambda: client.get("/_local/queues")["EmailQueue"]["deadLetters"])
        shown = capfd.readouterr().err
        assert ": ConnectionError" in shown
        assert "canary" not in shown

    @pytest.mark.parametrize(
        ("event_name", "pk", "kind", "expected"),
        [
            ("INSERT", "due#outbox#3", "outbox", True),
            ("MODIFY", "due#outbox#3", "outbox", False),
            ("INSERT", "due#outbo", "any", False),
            ("INSERT", "due#[o]utbox#", "any", False),
            ("INSERT", "workspace#1#write_backs", "indexed_change", True),
            ("MODIFY", "workspace#1#write_backs", "indexed_change", False),
            ("INSERT", "workspace#1#profile#2", "consent_change", True),
            ("MODIFY", "workspace#1#profile#2", "consent_change", False),
            ("INSERT", "workspace#1#profile#2", "profile_event", False),
            ("INSERT", "workspace#1#profile#2", "identity", False),
        ],
    )
    def test_event_source_filter_is_applied(
        self, event_name: str, pk: str, kind: str, expected: bool
    ) -> None:
        (source,) = StreamPump().readers[0].function.events_of("DynamoDB")
        images = {"Keys": {"pk": {"S": pk}}, "NewImage": {"kind": {"S": kind}}}
        record = {"eventName": event_name, "dynamodb": images}
        assert passes(record, source) is expected

    def test_no_filter_passes_all_records(self) -> None:
        assert passes({"eventName": "REMOVE"}, {})


class TestFinishing:
    """A run that ends while its tables are kept: messages in queues would be lost."""

    @pytest.fixture
    def run(self, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalRun]:
        """A run without pumps: messages stay where they are."""
        monkeypatch.setenv("FEED_ALLOW_HOSTS", "")
        monkeypatch.setattr(running, "FIRST_SECONDS", 0)
        with functions.apart(), socket.create_server(("127.0.0.1", 0)) as listening:
            run = LocalRun(listening)
            run.serve()
            yield run

    def test_pending_messages_are_delivered_before_stopping(
        self, run: LocalRun, instead: Callable[[str, Handler], None]
    ) -> None:
        seen: list[str] = []

        def work(event: Event) -> None:
            bodies = [record["body"] for record in event["Records"]]
            seen.extend(bodies)
            if seen.count(bodies[0]) < 3:
                raise ConnectionError

        instead(SENDER, work)
        write_rows("on the stream")
        send("EmailQueue", '"in the queue"')
        assert run.finish() == {}
        assert sorted(set(seen)) == ['"in the queue"', '{"name":"on the stream"}']

    def test_undelivered_messages_are_reported(
        self,
        run: LocalRun,
        instead: Callable[[str, Handler], None],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(running, "FIRST_SECONDS", 60)
        monkeypatch.setattr(running, "FINISH_SECONDS", 0)
        instead(SENDER, lambda event: {"batchItemFailures": [{"itemIdentifier": ""}]})
        send("EmailQueue", '"one"', '"two"')
        assert run.finish() == {"EmailQueue": 2}


class TestChangeNotification:
    def test_write_to_another_engine_notifies_after_completion(self) -> None:
        """A reader woken before another engine has written would find nothing, and sleep again."""
        rings_meanwhile: list[int] = []

        class Engine(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                rings_meanwhile.append(aws.TABLES_CHANGED.rings)
                self.send_response(200)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *args: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Engine) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            dynamodb = boto3.client(
                "dynamodb", endpoint_url=f"http://127.0.0.1:{server.server_port}"
            )
            before = aws.TABLES_CHANGED.rings
            dynamodb.put_item(TableName="Table", Item={"pk": {"S": "a"}, "sk": {"S": "b"}})
            assert rings_meanwhile == [before]
            assert aws.TABLES_CHANGED.rings == before + 1
            dynamodb.get_item(TableName="Table", Key={"pk": {"S": "a"}, "sk": {"S": "b"}})
            assert aws.TABLES_CHANGED.rings == before + 1
            server.shutdown()


class TestSchedules:
    @pytest.mark.parametrize(
        ("expression", "expected"),
        [
            ("rate(1 minute)", timedelta(minutes=1)),
            ("rate(5 minutes)", timedelta(minutes=5)),
            ("rate(6 hours)", timedelta(hours=6)),
            ("rate(1 day)", timedelta(days=1)),
        ],
    )
    def test_rate_expression_is_parsed(self, expression: str, expected: timedelta) -> None:
        assert every(expression) == expected

    @pytest.mark.parametrize("expression", ["cron(0 3 * * ? *)", "rate(5 seconds)", "rate()"])
    def test_other_expression_is_refused(self, expression: str) -> None:
        with pytest.raises(ValueError, match="rate"):
            every(expression)

    def test_due_schedules_run_once_by_the_service_clock(
        self, world: World, instead: Callable[[str, Handler], None]
    ) -> None:
        fired: list[Event] = []
        instead(SWEEP, fired.append)
        for other in (
            "ShopTokensFunction",
            "CouponExpiryFunction",
            "FeedScheduleFunction",
            "WebhookRetriesFunction",
            "SuppressionEndsFunction",
        ):
            instead(other, lambda _event: None)
        schedules = Schedules()
        assert schedules.run_due() == 0
        world.advance(seconds=61)
        assert schedules.run_due() == 3, "those of each minute"
        assert schedules.run_due() == 0
        world.advance(days=3)
        assert schedules.run_due() == 6, "the feeds of five minutes and those of each hour too"
        assert [event["source"] for event in fired] == ["aws.scheduler"] * 2
        assert fired[1]["time"] == clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        assert fired[0]["resources"][0].endswith("/OutboxSweepFunction")

    def test_failing_schedule_is_retried_three_times_and_runs_again(
        self,
        world: World,
        instead: Callable[[str, Handler], None],
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        def fail(event: Event) -> None:
            fired.append(event)
            raise ValueError("canary")

        fired: list[Event] = []
        instead(SWEEP, fail)
        schedules = Schedules()
        world.advance(minutes=1)
        assert schedules.run_due() == 3
        assert len(fired) == 3
        world.advance(minutes=1)
        assert schedules.run_due() == 3
        assert len(fired) == 6
        shown = capfd.readouterr().err
        assert shown.count("outbox_sweep: ValueError") == 6
        assert "canary" not in shown

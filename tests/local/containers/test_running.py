"""The front and AWS for containers: requests that are passed on, a second port, one lock."""

import os
import socket
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from local import aws, functions
from local.containers.aws_server import AwsServer
from local.containers.proxy import gateway_at
from local.gateway import front
from local.gateway.front import server_on
from local.running import Entrance, LocalRun
from tests.harness.world import World
from tests.local.conftest import Client
from tests.local.containers.conftest import Listener


@pytest.fixture
def handed_on(
    world: World, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Client]:
    """A client of a front that passes the API's requests on to the listener."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", "")
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_server(("127.0.0.1", 0)) as inner,
    ):
        entrance = Entrance(inner, f"http://127.0.0.1:{inner.getsockname()[1]}")
        run = LocalRun(listening, api=gateway_at(listener.port), entrance=entrance)
        run.serve()
        yield Client(run)
        run.stop()


class TestRequests:
    def test_are_forwarded_unchanged(self, handed_on: Client, listener: Listener) -> None:
        listener.answers((201, {"Content-Type": "text/x-own", "X-Own": "one"}, b"answer \xff"))
        answer = handed_on.call(
            "PUT",
            "/v1/a%2Fb%20c?tag=1&tag=%C3%A9",
            body="é".encode() + b"\xff",
            headers={"idempotency-key": "k", "content-type": "application/json"},
        )
        (request,) = listener.requests
        assert (request.method, request.target) == ("PUT", "/v1/a%2Fb%20c?tag=1&tag=%C3%A9")
        assert request.body == b"\xc3\xa9\xff"
        assert request.headers["host"] == handed_on.host
        assert request.headers["idempotency-key"] == "k"
        assert request.headers["content-type"] == "application/json"
        assert request.headers["content-length"] == "3"
        assert (answer.status, answer.body) == (201, b"answer \xff")
        assert answer.header("content-type") == "text/x-own"
        assert answer.header("x-own") == "one"

    def test_chunked_body_is_forwarded_complete(
        self, handed_on: Client, listener: Listener
    ) -> None:
        handed_on.call("POST", "/v1/x", body=iter([b"one ", b"two"]))
        (request,) = listener.requests
        assert request.body == b"one two"
        assert "transfer-encoding" not in request.headers

    def test_empty_response_has_no_content_length(self, handed_on: Client) -> None:
        answer = handed_on.call("DELETE", "/v1/x")
        assert (answer.status, answer.body) == (204, b"")
        assert answer.header("content-length") is None

    def test_request_over_the_lambda_limit_is_413(
        self, handed_on: Client, listener: Listener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(front, "REQUEST_BYTES", 3)
        answer = handed_on.call("POST", "/v1/x", body=b"1234")
        assert (answer.status, answer.json) == (413, {"message": "Request Entity Too Large"})
        assert listener.requests == []

    def test_unreachable_backend_is_500_without_the_query_in_the_log(
        self, handed_on: Client, listener: Listener, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
        with socket.create_server(("127.0.0.1", 0)) as listening:
            run = LocalRun(listening, api=gateway_at(port))
            run.serve()
            answer = Client(run).call("GET", "/v1/x?canary")
            run.stop()
        assert (answer.status, answer.json) == (500, {"message": "Internal Server Error"})
        shown = capfd.readouterr().err
        assert "front: ConnectionRefusedError" in shown
        assert "canary" not in shown


class TestEntrance:
    def test_pretend_store_receives_write_backs(self, handed_on: Client) -> None:
        url = handed_on.run.write_back_url
        host = url.removeprefix("http://").partition("/")[0]
        assert host != handed_on.host
        assert os.environ["FEED_ALLOW_HOSTS"] == host
        with urllib.request.urlopen(url, b'{"told": 1}', timeout=10) as answer:
            assert answer.status == 204
        (received,) = handed_on.get("/_local/write-backs")
        assert received["body"] == '{"told": 1}'

    def test_moving_the_clock_is_501_with_containers(self, handed_on: Client) -> None:
        functions.run_elsewhere(lambda _function, _event: None)
        try:
            answer = handed_on.call("POST", "/_local/clock", json_body={"advanceSeconds": 60})
        finally:
            functions.run_elsewhere(None)
        assert (answer.status, answer.json) == (
            501,
            {
                "message": "Containers keep the machine's time."
                " Only `make run` can move the service's."
            },
        )


@pytest.fixture
def endpoint() -> Iterator[str]:
    """This process's AWS over HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = server_on(listening, AwsServer())
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.shutdown()
        server.server_close()
        thread.join()


class TestAwsEndpoint:
    def client(self, service: str, endpoint: str) -> Any:
        """A client as a container has it."""
        return boto3.client(service, endpoint_url=endpoint)  # type: ignore[call-overload]

    def test_serves_the_aws_of_this_process(self, world: World, endpoint: str) -> None:
        key = {"pk": {"S": "served"}, "sk": {"S": "é"}}
        self.client("dynamodb", endpoint).put_item(TableName="Table", Item=key)
        found = aws.client("dynamodb").get_item(TableName="Table", Key=key, ConsistentRead=True)
        assert found["Item"] == key
        url = aws.queue_url("EmailQueue")
        self.client("sqs", endpoint).send_message(QueueUrl=url, MessageBody="served")
        assert world.queue_depth("EmailQueue") == 1
        data_key = os.environ["DATA_KEY_ID"]
        sealed = self.client("kms", endpoint).encrypt(KeyId=data_key, Plaintext=b"served")
        opened = aws.client("kms").decrypt(CiphertextBlob=sealed["CiphertextBlob"])
        assert opened["Plaintext"] == b"served"

    @pytest.mark.parametrize(
        ("target", "tables", "queues"),
        [
            ("DynamoDB_20120810.PutItem", 1, 0),
            ("DynamoDB_20120810.GetItem", 0, 0),
            ("AmazonSQS.SendMessageBatch", 0, 1),
            ("AmazonSQS.ReceiveMessage", 0, 0),
            ("", 0, 0),
        ],
    )
    def test_readers_are_notified_after_writes_only(
        self, target: str, tables: int, queues: int
    ) -> None:
        def moto(_environ: object, start: Any) -> list[bytes]:
            rung.append((aws.TABLES_CHANGED.rings, aws.QUEUES_CHANGED.rings))
            start("200 OK", [])
            return [b""]

        rung: list[tuple[int, int]] = []
        self.ask(moto, HTTP_X_AMZ_TARGET=target)
        # A waiting reader that is woken finds the write: nothing wakes it before.
        ((tables_before, queues_before),) = rung
        assert aws.TABLES_CHANGED.rings == tables_before + tables
        assert aws.QUEUES_CHANGED.rings == queues_before + queues

    def test_requests_are_serialized(self) -> None:
        could_enter: list[bool] = []

        def look() -> None:
            entered = aws.LOCK.acquire(blocking=False)
            could_enter.append(entered)
            if entered:
                aws.LOCK.release()

        def moto(_environ: object, start: Any) -> list[bytes]:
            other = threading.Thread(target=look)
            other.start()
            other.join()
            start("200 OK", [])
            return [b""]

        self.ask(moto)
        assert could_enter == [False]
        look()
        assert could_enter == [False, True]

    def ask(self, moto: Any, **environ: str) -> None:
        """A request to a server that has this in moto's place."""
        server = AwsServer()
        server._moto = moto
        server({"REQUEST_METHOD": "POST", **environ}, lambda *_: lambda _data: None)

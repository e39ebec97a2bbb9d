"""`/_local/...`: what a developer sees and does besides the API."""

import os
import re
import socket
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest

from local import aws, functions, running
from local.running import LocalRun
from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.emails.rendering import render
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from tests.harness.world import World
from tests.local.conftest import Client, soon

LINK = "http://127.0.0.1:8000/v1/pages/verify#abc"


def send(to: str, message: messages.Message) -> None:
    """An email through outbox and queue."""
    changes = Changes()
    send_email(changes, to, message, account_tags(new_id()))
    changes.commit()


def problem(client: Client, method: str, target: str, body: object = None) -> tuple[int, str]:
    """Status and message of an answer that is no success."""
    answer = client.call(method, target, json_body=body)
    assert answer.header("content-type") == "application/json"
    assert set(answer.json) == {"message"}
    return answer.status, answer.json["message"]


class TestEmails:
    def test_listed_with_links_and_codes_oldest_first(self, client: Client, world: World) -> None:
        first = messages.VerifyAddress(name="Jané canary", code="012345", link=LINK)
        send("first.canary@example.com", first)
        soon(lambda: len(client.get("/_local/emails")) == 1)
        world.advance(minutes=5)
        before = clock.now()
        second = messages.SignInCode(name="Canary", code="987654")
        send("second.canary@example.com", second)
        soon(lambda: len(client.get("/_local/emails")) == 2)
        shown, other = client.get("/_local/emails")
        expected = render("verify_address", messages.to_params(first))
        assert shown == {
            "id": shown["id"],
            "to": "first.canary@example.com",
            "subject": expected.subject,
            "text": expected.text,
            "html": shown["html"],
            "links": [LINK],
            "codes": ["012345"],
            "sentAt": shown["sentAt"],
            "tags": {"kind": "account", "id": shown["tags"]["id"]},
            "events": [],
        }
        assert shown["html"].split() == expected.html.split()
        assert (other["to"], other["links"], other["codes"]) == (
            "second.canary@example.com",
            [],
            ["987654"],
        )
        assert clock.to_text(before) <= other["sentAt"] <= clock.to_text(clock.now())
        assert shown["sentAt"] < clock.to_text(before)
        assert shown["id"] != other["id"]

    def test_page_lists_and_opens_emails(self, client: Client) -> None:
        assert "None yet" in client.call("GET", "/_local/").body.decode()
        send("a.canary@example.com", messages.VerifyAddress("<b>Jane</b>", "012345", LINK))
        (email,) = soon(lambda: client.get("/_local/emails"))
        page = client.call("GET", "/_local/")
        assert page.status == 200
        assert page.header("content-type") == "text/html; charset=utf-8"
        listed = page.body.decode()
        assert f'<a href="{LINK}">' in listed
        assert "<code>012345</code>" in listed
        (path,) = set(re.findall(r'"(/_local/emails/[^"]+)"', listed))
        assert path == f"/_local/emails/{email['id']}"
        opened = client.call("GET", path)
        assert opened.body.decode() == email["html"]
        assert opened.header("content-type") == "text/html; charset=utf-8"
        assert opened.header("content-security-policy") == "script-src 'none'"

    def test_unknown_id_is_404(self, client: Client) -> None:
        assert problem(client, "GET", "/_local/emails/x") == (404, "No email has this id.")


class TestWriteBacks:
    def test_received_write_backs_are_listed(self, client: Client) -> None:
        assert client.get("/_local/write-backs") == []
        before = clock.to_text(clock.now())
        # Signatures are made over these very bytes, spaces and all.
        body = '{"type":  "consent.changed", "é": 1}'
        request = urllib.request.Request(
            client.run.write_back_url, body.encode(), {"Webhook-Id": "c.s", "Webhook-Many": "1 2"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 204
        (received,) = client.get("/_local/write-backs")
        assert set(received) == {"receivedAt", "headers", "body"}
        assert received["body"] == body
        assert before <= received["receivedAt"] <= clock.to_text(clock.now())
        assert received["headers"]["webhook-id"] == "c.s"
        assert received["headers"]["webhook-many"] == "1 2"
        assert "c.s" in client.call("GET", "/_local/").body.decode()

    def test_write_back_host_is_added_to_the_allowed_hosts(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert os.environ["FEED_ALLOW_HOSTS"] == client.host
        monkeypatch.setenv("FEED_ALLOW_HOSTS", "127.0.0.1:9000")
        with socket.create_server(("127.0.0.1", 0)) as listening:
            run = LocalRun(listening)
            run.serve()
            run.stop()
        host = urlsplit(run.write_back_url).netloc
        assert os.environ["FEED_ALLOW_HOSTS"] == f"127.0.0.1:9000,{host}"


class TestQueues:
    def test_counts_of_each_queue(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(running, "RETRY_SECONDS", 0)
        sqs = boto3.client("sqs")
        sqs.send_message(
            QueueUrl=aws.queue_url("StreamDeadLetters"), MessageBody="given up by hand"
        )
        sqs.send_message(
            QueueUrl=aws.queue_url("WriteBackDeadLetters"),
            MessageBody="x",
            MessageGroupId="g",
            MessageDeduplicationId="d",
        )
        empty = {"waiting": 0, "inFlight": 0}
        queues = client.get("/_local/queues")
        assert queues["StreamDeadLetters"] == {"waiting": 1, "inFlight": 0}
        assert queues["WriteBackQueue"] == {**empty, "deadLetters": 1}
        assert queues["EmailQueue"] == {**empty, "deadLetters": 0}


class TestSchedules:
    def test_runs_immediately(self, client: Client) -> None:
        answer = client.call("POST", "/_local/schedules/outbox_sweep")
        assert answer.status == 200
        assert answer.json == {"name": "outbox_sweep", "result": {"sent": 0}}

    @pytest.mark.parametrize("name", ["nothing", "outbox_relay", "OutboxSweepFunction"])
    def test_unknown_name_is_404(self, client: Client, name: str) -> None:
        refusal = problem(client, "POST", f"/_local/schedules/{name}")
        assert refusal == (404, "No scheduled function has this name.")

    def test_failure_reports_the_error_type(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_event: object, _context: object) -> None:
            raise RuntimeError("canary")

        monkeypatch.setattr(functions, "handler_of", lambda _name: fail)
        refusal = problem(client, "POST", "/_local/schedules/outbox_sweep")
        assert refusal == (500, "It failed: RuntimeError.")


class TestClock:
    def test_moves_service_time_and_runs_due_schedules(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fired: list[Any] = []

        def handler_of(_name: str) -> Callable[[Any, Any], None]:
            return lambda event, _context: fired.append(event["time"])

        monkeypatch.setattr(functions, "handler_of", handler_of)
        before = clock.now()
        answer = client.call("POST", "/_local/clock", json_body={"advanceSeconds": 3600.5})
        assert answer.status == 200
        assert set(answer.json) == {"now"}
        elapsed = clock.from_text(answer.json["now"]) - before
        assert 3600.5 <= elapsed.total_seconds() < 3630
        assert len(fired) == 6, "three of each minute, the feeds of five, two of each hour"
        assert clock.now() >= clock.from_text(answer.json["now"])

    def test_advance_by_zero_is_allowed(self, client: Client) -> None:
        before = clock.to_text(clock.now())
        answer = client.call("POST", "/_local/clock", json_body={"advanceSeconds": 0})
        assert before <= answer.json["now"] <= clock.to_text(clock.now())

    @pytest.mark.parametrize(
        "body",
        [
            {"advanceSeconds": -1},
            {"advanceSeconds": -0.001},
            {"advanceSeconds": "60"},
            {"advanceSeconds": True},
            {"advanceSeconds": None},
            {"advanceSeconds": float("nan")},
            {"advanceSeconds": float("inf")},
            {"advanceSeconds": 1e300},
            {},
            [],
            "x",
        ],
    )
    def test_invalid_or_negative_advance_is_refused(self, client: Client, body: object) -> None:
        offset = clock.offset()
        status, message = problem(client, "POST", "/_local/clock", body)
        assert status == 422
        assert message.startswith("advanceSeconds must be")
        assert clock.offset() == offset


class TestOtherPaths:
    def test_wrong_method_is_405_with_allow_header(self, client: Client) -> None:
        answer = client.call("GET", "/_local/clock")
        assert answer.status == 405
        assert answer.header("allow") == "POST"
        assert set(answer.json) == {"message"}

    def test_unknown_path_is_404(self, client: Client) -> None:
        assert problem(client, "GET", "/_local/nothing")[0] == 404

    def test_similar_path_is_routed_to_the_api(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[str] = []

        def answer(event: dict[str, Any], _context: object) -> dict[str, Any]:
            seen.append(event["rawPath"])
            return {"statusCode": 200, "headers": {}, "body": ""}

        monkeypatch.setattr(functions, "handler_of", lambda _name: answer)
        client.call("GET", "/_locals")
        assert seen == ["/_locals"]

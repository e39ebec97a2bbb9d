"""One message in two workers at once: queues and streams deliver at least once."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from uuid import UUID

import pytest

from local import aws
from local.aws import mail
from local.events import pumps
from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.messaging.outbox import PARTITION
from storepost.platform.persistence.changes import Changes
from storepost.values.ids import new_id
from tests.concurrency.containers import containers
from tests.concurrency.people import EMAIL, STATES, new_person
from tests.harness.world import Someone, World

pytestmark = pytest.mark.dynoxide

ROUNDS = 30
RELAY, SENDER, WRITER = "OutboxRelayFunction", "EmailSenderFunction", "ConsentWriteBackFunction"


def write_email(to: str) -> None:
    """Queues an email by writing its outbox row."""
    changes = Changes()
    message = messages.SignInCode(name="Canary", code="123456")
    send_email(changes, to, message, account_tags(new_id()))
    changes.commit()


def taken_from(queue: str) -> dict[str, Any]:
    """Receives and deletes a queue's messages; returns the event that delivers them."""
    sqs, url = aws.client("sqs"), aws.queue_url(queue)
    received = sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
    )["Messages"]
    for message in received:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return {"Records": [pumps._queue_record(message, queue) for message in received]}


def on_the_stream() -> dict[str, Any]:
    """Returns the event that delivers the last outbox row to the relay."""
    streams = aws.client("dynamodbstreams")
    arn = aws.client("dynamodb").describe_table(TableName="Table")["Table"]["LatestStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    reader = next(each for each in pumps.StreamPump().readers if each.function.name == RELAY)
    records = streams.get_records(ShardIterator=iterator)["Records"]
    rows = [record for record in records if pumps.passes(record, reader.source)]
    return {"Records": [pumps._stream_record(rows[-1], arn)]}


class TestEmails:
    def test_email_delivered_to_two_workers_is_sent_once(self, world: World) -> None:
        with containers(2) as two:
            for number in range(ROUNDS):
                write_email(f"reader{number}.canary@example.com")
                pumps.StreamPump().pump()
                two.at_once([taken_from("EmailQueue")] * 2, function=SENDER)
                assert len(mail.sent_emails()) == number + 1
                world.lose_stream()
        assert two.refused["PutItem"] == ROUNDS
        print(f"\n{ROUNDS} emails in two workers: {dict(two.refused)}")

    def test_email_relayed_twice_is_sent_once(self, world: World) -> None:
        with containers(2) as two:
            for number in range(ROUNDS):
                write_email(f"reader{number}.canary@example.com")
                answers = two.at_once([on_the_stream()] * 2, function=RELAY)
                assert answers == [{"batchItemFailures": []}] * 2
                assert world.rows(PARTITION) == []
                depth = world.queue_depth("EmailQueue")
                world.lose_stream()
                assert len(world.emails()) == number + 1
                assert depth == 2


@dataclass
class Store:
    """A custom store that listens on a real socket."""

    port: int = 0
    received: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """The id and the data of each received message."""


@pytest.fixture
def store() -> Iterator[Store]:
    """A store that accepts every message."""
    made = Store()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            made.received.append((self.headers["webhook-id"], json.loads(body)["data"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        made.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()


class TestWriteBacks:
    @pytest.fixture
    def owner(self, world: World) -> Someone:
        """The owner of a workspace."""
        return world.owner()

    def test_write_back_delivered_to_two_workers_has_the_current_state(
        self, world: World, owner: Someone, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        host = f"127.0.0.1:{store.port}"
        monkeypatch.setenv("FEED_ALLOW_HOSTS", host)
        store_id = world.store(owner)
        owner.call("PUT", f"/stores/{store_id}/write-back", {"url": f"http://{host}/"})
        path = f"/profiles/{new_person(owner, store_id)}/consent"
        with containers(2, FEED_ALLOW_HOSTS=host) as two:
            for number in range(ROUNDS):
                received_before = len(store.received)
                state = STATES[number % 2]
                changed = owner.call("PUT", f"{path}/email", {"state": state}).json
                pumps.StreamPump().pump()
                two.at_once([taken_from("WriteBackQueue")] * 2, function=WRITER)
                world.lose_stream()
                deliveries = store.received[received_before:]
                assert 1 <= len(deliveries) <= 2
                for message, data in deliveries:
                    assert UUID(message.partition(".")[0]) == UUID(changed["id"])
                    assert (data["state"], data["address"]) == (state, EMAIL)
                stored = owner.call("GET", f"{path}/{changed['id']}").json
                (write_back,) = stored["writeBacks"]
                assert write_back["status"] == "written"
        assert world.queue_depth("WriteBackQueue") == 0
        twice = len(store.received) - ROUNDS
        assert twice > 0, "they never were at it at once"
        print(f"\n{ROUNDS} write-backs in two workers: {twice} told twice, {dict(two.refused)}")

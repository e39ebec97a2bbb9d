"""Runs with `STORE=dynoxide`, killed and restarted, and the engine below them."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from standardwebhooks import Webhook

from local import demo
from local.aws.dynoxide import Dynoxide, NoDynoxide
from tests.local.conftest import soon
from tests.local.runs import Run, environment

pytestmark = pytest.mark.dynoxide

_DAY_SECONDS = 24 * 60 * 60
_STARTED = """
import sys, time
from local.aws.dynoxide import Dynoxide
engine = Dynoxide()
engine.start()
print(engine.process_id, flush=True)
time.sleep(600)
"""


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Callable[[], Run]]:
    """Starts a run on the data that the last one kept."""
    runs: list[Run] = []

    def begin() -> Run:
        run = Run(tmp_path, "dynoxide")
        runs.append(run)
        return run.soon_ready()

    yield begin
    for run in runs:
        run.process.kill()
        run.process.communicate()


def emails_to(run: Run, address: str) -> list[dict[str, Any]]:
    """What this run sent to an address."""
    return [email for email in run.call("GET", "/_local/emails") if email["to"] == address]


def test_second_run_does_not_load_the_large_demo_again(tmp_path: Path) -> None:
    """It takes half a minute: two whole runs, one of them with 66 records through all workers."""
    totals = []
    for _ in range(2):
        run = Run(tmp_path, variables={"DEMO": "large", "ORDERS": "20"}).soon_ready()
        key, store = run.credentials()["apiKeys"]["read"], run.credentials()["storeId"]

        def is_imported(run: Run = run, key: str = key) -> bool:
            return bool(run.call("GET", "/orders", key)["total"] == 50)

        soon(is_imported)
        totals.append(run.call("GET", f"/stores/{store}/imports", key)["total"])
        output = run.end()
        assert run.process.returncode == 0, output
    assert totals == [4, 4]
    assert "records of the large demo" not in output


def test_run_resumes_after_a_killed_one(runs: Callable[[], Run]) -> None:
    """It keeps the keys, clock, credentials, sealed texts, and the stream's readers."""
    first = runs()
    before = first.credentials()
    owner, key = before["sessions"]["owner"], before["apiKeys"]["write"]
    write_back = f"/stores/{before['storeId']}/write-back"
    secret = first.call("POST", f"{write_back}/rotate", key)["secret"]
    person = {"name": "New", "email": "new@example.com", "password": demo.PASSWORD}
    registration = first.call("POST", "/auth/sign-up", body=person)["registration"]
    (email,) = soon(lambda: emails_to(first, "new@example.com"))
    # Signatures, which are checked by the machine's time, are valid for five minutes.
    first.call("POST", "/_local/clock", body={"advanceSeconds": 180})
    after_move = first.call("POST", "/_local/clock", body={"advanceSeconds": 0.001})["now"]
    first.end(signal.SIGKILL)

    second = runs()
    after = second.credentials()
    assert after["baseUrl"] != before["baseUrl"]
    assert after | {"baseUrl": before["baseUrl"]} == before
    orders = second.call("GET", "/orders", before["apiKeys"]["read"])
    assert orders["total"] == 30
    assert second.call("POST", "/_local/clock", body={"advanceSeconds": 0.001})["now"] > after_move
    verified = {"registration": registration, "code": email["codes"][0]}
    assert "token" in second.call("POST", "/auth/verify-email", body=verified)
    invited = {"email": "later@example.com", "role": "member"}
    second.call("POST", "/invitations", owner, invited)
    soon(lambda: emails_to(second, "later@example.com"))
    # Records that the stream delivered before the kill stay delivered.
    assert len(second.call("GET", "/_local/emails")) == 1

    origin = after["baseUrl"].removesuffix("/v1")
    assert second.call("GET", write_back, key)["url"] == f"{origin}/_local/store/write-backs"
    profiles = second.call("GET", "/profiles?emailMarketingConsent=subscribed", key)["items"]
    path = f"/profiles/{profiles[0]['id']}/consent/email"
    second.call("PUT", path, key, {"state": "unsubscribed"})
    (received,) = soon(lambda: second.call("GET", "/_local/write-backs"))
    assert Webhook(secret).verify(received["body"], received["headers"])
    output = second.end()
    assert second.process.returncode == 0
    assert output.splitlines() == ["Starting AWS in this process ...", "", "Stopping ..."]
    assert "To start over: rm -r " in second.shown


def test_data_in_use_is_refused_to_a_second_run(runs: Callable[[], Run]) -> None:
    first = runs()
    same = Run(first.folder, "dynoxide", "others.json")
    assert same.process.wait(30) == 2
    _, output = same.process.communicate()
    assert f"Another run (process {first.process.pid}) has what is kept" in output
    assert first.call("GET", "/orders", first.credentials()["apiKeys"]["read"])["total"] == 30


class TestEngine:
    def test_stops_with_the_parent_process(self) -> None:
        started = subprocess.Popen(
            [sys.executable, "-c", _STARTED],
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert started.stdout is not None
        engine = int(started.stdout.readline())
        os.kill(engine, 0)
        started.kill()
        started.communicate()
        soon(lambda: not is_running(engine))

    def test_invalid_database_file_is_reported(self, tmp_path: Path) -> None:
        file = tmp_path / "rows.db"
        file.write_text("no database" * 1000)
        with pytest.raises(NoDynoxide, match=f"doesn't start on {file}: .*SQLite"):
            Dynoxide(file).start()

    def test_stream_is_retained_a_day_and_sequence_numbers_continue(self, tmp_path: Path) -> None:
        file = tmp_path / "rows.db"
        with Dynoxide(file) as engine:
            make_table(engine)
            put(engine, "1", "2", "3")
            assert numbers(engine) == ["1", "2", "3"]
        with closing(sqlite3.connect(file)) as rows, rows:
            age = "UPDATE _stream_records SET created_at = ? WHERE sequence_number != '2'"
            rows.execute(age, [int(time.time()) - _DAY_SECONDS - 60])
        with Dynoxide(file) as engine:
            assert numbers(engine) == ["2", "3"]
            put(engine, "4")
            assert numbers(engine) == ["2", "3", "4"]


def is_running(process: int) -> bool:
    """Whether there is such a process still."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def clients(engine: Dynoxide) -> tuple[Any, Any]:
    """Of the tables and of their streams."""
    config = Config(parameter_validation=False)
    made = [
        boto3.client(n, endpoint_url=engine.url, config=config)
        for n in ("dynamodb", "dynamodbstreams")
    ]
    return made[0], made[1]


def make_table(engine: Dynoxide) -> None:
    clients(engine)[0].create_table(
        TableName="Numbers",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )


def put(engine: Dynoxide, *keys: str) -> None:
    for key in keys:
        clients(engine)[0].put_item(TableName="Numbers", Item={"pk": {"S": key}})


def numbers(engine: Dynoxide) -> list[str]:
    """The sequence numbers of the stream's records from its beginning."""
    dynamodb, streams = clients(engine)
    arn = dynamodb.describe_table(TableName="Numbers")["Table"]["LatestStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    begin = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    records = streams.get_records(ShardIterator=begin)["Records"]
    return [record["dynamodb"]["SequenceNumber"] for record in records]

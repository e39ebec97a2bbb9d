"""The table's stream for its readers: each of its records is fetched from the engine once.

A reader requests the records after the last one that it received. Records that one reader fetched
are cached for a while for the readers behind it. The engine's answers stay unparsed beyond JSON:
botocore looks each value up in the operation's shape, which took half of a large load's time.
"""

import json
import threading
from functools import cache
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.parsers import JSONParser, ResponseParserFactory

from local.aws import client

MAX_CACHED = 10_000
"""Records that are cached for readers behind the first one."""
_PAGE = 1_000
"""The most records that a call returns."""

type Record = dict[str, Any]


class StreamRecords:
    """The records of a table's stream."""

    def __init__(self, table: str) -> None:
        """Caches no records yet; the first call looks up the table's stream."""
        self._table = table
        self._shards: dict[str, _Shard] = {}
        self._lock = threading.Lock()

    def shards(self) -> list[str]:
        """Returns the ids of its shards.

        A local engine has the same ones as long as the table is there.
        """
        with self._lock:
            if not self._shards:
                table = client("dynamodb").describe_table(TableName=self._table)["Table"]
                arn = table["LatestStreamArn"]
                stream = _client().describe_stream(StreamArn=arn)["StreamDescription"]
                ids = [shard["ShardId"] for shard in stream["Shards"]]
                self._shards = {shard: _Shard(arn, shard) for shard in ids}
        return list(self._shards)

    def arn_of(self, shard: str) -> str:
        """Returns the ARN of the shard's stream."""
        return self._shards[shard].arn

    def after(self, shard: str, number: str | None, limit: int) -> list[Record]:
        """Returns up to `limit` records after `number`, oldest first; None is the beginning."""
        with self._lock:
            return self._shards[shard].after(number, limit)


class _Shard:
    """The newest of a shard's records that were read."""

    def __init__(self, arn: str, shard: str) -> None:
        self.arn = arn
        self._shard = shard
        self._start_after: str | None = None
        """The number of the record before the first cached one."""
        self._records: list[Record] = []
        self._next_indexes: dict[str, int] = {}
        """By a record's number, the index of the record that follows it."""

    def after(self, number: str | None, limit: int) -> list[Record]:
        if not self._records:
            self._start_after = number
        first = 0 if number == self._start_after else self._next_indexes.get(number or "")
        if first is None:
            return self._fetch(number, limit)  # the reader is behind the cached records
        if len(self._records) < first + limit:
            last = number_of(self._records[-1]) if self._records else number
            self._cache(self._fetch(last, _PAGE))
        found = self._records[first : first + limit]
        if len(self._records) > MAX_CACHED:
            self._evict(len(self._records) - MAX_CACHED // 2)
        return found

    def _cache(self, more: list[Record]) -> None:
        for record in more:
            self._records.append(record)
            self._next_indexes[number_of(record)] = len(self._records)

    def _evict(self, count: int) -> None:
        kept, self._start_after = self._records[count:], number_of(self._records[count - 1])
        self._records, self._next_indexes = [], {}
        self._cache(kept)

    def _fetch(self, number: str | None, limit: int) -> list[Record]:
        where = (
            {"ShardIteratorType": "TRIM_HORIZON"}
            if number is None
            else {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": number}
        )
        streams = _client()
        iterator = streams.get_shard_iterator(StreamArn=self.arn, ShardId=self._shard, **where)
        answer = streams.get_records(ShardIterator=iterator["ShardIterator"], Limit=limit)
        return list(answer["Records"])


def number_of(record: Record) -> str:
    """Returns the record's number in the stream."""
    return str(record["dynamodb"]["SequenceNumber"])


class _PlainParser(JSONParser):
    """Returns an answer's JSON unchanged: a function's event has records in the same form."""

    def _handle_json_body(self, raw_body: bytes, _shape: object) -> Any:  # noqa: ANN401 - JSON
        return json.loads(raw_body)


class _PlainParsers(ResponseParserFactory):
    def create_parser(self, _protocol_name: str) -> JSONParser:
        return _PlainParser()


@cache
def _client() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    session = botocore.session.get_session()
    session.register_component("response_parser_factory", _PlainParsers())
    # dynoxide's sequence numbers are shorter than AWS's, so botocore would refuse them.
    config = Config(parameter_validation=False)
    return boto3.Session(botocore_session=session).client("dynamodbstreams", config=config)

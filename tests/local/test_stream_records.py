"""The stream's records as the local run's readers share them."""

from itertools import pairwise

import pytest

from local.aws import stream_records
from local.aws.stream_records import Record, StreamRecords, number_of
from storepost.platform.messaging import outbox
from storepost.platform.persistence.changes import Changes
from tests.harness.world import World

KEPT = 20


def write(count: int) -> None:
    """Writes rows, each with a record in the stream."""
    for number in range(count):
        changes = Changes()
        outbox.send_with(changes, outbox.Queue.EMAILS, [({"name": str(number)}, None)])
        changes.commit()


@pytest.fixture
def requested(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sequence numbers requested of the engine, in pages of 7, with a small cache."""
    numbers: list[str] = []
    ask = stream_records._Shard._fetch

    def listening(self: stream_records._Shard, number: str | None, limit: int) -> list[Record]:
        found = ask(self, number, limit)
        numbers.extend(map(number_of, found))
        return found

    monkeypatch.setattr(stream_records, "_PAGE", 7)
    monkeypatch.setattr(stream_records, "MAX_CACHED", KEPT)
    monkeypatch.setattr(stream_records._Shard, "_fetch", listening)
    world.lose_stream()
    return numbers


class Reader:
    """Reads so many at a time, from the beginning."""

    def __init__(self, stream: StreamRecords, limit: int) -> None:
        self.numbers: list[str] = []
        self._stream = stream
        self._limit = limit

    def read(self) -> int:
        """Reads; how many records there were."""
        [shard] = self._stream.shards()
        place = self.numbers[-1] if self.numbers else None
        found = self._stream.after(shard, place, self._limit)
        assert len(found) <= self._limit
        self.numbers += map(number_of, found)
        return len(found)

    def read_all(self) -> None:
        """Reads until no record is left."""
        while self.read():
            pass


def is_whole(numbers: list[str]) -> bool:
    """Whether no number is missing or occurs twice."""
    return all(int(after) == int(before) + 1 for before, after in pairwise(numbers))


@pytest.mark.parametrize("limits", [(1, 10), (10, 1), (3, 5)])
def test_concurrent_readers_share_one_read_of_each_record(
    requested: list[str], limits: tuple[int, int]
) -> None:
    stream = StreamRecords("Table")
    readers = [Reader(stream, limit) for limit in limits]
    write(10)
    while sum(reader.read() for reader in readers):
        pass
    write(3)
    for reader in readers:
        reader.read_all()
        assert len(reader.numbers) == 13
        assert is_whole(reader.numbers)
    assert requested == readers[0].numbers


def test_reader_behind_the_cache_gets_every_record(requested: list[str]) -> None:
    stream = StreamRecords("Table")
    first, late = Reader(stream, 5), Reader(stream, 4)
    write(3 * KEPT)
    first.read_all()
    write(2)
    late.read_all()
    first.read_all()
    for reader in (first, late):
        assert len(reader.numbers) == 3 * KEPT + 2
        assert is_whole(reader.numbers)
    assert len(requested) < 2 * len(first.numbers)


def test_reader_resumes_at_a_position_of_an_earlier_run(requested: list[str]) -> None:
    write(12)
    before = Reader(StreamRecords("Table"), 5)
    before.read()
    stream = StreamRecords("Table")
    resumed, new = Reader(stream, 5), Reader(stream, 5)
    resumed.numbers += before.numbers
    resumed.read_all()
    new.read_all()
    assert resumed.numbers == new.numbers
    assert is_whole(new.numbers)
    assert len(new.numbers) == 12
    assert requested

"""`make bench-rebuild`: rebuilds a workspace's search while people change and workers die.

In the beginning half of the postings are missing, and some exist that no row has. The worker is
killed repeatedly: at its first call, at its second one, and so on, before and after each call.
During and between its runs people's names change, and the stream delivers each change later. In the
end the postings are compared with those derived from each row alone. `PEOPLE=100000` sets their
number; the default is two thousand.
"""

import gzip
import json
import multiprocessing
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock
from uuid import UUID

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.exporting import export_people
from benchmarks.data.large_shop import open_shop, shop
from benchmarks.data.loading import FOLDER, import_rows
from benchmarks.data.people import People
from benchmarks.measure.calling import Api
from benchmarks.measure.metering import Meter
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from storepost.lifecycle.migrations.worker import migrate_workspace
from storepost.overview.search.sources import entry_of
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.rows import ProfileItem, profile_row
from storepost.platform.jobs.runs import Run, run_once
from storepost.platform.migrations.keys import REBUILD_SEARCH, migration_key
from storepost.platform.migrations.messages import MigrationMessage
from storepost.platform.migrations.rows import MigrationItem
from storepost.platform.persistence.item import Item, dynamodb_client, find
from storepost.platform.postings.entries import SearchEntry, SearchKind
from storepost.platform.postings.keys import postings_partition
from storepost.platform.postings.repository import PostingRepository

PEOPLE = int(os.environ.get("PEOPLE", "2000"))
OWNER = shop("rebuilt")
KIND = SearchKind.PROFILE
CALLS = 64
"""A run is killed at one of so many first calls; a page of rows takes about sixteen."""
LATE = 20
"""The number of changes that the stream has yet to deliver."""
STALE = 20
"""For one posting in so many, there is another one that no row has."""
NAMES = ("Holm", "Lind", "Novák", "Öz", "Rossi", "Vos")

COLUMNS = (
    Column("what"),
    Column("kills"),
    Column("changes"),
    Column("pages"),
    Column("time", "s", 1),
    Column("CPU", "s", 1),
    Column("read units"),
    Column("write units"),
    Column("written by a posting", digits=2),
    Column("wrong postings", most=0),
)
NOTES = (
    "Half of the postings were lost, and of twenty one more was there that no row has.",
    "Killed: before and after each of the first calls of a run in turn; what was done counts.",
    "CPU is that of the worker's process; DynamoDB has its own.",
    "Written by a posting: write units of the worker by the postings that there have to be.",
)


class Killed(BaseException):
    """The worker died. No `except Exception` of the service may take it for an error."""


def lay_down(people: Path, postings: Path) -> None:
    """Writes people with their lists, and half of their postings, in DynamoDB's export format."""
    export_people(OWNER, PEOPLE, people)
    repository, number = PostingRepository(OWNER.workspace, KIND), count()
    with gzip.open(postings, "wt", compresslevel=1, encoding="utf-8") as lines:
        for somebody in People(PEOPLE).final():
            profile = somebody.profile(OWNER)
            entry = entry_of(profile_row(profile_key(OWNER.workspace, profile.id), profile))
            for posting in repository._postings(entry).values():
                row, place = repository.row(posting).serialize(), next(number)
                if place % 2:
                    lines.write(json.dumps({"Item": row}) + "\n")
                if not place % STALE:
                    stale = {**row, "sk": {"S": f"zzz{row['sk']['S']}"}}
                    lines.write(json.dumps({"Item": stale}) + "\n")


@dataclass
class Changing:
    """Changes people's names, and delivers the changes late, as the stream does."""

    api: Api
    random: Random = field(default_factory=lambda: Random(5))
    waiting: deque[tuple[SearchEntry | None, SearchEntry | None]] = field(default_factory=deque)
    changes: int = 0

    def __post_init__(self) -> None:
        """Selects all people for changes."""
        self._ids = [each.profile(OWNER).id for each in People(PEOPLE).final()]

    def change(self) -> None:
        """Changes a random person's name; delivers the oldest change if more than `LATE` wait."""
        profile = self.random.choice(self._ids)
        before = self._entry(profile)
        name = f"{self.random.choice(NAMES)}-{self.random.randrange(1000)}"
        self.api.call("PATCH", f"/profiles/{profile}", body={"lastName": name})
        self.waiting.append((before, self._entry(profile)))
        self.changes += 1
        if len(self.waiting) > LATE:
            self._bring()

    def end(self) -> None:
        """Delivers all waiting changes."""
        while self.waiting:
            self._bring()

    def _entry(self, profile: UUID) -> SearchEntry | None:
        return entry_of(find(ProfileItem, profile_key(OWNER.workspace, profile)))

    def _bring(self) -> None:
        PostingRepository(OWNER.workspace, KIND).update_index(*self.waiting.popleft())


@dataclass
class Rebuilding:
    """The worker's runs, and their cost."""

    meter: Meter
    run: int
    pages: int = 0
    killed_runs: int = 0
    seconds: float = 0
    cpu_seconds: float = 0
    reads: float = 0
    writes: float = 0

    @property
    def is_done(self) -> bool:
        """Whether the rebuild is complete."""
        row = find(MigrationItem, migration_key(OWNER.workspace, REBUILD_SEARCH))
        return row is not None and row.run == self.run and row.done_at is not None

    def work(self, killed_at: int | None = None) -> None:
        """Runs the worker, which dies at `killed_at` if given: 0 is before the first call."""
        measured = self.meter.measured(lambda: self._work(killed_at))
        self.killed_runs += measured.result
        self.pages += sum(call.operation == "TransactWriteItems" for call in measured.calls)
        self.seconds += measured.seconds
        self.cpu_seconds += measured.cpu_seconds
        self.reads += measured.reads
        self.writes += measured.writes

    def _work(self, killed_at: int | None) -> bool:
        message = MigrationMessage(OWNER.workspace.id, REBUILD_SEARCH, self.run)
        try:
            with dying(killed_at):
                run_once(migrate_workspace, Run(message, 1, lambda: 300_000))
        except Killed:
            return True
        return False


@contextmanager
def dying(at: int | None) -> Iterator[None]:
    """Raises Killed inside the block at a side of a call, counted from 0."""
    client, sides = dynamodb_client(), count()
    plain = client._make_api_call

    def side() -> None:
        if next(sides) == at:
            raise Killed

    def call(operation: str, parameters: Any) -> Any:  # noqa: ANN401 - botocore's
        side()
        answer = plain(operation, parameters)
        side()
        return answer

    with mock.patch.object(client, "_make_api_call", call):
        yield


def stored() -> dict[str, Any]:
    """Returns all stored postings of people, by sort key."""
    pages = (
        dynamodb_client()
        .get_paginator("query")
        .paginate(
            TableName=Item.Meta.table_name,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": postings_partition(OWNER.workspace, KIND)}},
            ConsistentRead=True,
        )
    )
    return {row["sk"]["S"]: row for page in pages for row in page["Items"]}


def exact() -> dict[str, Any]:
    """Returns the expected postings, derived from each row alone."""
    repository, made = PostingRepository(OWNER.workspace, KIND), dict[str, Any]()
    for somebody in People(PEOPLE).final():
        profile = somebody.profile(OWNER).id
        entry = entry_of(find(ProfileItem, profile_key(OWNER.workspace, profile)))
        for posting in repository._postings(entry).values():
            row = repository.row(posting).serialize()
            made[row["sk"]["S"]] = row
    return made


def rebuilds(meter: Meter, api: Api) -> Iterator[list[Cell]]:
    """Measures a rebuild while people change and the worker dies, and one of a right index."""
    rebuilding, changing = Rebuilding(meter, 1), Changing(api)
    for number in count():
        rebuilding.work(number % (2 * CALLS))
        changing.change()
        if rebuilding.is_done:
            break
    changing.end()
    yield _row("killed, while people change", rebuilding, changing.changes)
    alone = Rebuilding(meter, 2)
    alone.work()
    yield _row("alone, with nothing to mend", alone, 0)


def _row(label: str, rebuilding: Rebuilding, changes: int) -> list[Cell]:
    expected, actual = exact(), stored()
    wrong = sum(actual.get(key) != row for key, row in expected.items())
    wrong += len(actual.keys() - expected.keys())
    return [
        label,
        rebuilding.killed_runs,
        changes,
        rebuilding.pages,
        rebuilding.seconds,
        rebuilding.cpu_seconds,
        rebuilding.reads,
        rebuilding.writes,
        rebuilding.writes / len(expected),
        wrong,
    ]


def main() -> None:
    """Writes the data, rebuilds, publishes."""
    people, postings, database = (
        FOLDER / f"rebuild-{name}" for name in ("people.json.gz", "postings.json.gz", "rows.db")
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
            alone.submit(lay_down, people, postings).result()
        import_rows([people, postings], database)
        with tables(database):
            title = f"The search of {PEOPLE:,} people rebuilt"
            table = Table("rebuild", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
            meter = Meter()
            for cells in rebuilds(meter, Api(open_shop(OWNER), meter)):
                table.add(*cells)
    finally:
        for file in FOLDER.glob("rebuild-*"):
            file.unlink()
    table.publish()


if __name__ == "__main__":
    main()

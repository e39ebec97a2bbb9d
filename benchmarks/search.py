"""`make bench-search`: the reads of a search among a million people, and the cost of a posting.

The engine's import writes the postings that the service makes of each person; `ENTRIES=100000`
writes fewer. Rows exist only for the people that a query returns.
"""

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.large_shop import open_shop, shop
from benchmarks.data.loading import FOLDER, import_rows
from benchmarks.data.sales import BEGINNING
from benchmarks.measure.calling import Api
from benchmarks.measure.metering import Measured, Meter
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import tables
from local.aws.dynoxide import VERSION
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.model import Profile
from storepost.people.profiles.rows import profile_row
from storepost.platform.postings.entries import Posting, SearchEntry, SearchKind, postings_of
from storepost.platform.postings.finding import Query, find
from storepost.platform.postings.repository import PostingRepository
from storepost.values.ids import derived_id

ENTRIES = int(os.environ.get("ENTRIES", "1000000"))
LIMIT = 5
COMPARED = 1000
ONE, SEVERAL = 24, 80
"""The limits on a group's read units, for one word and for several."""

OWNER = shop("searched")
KIND = SearchKind.PROFILE
FIRST_NAMES = ("Ada", "Bruno", "Chiara", "Dara", "Émile", "Fatou", "Greta", "Hugo", "Ines", "Jan")
LAST_NAMES = ("Lind", "Keller", "Rossi", "Byrne", "Novák", "Diallo", "Holm", "Marsh", "Öz", "Vos")

QUERIES = (
    ("a letter", "a", ONE),
    ("a first name", "ada", ONE),
    ("the beginning of a last name", "kel", ONE),
    ("a word that everybody has", "com", ONE),
    ("a rare word", "4711", ONE),
    ("an email", "person-4711@example.com", ONE),
    ("an id", str(UUID(int=1)), ONE),
    ("nobody's word", "zzz", ONE),
    ("a whole name", "ada lind keller", SEVERAL),
    ("two words that everybody has", "example com", SEVERAL),
    ("three of them", "person example com", SEVERAL),
    ("a first name and three of them", "chiara example com person", SEVERAL),
    ("a rare word behind frequent ones", "ada example com 4711", SEVERAL),
    ("six words", "a b person example com p", SEVERAL),
    ("nine words", "a b c d e f person example com", SEVERAL),
    ("a first name and nobody's word", "ada zzz", SEVERAL),
)
COLUMNS = (
    Column("what"),
    Column("total"),
    Column("shown"),
    Column("calls"),
    Column("units"),
    Column("may take"),
    Column("share", digits=2, most=1),
    Column("time", "ms"),
    Column("CPU", "ms", 1),
)
NOTES = (
    "Searches: read units of one group, a request to the API's handler without authentication.",
    f"Each shows the first {LIMIT}, which are read anew with strong consistency.",
    "People: write units of what the stream's reader writes of one; it may take one a posting.",
)


@dataclass(frozen=True)
class Person:
    """A person with the fields that the search uses."""

    number: int
    name: str

    @property
    def profile(self) -> Profile:
        """Their profile."""
        first_name, last_name = self.name.split(" ")
        seen = BEGINNING + timedelta(seconds=self.number * 7919 % 100_000_000)
        return Profile(
            id=derived_id(OWNER.workspace.id, "person", str(self.number)),
            workspace=OWNER.workspace,
            first_seen_at=seen,
            last_seen_at=seen,
            first_name=first_name,
            last_name=last_name,
            email=self.email,
        )

    @property
    def email(self) -> str:
        """Their address."""
        return f"person-{self.number}@example.com"

    @property
    def entry(self) -> SearchEntry:
        """Their searched fields."""
        profile = self.profile
        return SearchEntry(KIND, profile.id, self.name, profile.first_seen_at, keys=(self.email,))


def everybody() -> Iterator[Person]:
    """Yields the people, the same each time."""
    random = Random(11)
    for number in range(ENTRIES):
        last_name = f"{random.choice(LAST_NAMES)}-{random.choice(LAST_NAMES)}"
        yield Person(number, f"{random.choice(FIRST_NAMES)} {last_name}")


def lay_down(file: Path) -> int:
    """Writes all postings in DynamoDB's export format; returns their number."""
    postings, written = PostingRepository(OWNER.workspace, KIND), 0
    file.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(file, "wt", compresslevel=1, encoding="utf-8") as lines:
        for person in everybody():
            made = postings_of(person.entry)
            template = postings.row(made[0]).serialize()
            for posting in made:
                row = _like(template, made[0], posting)
                if person.number < COMPARED and row != postings.row(posting).serialize():
                    raise RuntimeError(f"the service writes another row of {posting.word}")
                lines.write(json.dumps({"Item": row}) + "\n")
                written += 1
    return written


def _like(template: dict[str, Any], first: Posting, posting: Posting) -> dict[str, Any]:
    """Returns another posting's row from an entry's first one, as PynamoDB would take minutes."""
    sort_key = posting.word + template["sk"]["S"].removeprefix(first.word)
    row = {**template, "sk": {"S": sort_key}, "e": {"N": "1"}}
    if not posting.is_exact:
        del row["e"]
    return row


def show(hits: Sequence[UUID], by_id: dict[UUID, Person]) -> None:
    """Writes the rows that a query reads."""
    for each in hits:
        profile_row(profile_key(OWNER.workspace, each), by_id[each].profile).save()


def found_ids() -> set[UUID]:
    """Returns the ids of the people that the queries return."""
    postings = PostingRepository(OWNER.workspace, KIND)
    found = (find(postings, Query.of(q)).hits[:LIMIT] for _, q, _ in QUERIES)
    return {hit.id for hits in found for hit in hits}


def searches(api: Api) -> Iterator[list[Cell]]:
    """Measures each query."""
    expected = found_ids()
    people = {each.profile.id: each for each in everybody()} if expected else {}
    show(sorted(expected), people)
    people.clear()
    for label, q, most in QUERIES:
        query = {"q": q, "kinds": KIND.value, "limit": LIMIT}
        answer = api.call("GET", "/search", query=query)
        groups = answer.result["groups"]
        total, listed = (groups[0]["total"], len(groups[0]["items"])) if groups else (0, 0)
        yield _row(f"{label}: {q}", total, listed, answer, answer.reads, most)


def follows(meter: Meter) -> Iterator[list[Cell]]:
    """Measures the stream reader's writes for a person."""
    postings = PostingRepository(OWNER.workspace, KIND)
    before = Person(ENTRIES, "Ada Lind").entry
    named = replace(before, title="Ada Holm")
    for label, old, new in (
        ("somebody new", None, before),
        ("somebody as before", before, before),
        ("another last name", before, named),
        ("nobody any more", named, None),
    ):
        measured = meter.measured(partial(postings.update_index, old, new))
        words = {p.word for each in (old, new) if each for p in postings_of(each)}
        most = 0 if old == new else len(words)
        yield _row(label, len(words), 0, measured, measured.writes, most)


def _row(
    label: str, total: int, listed: int, measured: Measured[Any], units: float, most: int
) -> list[Cell]:
    return [
        label,
        total,
        listed,
        len(measured.work),
        units,
        most,
        units / most if most else None,
        1000 * measured.seconds,
        1000 * measured.cpu_seconds,
    ]


def main() -> None:
    """Writes the data, measures, publishes."""
    rows, database = FOLDER / "search.json.gz", FOLDER / "search.db"
    try:
        title = f"Searching {ENTRIES:,} people, who have {lay_down(rows):,} postings"
        print(title, flush=True)
        table = Table("search", title, COLUMNS, {"dynoxide": VERSION}, NOTES)
        import_rows([rows], database)
        with tables(database):
            meter = Meter()
            api = Api(open_shop(OWNER), meter)
            for cells in (*searches(api), *follows(meter)):
                table.add(*cells)
    finally:
        for file in FOLDER.glob("search.*"):
            file.unlink()
    table.publish()


if __name__ == "__main__":
    main()

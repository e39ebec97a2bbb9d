"""Pages of evidence: each statement is on exactly one, whatever there is, and they cost little."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.evidence import Evidence, EvidenceDetails, Series, SeriesKey
from storepost.people.consent.evidence_items import EvidenceItem, evidence_item, evidence_key
from storepost.people.consent.evidence_rows import EvidenceRepository, write_evidence
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.keys import change_key
from storepost.people.consent.model import Address, ConsentChange, ConsentOrigin, ConsentSource
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.platform.persistence.changes import Changes
from storepost.values.ids import timed_id
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World
from tests.people.consent.imports import ANN, at, profile_of, send
from tests.people.consent.listening_store import Shop
from tests.people.consent.read_units import counted_units
from tests.people.consent.test_evidence import PROVEN, WORDING, ask

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
STATEMENTS = 1000
SIZE = 25
MAX_UNITS = 10


class TestSeries:
    @given(st.integers(0, 40), st.sets(st.integers(1, 40)))
    def test_numbers_skip_removed_evidence(self, last: int, removed: set[int]) -> None:
        series = Series(last).without({number for number in removed if number <= last})
        remaining = [number for number in range(last, 0, -1) if number not in removed]
        assert series.count == len(remaining)
        assert [series.number_at(place) for place in range(series.count)] == remaining


@dataclass(frozen=True)
class Statement:
    """A statement of an example: its person and channel, how it was written, and a clock's error.

    If the container's clock is behind, its moment may be older than that of the statement before.
    """

    person: int
    channel: Channel
    is_change: bool
    is_of_before: bool
    """Whether an older version wrote it, which gave each statement a row."""
    seconds_behind: int


STATEMENTS_IN_ORDER = st.lists(
    st.builds(
        Statement,
        st.integers(0, 3),
        st.sampled_from(Channel),
        st.booleans(),
        st.booleans(),
        st.sampled_from([0, 0, 0, 0, 3, 40]),
    ),
    max_size=70,
)


def written(
    workspace: WorkspaceScope, people: list[UUID], order: list[Statement]
) -> tuple[dict[SeriesKey, Series], list[tuple[SeriesKey, int, UUID | None]]]:
    """Writes these people's evidence in order; the places, and each as place, number and change."""
    series, placed = dict[SeriesKey, Series](), list[tuple[SeriesKey, int, UUID | None]]()
    for number, statement in enumerate(order):
        changes, channel = Changes(), statement.channel
        person = people[statement.person % len(people)]
        moment = NOON + timedelta(seconds=number - statement.seconds_behind)
        change = ConsentChange(
            id=timed_id(moment),
            profile_id=person,
            channel=channel,
            state=ConsentState.SUBSCRIBED,
            origin=ConsentOrigin(ConsentSource.API),
            address=str(number),
            occurred_at=moment,
            recorded_at=moment,
            write_backs=(),
            follows=None,
        )
        if statement.is_change:
            ConsentRepository(workspace).add(changes, change)
        evidence = Evidence(
            address=Address(channel, str(number)),
            channel=channel,
            state=change.state,
            origin=change.origin,
            details=EvidenceDetails(url=f"https://example.com/{number}"),
            occurred_at=moment,
            recorded_at=moment,
            change_id=change.id if statement.is_change else None,
        )
        place = (person, channel)
        if statement.is_of_before:
            series[place] = known = Series(series.get(place, Series()).last + 1)
            changes.create(evidence_item(evidence_key(workspace, place, known.last), evidence, 0))
        else:
            write_evidence(changes, workspace, person, series, [evidence])
        changes.commit()
        placed.append((place, series[place].last, evidence.change_id))
    return series, placed


class TestSeveralPlaces:
    """Evidence of both channels, and of profiles that were merged, is one list."""

    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        order=STATEMENTS_IN_ORDER,
        people=st.integers(1, 3),
        gone=st.sets(st.integers(0, 69), max_size=10),
        size=st.sampled_from([1, 3, 10]),
    )
    def test_pages_match_plain_list(
        self,
        world: World,
        order: list[Statement],
        people: int,
        gone: set[int],
        size: int,
    ) -> None:
        workspace = WorkspaceScope(uuid4())
        series, placed = written(workspace, [uuid4() for _ in range(people)], order)
        removed = Changes()
        for number in gone & set(range(len(order))):
            place, row, change = placed[number]
            series[place] = series[place].without({row})
            removed.delete(EvidenceItem(*evidence_key(workspace, place, row)))
            if change:
                ref = ChangeRef(place[0], change)
                removed.delete(ConsentChangeItem(*change_key(workspace, ref)))
        removed.commit()
        remaining = [number for number in range(len(order) - 1, -1, -1) if number not in gone]
        repository, found = EvidenceRepository(workspace), list[int]()
        for skipped in range(0, len(remaining), size):
            page = repository.page(series, skipped, size)
            assert len(page) == len(remaining[skipped : skipped + size])
            for each in page:
                assert each.address
                assert each.details.url == f"https://example.com/{each.address.value}"
                assert each.change_id == placed[int(each.address.value)][2]
            found += [int(each.address.value) for each in page if each.address]
        is_one_clock = not any(each.seconds_behind for each in order)
        assert (
            found == remaining if is_one_clock or len(series) == 1 else set(found) <= set(remaining)
        )


@pytest.fixture(scope="class")
def rows() -> list[dict[str, object]]:
    """So many statements about one address, in requests of 500 rows."""
    evidence = {"text": WORDING, "url": "https://shop.example.com/newsletter"}
    return [
        {
            "email": ANN,
            "state": "subscribed" if number % 3 else "unsubscribed",
            "occurredAt": at(number),
            "proof": {**PROVEN, "reference": f"form-{number}"},
            "evidence": evidence,
        }
        for number in range(STATEMENTS)
    ]


class TestAThousandStatements:
    """A thousand statements about one address. Writing each takes some time."""

    def test_pages_contain_every_statement_at_ten_read_units(
        self, shop: Shop, rows: list[dict[str, object]]
    ) -> None:
        for some in (rows[:500], rows[500:]):
            assert send(shop, some).json["failed"] == []
        person, found = profile_of(shop, ANN)["id"], list[str]()
        page_units = list[float]()
        authentication = 3  # the session, the person, the membership
        for page in range(1, STATEMENTS // SIZE + 1):
            with counted_units() as units:
                answer = ask(shop, person, page=page, pageSize=SIZE)
            assert answer.json["total"] == STATEMENTS
            page_units.append(sum(units) - authentication)
            found += [each["proof"]["reference"] for each in answer.json["items"]]
        assert found == [f"form-{number}" for number in reversed(range(STATEMENTS))]
        assert sum(page_units) / len(page_units) <= MAX_UNITS
        # A page reads changes twice where transactions of one millisecond were written.
        assert max(page_units) <= 2 * MAX_UNITS

"""Pages of evidence: each statement stands on exactly one, whatever there is, and costs little."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.people.consent.evidence import NO_EVIDENCE, Evidence, Series, SeriesKey
from storepost.people.consent.evidence_rows import (
    EvidenceItem,
    EvidenceRepository,
    evidence_key,
    write_evidence,
)
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource
from storepost.people.consent.states import Channel, ConsentState
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World
from tests.people.consent.imports import ANN, at, profile_of, send
from tests.people.consent.listening_store import Shop
from tests.people.consent.read_units import counted_units
from tests.people.consent.test_evidence import PROVEN, WORDING, ask

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
STATEMENTS = 1000
SIZE = 25
MAX_UNITS = 8


class TestSeries:
    @given(st.integers(0, 40), st.sets(st.integers(1, 40)))
    def test_numbers_skip_what_was_removed(self, last: int, removed: set[int]) -> None:
        series = Series(last).without({number for number in removed if number <= last})
        left = [number for number in range(last, 0, -1) if number not in removed]
        assert series.count == len(left)
        assert [series.number_at(place) for place in range(series.count)] == left


def written(
    workspace: WorkspaceScope, people: list[UUID], order: list[tuple[int, Channel]]
) -> tuple[dict[SeriesKey, Series], list[tuple[SeriesKey, int]]]:
    """Evidence of these people in that order; where it stands, and each by place and number."""
    series, placed = dict[SeriesKey, Series](), list[tuple[SeriesKey, int]]()
    changes = Changes()
    for number, (person, channel) in enumerate(order):
        moment = NOON + timedelta(seconds=number)
        evidence = Evidence(
            address=Address(channel, str(number)),
            channel=channel,
            state=ConsentState.SUBSCRIBED,
            origin=ConsentOrigin(ConsentSource.API),
            details=NO_EVIDENCE,
            occurred_at=moment,
            recorded_at=moment,
            change_id=None,
        )
        whose = people[person % len(people)]
        write_evidence(changes, workspace, whose, series, [evidence])
        place = (whose, channel)
        placed.append((place, series[place].last))
    changes.commit()
    return series, placed


class TestSeveralPlaces:
    """Evidence of both channels, and of profiles that were merged, is one list."""

    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        order=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(Channel)), max_size=70),
        people=st.integers(1, 3),
        gone=st.sets(st.integers(0, 69), max_size=10),
        size=st.sampled_from([1, 3, 10]),
    )
    def test_is_cut_as_a_plain_list_is(
        self,
        world: World,
        order: list[tuple[int, Channel]],
        people: int,
        gone: set[int],
        size: int,
    ) -> None:
        workspace = WorkspaceScope(uuid4())
        series, placed = written(workspace, [uuid4() for _ in range(people)], order)
        removed = Changes()
        for number in gone & set(range(len(order))):
            place, row = placed[number]
            series[place] = series[place].without({row})
            removed.delete(EvidenceItem(*evidence_key(workspace, place, row)))
        removed.commit()
        left = [number for number in range(len(order) - 1, -1, -1) if number not in gone]
        repository = EvidenceRepository(workspace)
        for skipped in range(0, len(left), size):
            page = repository.page(series, skipped, size)
            found = [int(each.address.value) for each in page if each.address]
            assert found == left[skipped : skipped + size]


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
    """About one address. It takes some seconds: each is written."""

    def test_each_is_there_on_pages_of_eight_units(
        self, shop: Shop, rows: list[dict[str, object]]
    ) -> None:
        for some in (rows[:500], rows[500:]):
            assert send(shop, some).json["failed"] == []
        person, found = profile_of(shop, ANN)["id"], list[str]()
        authentication = 3  # the session, the person, the membership
        for page in range(1, STATEMENTS // SIZE + 1):
            with counted_units() as units:
                answer = ask(shop, person, page=page, pageSize=SIZE)
            assert answer.json["total"] == STATEMENTS
            assert sum(units) - authentication <= MAX_UNITS, units
            found += [each["proof"]["reference"] for each in answer.json["items"]]
        assert found == [f"form-{number}" for number in reversed(range(STATEMENTS))]

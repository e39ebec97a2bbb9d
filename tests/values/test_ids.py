"""Identifiers."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from storepost.values.clock import to_milliseconds
from storepost.values.ids import (
    derived_bytes,
    derived_id,
    from_short,
    from_short_moment,
    from_short_number,
    short,
    short_moment,
    short_number,
    timed_id,
)

MOMENTS = st.datetimes(
    datetime(1990, 1, 1),  # noqa: DTZ001 - Hypothesis wants the bounds without a zone
    datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


class TestShort:
    """The 22 characters in keys."""

    @given(st.uuids())
    def test_round_trip(self, identifier: UUID) -> None:
        assert len(short(identifier)) == 22
        assert from_short(short(identifier)) == identifier

    @given(st.uuids(), st.uuids())
    def test_sorts_as_the_ids_do(self, a: UUID, b: UUID) -> None:
        assert (short(a) < short(b)) == (str(a) < str(b))


class TestDerived:
    """Ids that are derived from what they name."""

    @given(st.uuids(), st.text(), st.text())
    def test_derived_bytes_equal_those_of_the_derived_id(
        self, parent: UUID, part: str, last: str
    ) -> None:
        assert derived_bytes(parent, part)(last) == derived_id(parent, part, last).bytes


NUMBERS = st.integers(0, 2**54 - 1)


class TestShortNumber:
    """The 9 characters in keys."""

    @given(NUMBERS)
    def test_round_trip(self, number: int) -> None:
        assert len(short_number(number)) == 9
        assert from_short_number(short_number(number)) == number

    @given(NUMBERS, NUMBERS)
    def test_sorts_numerically(self, a: int, b: int) -> None:
        assert (short_number(a) < short_number(b)) == (a < b)


ANY_MOMENTS = st.datetimes(timezones=st.just(UTC)).map(to_milliseconds)


class TestShortMoment:
    """The 9 characters of a moment, of whatever year."""

    @given(ANY_MOMENTS)
    def test_round_trip(self, moment: datetime) -> None:
        assert len(short_moment(moment)) == 9
        assert from_short_moment(short_moment(moment)) == moment

    @given(ANY_MOMENTS, ANY_MOMENTS)
    def test_sorts_chronologically(self, a: datetime, b: datetime) -> None:
        assert (short_moment(a) < short_moment(b)) == (a < b)


class TestTimedId:
    """UUIDv7."""

    @given(MOMENTS)
    def test_is_a_uuidv7_of_the_time(self, moment: datetime) -> None:
        identifier = timed_id(moment)
        assert (identifier.version, identifier.variant) == (7, "specified in RFC 4122")
        assert identifier.int >> 80 == int(moment.timestamp() * 1000)

    @given(MOMENTS)
    def test_later_id_is_greater(self, moment: datetime) -> None:
        assert timed_id(moment) < timed_id(moment + timedelta(milliseconds=1))

    @given(MOMENTS, st.integers(0, 4094))
    def test_ids_of_one_time_sort_by_number(self, moment: datetime, number: int) -> None:
        first, second = timed_id(moment, number), timed_id(moment, number + 1)
        assert first < second < timed_id(moment + timedelta(milliseconds=1))
        assert {first.version, second.version} == {7}

"""The service's moments as text."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from storepost.values import clock
from storepost.values.wire import Timestamp

MOMENTS = st.datetimes(timezones=st.just(UTC))
read = TypeAdapter(Timestamp).validate_python


class TestText:
    """24 characters."""

    @given(MOMENTS)
    def test_round_trip_to_the_millisecond(self, moment: datetime) -> None:
        text = clock.to_text(moment)
        assert len(text) == 24
        assert moment - clock.from_text(text) < timedelta(milliseconds=1)
        assert clock.to_text(clock.from_text(text)) == text

    @given(MOMENTS, MOMENTS)
    def test_text_sorts_chronologically(self, one: datetime, other: datetime) -> None:
        first, second = sorted((one, other))
        assert clock.to_text(first) <= clock.to_text(second)

    def test_year_1(self) -> None:
        """Some systems write it if they know no date."""
        assert clock.to_text(read("0001-01-01T00:00:00Z")) == "0001-01-01T00:00:00.000Z"


class TestTimestamp:
    """A moment in a request."""

    @pytest.mark.parametrize(
        "text", ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:00-00:01", "2026-01-01T00:00:00"]
    )
    def test_out_of_range_or_without_offset_is_refused(self, text: str) -> None:
        with pytest.raises(ValidationError):
            read(text)

    def test_any_offset_is_accepted(self) -> None:
        there = timezone(timedelta(hours=-5))
        moment = datetime(2026, 3, 1, 12, 0, 0, 123999, there)
        assert read("2026-03-01T12:00:00.123999-05:00") == moment.replace(microsecond=123000)

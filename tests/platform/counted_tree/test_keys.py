"""Keys sort as the values of which they are made."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.platform.persistence.counted_tree import (
    FilterField,
    FilterValue,
    KeyRange,
    TreeEntry,
    id_of,
    moment_key,
    moment_of,
    moments,
    text_key,
)
from storepost.platform.persistence.counted_tree.keys import END, LOWEST, separator
from storepost.values.text import fold

MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
UUIDS = st.uuids()
SHORT_TEXTS = st.text(max_size=60)


def milliseconds(moment: datetime) -> int:
    """The part of a moment that a key has."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


@given(MOMENTS, UUIDS, MOMENTS, UUIDS)
def test_moment_keys_sort_by_moment_then_id(
    one: datetime, first: UUID, other: datetime, second: UUID
) -> None:
    """Ties are broken by id."""
    by_key = moment_key(one, first) < moment_key(other, second)
    assert by_key == ((milliseconds(one), first) < (milliseconds(other), second))


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(2026, 2, 28, 23, 59, 59, 999_000, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC),
    ],
)
def test_moment_can_be_read_from_the_key(moment: datetime) -> None:
    """Any that a timestamp can be, to the millisecond."""
    key = moment_key(moment + timedelta(microseconds=700), UUID(int=7))
    assert len(key) == 31
    assert LOWEST < key < END
    assert (moment_of(key), id_of(key)) == (moment, UUID(int=7))


@given(st.none() | SHORT_TEXTS, UUIDS, st.none() | SHORT_TEXTS, UUIDS)
def test_text_keys_sort_by_folded_text_then_id_with_none_last(
    one: str | None, first: UUID, other: str | None, second: UUID
) -> None:
    """A text sorts before a longer one that begins with it, whatever their ids are."""

    def place(text: str | None, identifier: UUID) -> tuple[bool, str, UUID]:
        return (text is None, fold(text or ""), identifier)

    assert (text_key(one, first) < text_key(other, second)) == (
        place(one, first) < place(other, second)
    )


@given(st.none() | st.text(), UUIDS)
def test_text_keys_stay_within_length_and_range_bounds(text: str | None, identifier: UUID) -> None:
    """DynamoDB accepts sort keys of 1,024 bytes; a node's key has its bound besides."""
    for key in (text_key(text, identifier), text_key((text or "x") * 600, identifier)):
        assert LOWEST < key < END
        assert len(key.encode()) <= 512 + 24
        assert id_of(key) == identifier


@given(MOMENTS, UUIDS, MOMENTS)
def test_range_of_moments_includes_from_and_excludes_to(
    moment: datetime, identifier: UUID, bound: datetime
) -> None:
    """`From` is inclusive, `To` exclusive, whatever the ids."""
    key, later = moment_key(moment, identifier), milliseconds(moment) >= milliseconds(bound)
    assert (key in moments(since=bound)) == later
    assert (key in moments(until=bound)) == (not later)
    assert key in moments()
    assert moments(bound, bound).is_empty


def test_moment_key_is_independent_of_the_utc_offset() -> None:
    """Keys are in UTC."""
    there = datetime(2026, 3, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert moment_key(there, UUID(int=5)) == moment_key(there.astimezone(UTC), UUID(int=5))


@given(st.text(min_size=1), st.text(min_size=1))
def test_separator_is_the_shortest_key_between_two_keys(one: str, other: str) -> None:
    """No shorter prefix of the right one is a separator."""
    if one == other:
        return
    left, right = sorted((one, other))
    between = separator(left, right)
    assert left < between <= right
    assert not left < between[:-1]


def test_range_intersection() -> None:
    """A list that another filter of its sort field narrows is such a range."""
    assert KeyRange("1", "5") & KeyRange("3", "8") == KeyRange("3", "5")
    assert (KeyRange("1", "3") & KeyRange("3", "8")).is_empty


@pytest.mark.parametrize("key", ["", "!", "~", " 1"])
def test_entry_key_out_of_bounds_is_refused(key: str) -> None:
    """A key outside of them would belong to no node."""
    with pytest.raises(ValueError, match="key"):
        TreeEntry(key)


@pytest.mark.parametrize(
    ("letter", "values"),
    [
        ("", {"a": "A"}),
        ("S", {"a": "A"}),
        ("ab", {"a": "A"}),
        ("a", {}),
        ("a", {"x": "A", "y": "A"}),
        ("a", {"x": "a"}),
        ("a", {"x": "AB"}),
    ],
)
def test_filter_field_needs_a_letter_and_distinct_values(
    letter: str, values: dict[FilterValue, str]
) -> None:
    """A counter's name is two letters."""
    with pytest.raises(ValueError, match="field"):
        FilterField("field", letter, values)


def test_unknown_filter_value_is_refused() -> None:
    """Other values are counted nowhere."""
    with pytest.raises(ValueError, match="status"):
        FilterField("status", "s", {"paid": "A"}).among("paid", "lost")

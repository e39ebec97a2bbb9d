"""Stores' lists move a few entries a transaction, however many places merges have left."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from storepost.people.profiles.lists import MAX_INDEX_ENTRIES, drained, is_drained
from storepost.people.profiles.model import IndexEntry, Profile, StoreLink
from storepost.people.profiles.repository import INDEX_ENTRIES_OF_A_MERGE
from storepost.values.scope import WorkspaceScope

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ME = UUID(int=1)
MOMENTS = st.sampled_from([NOW, NOW + timedelta(days=1)])
REMAINING = st.lists(
    st.tuples(MOMENTS, st.integers(2, 99).map(lambda n: UUID(int=n))), max_size=12, unique=True
)
LINKS = st.builds(
    lambda listed_at, remaining: StoreLink(1, 1, listed_at, tuple(remaining)),
    st.none() | MOMENTS,
    REMAINING,
)
PROFILES = st.builds(
    lambda links: Profile(
        ME,
        WorkspaceScope(UUID(int=0)),
        NOW,
        NOW,
        links={UUID(int=1000 + number): link for number, link in enumerate(links)},
    ),
    st.lists(LINKS, max_size=12),
)


def entries(profile: Profile, store_id: UUID) -> set[IndexEntry]:
    """Where a store's list has the person."""
    link = profile.links[store_id]
    own = {(link.listed_at, ME)} if link.listed_at else set()
    return own | set(link.stale_entries)


@given(PROFILES, st.sampled_from([INDEX_ENTRIES_OF_A_MERGE, MAX_INDEX_ENTRIES]))
def test_draining_terminates_in_bounded_steps(profile: Profile, most: int) -> None:
    steps, max_steps = 0, sum(len(link.stale_entries) + 2 for link in profile.links.values())
    while not is_drained(profile):
        after, steps = drained(profile, most), steps + 1
        changed = {each: entries(profile, each) ^ entries(after, each) for each in profile.links}
        assert 0 < sum(map(len, changed.values())) <= most
        for store_id in profile.links:
            assert bool(entries(after, store_id)) >= bool(entries(profile, store_id))
            assert len(entries(after, store_id)) <= max(1, len(entries(profile, store_id)))
        profile = after
    assert steps <= max_steps
    assert all(entries(profile, each) == {(NOW, ME)} for each in profile.links)
    assert drained(profile, most) == profile


@given(PROFILES)
def test_stores_with_duplicate_entries_are_drained_first(profile: Profile) -> None:
    after = drained(profile, INDEX_ENTRIES_OF_A_MERGE)
    waiting = [s for s in profile.links if entries(after, s) == entries(profile, s) != {(NOW, ME)}]
    touched = [s for s in profile.links if entries(after, s) != entries(profile, s)]
    twice = [s for s in waiting if len(entries(profile, s)) > 1]
    if twice:
        assert all(len(entries(profile, s)) > 1 for s in touched)

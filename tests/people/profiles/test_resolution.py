"""The owners of identities, against a model of docs/semantics.md, section 1, word by word."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.people.profiles.merges import survivor_first
from storepost.people.profiles.model import Identity, IdentityType, Profile, Sighting, StoreLink
from storepost.people.profiles.problems import IdentityConflict
from storepost.people.profiles.repository import Claim
from storepost.people.profiles.resolution import (
    MAX_IDENTITIES,
    KnownIdentities,
    identities_of,
    people_of_arrival,
    people_of_request,
    takes_in,
)
from storepost.values.placeholders import names_nobody
from storepost.values.scope import WorkspaceScope
from tests.people.matching.rules import (
    ANONYMOUS,
    CLIENT,
    CUSTOMER,
    EMAIL,
    PHONE,
    is_one,
    owners,
    people_of,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORKSPACE = WorkspaceScope(UUID(int=1))
STORES = (UUID(int=2), UUID(int=3))


def seen_now(*identities: Identity) -> dict[Identity, Sighting]:
    """The identities of a profile, each seen once."""
    return dict.fromkeys(identities, Sighting(NOW, NOW))


@dataclass
class Everybody:
    """The owner of each identity: the model's whole state, and the service's rows as values."""

    people: dict[int, list[Identity]] = field(default_factory=dict)
    deleted: set[Identity] = field(default_factory=set)

    def profile(self, number: int) -> Profile:
        """A person as the service would read them."""
        own = seen_now(*self.people[number])
        former = frozenset(own) & frozenset(self.deleted)
        return Profile(UUID(int=100 + number), WORKSPACE, NOW, NOW, sightings=own, former=former)

    def known(self, arrival: list[Identity]) -> KnownIdentities:
        """The result of looking up the arrival's identities."""
        claims, profiles = {}, {}
        for number, own in self.people.items():
            for each in set(own) & set(arrival):
                person = self.profile(number)
                claims[each] = Claim(UUID(int=9), each, person.id)
                profiles[person.id] = person
        return KnownIdentities(claims, profiles)

    def owner(self, identity: Identity) -> int | None:
        """The person who has it."""
        return next((n for n, own in self.people.items() if identity in own), None)

    def resolve(self, arrival: list[Identity]) -> set[int]:
        """The people whom the arrival merges."""
        return people_of(self.people, self.deleted, arrival)

    def is_one(self, arrival: list[Identity]) -> bool:
        """Whether all of it can be one person's."""
        return is_one(self.people, self.deleted, arrival)

    def arrive(self, arrival: list[Identity]) -> int:
        """Merges the people whom it names and gives that person the arrival's free identities."""
        persons = sorted(self.resolve(arrival)) or [max(self.people, default=0) + 1]
        together = [i for number in persons for i in self.people.pop(number, [])]
        free = [i for i in arrival if i not in together and self.owner(i) is None]
        self.people[persons[0]] = together + free
        return persons[0]


def _one_of(kind: IdentityType, values: str, stores: bool = False) -> st.SearchStrategy[Identity]:
    store = st.sampled_from(STORES) if stores else st.none()
    return st.builds(Identity, st.just(kind), st.sampled_from(values), store)


ARRIVALS = st.tuples(
    st.none() | _one_of(CUSTOMER, "123", stores=True),
    st.none() | _one_of(EMAIL, "abc"),
    st.none() | _one_of(PHONE, "xy"),
    st.none() | _one_of(ANONYMOUS, "mn"),
    st.none() | _one_of(CLIENT, "op", stores=True),
).map(lambda each: [i for i in each if i is not None])

STEPS = st.lists(
    st.tuples(st.permutations(range(5)), ARRIVALS.filter(bool), st.booleans()), max_size=12
)


def shuffled(order: list[int], arrival: list[Identity]) -> list[Identity]:
    """The arrival with its identities in another order."""
    return [arrival[i] for i in order if i < len(arrival)]


@given(STEPS)
def test_arrivals_resolve_to_profiles_of_model(
    steps: list[tuple[list[int], list[Identity], bool]],
) -> None:
    everybody = Everybody()
    for order, arrival, deletes in steps:
        expected, known = everybody.resolve(arrival), everybody.known(arrival)
        found = people_of_arrival(shuffled(order, arrival), known)
        assert sorted(each.id for each in found) == [
            everybody.profile(n).id for n in sorted(expected)
        ]
        one = next(iter(found), None) if len(found) < 2 else None
        outcome = takes_in(one, shuffled(order, arrival), known)
        holder = everybody.arrive(arrival)
        if len(found) < 2:
            assert set(outcome) == {i for i in arrival if everybody.owner(i) == holder}
        if deletes:
            everybody.deleted |= {i for i in arrival if i.type is CUSTOMER}
        owned = [i for own in everybody.people.values() for i in own]
        assert len(owned) == len(set(owned))


@given(STEPS)
def test_repeated_arrival_changes_nothing(
    steps: list[tuple[list[int], list[Identity], bool]],
) -> None:
    everybody = Everybody()
    for _, arrival, _ in steps:
        identified = [i for i in arrival if i.type is CUSTOMER]
        everybody.arrive(arrival)
        if not identified:
            continue  # without a store's own id, nothing says that it is the same order again
        before = {number: list(own) for number, own in everybody.people.items()}
        known = everybody.known(arrival)
        [found] = people_of_arrival(arrival, known)
        assert set(takes_in(found, arrival, known)) <= set(found.identities)
        everybody.arrive(arrival)
        assert everybody.people == before


@given(STEPS)
def test_request_with_conflicting_identities_is_refused(
    steps: list[tuple[list[int], list[Identity], bool]],
) -> None:
    everybody = Everybody()
    for order, arrival, _ in steps:
        known = everybody.known(arrival)
        if everybody.is_one(arrival):
            found = people_of_request(shuffled(order, arrival), known)
            expected = {everybody.profile(n).id for n in owners(everybody.people, arrival)}
            assert {each.id for each in found} == expected
        else:
            with pytest.raises(IdentityConflict):
                people_of_request(shuffled(order, arrival), known)
        everybody.arrive(arrival)


def is_preferred(one: Profile, other: Profile) -> bool:
    """Whether the first survives: a customer, then an email, then seen earlier, then smaller."""
    customers = [any(link.customers for link in each.links.values()) for each in (one, other)]
    if customers[0] != customers[1]:
        return customers[0]
    if (one.email is None) != (other.email is None):
        return one.email is not None
    if one.first_seen_at != other.first_seen_at:
        return one.first_seen_at < other.first_seen_at
    return one.id < other.id


PEOPLE = st.lists(
    st.builds(
        Profile,
        st.integers(1, 9).map(lambda n: UUID(int=n)),
        st.just(WORKSPACE),
        st.sampled_from([NOW, NOW - timedelta(days=1)]),
        st.just(NOW),
        email=st.sampled_from([None, "a@example.com"]),
        links=st.sampled_from(
            [{}, {STORES[0]: StoreLink(orders=1)}, {STORES[0]: StoreLink(customers=1)}]
        ),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda each: each.id,
)


@given(PEOPLE)
def test_merge_survivor_order_matches_model(people: list[Profile]) -> None:
    order = survivor_first(people)
    assert sorted(each.id for each in order) == sorted(each.id for each in people)
    assert all(is_preferred(one, other) for one, other in combinations(order, 2))


def test_profiles_beyond_identity_limit_are_not_merged() -> None:
    """A row stays small: two profiles' identities together have the bound of one profile."""
    email, phone = Identity(EMAIL, "a@example.com"), Identity(PHONE, "+14155550123")
    for count, expected in ((MAX_IDENTITIES - 2, 2), (MAX_IDENTITIES - 1, 1)):
        many = [Identity(ANONYMOUS, f"m{n}") for n in range(count)]
        one = Profile(UUID(int=7), WORKSPACE, NOW, NOW, sightings=seen_now(email, *many))
        other = Profile(UUID(int=8), WORKSPACE, NOW, NOW, sightings=seen_now(phone))
        claims = {i: Claim(UUID(int=9), i, p.id) for i, p in ((email, one), (phone, other))}
        known = KnownIdentities(claims, {each.id: each for each in (one, other)})
        assert len(people_of_arrival([email, phone], known)) == expected


def test_identity_limit_exempts_customer_ids() -> None:
    own = tuple(Identity(ANONYMOUS, f"m{n}") for n in range(MAX_IDENTITIES - 1))
    person = Profile(UUID(int=7), WORKSPACE, NOW, NOW, sightings=seen_now(*own))
    email, phone = Identity(EMAIL, "a@example.com"), Identity(PHONE, "+14155550123")
    customer = Identity(CUSTOMER, "7", STORES[0])
    claims = {own[0]: Claim(UUID(int=9), own[0], person.id)}
    known = KnownIdentities(claims, {person.id: person})
    assert takes_in(person, [phone, email], known) == [email]
    full = replace(person, sightings=seen_now(*own, email))
    assert takes_in(full, [phone, customer, own[0]], KnownIdentities(claims, {full.id: full})) == [
        customer,
        own[0],
    ]


@pytest.mark.parametrize(
    "value",
    ["", "  ", "null", "NULL", "undefined", "Anonymous", "-1", "0", "0000", "-", "---", "—", "0-0"],
)
def test_placeholder_values_are_no_identities(value: str) -> None:
    assert names_nobody(value)
    assert identities_of(store_id=STORES[0], customer_id=value, anonymous_id=value) == ()


@pytest.mark.parametrize("value", ["1", "10", "a", "null1", "-2", "0a", "anonymous2"])
def test_values_similar_to_placeholders_are_identities(value: str) -> None:
    assert identities_of(anonymous_id=value) == (Identity(ANONYMOUS, value),)

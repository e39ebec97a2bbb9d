"""Whose identities are, against a model that does word by word what semantics, section 1 says."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.profiles.model import (
    Identity,
    IdentityType,
    Profile,
    Sighting,
    names_nobody,
)
from storepost.profiles.problems import IdentityConflict
from storepost.profiles.repository import Claim
from storepost.profiles.resolution import (
    MOST_IDENTITIES,
    Known,
    identities_of,
    takes_in,
    whose_arrival,
    whose_by_hand,
)
from storepost.scope import WorkspaceScope

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORKSPACE = WorkspaceScope(UUID(int=1))
STORES = (UUID(int=2), UUID(int=3))
CUSTOMER, EMAIL, PHONE, CLIENT, ANONYMOUS = IdentityType
ORDER = [CUSTOMER, EMAIL, PHONE, CLIENT, ANONYMOUS]


def seen_now(*identities: Identity) -> dict[Identity, Sighting]:
    """The identities of a profile, each seen once."""
    return dict.fromkeys(identities, Sighting(NOW, NOW))


@dataclass
class Everybody:
    """Who has which identity: the model's whole state, and the service's rows as values."""

    people: dict[int, list[Identity]] = field(default_factory=dict)
    deleted: set[Identity] = field(default_factory=set)

    def profile(self, number: int) -> Profile:
        """A person as the service would read them."""
        own = seen_now(*self.people[number])
        former = frozenset(own) & frozenset(self.deleted)
        return Profile(UUID(int=100 + number), WORKSPACE, NOW, NOW, sightings=own, former=former)

    def known(self, arrival: list[Identity]) -> Known:
        """What look-ups of the arrival's identities would find."""
        claims, profiles = {}, {}
        for number, own in self.people.items():
            for each in set(own) & set(arrival):
                person = self.profile(number)
                claims[each] = Claim(UUID(int=9), each, person.id)
                profiles[person.id] = person
        return Known(claims, profiles)

    def owner(self, identity: Identity) -> int | None:
        """Who has it."""
        return next((n for n, own in self.people.items() if identity in own), None)

    def is_contradicted(self, matched: Identity, arrival: list[Identity]) -> bool:
        """Two customer ids of one store, or two emails, never come together by what is weaker."""
        person = self.people[self.owner(matched) or 0]
        if matched.type is CUSTOMER:
            return False
        for each in arrival:
            live = {
                i.value
                for i in person
                if i.type is CUSTOMER and i.store_id == each.store_id and i not in self.deleted
            }
            if each.type is CUSTOMER and live and each.value not in live:
                return True
        emails = {i.value for i in person if i.type is EMAIL}
        given = {i.value for i in arrival if i.type is EMAIL}
        return matched.type is not EMAIL and bool(given and emails) and not given & emails

    def resolve(self, arrival: list[Identity]) -> int | None:
        """Drop the weakest and try again, until nothing contradicts or nothing matches."""
        left = sorted(arrival, key=lambda i: (ORDER.index(i.type), i.value))
        while left:
            matched = next((i for i in left if self.owner(i) is not None), None)
            if matched is None:
                return None
            if not self.is_contradicted(matched, arrival):
                return self.owner(matched)
            left.pop()
        return None

    def arrive(self, arrival: list[Identity]) -> None:
        """Gives the arrival's free identities to whom it belongs."""
        number = self.resolve(arrival)
        if number is None:
            number = len(self.people) + 1
            self.people[number] = []
        self.people[number] += [i for i in arrival if self.owner(i) is None]


def _one_of(kind: IdentityType, values: str, stores: bool = False) -> st.SearchStrategy[Identity]:
    store = st.sampled_from(STORES) if stores else st.none()
    return st.builds(Identity, st.just(kind), st.sampled_from(values), store)


ARRIVALS = st.tuples(
    st.none() | _one_of(CUSTOMER, "123", stores=True),
    st.none() | _one_of(EMAIL, "abc"),
    st.none() | _one_of(PHONE, "xy"),
    st.none() | _one_of(ANONYMOUS, "mn"),
).map(lambda each: [i for i in each if i is not None])

STEPS = st.lists(
    st.tuples(st.permutations(range(4)), ARRIVALS.filter(bool), st.booleans()), max_size=12
)


def shuffled(order: list[int], arrival: list[Identity]) -> list[Identity]:
    """The arrival with its identities in another order."""
    return [arrival[i] for i in order if i < len(arrival)]


@given(STEPS)
def test_arrivals_go_where_the_model_says(
    steps: list[tuple[list[int], list[Identity], bool]],
) -> None:
    everybody = Everybody()
    for order, arrival, deletes in steps:
        number, known = everybody.resolve(arrival), everybody.known(arrival)
        expected = everybody.profile(number).id if number else None
        found = whose_arrival(shuffled(order, arrival), known)
        assert (found.id if found else None) == expected
        taken = takes_in(found, shuffled(order, arrival), known)
        everybody.arrive(arrival)
        holder = number or len(everybody.people)
        assert set(taken) == {i for i in arrival if everybody.owner(i) == holder}
        if deletes:
            everybody.deleted |= {i for i in arrival if i.type is CUSTOMER}
        owned = [i for own in everybody.people.values() for i in own]
        assert len(owned) == len(set(owned))


@given(STEPS)
def test_the_same_arrival_again_changes_nothing(
    steps: list[tuple[list[int], list[Identity], bool]],
) -> None:
    everybody = Everybody()
    for _, arrival, _ in steps:
        identified = [i for i in arrival if i.type is CUSTOMER]
        everybody.arrive(arrival)
        if not identified:
            continue  # without a store's own id, nothing says that it is the same one again
        before = {number: list(own) for number, own in everybody.people.items()}
        known = everybody.known(arrival)
        found = whose_arrival(arrival, known)
        assert found is not None
        assert set(takes_in(found, arrival, known)) <= set(found.identities)
        everybody.arrive(arrival)
        assert everybody.people == before


@given(STEPS)
def test_by_hand_several_people_are_a_conflict(
    steps: list[tuple[list[int], list[Identity], bool]],
) -> None:
    everybody = Everybody()
    for order, arrival, _ in steps:
        known = everybody.known(arrival)
        owners = {everybody.owner(i) for i in arrival} - {None}
        contradicted = bool(owners) and everybody.resolve(arrival) is None
        if len(owners) > 1 or contradicted:
            with pytest.raises(IdentityConflict):
                whose_by_hand(shuffled(order, arrival), known)
        else:
            found = whose_by_hand(shuffled(order, arrival), known)
            assert (
                {found.id} == {everybody.profile(n).id for n in owners if n}
                if found
                else not owners
            )
        everybody.arrive(arrival)


def test_a_profile_has_so_many_identities_and_any_customer_id() -> None:
    own = tuple(Identity(ANONYMOUS, f"m{n}") for n in range(MOST_IDENTITIES - 1))
    person = Profile(UUID(int=7), WORKSPACE, NOW, NOW, sightings=seen_now(*own))
    email, phone = Identity(EMAIL, "a@example.com"), Identity(PHONE, "+14155550123")
    customer = Identity(CUSTOMER, "7", STORES[0])
    claims = {own[0]: Claim(UUID(int=9), own[0], person.id)}
    known = Known(claims, {person.id: person})
    assert takes_in(person, [phone, email], known) == [email]
    full = replace(person, sightings=seen_now(*own, email))
    assert takes_in(full, [phone, customer, own[0]], Known(claims, {full.id: full})) == [
        customer,
        own[0],
    ]


@pytest.mark.parametrize(
    "value",
    ["", "  ", "null", "NULL", "undefined", "Anonymous", "-1", "0", "0000", "-", "---", "—", "0-0"],
)
def test_values_that_name_nobody(value: str) -> None:
    assert names_nobody(value)
    assert identities_of(store_id=STORES[0], customer_id=value, anonymous_id=value) == ()


@pytest.mark.parametrize("value", ["1", "10", "a", "null1", "-2", "0a", "anonymous2"])
def test_values_that_name_somebody(value: str) -> None:
    assert identities_of(anonymous_id=value) == (Identity(ANONYMOUS, value),)

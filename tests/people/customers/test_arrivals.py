"""Customers and upserts with identifiers in any order: what must hold of the rows afterwards."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.repository import SessionItem, as_session, find_person, find_token
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.api.http.callers import person_in_workspace
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.model import IncomingConsent, IncomingCustomer
from storepost.people.customers.repository import CustomerItem
from storepost.people.customers.service import delete_customer, put_customer
from storepost.people.profiles.keys import claim_key
from storepost.people.profiles.listing import ProfileFilter, list_profiles
from storepost.people.profiles.lists import ProfileLists
from storepost.people.profiles.manual import IncomingPerson, upsert_profile
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.problems import IdentityConflict
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import IdentityItem, ProfileItem
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.stores.stores.problems import StaleUpdate
from storepost.values import clock
from storepost.values.pagination import PageRequest
from storepost.values.problems import NotFound
from storepost.values.scope import PersonScope
from tests.harness.world import Someone, World

EMAILS = st.sampled_from([None, "a@example.com", "b@example.com"])
PHONES = st.sampled_from([None, "+14155550101", "+14155550102"])
STATES = st.sampled_from([None, *ConsentState])


@dataclass(frozen=True)
class Put:
    """A customer pushed by one of two stores, updated on a day."""

    store: int
    external_id: str
    day: int
    email: str | None
    phone: str | None
    state: ConsentState | None


@dataclass(frozen=True)
class Delete:
    """A customer deleted by its store."""

    store: int
    external_id: str


@dataclass(frozen=True)
class Upsert:
    """An upsert of a profile."""

    email: str | None
    phone: str | None
    anonymous_id: str | None


STORES, IDS = st.integers(0, 1), st.sampled_from("12")
STEPS = st.lists(
    st.builds(Put, STORES, IDS, st.integers(1, 9), EMAILS, PHONES, STATES)
    | st.builds(Delete, STORES, IDS)
    | st.builds(Upsert, EMAILS, PHONES, st.sampled_from([None, "x", "y"])).filter(
        lambda person: bool(person.email or person.phone or person.anonymous_id)
    ),
    min_size=1,
    max_size=9,
)


class Shops:
    """A workspace with two stores, and its owner."""

    def __init__(self, world: World) -> None:
        owner = world.person()
        self.world, self.workspace = world, world.workspace(owner)
        self.stores = [UUID(world.store(owner)) for _ in range(2)]
        self.caller = caller_of(owner)

    def do(self, step: Put | Delete | Upsert) -> None:
        """Performs one step; a refused step writes nothing."""
        before = self.rows()
        with suppress(StaleUpdate, IdentityConflict, NotFound):
            commit_anew(self._work(step))
            return
        assert self.rows() == before

    def _work(self, step: Put | Delete | Upsert) -> Callable[[Changes], object]:
        if isinstance(step, Upsert):
            person = IncomingPerson(step.email, step.phone, step.anonymous_id)
            cause = MergeCause("manual")
            return lambda changes: upsert_profile(self.workspace, person, cause, changes)
        store, external_id = self.stores[step.store], step.external_id
        if isinstance(step, Delete):
            return lambda changes: delete_customer(self.caller, store, external_id, changes)
        moment = clock.from_text(f"2026-01-0{step.day}T00:00:00.000Z")
        customer = IncomingCustomer(
            moment, moment, step.email, step.phone, email_consent=IncomingConsent(step.state)
        )
        return lambda changes: put_customer(
            self.caller, store, external_id, lambda _store: customer, changes
        )

    def rows(self) -> list[object]:
        """All rows that the steps write, except consent."""
        kinds = ProfileItem | IdentityItem | CustomerItem
        found = [row for row in self.world.rows(self.workspace.key) if isinstance(row, kinds)]
        return [row.serialize() for row in found]

    def people(self) -> list[Profile]:
        """All profiles."""
        rows = [r for r in self.world.rows(self.workspace.key) if isinstance(r, ProfileItem)]
        return ProfileRepository(self.workspace).get_many(row.id for row in rows)

    def groups(self) -> set[frozenset[tuple[str, str, int]]]:
        """The groups of identities, without the ids that differ from run to run."""
        return {
            frozenset(
                (each.type.value, each.value, self.stores.index(each.store_id))
                if each.store_id
                else (each.type.value, each.value, -1)
                for each in person.identities
            )
            for person in self.people()
        }

    def check(self) -> None:
        """What holds once the workers are done."""
        self.world.deliver()
        people, rows = self.people(), self.world.rows(self.workspace.key)
        claims = {row.key: row.profile_id for row in rows if isinstance(row, IdentityItem)}
        assert claims == {
            claim_key(self.workspace, each): person.id
            for person in people
            for each in person.identities
        }
        assert len(claims) == sum(len(person.identities) for person in people)
        customers = [row for row in rows if isinstance(row, CustomerItem)]
        by_id = {person.id: person for person in people}
        for row in customers:
            own = Identity(IdentityType.PLATFORM_CUSTOMER_ID, row.external_id, row.store_id)
            person = by_id[row.profile_id]
            assert own in person.identities
            assert (own in person.former) == (row.deleted_at is not None)
        for person in people:
            self._check_one(person, [row for row in customers if row.profile_id == person.id])
        self._check_lists(people)

    def _check_one(self, person: Profile, customers: list[CustomerItem]) -> None:
        assert {store: link.customers for store, link in person.links.items()} == {
            store: len([row for row in customers if row.store_id == store])
            for store in {row.store_id for row in customers}
        }
        for channel, address, kind, shown in (
            (Channel.EMAIL, person.email, IdentityType.EMAIL, person.email_consent),
            (Channel.SMS, person.phone, IdentityType.PHONE, person.sms_consent),
        ):
            assert (address in person.values_of(kind)) or not person.values_of(kind)
            repository = ConsentRepository(self.workspace)
            state = repository.consent_of(Address(channel, address)).state if address else None
            assert shown == (state or ConsentState.NOT_SUBSCRIBED)

    def _check_lists(self, people: list[Profile]) -> None:
        lists, page = ProfileLists(self.workspace), PageRequest(size=100)
        trees = [lists.by_first_seen, lists.by_name, lists.by_email]
        assert [fault for tree in trees for fault in faults(tree)] == []
        queries = [(ProfileFilter(), people)]
        for store in self.stores:
            assert faults(lists.of_store(store)) == []
            queries.append((ProfileFilter(store_id=store), [p for p in people if store in p.links]))
        for state in ConsentState:
            by_consent = ProfileFilter(email_consents=[state])
            queries.append((by_consent, [p for p in people if p.email_consent is state]))
        for what, expected in queries:
            found = list_profiles(self.workspace, what, "firstSeenAt", page)
            assert found.total == len(expected)
            in_order = sorted(expected, key=lambda p: (p.first_seen_at, p.id))
            assert [p.id for p in found.items] == [p.id for p in in_order]


def caller_of(someone: Someone) -> WorkspaceCaller:
    """The person, as services identify a caller."""
    person, session = find_person(PersonScope(someone.id)), find_token(digest(someone.token))
    assert person is not None
    assert isinstance(session, SessionItem)
    return person_in_workspace(SignedInPerson(person, as_session(session), someone.token))


@settings(max_examples=12, deadline=None)
@given(STEPS)
def test_rows_are_consistent_after_random_arrivals(steps: list[Put | Delete | Upsert]) -> None:
    world = World()
    try:
        shops, twin = Shops(world), Shops(world)
        for step in steps:
            shops.do(step)
            twin.do(step)
        shops.check()
        assert shops.groups() == twin.groups()
    finally:
        world.close()

"""Random histories of consent, suppressions, lifts, merges, erasures and moves of addresses.

After each step a plain model says of every address and profile what may be sent. `marketing` is
never true for a person who opted out, who complained without that being lifted, or who was erased
and hasn't subscribed again.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.repository import as_session, find_person, find_token
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.lifecycle.erasures.service import erase_profile
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource
from storepost.people.consent.statements import ConsentStatement
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes.service import change_email_consent, change_sms_consent
from storepost.people.customers.releasing import release_identity
from storepost.people.deliverability.expiring import expire_due_suppressions
from storepost.people.deliverability.lifting import lift_suppression
from storepost.people.deliverability.reachability import check_reachability, reachability_of
from storepost.people.deliverability.service import suppress
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.listing import ProfileFilter, list_profiles
from storepost.people.profiles.lists import ProfileLists
from storepost.people.profiles.manual import (
    IncomingPerson,
    merge_profiles,
    update_profile,
    upsert_profile,
)
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.problems import IdentityConflict, LastIdentity
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.trees import SuppressionLists
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values import clock
from storepost.values.pagination import PageRequest
from tests.harness.world import CANARY, World
from tests.people.consent.listening_store import Shop, open_shop

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
HISTORIES, STEPS = (2000, 25) if LONG else (5, 18)
EMAILS = [Address(Channel.EMAIL, f"{name}.{CANARY}@example.com") for name in ("ann", "ben", "cat")]
PHONES = [Address(Channel.SMS, f"+4366012345{number}") for number in ("01", "02")]
ADDRESSES = [*EMAILS, *PHONES]
CAUSE = MergeCause("api")
SUBSCRIBED, UNSUBSCRIBED = ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED


@dataclass
class Person:
    """A profile by the rules: its shown addresses, and all its addresses."""

    shown: dict[Channel, Address | None] = field(default_factory=dict)
    addresses: set[Address] = field(default_factory=set)

    def take(self, address: Address) -> None:
        """The address is the person's, and is shown."""
        self.addresses.add(address)
        self.shown[address.channel] = address


@dataclass
class Rules:
    """The rules, plainly: consent and suppressions belong to the address."""

    consent: dict[Address, ConsentState] = field(default_factory=dict)
    suppressions: dict[Address, dict[SuppressionReason, datetime | None]] = field(
        default_factory=dict
    )
    people: dict[UUID, Person] = field(default_factory=dict)
    said_of: dict[Address, UUID] = field(default_factory=dict)
    """In whose history the consent of an address stands."""

    def reasons(self, address: Address) -> set[SuppressionReason]:
        """Why the address is suppressed now."""
        ends = self.suppressions.get(address, {})
        return {reason for reason, end in ends.items() if end is None or end > clock.now()}

    def marketing(self, address: Address | None) -> bool:
        """Whether marketing may be sent."""
        return (
            self.consent.get(address) is SUBSCRIBED and not self.reasons(address)
            if address
            else False
        )

    def transactional(self, address: Address | None) -> bool:
        """Whether transactional email may be sent."""
        return address is not None and self.reasons(address) <= {SuppressionReason.MANUAL}

    def holder(self, address: Address) -> UUID | None:
        """The profile that has the address."""
        return next((i for i, each in self.people.items() if address in each.addresses), None)


class History:
    """A workspace, and the steps."""

    def __init__(self, shop: Shop, seed: int) -> None:
        self.shop, self.random, self.rules = shop, random.Random(seed), Rules()
        self.scope = shop.workspace
        session = find_token(digest(shop.owner.token))
        person = find_person(shop.world.membership(shop.owner, self.scope).person)  # type: ignore[union-attr]
        assert person is not None
        by = SignedInPerson(person, as_session(session), shop.owner.token)  # type: ignore[arg-type]
        self.caller = WorkspaceCaller(by, self.scope, shop.world.membership(shop.owner, self.scope))

    def step(self) -> None:
        """A random step, a minute after the one before."""
        self.shop.world.advance(minutes=1)
        kinds: list[Callable[[], None]] = [
            *[self.upsert] * 3,
            *[self.ask] * 5,
            *[self.suppress] * 4,
            *[self.lift] * 3,
            *[self.show] * 2,
            self.merge,
            self.release,
            self.erase,
            self.wait,
            self.work,
        ]
        self.random.choice(kinds)()

    def somebody(self) -> UUID | None:
        """One of the profiles."""
        return self.random.choice(sorted(self.rules.people)) if self.rules.people else None

    def upsert(self) -> None:
        address = self.random.choice(ADDRESSES)
        fields = {"email" if address.channel is Channel.EMAIL else "phone": address.value}
        profile, is_new = commit_anew(
            lambda changes: upsert_profile(self.scope, IncomingPerson(**fields), CAUSE, changes)
        )
        assert is_new is (self.rules.holder(address) is None)
        self.rules.people.setdefault(profile.id, Person()).take(address)

    def ask(self) -> None:
        person_id, channel = self.somebody(), self.random.choice(list(Channel))
        address = self.rules.people[person_id].shown.get(channel) if person_id else None
        if person_id is None or address is None:
            return
        state = self.random.choice([SUBSCRIBED, SUBSCRIBED, UNSUBSCRIBED])
        change = change_email_consent if channel is Channel.EMAIL else change_sms_consent
        statement = ConsentStatement(state, ConsentOrigin(ConsentSource.API))
        commit_anew(lambda changes: change(self.caller, person_id, statement, changes))
        self.rules.consent[address], self.rules.said_of[address] = state, person_id

    def suppress(self) -> None:
        address, reason = self.random.choice(ADDRESSES), self.random.choice(list(SuppressionReason))
        ends = None
        if reason is SuppressionReason.HARD_BOUNCE and self.random.random() < 0.5:
            ends = clock.now() + timedelta(days=180)
        source = self.random.choice([SuppressionSource.SES, SuppressionSource.API])
        was_there = reason in self.rules.reasons(address)
        _, is_new = suppress(
            self.scope,
            address.channel,
            address.value,
            reason,
            source,
            at=clock.now(),
            ends_at=ends,
        )
        assert is_new is not was_there
        known = self.rules.suppressions.setdefault(address, {})
        before = known.get(reason) if was_there else ends
        known[reason] = max(before, ends) if before and ends else None
        holder = self.rules.holder(address)
        if reason is SuppressionReason.COMPLAINT and (holder or address in self.rules.consent):
            if holder and self.rules.consent.get(address) is not UNSUBSCRIBED:
                self.rules.said_of[address] = holder
            self.rules.consent[address] = UNSUBSCRIBED

    def lift(self) -> None:
        stored = SuppressionRepository(self.scope).states_of(ADDRESSES)
        found = [(address, one) for address, state in stored.items() for one in state.stored]
        if not found:
            return
        address, one = self.random.choice(found)
        commit_anew(lambda changes: lift_suppression(self.caller, one.id, "why", changes))
        del self.rules.suppressions[address][one.reason]

    def show(self) -> None:
        person_id, address = self.somebody(), self.random.choice(ADDRESSES)
        if person_id is None:
            return
        name = "email" if address.channel is Channel.EMAIL else "phone"
        holder = self.rules.holder(address)
        try:
            commit_anew(lambda c: update_profile(self.scope, person_id, {name: address.value}, c))
        except IdentityConflict:
            assert holder not in {None, person_id}
        else:
            self.rules.people[person_id].take(address)

    def merge(self) -> None:
        into, other = self.somebody(), self.somebody()
        if into is None or other is None or into == other:
            return
        commit_anew(lambda changes: merge_profiles(self.scope, into, other, CAUSE, changes))
        merged, survivor = self.rules.people.pop(other), self.rules.people[into]
        survivor.addresses |= merged.addresses
        for address, person_id in list(self.rules.said_of.items()):
            self.rules.said_of[address] = into if person_id == other else person_id
        for channel in Channel:
            survivor.shown[channel] = survivor.shown.get(channel) or merged.shown.get(channel)

    def release(self) -> None:
        """An address is removed from a person, and may be another's later."""
        person_id = self.somebody()
        if person_id is None:
            return
        person = self.rules.people[person_id]
        address = self.random.choice(sorted(person.addresses, key=lambda each: each.value))
        claims = ProfileRepository(self.scope).claims_of([identity_of(address)])
        claim = next(iter(claims.values()))
        try:
            commit_anew(lambda changes: release_identity(self.scope, person_id, claim.id, changes))
        except LastIdentity:
            assert person.addresses == {address}
            return
        person.addresses.discard(address)
        if person.shown.get(address.channel) == address:
            after = ProfileRepository(self.scope).get(person_id)
            assert after is not None
            value = after.email if address.channel is Channel.EMAIL else after.phone
            person.shown[address.channel] = Address(address.channel, value) if value else None

    def erase(self) -> None:
        person_id = self.somebody()
        if person_id is None:
            return
        self.work()  # a profile whose rows are still being moved is another test's
        commit_anew(lambda changes: erase_profile(self.scope, person_id, changes))
        for address in self.rules.people.pop(person_id).addresses:
            self.rules.consent.pop(address, None)
        addresses = {address for address, by in self.rules.said_of.items() if by == person_id}
        if addresses & self.rules.consent.keys() or self.random.random() < 0.5:
            self.work()  # and their history's statements about addresses that they once had
            for address in addresses:
                self.rules.consent.pop(address, None)

    def wait(self) -> None:
        self.shop.world.advance(days=200)
        expire_due_suppressions()

    def work(self) -> None:
        self.shop.world.deliver()

    def check(self) -> None:
        """Every operation says what the rules say may be sent."""
        found = check_reachability(self.scope, ADDRESSES)
        for each in found:
            assert each.address is not None
            marketing = self.rules.marketing(each.address)
            assert each.marketing is marketing, each
            assert each.transactional is self.rules.transactional(each.address), each
            if marketing:
                assert each.consent is SUBSCRIBED
        for person_id, person in self.rules.people.items():
            shown = {each.channel: each for each in reachability_of(self.scope, person_id)}
            for channel in Channel:
                address = person.shown.get(channel)
                assert shown[channel].address == address
                assert shown[channel].marketing is self.rules.marketing(address)
        for channels in ([Channel.EMAIL], [Channel.SMS], list(Channel)):
            self.check_list(channels)

    def check_list(self, channels: list[Channel]) -> None:
        """The list has exactly the profiles that may get marketing, and counts them."""
        page = PageRequest(size=100)
        listing = list_profiles(self.scope, ProfileFilter(reachable=channels), "-firstSeenAt", page)
        expected = {
            person_id
            for person_id, person in self.rules.people.items()
            if any(self.rules.marketing(person.shown.get(channel)) for channel in channels)
        }
        assert {each.id for each in listing.items} == expected
        assert listing.total == len(expected)


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_random_histories_match_model(world: World, seed: int) -> None:
    history = History(open_shop(world), seed)
    for _ in range(STEPS):
        history.step()
        history.check()
    history.work()
    history.check()
    lists = SuppressionLists(history.scope)
    stored = SuppressionRepository(history.scope).states_of(ADDRESSES).values()
    assert lists.in_force.counts()["n"] == sum(len(state.stored) for state in stored)
    assert faults(lists.in_force) == faults(lists.lifted) == []
    assert faults(ProfileLists(history.scope).by_first_seen) == []
    assert Changes().is_empty

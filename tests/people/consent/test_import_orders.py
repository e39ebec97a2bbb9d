"""Imports of random changes, in any order and split, against one decision after another."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from unittest import mock
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.people.consent.decision import AddressConsent, Assertion, ChangeRef, decide
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes import importing
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.persistence.counted_tree.checking import faults
from tests.harness.world import World
from tests.people.consent.imports import (
    ANN,
    BEGIN,
    BEN,
    PROOF,
    Row,
    at,
    counts,
    history_of,
    profile_of,
    put_customer,
    row,
    total,
    upserted,
)
from tests.people.consent.listening_store import PHONE, Shop, open_shop

OTHER = "+436607654321"
ADDRESSES = (ANN, PHONE, BEN, OTHER)
"""Ann has the first phone too, and a store knows her; nobody has the last two."""

type Model = dict[str, AddressConsent]


@dataclass(frozen=True)
class Change:
    """A row of an import."""

    address: str
    state: str
    minutes: int
    proven: bool = True

    @property
    def sent(self) -> Row:
        """The row as it is sent."""
        proof = {"proof": PROOF} if self.proven else {}
        return row(self.address, self.state, self.minutes, **proof)


changes = st.lists(
    st.builds(
        Change,
        st.sampled_from(ADDRESSES),
        st.sampled_from(["subscribed", "unsubscribed"]),
        st.integers(0, 3),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


def outcome(model: Model, change: Change) -> str:
    """The change's effect on the model: recorded, unchanged or older."""
    moment = BEGIN + timedelta(minutes=change.minutes)
    assertion = Assertion(ConsentState(change.state), moment, dated=change.proven)
    decision = decide(model[change.address], assertion, ChangeRef(uuid4(), uuid4()))
    model[change.address] = decision.after
    if not decision.recorded:
        return "unchanged"
    return "older" if decision.superseded else "recorded"


def parts(rows: list[Change], cuts: Iterable[int]) -> Iterator[list[Change]]:
    """The rows split before these positions; an import has at least one."""
    bounds = sorted({0, *(cut % (len(rows) + 1) for cut in cuts), len(rows)})
    return (rows[begin:end] for begin, end in pairwise(bounds))


def opened(world: World) -> Shop:
    """A workspace with Ann."""
    shop = open_shop(world)
    upserted(shop, email=ANN, phone=PHONE)
    put_customer(shop, shop.store(listens=False), email=ANN, phone=PHONE)
    return shop


def stored(shop: Shop, address: str) -> tuple[str, object]:
    """The state of an address and since when it is asserted."""
    channel = Channel.SMS if address.startswith("+") else Channel.EMAIL
    effective = ConsentRepository(shop.workspace).consent_of(Address(channel, address))
    return effective.state.value, effective.as_of


def check(shop: Shop, model: Model, outcomes: Counter[str], imported: set[str]) -> None:
    """The stored and listed state equals the model's."""
    for address in ADDRESSES:
        state, as_of = stored(shop, address)
        assert (state, as_of) == (model[address].state, model[address].as_of)
        if address in imported or address in {ANN, PHONE}:
            channel = "sms" if address.startswith("+") else "email"
            assert profile_of(shop, address)[f"{channel}MarketingConsent"] == state
    known = [ANN, *sorted(imported - {ANN, PHONE})]
    assert total(shop) == len(known)
    histories = [history_of(shop, profile_of(shop, address)) for address in known]
    assert sum(map(len, histories)) == outcomes["recorded"] + outcomes["older"]
    lists = ProfileLists(shop.workspace)
    for tree in (lists.by_first_seen, lists.by_name, lists.by_email):
        assert faults(tree) == []


@settings(max_examples=15, deadline=None)
@given(changes, st.lists(st.integers(0, 12), max_size=2), st.sampled_from([1, 9, 16, 76]))
def test_import_equals_its_changes_one_by_one(
    rows: list[Change], cuts: list[int], room: int
) -> None:
    world = World()
    try:
        shop, model = opened(world), dict.fromkeys(ADDRESSES, AddressConsent())
        in_all = Counter[str]()
        with mock.patch.object(importing, "ROOM", room):
            for part in parts(rows, cuts):
                outcomes = Counter(outcome(model, change) for change in part)
                sent = [change.sent for change in part]
                names = ("recorded", "unchanged", "older")
                assert counts(shop, *sent) == tuple(outcomes[name] for name in names)
                in_all += outcomes
        check(shop, model, in_all, {change.address for change in rows})
    finally:
        world.close()


@settings(max_examples=8, deadline=None)
@given(changes, st.data())
def test_import_in_any_order_equals_single_requests(
    rows: list[Change], data: st.DataObject
) -> None:
    rows = [replace(change, proven=True) for change in rows]
    world = World()
    try:
        shop, twin = opened(world), opened(world)
        turned = data.draw(st.permutations([*rows, *rows[:2]]))
        cuts = data.draw(st.lists(st.integers(0, 14), max_size=3))
        for part in parts(list(turned), cuts):
            counts(shop, *(change.sent for change in part))
        for change in rows:
            channel = "sms" if change.address.startswith("+") else "email"
            name = "phone" if channel == "sms" else "email"
            profile = upserted(twin, **{name: change.address})
            answer = twin.owner.call(
                "PUT",
                f"/profiles/{profile['id']}/consent/{channel}",
                {"state": change.state, "occurredAt": at(change.minutes)},
            )
            assert answer.status == 200
        for address in ADDRESSES:
            assert stored(shop, address) == stored(twin, address)
        assert total(shop) == total(twin)
    finally:
        world.close()

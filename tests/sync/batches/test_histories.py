"""Histories of loads among all other operations on the same people, against the model.

Batches of customers and orders and imports of consent are written while single records are put and
deleted, people are merged and erased, and say yes and no: between loads, and before any call of
theirs. Their workers die before and after any call, and their messages come late, and twice. After
each transaction of a load the model does what the load's row says is done. So the comparison is
exact at each moment, also when half of a load is written.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from storepost.people.consent_changes import importing
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.ledger import Ledger
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.stores.imports.listing import get_import
from storepost.stores.imports.model import ImportFailure
from storepost.sync.batches import chunks
from tests.harness.call_interruption import Killed, Side, Step, another_container, around_calls
from tests.harness.crash_points import LEASE_SECONDS
from tests.harness.histories import SHARDS, run_histories
from tests.harness.world import Answer
from tests.people.matching import test_histories as matching
from tests.people.matching.model import Model
from tests.people.matching.model_records import CHANNELS, Channel
from tests.people.matching.scenario import NEW_YEAR, day, order_body
from tests.people.matching.test_histories import (
    CUSTOMERS,
    DAYS,
    EMAILS,
    MEANWHILE,
    ORDERS,
    PEOPLE,
    PHONES,
    STORES,
    WHO,
    Histories,
    _checkpoints,
    dated,
    somebody,
)
from tests.sync.batches import load_model
from tests.sync.batches.batch_store import Shop
from tests.sync.batches.load_model import Batch, Record, Statement
from tests.sync.batches.test_loads import small_loads
from tests.sync.batches.timeline import Happen, ReplayedModel, Timeline

NUMBERS = st.sampled_from("123456789ABCDEF")
NEW_CUSTOMERS = st.lists(st.tuples(st.sampled_from("123"), CUSTOMERS), max_size=3)
NEW_ORDERS = st.lists(
    st.tuples(NUMBERS, ORDERS), min_size=2, max_size=8, unique_by=lambda order: order[0]
)
ADDRESSES = st.one_of(
    st.tuples(st.just("email"), EMAILS.filter(bool)), st.tuples(st.just("sms"), PHONES.filter(bool))
)
STATEMENTS = st.lists(
    st.tuples(
        ADDRESSES,
        st.sampled_from(["subscribed", "subscribed", "unsubscribed"]),
        DAYS,
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)
INTERRUPTIONS = st.lists(
    st.tuples(
        st.integers(3, 18),
        st.one_of(
            st.sampled_from(["killed before", "killed after", "killed after"]),
            st.sampled_from(["erased", "merged", "look"]),
            st.tuples(st.just("customer"), STORES, st.sampled_from("123"), CUSTOMERS),
            st.tuples(st.just("order"), STORES, NUMBERS, ORDERS),
            st.tuples(
                st.just("deleted"), STORES, NUMBERS, st.sampled_from(["customers", "orders"])
            ),
            st.tuples(st.just("said"), st.sampled_from(["subscribed", "unsubscribed"]), DAYS),
        ),
        WHO,
    ),
    min_size=1,
    max_size=3,
)

A_STEP = timedelta(seconds=1)
"""What the time moves by with each request."""

type Interruptions = list[tuple[int, Any, int]]


class LoadHistories(Histories):
    """The same workspace, with many concurrent operations."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[Batch] = []
        self.stands_still = False
        self.part: dict[int, str] | None = None
        self.statements: list[Statement] = []
        self.inside = False
        self.keys = 0
        patch = pytest.MonkeyPatch()
        self.patch = patch
        self.small = small_loads(ends=1)
        self.small.__enter__()
        patch.setattr(chunks, "READ_AHEAD", 4)
        patch.setattr(importing, "ROOM", 12)

    @initialize(people=st.lists(PEOPLE, max_size=3))
    def begin(self, people: list[dict[str, Any]]) -> None:
        """Restores the same workspace each time; its model can replay events."""
        with mock.patch.object(matching, "Model", ReplayedModel):
            super().begin(people)

    # What comes at once

    @rule(
        store=STORES,
        customers=NEW_CUSTOMERS,
        orders=NEW_ORDERS,
        interruptions=INTERRUPTIONS,
        is_run=st.booleans(),
    )
    def batch(
        self,
        store: int,
        customers: list[tuple[str, Any]],
        orders: list[tuple[str, Any]],
        interruptions: Interruptions,
        is_run: bool,
    ) -> None:
        """POST /stores/{id}/batches, and a run of its worker, or none yet."""
        shop = self.shop(store)
        answer = shop.send(
            token=self.scenario.token,
            customers=[_customer(name, body) for name, body in customers],
            orders=[_order(name, body) for name, body in orders],
        )
        if shop.store in self.model.inactive:
            assert answer.problem() == (409, "store_disconnected")
            return
        assert answer.status == 202, answer.body
        records = [Record("customers", name, dated(body)) for name, body in customers]
        records += [Record("orders", name, dated(body)) for name, body in orders]
        self.open.append(Batch(str(answer.json["id"]), shop.store, records))
        if is_run:
            self.run(store, interruptions)

    @rule(
        store=STORES,
        orders=NEW_ORDERS,
        more=NEW_ORDERS,
        interruptions=INTERRUPTIONS,
        again=INTERRUPTIONS,
    )
    def batches(
        self,
        store: int,
        orders: list[tuple[str, Any]],
        more: list[tuple[str, Any]],
        interruptions: Interruptions,
        again: Interruptions,
    ) -> None:
        """Two batches of orders, whose worker dies or meets other writers, twice."""
        self.batch(store, [], orders, [], is_run=False)
        self.batch(store, [], more, interruptions, is_run=True)
        self.run(store, again)

    @precondition(lambda self: bool(self.open))
    @rule(store=STORES, interruptions=INTERRUPTIONS)
    def run(self, store: int, interruptions: Interruptions) -> None:
        """Delivers the message: for the first time, or again after a run that died, or late."""
        shop = self.shop(store)
        with self.following(interruptions):
            assert shop.run_worker() == []

    @rule(rows=STATEMENTS, interruptions=INTERRUPTIONS)
    def import_consent(self, rows: list[Any], interruptions: Interruptions) -> None:
        """POST /consent/import; if it dies, the same request is sent again, as often."""
        self.keys += 1
        self.statements = [
            Statement(channel, address, state, NEW_YEAR + timedelta(days=on), is_proven)
            for (channel, address), state, on, is_proven in rows
        ]
        body = {"changes": [_row(*row) for row in rows]}
        for tries in range(3):
            with self.following(interruptions if not tries else []) as died:
                answer = self.scenario.call("POST", "/consent/import", body, key=f"k{self.keys}")
            if not died:
                break
            self.world.advance(seconds=LEASE_SECONDS)
        assert answer.status == 200, answer.body
        assert answer.json["failed"] == []

    # How it comes

    @contextmanager
    def following(self, interruptions: Interruptions) -> Iterator[list[bool]]:
        """Lets the model follow the block's committed transactions; a run may be killed in it.

        Yields whether it was.
        """
        died, wrong = list[bool](), list[Exception]()
        self.timeline = Timeline(self.world, self.scenario.workspace)
        clear_key_cache()
        try:
            with (
                around_calls(self.stepping(interruptions, wrong)),
                mock.patch.object(Ledger, "commit", self.noting(Ledger.commit)),
            ):
                yield died
        except Killed:
            died.append(True)
        finally:
            # What a worker or an operation takes for an error of its own is the test's.
            if wrong:
                raise wrong[0]
        self.sync()

    def stepping(self, interruptions: Interruptions, wrong: list[Exception]) -> Step:
        """Interrupts calls of the block, except those of the interruption itself."""
        waiting = {number: (what, who) for number, what, who in interruptions}
        calls = 0

        def step(_number: int, operation: str, side: Side) -> None:
            nonlocal calls
            if self.inside:
                return
            calls += side is Side.BEFORE
            with self.looking():
                try:
                    if (operation, side) == ("TransactWriteItems", Side.AFTER):
                        self.sync()
                    self.interrupt(side, *waiting.get(calls, (None, 0)))
                except Exception as error:
                    wrong.append(error)
                    raise

        return step

    @contextmanager
    def looking(self) -> Iterator[None]:
        """The block's calls are the test's own: no writer comes between, no process dies."""
        was_inside, self.inside = self.inside, True
        try:
            yield
        finally:
            self.inside = was_inside

    def interrupt(self, side: Side, what: Any, who: int) -> None:
        """Kills the run there, or lets another writer act."""
        if what == f"killed {side}":
            raise Killed
        if what and side is Side.BEFORE and not str(what).startswith("killed"):
            self.come_between(what, who)

    def noting(self, plain: Any) -> Any:
        """The ledger's commit, which records its rows."""

        def commit(ledger: Ledger, changes: Changes, outcomes: dict[int, str]) -> None:
            self.part = outcomes
            try:
                plain(ledger, changes, outcomes)
                with self.looking():
                    self.sync()
            finally:
                self.part = None

        return commit

    def come_between(self, what: Any, who: int) -> None:
        """Another writer acts, in another container."""
        self.stands_still = True
        try:
            with another_container():
                self.act(what, who)
        finally:
            self.stands_still = False

    def act(self, what: Any, who: int) -> None:
        """Performs the operation."""
        if what == "look":
            self.compare()
        elif isinstance(what, tuple) and what[0] != "said":
            name, *rest = what
            acts = {"customer": self.put_customer, "order": self.put_order, "deleted": self.delete}
            acts[name](*rest)
        elif not somebody(self):
            return
        elif isinstance(what, tuple):
            _, state, on = what
            self.change_consent(who, "email", state, on)
        elif what == "erased":
            self.erase(who)
        else:
            self.merge(who, who + 1)

    def do(self, send: Callable[[], Answer], happen: Callable[[], None]) -> Answer:
        """Sends a request; if a load is paused for it, so is the clock."""
        if not self.stands_still:
            return super().do(send, happen)
        self.now -= A_STEP
        return super().do(send, lambda: self.timeline.add(self.model, self.on_model(happen)))

    def on_model(self, happen: Callable[[], None]) -> Happen:
        """The same operation, applied to any model."""

        def happen_there(model: Model) -> None:
            own, self.model = self.model, model
            try:
                happen()
            finally:
                self.model = own

        return happen_there

    def sync(self) -> None:
        """The model follows what the rows of batches and imports record as done."""
        if self.part is not None:
            part, self.part = self.part, None
            rows, now = [self.statements[row] for row in sorted(part)], self.now

            def stated(model: Model) -> None:
                for row in rows:
                    load_model.state(model, self.scenario.workspace, row, now)

            self.model = self.timeline.insert(self.model, stated)
        for batch in list(self.open):
            self.sync_batch(batch)

    def sync_batch(self, batch: Batch) -> None:
        """Applies a batch's newly imported records to the model."""
        workspace, now = self.scenario.workspace, self.now
        shop = self.shop(self.stores.index(batch.store))
        found = get_import(workspace, shop.store_id, UUID(batch.import_id))
        records, upcoming = batch.records[batch.done : found.progress.done], list(self.upcoming())
        batch.done = found.progress.done

        def written(model: Model) -> None:
            for record in records:
                load_model.write(model, workspace, batch.store, record, now)

        if records:
            self.model = self.timeline.insert(self.model, written, upcoming)
        if found.completed_at is not None:
            is_cut_short = found.failure is ImportFailure.STORE_DISCONNECTED
            assert is_cut_short or (found.failure, batch.done) == (None, len(batch.records))
            self.open.remove(batch)

    def upcoming(self) -> Iterator[Happen]:
        """What a load may have done before the transaction of a record that the model lacks."""
        for batch in self.open:
            for record in batch.records[batch.done :]:
                for most in (1, 2):
                    yield partial(
                        load_model.merge_named, store=batch.store, record=record, most=most
                    )

    def shop(self, store: int) -> Shop:
        """A store as it sends batches."""
        scenario = self.scenario
        return Shop(self.world, scenario.owner, scenario.workspace, self.stores[store])

    # What holds

    def go_or_come_back(self, store: int) -> None:
        """A store is disconnected, which ends its batches, or connected again."""
        super().go_or_come_back(store)
        self.sync()

    @precondition(somebody)
    @rule(what=MEANWHILE, who=WHO)
    def meanwhile(self, what: str, who: int) -> None:
        """Workers run, among them those of batches."""
        with self.following([]):
            super().meanwhile(what, who)

    def compare(self) -> None:
        """Compares all answers, and checks the lists."""
        super().compare()
        for store in range(2):
            self.shop(store).check_lists()

    def teardown(self) -> None:
        """Lets all open work reach its end."""
        try:
            if not hasattr(self, "clock"):
                return
            with self.following([]):
                self.world.deliver()
            for store in range(2):
                with self.following([]):
                    for _ in range(2):
                        assert self.shop(store).run_worker() == []
            assert self.open == []
            super().teardown()
        finally:
            self.patch.undo()
            self.small.__exit__(None, None, None)


def _customer(external_id: str, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "externalId": external_id,
        "externalCreatedAt": day(body["created"]),
        "externalUpdatedAt": day(body["updated"]),
        "emailMarketingConsent": body["emailState"],
        "smsMarketingConsent": body["smsState"],
        "emailMarketingConsentUpdatedAt": body["emailAt"] and day(body["emailAt"]),
        **{name: body[name] for name in ("email", "phone", "firstName", "locale")},
    }


def _order(external_id: str, body: dict[str, Any]) -> dict[str, Any]:
    return {
        **order_body(body["placed"]),
        "externalId": external_id,
        "total": {"amount": body["spent"], "currency": "EUR"},
        "updatedAt": day(body["updated"]),
        "locale": body["locale"],
        "customer": body["buyer"] if any(body["buyer"].values()) else None,
    }


def _row(address: tuple[Channel, str], state: str, on: int, is_proven: bool) -> dict[str, Any]:
    channel, value = address
    proof = {"proof": {"reference": "form-1"}} if is_proven else {}
    return {CHANNELS[channel]: value, "state": state, "occurredAt": day(on), **proof}


@pytest.mark.parametrize("shard", SHARDS)
def test_random_history_matches_model(shard: int) -> None:
    """In every order of events the service agrees with the model."""
    run_histories(LoadHistories, shard, few=1, steps=12, long_steps=10, checkpoints=_checkpoints)

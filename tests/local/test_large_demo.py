"""`DEMO=large`: a shop's history, imported by its own batches while the run serves requests."""

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from local import demo, functions
from local.demo import Api, Demo, shop
from local.demo.large import Loaded, Loading, begin
from local.demo.large_shop import YEARS, History
from local.running import LocalRun
from tests.harness.world import World

END = datetime(2026, 1, 1, tzinfo=UTC)
ORDERS, PEOPLE, PRODUCTS, BATCH = 40, 12, 40, 20
BATCHES = 2 + 1 + 2
"""Of products, of customers, of orders."""


@dataclass
class Served:
    """A run with the small demo, whose pumps run."""

    run: LocalRun
    demo: Demo
    noted: list[Loaded] = field(default_factory=list)

    def load(self, loaded: Loaded, *, stop_after: int = BATCHES) -> None:
        """Sends the remaining batches, until so many are completed in all."""
        stopped = threading.Event()

        def keep(loaded: Loaded) -> None:
            self.noted.append(loaded)
            if loaded.batches >= stop_after:
                stopped.set()

        Loading(Api(self.run.base_url), self.demo.credentials, loaded, keep).run(stopped)

    def total(self, path: str) -> int:
        """The total of a list."""
        key = self.demo.credentials.api_keys["read"]
        return int(Api(self.run.base_url).call("GET", path, key)["total"])


@pytest.fixture
def served(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """The small demo, served."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", "")
    monkeypatch.setenv("SHOPIFY_STAND_IN", "")
    with functions.apart(), socket.create_server(("127.0.0.1", 0)) as listening:
        run = LocalRun(listening)
        run.serve()
        made = demo.load(run)
        run.pump()
        yield Served(run, made)
        run.stop()


class TestHistory:
    HISTORY = History(2000, END)

    def test_is_deterministic(self) -> None:
        again = History(2000, END)
        assert [b.body() for b in again.batches()] == [b.body() for b in self.HISTORY.batches()]

    def test_every_record_is_in_one_batch(self) -> None:
        batches = self.HISTORY.batches()
        assert sum(len(batch.numbers) for batch in batches) == self.HISTORY.records
        ids = [
            record["externalId"]
            for batch in batches
            for records in batch.body().values()
            for record in records
        ]
        assert len(set(ids)) == len(ids) == 2000 + 600 + PRODUCTS
        assert max(len(batch.numbers) for batch in batches) <= 500

    def test_amounts_add_up_and_some_are_refunded(self) -> None:
        orders = list(map(self.HISTORY.order, range(2000)))
        for order in orders:
            lines = order["lineItems"]
            goods = sum(line["quantity"] * line["unitPrice"]["amount"] for line in lines)
            assert order["subtotal"]["amount"] == goods
            assert order["total"]["amount"] == goods + order["totalShipping"]["amount"]
            refunded = order["financialStatus"] in {"refunded", "partially_refunded"}
            assert (order["totalRefunded"]["amount"] > 0) is refunded
        states = Counter(order["financialStatus"] for order in orders)
        assert set(states) == {"paid", "refunded", "partially_refunded", "voided", "pending"}

    def test_orders_are_sorted_over_two_years(self) -> None:
        placed = [self.HISTORY.order(number)["placedAt"] for number in range(2000)]
        assert placed == sorted(placed)
        assert placed[-1] < "2026-01-01"
        first = datetime.fromisoformat(placed[0])
        assert timedelta(0) <= first - (END - YEARS) < timedelta(days=1)

    def test_customers_have_all_consent_states_and_match_their_orders(self) -> None:
        customers = {one["externalId"]: one for one in map(self.HISTORY.customer, range(600))}
        states = {one["emailMarketingConsent"] for one in customers.values()}
        assert states == {"subscribed", "not_subscribed", "unsubscribed", "pending"}
        assert len({one["email"] for one in customers.values()}) == 600
        for order in map(self.HISTORY.order, range(2000)):
            buyer = order["customer"]
            assert buyer.items() <= customers[buyer["externalId"]].items()


class TestLoading:
    def test_all_records_are_loaded_with_progress(
        self, served: Served, capsys: pytest.CaptureFixture[str]
    ) -> None:
        served.load(begin(ORDERS, BATCH))
        assert served.total("/orders") == shop.ORDERS + ORDERS
        assert served.total("/profiles") == len(shop.customers()) + PEOPLE
        store = f"/stores/{served.demo.credentials.store_id}"
        assert served.total(f"{store}/imports") == 1 + BATCHES
        lines = capsys.readouterr().err.splitlines()
        assert lines[0] == "0 of 92 records of the large demo"
        assert lines[-1] == "92 of 92 records of the large demo"
        assert [loaded.batches for loaded in served.noted] == list(range(1, 1 + BATCHES))

    def test_stopped_load_resumes_without_duplicates(self, served: Served) -> None:
        served.load(begin(ORDERS, BATCH), stop_after=2)
        loaded = Loaded(**served.noted[-1].as_json())
        assert loaded.batches >= 2
        served.load(loaded)
        assert served.total("/orders") == shop.ORDERS + ORDERS
        assert served.total("/profiles") == len(shop.customers()) + PEOPLE
        assert served.noted[-1].batches == BATCHES

        before = served.total(f"/stores/{served.demo.credentials.store_id}/imports")
        served.load(served.noted[-1])
        assert served.total(f"/stores/{served.demo.credentials.store_id}/imports") == before

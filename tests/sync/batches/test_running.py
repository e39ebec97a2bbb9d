"""The worker: a batch's effect, its order, and the results of its records."""

from typing import Any

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.orders import loading, service
from storepost.orders.model import Order
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.model import ConsentSource
from storepost.sync.batches import chunks, loads
from storepost.values.problems import Conflict
from tests.harness.world import World
from tests.orders.sample import eur
from tests.sync.batches.batch_store import Shop, buyer, customer, order, orders
from tests.sync.batches.watching import (
    slow,
)

DOLLARS = {"amount": 5, "currency": "USD"}


class TestOrder:
    """The order of records."""

    def test_customers_are_imported_before_orders(self, shop: Shop) -> None:
        """The order finds the customer, which is after it in the request."""
        batch = {"orders": [order(0, customer={"externalId": "c-7"})], "customers": [customer(7)]}
        done = shop.import_batch(**batch)
        assert done["imported"] == {"customers": 1, "orders": 1, "products": 0}
        [profile] = shop.get("/profiles")["items"]
        assert profile["email"] == customer(7)["email"]
        assert shop.get(f"/profiles/{profile['id']}")["orders"] == 1

    def test_batches_are_imported_in_order(self, shop: Shop) -> None:
        ids = [shop.queue(orders=[order(0, number=name)]) for name in ("#a", "#b", "#c")]
        shop.world.deliver()
        assert shop.numbers() == ["#c"]
        moments = [shop.read(each)[name] for each in ids for name in ("startedAt", "completedAt")]
        assert moments == sorted(moments)

    def test_counts_and_stage_change_during_import(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queued = shop.queue(customers=[customer(n) for n in range(6)], orders=orders(6))
        shown: list[tuple[str, str | None, int, int]] = []

        def look() -> None:
            now = shop.read(queued)
            done = now["imported"]
            shown.append((now["status"], now["stage"], done["customers"], done["orders"]))

        for module in (chunks, loads):
            monkeypatch.setattr(module, "READ_AHEAD", 3)
        slow(monkeypatch, 0)
        look()
        while shown[-1][0] != "completed":
            assert shop.run_worker() == []
            look()
        assert shown == [
            ("queued", None, 0, 0),
            ("running", "customers", 3, 0),
            ("running", "orders", 6, 0),
            ("running", "orders", 6, 3),
            ("running", "orders", 6, 6),
            ("completed", None, 6, 6),
        ]


class TestRecords:
    """The result of a record."""

    def test_equal_times_are_accepted_and_older_ones_ignored(self, shop: Shop) -> None:
        """Either counts as imported: the stored record is at least as new as the one sent."""
        shop.import_batch(
            orders=[order(0, 5, number="#five"), order(1, 5)], customers=[customer(9, 5)]
        )
        done = shop.import_batch(
            orders=[order(0, 4, number="#four"), order(1, 5, number="#equal")],
            customers=[customer(9, 4, firstName="Older")],
        )
        assert done["status"] == "completed"
        assert done["imported"] == {"customers": 1, "orders": 2, "products": 0}
        assert shop.problems(done["id"]) == []
        assert shop.numbers() == ["#five", "#equal"]
        [profile] = shop.get("/profiles", email=customer(9)["email"])["items"]
        assert profile["name"] == "Ann9"

    def test_deleted_order_is_restored_by_newer_record_only(self, shop: Shop) -> None:
        shop.import_batch(orders=[order(0, 5), order(1, 5)])
        for number in (0, 1):
            assert shop.do("DELETE", f"/orders/o-{number}").status == 204
        done = shop.import_batch(orders=[order(0, 5), order(1, 6)])
        assert done["imported"]["orders"] == 2
        assert shop.numbers() == ["#1"]

    def test_changed_buyer_moves_order(self, shop: Shop) -> None:
        """The order moves from one profile to the other, also in lists."""
        shop.import_batch(
            customers=[customer(0), customer(1)], orders=[order(0, customer=buyer(0))]
        )
        shop.import_batch(orders=[order(0, 1, customer=buyer(1))])
        spent = {}
        for number in (0, 1):
            [profile] = shop.get("/profiles", email=customer(number)["email"])["items"]
            whole = shop.get(f"/profiles/{profile['id']}")
            spent[number] = (whole["orders"], whole["spent"])
            listed = shop.get("/orders", profileId=profile["id"])
            assert [row["number"] for row in listed["items"]] == ["#0"] * number
        assert spent == {0: (0, []), 1: (1, [eur(100)])}

    def test_problem_does_not_block_other_records(self, shop: Shop) -> None:
        """A problem has the record's place in the batch, and what is wrong with it."""
        line = {"title": "Tea", "quantity": 1, "unitPrice": DOLLARS, "totalDiscount": eur(0)}
        done = shop.import_batch(
            customers=[customer(0)],
            orders=[
                order(0),
                order(1, total=DOLLARS),
                order(2, total=DOLLARS, lineItems=[line]),
                order(3),
            ],
        )
        assert done["status"] == "completed"
        assert done["error"] is None
        assert done["imported"] == {"customers": 1, "orders": 2, "products": 0}
        assert shop.problems(done["id"]) == [
            {
                "index": 1,
                "externalId": "o-1",
                "code": "currency_mismatch",
                "detail": "/orders/1/total/currency: Must be EUR, the store's currency",
            },
            {
                "index": 2,
                "externalId": "o-2",
                "code": "currency_mismatch",
                "detail": "/orders/2/total/currency: Must be EUR, the store's currency"
                " (and 1 more)",
            },
        ]
        assert shop.numbers() == ["#0", "#3"]

    def test_order_larger_than_a_row_is_a_problem(self, shop: Shop) -> None:
        """DynamoDB refuses it only at the commit; the other records of its chunk are imported."""
        names = ("title", "variantTitle", "sku", "productExternalId", "variantExternalId")
        line = {**dict.fromkeys(names, "é" * 255), "quantity": 1}
        lines = [{**line, "unitPrice": eur(1), "totalDiscount": eur(0)}] * 250
        done = shop.import_batch(orders=[order(0), order(1, lineItems=lines), order(2)])
        assert done["imported"]["orders"] == 2
        [problem] = shop.problems(done["id"])
        assert (problem["index"], problem["code"]) == (1, "payload_too_large")
        assert problem["detail"].startswith("/orders/1: ")
        assert shop.numbers() == ["#0", "#2"]

    def test_late_refusal_leaves_no_partial_write(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuses(_changes: Any, _store: Any, _before: Any, order: Order) -> None:
            if order.number == "#1":
                raise Conflict()

        for module in (loading, service):
            monkeypatch.setattr(module, "use_codes", refuses)
        done = shop.import_batch(orders=orders(4))
        assert done["imported"]["orders"] == 3
        assert [problem["index"] for problem in shop.problems(done["id"])] == [1]
        assert shop.numbers() == ["#0", "#2", "#3"]
        shop.check_lists()

    def test_consent_is_attributed_to_sender_of_batch(self, world: World, shop: Shop) -> None:
        key = world.api_key(shop.workspace, KeyScope.WRITE, shop.owner)
        for number, token in enumerate((key, shop.owner.token)):
            body = [customer(number, emailMarketingConsent="subscribed")]
            shop.queue(token=token, customers=body)
        world.deliver()
        rows = [r for r in world.rows(shop.workspace.key) if isinstance(r, ConsentChangeItem)]
        by_address = {row.address: row for row in rows}
        by_key, by_person = (by_address[customer(n)["email"]] for n in (0, 1))
        made = world.key_of(key)
        assert (by_key.source, by_key.by, by_key.store_id) == (
            ConsentSource.API,
            made.name,
            shop.store_id,
        )
        assert by_key.proof == {"api_key_id": str(made.id)}
        assert (by_person.source, by_person.by, by_person.store_id) == (
            ConsentSource.MANUAL,
            shop.owner.name,
            shop.store_id,
        )
        assert by_person.proof == {"user_id": str(shop.owner.id)}

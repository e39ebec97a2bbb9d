"""Records that can't be read: each is a problem of its import, and the others are imported."""

from typing import Any

import pytest

from tests.orders.sample import eur
from tests.sync.batches.batch_store import Shop, customer, order

LINE = {"title": "Tea", "quantity": 1, "unitPrice": eur(100), "totalDiscount": eur(0)}
LONG = "x" * 256


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    """The body without one field."""
    return {key: value for key, value in body.items() if key != name}


def product(number: int, **more: object) -> dict[str, Any]:
    """A product of a batch."""
    return {
        "externalId": f"p-{number}",
        "updatedAt": "2026-03-01T12:00:00Z",
        "status": "active",
        "locales": [{"locale": "en", "title": f"Tea {number}"}],
        "variants": [{"externalId": f"v-{number}", "title": "One", "price": eur(100)}],
        **more,
    }


CUSTOMERS: list[tuple[Any, str | None, str]] = [
    (7, None, "/customers/1: "),
    (None, None, "/customers/1: "),
    ([], None, "/customers/1: "),
    ("c-1", None, "/customers/1: "),
    ({}, None, "/customers/1/externalCreatedAt: "),
    (customer(1, email="nobody"), "c-1", "/customers/1/email: "),
    (customer(1, externalId="null"), "null", "/customers/1/externalId: "),
    (customer(1, externalId=""), None, "/customers/1/externalId: "),
    (customer(1, externalId=LONG), None, "/customers/1/externalId: "),
    (customer(1, externalId="\ud800"), None, "/customers/1/externalId: "),
    (customer(1, externalId={"a": 1}), None, "/customers/1/externalId: "),
    (customer(1, firstName="\ud800"), "c-1", "/customers/1/firstName: "),
    (customer(1, externalUpdatedAt=10**400), "c-1", "/customers/1/externalUpdatedAt: "),
    (customer(1, externalUpdatedAt=float("1e308")), "c-1", "/customers/1/externalUpdatedAt: "),
    (customer(1, externalUpdatedAt="9999-12-31T23:59:59-23:59"), "c-1", "/customers/1/externalU"),
    (customer(1, **{"a/b~c": 1}), "c-1", "/customers/1/a~1b~0c: "),
    (customer(1, **{f"x{n}": 1 for n in range(200)}), "c-1", "/customers/1: Must have at most 100"),
]
ORDERS: list[tuple[Any, str | None, str]] = [
    (order(1, colour="red"), "o-1", "/orders/1/colour: "),
    (
        order(1, nummer="7"),
        "o-1",
        "/orders/1/nummer: There is no such field. Did you mean `number`?",
    ),
    (order(1, number=""), "o-1", "/orders/1/number: "),
    (without(order(1), "externalId"), None, "/orders/1/externalId: "),
    (order(1, total={"amount": "1", "currency": "EUR"}), "o-1", "/orders/1/total/amount: "),
    (order(1, total={"amount": 1e300, "currency": "EUR"}), "o-1", "/orders/1/total/amount: "),
    (order(1, total={"amount": 1, "currency": "XXXX"}), "o-1", "/orders/1/total/currency: "),
    (order(1, total=eur(-1)), "o-1", "/orders/1/total: Must not be negative"),
    (order(1, lineItems=[LINE | {"unitPrice": eur(-1)}]), "o-1", "/orders/1/lineItems/0/unitPrice"),
    (order(1, lineItems=[LINE] * 251), "o-1", "/orders/1/lineItems: "),
    (order(1, lineItems=[{"title": "Tea"}]), "o-1", "/orders/1/lineItems/0/quantity: "),
    (order(1, discountCodes=["a"] * 6), "o-1", "/orders/1/discountCodes: "),
    (order(1, customer="Ann"), "o-1", "/orders/1/customer: "),
]
PRODUCTS: list[tuple[Any, str | None, str]] = [
    (product(1, tags=["t"] * 251), "p-1", "/products/1/tags: "),
    (product(1, variants=[product(1)["variants"][0]] * 2001), "p-1", "/products/1/variants: "),
    (product(1, locales=[]), "p-1", "/products/1/locales: "),
]
RECORDS = [
    *(("customers", customer, *each) for each in CUSTOMERS),
    *(("orders", order, *each) for each in ORDERS),
    *(("products", product, *each) for each in PRODUCTS),
]


def imported(shop: Shop, **body: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The records of a batch once it was imported, and the import's problems."""
    batch = shop.queue(**body)
    shop.world.deliver()
    done = shop.read(batch)
    assert (done["status"], done["error"]) == ("completed", None)
    path = f"{shop.path}/imports/{batch}/problems"
    return done["imported"], shop.owner.call("GET", path).json["items"]


class TestOneRecord:
    """An unreadable record, between two readable ones."""

    @pytest.mark.parametrize(("array", "of", "record", "external_id", "begins"), RECORDS)
    def test_unreadable_record_is_one_problem(
        self, shop: Shop, array: str, of: Any, record: Any, external_id: str | None, begins: str
    ) -> None:
        counts, [problem] = imported(shop, **{array: [of(0), record, of(2)]})
        nothing = {"customers": 0, "orders": 0, "products": 0}
        assert counts == {**nothing, array: 2}
        assert problem.pop("detail").startswith(begins)
        assert problem == {"index": 1, "externalId": external_id, "code": "validation"}

    def test_number_of_further_errors_is_shown(self, shop: Shop) -> None:
        wrong = order(1, number="", total=eur(1) | {"amount": "x"}, lineItems=None)
        _, [problem] = imported(shop, orders=[wrong, order(2)])
        assert problem["detail"].startswith("/orders/0/number: ")
        assert problem["detail"].endswith(" (and 2 more)")

    def test_number_beyond_float_range(self, shop: Shop) -> None:
        """JSON accepts it, and the stored batch has to keep it as well."""
        body = b'{"customers": [{"externalId": "c-1", "email": 1e999, "firstName": -1e999}]}'
        sent = shop.owner.call("POST", f"{shop.path}/batches", body=body)
        assert sent.status == 202
        shop.world.deliver()
        assert shop.read(sent.json["id"])["imported"]["customers"] == 0

    def test_unexpected_validator_error_is_a_problem(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_record: object) -> None:
            raise OverflowError

        monkeypatch.setattr("storepost.sync.batches.schemas.BatchOrder.model_validate", fail)
        counts, [problem] = imported(shop, customers=[customer(0)], orders=[order(0)])
        assert counts == {"customers": 1, "orders": 0, "products": 0}
        assert problem == {
            "index": 0,
            "externalId": "o-0",
            "code": "validation",
            "detail": "/orders/0: The record can't be read.",
        }


class TestManyRecords:
    """Only a body that is no batch at all is refused."""

    def test_all_records_unreadable(self, shop: Shop) -> None:
        counts, problems = imported(shop, orders=[{}] * 3, customers=[None])
        assert counts == {"customers": 0, "orders": 0, "products": 0}
        assert [(each["index"], each["externalId"]) for each in problems] == [
            (0, None),
            (0, None),
            (1, None),
            (2, None),
        ]

    def test_unreadable_and_refused_records(self, shop: Shop) -> None:
        other = {"amount": 5, "currency": "USD"}
        _, problems = imported(shop, orders=[order(0), order(1, total=other), order(2, number="")])
        assert [each["index"] for each in problems] == [1, 2]

    def test_response_is_sent_before_records_are_read(self, shop: Shop) -> None:
        answer = shop.send(orders=[{"colour": "red"}] * 500)
        assert answer.status == 202
        assert answer.json["status"] == "queued"

"""Values that no shop has, in records that it sends: they hold up nothing that comes after them."""

import json
from typing import Any

import pytest
from werkzeug.wrappers import Response

from storepost.people.consent.model import ConsentOrigin, ConsentSource
from storepost.shopify import documents
from storepost.shopify.admin import admin_of
from storepost.shopify.answers import code_of, refusals
from storepost.shopify.errors import ShopUnavailable, UserError
from storepost.shopify.pacing import cost_of
from storepost.stores.imports.model import ImportStage
from storepost.sync.batches.records import Sender, UnreadableRecord
from storepost.sync.pulls import spool
from storepost.sync.pulls.records import ExportedRecords
from storepost.sync.pulls.spool import Spool
from storepost.sync.records.products import product_of
from storepost.sync.records.reading import NoRecord, address_of, id_of, whole_of
from storepost.sync.records.rest import order_of
from tests.growth import assert_linear
from tests.harness.world import Someone
from tests.shopify.hooks import Hooks, customer_body, line_body, money, order_body
from tests.shopify.pulls import bag, fill, line_node, order_node, pulled
from tests.shopify.shops import SHOP, Shopify
from tests.shopify.test_hooks_of_products import product_body

HALF = "Scarf \ud800"
LONG_ID = int("9" * 3900)
FAR = 10**45
VARIANT = product_body()["variants"][0]

BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "half a pair in an order's number": ("orders/updated", order_body(name=HALF)),
    "half a pair in a code": ("orders/updated", order_body(discount_codes=[{"code": HALF}])),
    "half a pair in a name": ("orders/updated", order_body(customer={"id": 5, "last_name": HALF})),
    "half a pair in a title": ("products/update", product_body(title=HALF)),
    "half a pair in a handle": ("products/update", product_body(handle=HALF)),
    "half a pair in a description": ("products/update", product_body(body_html=HALF)),
    "half a pair in an address": ("products/update", product_body(images=[{"id": 1, "src": HALF}])),
    "a customer's long id": ("orders/updated", order_body(customer={"id": LONG_ID})),
    "a deleted customer's long id": ("customers/delete", {"id": LONG_ID}),
    "a redacted customer's long id": (
        "customers/redact",
        {"shop_domain": SHOP, "customer": {"id": LONG_ID}, "orders_to_redact": [LONG_ID]},
    ),
    "a great exponent": ("orders/updated", order_body(total_price_set=money("1e999999"))),
    "a great quantity": ("orders/updated", order_body(line_items=[line_body(quantity=FAR)])),
    "a great stock": (
        "products/update",
        product_body(variants=[VARIANT | {"inventory_quantity": FAR, "position": FAR}]),
    ),
    "too many variants": (
        "products/update",
        product_body(variants=[VARIANT | {"id": number} for number in range(1, 2_500)]),
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_hostile_webhook_leaves_no_message(hooks: Hooks, name: str) -> None:
    topic, body = BODIES[name]
    hooks.notify(topic, json.dumps(body).encode())
    assert hooks.world.queue_depth("ProductSalesQueue") == 0


def test_half_a_pair_is_stored_as_a_question_mark(hooks: Hooks) -> None:
    hooks.notify("customers/update", customer_body(first_name=HALF, email_marketing_consent={}))
    hooks.notify("orders/updated", order_body(name=HALF))
    order = hooks.order()
    assert order is not None
    assert order.number == "Scarf ?"


def test_pull_with_hostile_records_is_completed(
    hooks: Hooks, owner: Someone, shopify: Shopify
) -> None:
    fill(shopify, 1, 6)
    orders = shopify.shop(SHOP).orders
    orders[0]["totalPriceSet"] = bag("1e999999")
    orders[1]["name"] = HALF
    orders[2]["customer"]["id"] = f"gid://shopify/Customer/{LONG_ID}"
    orders[3]["lineItems"] = [line_node(40, title=HALF)]
    store_import = pulled(hooks, owner)
    assert store_import["status"] == "completed"
    assert store_import["imported"]["orders"] == 5


def test_record_of_another_type_is_no_order(hooks: Hooks) -> None:
    node = {**order_node(7, None), "id": "gid://shopify/DraftOrder/7"}
    origin = ConsentOrigin(ConsentSource.SHOPIFY, hooks.store.id)
    with Spool() as records:
        records.fill([json.dumps(node).encode()])
        [read] = ExportedRecords(records, ImportStage.ORDERS, Sender(hooks.store, origin))
    assert isinstance(read, UnreadableRecord)


@pytest.mark.parametrize("amount", ["1e30", "1e400", "9" * 40])
def test_refund_beyond_any_amount_is_refused(hooks: Hooks, amount: str) -> None:
    payment = {"kind": "refund", "status": "success", "amount": amount, "currency": "USD"}
    body = order_body(
        total_price_set=money("43.28", "EUR", ("50.00", "USD")),
        refunds=[{"transactions": [payment]}],
    )
    with pytest.raises(NoRecord):
        order_of(hooks.store, body)


def test_ids_have_at_most_64_bits() -> None:
    assert id_of(2**64 - 1) == "18446744073709551615"
    assert id_of("gid://shopify/Order/" + "9" * 21) is None


@pytest.mark.parametrize("value", [True, "1", 1.0, None, 10**9 + 1, -(10**9) - 1])
def test_whole_number_out_of_bounds_is_unreadable(value: object) -> None:
    assert whole_of(value) is None


@pytest.mark.parametrize(
    "value", ["javascript:alert(1)", "//cdn.example.com/1.jpg", "https://x y", "", "\0", 7, None]
)
def test_address_that_is_not_of_the_web_is_unreadable(value: object) -> None:
    assert address_of(value) is None


def test_image_at_address_that_is_not_of_the_web_is_left_out(hooks: Hooks) -> None:
    images = [{"id": 2, "src": "javascript:alert(1)"}]
    assert product_of(hooks.store, product_body(images=images)).image is None


class TestSpool:
    """Objects below a record, however many there are and whatever their ids are."""

    def test_repeated_ids_take_linear_time(self) -> None:
        def work(count: int) -> None:
            lines = [b'{"id": "a"}']
            lines += [b'{"id": "b", "__parentId": "a"}'] * count
            lines += [b'{"id": "c", "__parentId": "b"}'] * count
            with Spool() as records:
                records.fill([b"\n".join(lines)])
                _, below = records.at(0)
                assert len(below) == 2 * count

        assert_linear(work, 200)

    def test_record_with_too_many_objects_is_unreadable(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(spool, "MAX_RECORD_BYTES", 100)
        lines = [b'{"id": "a"}', b'{"id": "b"}']
        lines += [b'{"id": "c", "__parentId": "a"}'] * 5
        with Spool() as records:
            records.fill([b"\n".join(lines)])
            with pytest.raises(NoRecord):
                records.at(0)
            assert records.root(0) == {"id": "a"}
            assert records.at(1) == ({"id": "b"}, [])


class TestAdminApi:
    """Answers of the Admin API that have another shape."""

    @pytest.mark.parametrize("data", [[1], "text", 7, True])
    def test_data_of_another_type_is_unavailable(
        self, hooks: Hooks, shopify: Shopify, data: object
    ) -> None:
        shopify.answering(Response(json.dumps({"data": data})))
        with admin_of(hooks.store) as admin, pytest.raises(ShopUnavailable):
            admin.run(documents.SHOP)

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
    @pytest.mark.parametrize("name", ["maximumAvailable", "currentlyAvailable", "restoreRate"])
    def test_cost_that_is_not_finite_is_ignored(self, name: str, number: str) -> None:
        status = {"maximumAvailable": 1, "currentlyAvailable": 1, "restoreRate": 1}
        cost = {"requestedQueryCost": 1, "throttleStatus": status | {name: number}}
        assert cost_of({"extensions": {"cost": cost}}) is None

    @pytest.mark.parametrize("errors", ["No", 7, {"message": "No"}, ["No"], None])
    def test_user_errors_of_another_type_count_as_none(self, errors: object) -> None:
        assert refusals({"mutation": {"userErrors": errors}}) == ()

    def test_user_error_with_fields_of_another_type(self) -> None:
        data = {"mutation": {"userErrors": [{"message": 7, "field": "code", "code": None}]}}
        assert refusals(data) == (UserError("7"),)

    @pytest.mark.parametrize("code", [3, ["THROTTLED"], "x" * 65, "a@example.com", ""])
    def test_code_in_another_form_is_not_repeated(self, code: object) -> None:
        assert code_of(code) == "an unreadable code"
        assert code_of("argumentLiteralsIncompatible") == "argumentLiteralsIncompatible"

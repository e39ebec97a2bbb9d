"""Orders of a custom store, an operation a class."""

import json
from typing import Any
from uuid import uuid4

import pytest

from storepost.api.http.app import BODY_BYTES
from storepost.platform.persistence.idempotency import RecordItem, unpacked
from tests.harness.world import CANARY, Someone, World
from tests.orders.sample import BUYER, eur, order, profile_of, put, stored, whole
from tests.platform.counted_tree.engine import size_of

AMOUNTS = ("total", "subtotal", "totalDiscounts", "totalShipping", "totalTax", "totalRefunded")
LINE = {"title": "Tea", "quantity": 1, "unitPrice": eur(100), "totalDiscount": eur(0)}


class TestPut:
    """PUT /stores/{id}/orders/{externalId}."""

    def test_disconnected_store_is_refused(self, owner: Someone, store: str) -> None:
        owner.call("POST", f"/stores/{store}/disconnect")
        assert put(owner, store, "o-1", order()).problem() == (409, "store_disconnected")

    @pytest.mark.parametrize(
        ("change", "paths"),
        [
            ({"number": ""}, ["/number"]),
            ({"placedAt": "2026-03-01T10:30:00"}, ["/placedAt"]),
            ({"financialStatus": "expired"}, ["/financialStatus"]),
            ({"total": {"amount": 1.5, "currency": "EUR"}}, ["/total/amount"]),
            ({"total": {"amount": "1", "currency": "EUR"}}, ["/total/amount"]),
            ({"total": {"amount": 1, "currency": "EURO"}}, ["/total/currency"]),
            *(({name: eur(-1)}, [f"/{name}"]) for name in AMOUNTS),
            (
                {"lineItems": [LINE | {"unitPrice": eur(-1), "totalDiscount": eur(-1)}]},
                ["/lineItems/0/unitPrice", "/lineItems/0/totalDiscount"],
            ),
            ({"customer": {"email": "nobody"}}, ["/customer/email"]),
            ({"customer": {"phone": "12"}}, ["/customer/phone"]),
            ({"lineItems": [{"title": "x"}]}, None),
            ({"discountCodes": list("abcdef")}, ["/discountCodes"]),
            ({"isTest": "yes"}, ["/isTest"]),
            ({"id": str(uuid4())}, ["/id"]),
        ],
    )
    def test_bad_input(
        self, owner: Someone, store: str, change: dict[str, Any], paths: list[str] | None
    ) -> None:
        answer = put(owner, store, "o-1", order(**change))
        expected = paths or [
            "/lineItems/0/quantity",
            "/lineItems/0/unitPrice",
            "/lineItems/0/totalDiscount",
        ]
        assert answer.error_paths() == expected
        assert owner.call("GET", "/orders").json["total"] == 0

    def test_at_most_250_lines(self, owner: Someone, store: str) -> None:
        line = order()["lineItems"][0]
        most = put(owner, store, "o-1", order(lineItems=[line] * 250))
        assert most.status == 201
        assert len(most.json["lineItems"]) == 250
        assert len({row["id"] for row in most.json["lineItems"]}) == 250
        more = put(owner, store, "o-2", order(lineItems=[line] * 251))
        assert more.error_paths() == ["/lineItems"]

    def test_order_larger_than_a_row_is_refused(self, owner: Someone, store: str) -> None:
        """The order is within every bound of the body, but its letters take two bytes."""
        text, money = "é" * 255, eur(1)
        names = ("title", "variantTitle", "sku", "productExternalId", "variantExternalId")
        line = {**dict.fromkeys(names, text), "quantity": 1}
        lines = [{**line, "unitPrice": money, "totalDiscount": money}] * 250
        body = json.dumps(order(lineItems=lines), ensure_ascii=False).encode()
        assert len(body) < BODY_BYTES
        answer = owner.call("PUT", f"/stores/{store}/orders/o-1", body=body)
        assert answer.problem() == (413, "payload_too_large")

    def test_other_currency_is_refused(self, owner: Someone, store: str) -> None:
        body = order(total={"amount": 1, "currency": "USD"})
        body["lineItems"][1]["unitPrice"] = {"amount": 1, "currency": "JPY"}
        answer = put(owner, store, "o-1", body)
        assert answer.problem() == (422, "currency_mismatch")
        assert [error["path"] for error in answer.json["errors"]] == [
            "/total/currency",
            "/lineItems/1/unitPrice/currency",
        ]

    def test_blank_fields_are_ignored(self, owner: Someone, store: str) -> None:
        """As with a customer, a blank field means that the store doesn't know it."""
        nobody = {"externalId": "0", "email": " ", "phone": "null", "firstName": "", "lastName": ""}
        answer = put(owner, store, "o-1", order(customer=nobody, locale=" "))
        assert (answer.status, answer.json["buyer"], answer.json["locale"]) == (201, None, None)

    def test_new_order_with_buyer(self, owner: Someone, store: str) -> None:
        answer = put(owner, store, "o-1", order())
        assert answer.status == 201
        assert answer.json == whole(answer.json, store)
        read = owner.call("GET", f"/orders/{answer.json['id']}")
        assert (read.status, read.json) == (200, answer.json)
        profile = profile_of(owner, answer.json)
        assert profile["orders"] == 1
        assert profile["spent"] == [eur(5499)]
        assert profile["isCustomer"] is True
        assert profile["storeIds"] == [store]
        assert (profile["email"], profile["phone"]) == (BUYER, "+436601234567")
        assert profile["firstSeenAt"] == profile["lastSeenAt"] == "2026-03-01T10:30:00.250Z"
        # The order states no locale: the store's primary one is a soft signal.
        assert profile["locale"] == "de-AT"
        assert profile["localeSource"] == {
            "source": "order",
            "storeId": store,
            "signal": "soft",
            "at": "2026-03-01T10:30:00.250Z",
        }
        details = owner.call("GET", f"/stores/{store}").json
        assert (details["orderCount"], details["customerCount"]) == (1, 1)
        assert details["lastOrderAt"] == "2026-03-01T10:30:00.250Z"
        assert details["latestCustomer"] == {
            "profileId": profile["id"],
            "name": profile["name"],
            "createdAt": profile["firstSeenAt"],
        }

    def test_existing_order_is_replaced(self, owner: Someone, store: str) -> None:
        first = put(owner, store, "o-1", order()).json
        change = {
            "updatedAt": "2026-03-02T00:00:00Z",
            "financialStatus": "partially_refunded",
            "fulfillmentStatus": "fulfilled",
            "totalRefunded": eur(1000),
            "locale": "de-at",
            "sourceName": "web",
            "adminUrl": "https://admin.example.com/o/1",
        }
        answer = put(owner, store, "o-1", order(**change))
        assert answer.status == 200
        assert answer.json == whole(
            first,
            store,
            financialStatus="partially_refunded",
            fulfillmentStatus="fulfilled",
            totalRefunded=eur(1000),
            locale="de-AT",
            sourceName="web",
            adminUrl="https://admin.example.com/o/1",
        )
        profile = profile_of(owner, answer.json)
        assert (profile["orders"], profile["spent"]) == (1, [eur(4499)])
        assert profile["localeSource"]["signal"] == "hard"
        listed = owner.call("GET", "/orders").json
        assert listed["total"] == 1
        assert listed["items"] == [
            {name: answer.json[name] for name in listed["items"][0]},
        ]

    def test_equal_time_is_accepted_and_older_refused(self, owner: Someone, store: str) -> None:
        put(owner, store, "o-1", order())
        assert put(owner, store, "o-1", order(number="#2")).status == 200
        older = put(owner, store, "o-1", order(updatedAt="2026-03-01T10:30:59.999Z"))
        assert older.problem() == (409, "stale_update")
        [row] = owner.call("GET", "/orders").json["items"]
        assert row["number"] == "#2"

    def test_order_without_buyer(self, owner: Someone, store: str) -> None:
        for number, customer in enumerate([None, {}, {"externalId": "0"}, {"externalId": "null"}]):
            assert put(owner, store, f"o-{number}", order(customer=customer)).json["buyer"] is None
        assert owner.call("GET", "/profiles").json["total"] == 0

    def test_changed_buyer_moves_order(self, owner: Someone, store: str) -> None:
        first = put(owner, store, "o-1", order()).json
        customer = {"email": f"other.{CANARY}@example.com"}
        second = put(owner, store, "o-1", order(customer=customer)).json
        assert second["buyer"]["profileId"] != first["buyer"]["profileId"]
        before, after = profile_of(owner, first), profile_of(owner, second)
        assert (before["orders"], before["spent"], before["isCustomer"]) == (0, [], False)
        assert (after["orders"], after["spent"], after["isCustomer"]) == (1, [eur(5499)], True)
        for profile, total in ((before, 0), (after, 1)):
            listed = owner.call("GET", "/orders", query={"profileId": profile["id"]})
            assert listed.json["total"] == total

    def test_test_orders_and_cancelled_orders_are_not_spent(
        self, owner: Someone, store: str
    ) -> None:
        put(owner, store, "o-1", order(isTest=True))
        cancelled = put(owner, store, "o-2", order(cancelledAt="2026-03-01T10:30:30Z")).json
        assert (cancelled["cancelled"], cancelled["cancelledAt"]) == (
            True,
            "2026-03-01T10:30:30.000Z",
        )
        profile = profile_of(owner, cancelled)
        assert (profile["orders"], profile["spent"]) == (2, [])

    def test_long_response_is_stored_in_one_write_unit(self, owner: Someone, store: str) -> None:
        first = put(owner, store, "o-1", order(), key="k")
        assert len(first.body) > 1024
        [record] = RecordItem.scan()
        assert size_of(record.serialize()) <= 1024
        assert first.body.decode() == unpacked(record.answer)["body"]

    def test_identical_order_writes_nothing(self, world: World, owner: Someone, store: str) -> None:
        first = put(owner, store, "o-1", order())
        before = stored(world)
        again = put(owner, store, "o-1", order())
        assert (again.status, again.json) == (200, first.json)
        assert stored(world) == before

    def test_newer_time_without_change_updates_only_the_order(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(owner, store, "o-1", order())
        before = stored(world)
        later = "2026-03-01T10:32:00Z"
        assert put(owner, store, "o-1", order(updatedAt=later)).status == 200
        assert [key[1] for key, row in stored(world).items() if row != before[key]] == ["order"]
        between = order(updatedAt="2026-03-01T10:31:30Z", number="#2")
        assert put(owner, store, "o-1", between).problem() == (409, "stale_update")

    def test_status_change_does_not_write_the_buyer(
        self, world: World, owner: Someone, store: str
    ) -> None:
        put(owner, store, "o-1", order())
        before = stored(world)
        put(owner, store, "o-1", order(fulfillmentStatus="fulfilled"))
        after = stored(world)
        changed = {row["kind"]["S"] for key, row in after.items() if row != before.get(key)}
        assert changed == {"order", "entry", "node"}
        assert after.keys() == before.keys()

    def test_external_id_with_any_characters(self, owner: Someone, store: str) -> None:
        answer = put(owner, store, "gid:%20a%23b%C3%A9", order())
        assert answer.status == 201
        found = owner.call("GET", "/orders", query={"externalId": "gid: a#bé"})
        assert [row["id"] for row in found.json["items"]] == [answer.json["id"]]


class TestDelete:
    """DELETE /stores/{id}/orders/{externalId}."""

    def test_unknown(self, owner: Someone, store: str) -> None:
        assert owner.call("DELETE", f"/stores/{store}/orders/o-1").problem() == (404, "not_found")

    def test_order_leaves_lists_and_totals(self, owner: Someone, store: str) -> None:
        made = put(owner, store, "o-1", order()).json
        path = f"/stores/{store}/orders/o-1"
        assert owner.call("DELETE", path, key="k").status == 204
        again = owner.call("DELETE", path, key="k")
        assert (again.status, again.header("idempotency-replayed")) == (204, "true")
        assert owner.call("DELETE", path).status == 204
        read = owner.call("GET", f"/orders/{made['id']}")
        assert read.problem() == (404, "not_found")
        assert owner.call("GET", "/orders").json["total"] == 0
        profile = profile_of(owner, made)
        assert (profile["orders"], profile["spent"]) == (0, [])
        details = owner.call("GET", f"/stores/{store}").json
        assert (details["orderCount"], details["lastOrderAt"]) == (0, None)

    def test_buyer_is_still_found_by_the_stores_id(self, owner: Someone, store: str) -> None:
        """The id stays the person's identity, though nothing else of the store is left."""
        buyer = put(owner, store, "o-1", order()).json["buyer"]
        owner.call("DELETE", f"/stores/{store}/orders/o-1")
        for other in ({}, {"email": BUYER}, {"storeId": str(uuid4())}):
            query = {"externalId": "c-1", "storeId": store, **other}
            found = owner.call("GET", "/profiles", query=query).json["items"]
            expected = [] if "storeId" in other else [buyer["profileId"]]
            assert [each["id"] for each in found] == expected

    def test_older_put_does_not_restore_order(self, owner: Someone, store: str) -> None:
        made = put(owner, store, "o-1", order()).json
        owner.call("DELETE", f"/stores/{store}/orders/o-1")
        assert put(owner, store, "o-1", order()).problem() == (409, "stale_update")
        newer = put(owner, store, "o-1", order(updatedAt="2026-03-05T00:00:00Z"))
        assert newer.status == 201
        assert newer.json["id"] == made["id"]
        assert owner.call("GET", "/orders").json["total"] == 1


class TestGet:
    """GET /orders/{id}."""

    def test_customer_admin_url_is_shown(self, owner: Someone, store: str) -> None:
        customer = {
            "email": BUYER,
            "adminUrl": "https://admin.example.com/c/1",
            "externalCreatedAt": "2026-01-01T00:00:00Z",
            "externalUpdatedAt": "2026-01-01T00:00:00Z",
        }
        made = owner.call("PUT", f"/stores/{store}/customers/c-1", customer)
        assert made.status == 201
        answer = put(owner, store, "o-1", order())
        assert answer.json["customerAdminUrl"] == "https://admin.example.com/c/1"
        read = owner.call("GET", f"/orders/{answer.json['id']}")
        assert read.json == answer.json

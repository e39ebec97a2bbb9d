"""Coupons of a custom store, an operation a class."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.coupons.codes import ALPHABET, code_id
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.coupons.coupon_store import Shop, counts

NOWHERE = "c0ffee00-0000-4000-8000-000000000000"


def in_days(days: float) -> str:
    """A moment so many days from now."""
    return clock.to_text(clock.now() + timedelta(days=days))


def without_permission(shop: Shop) -> None:
    """Takes the permission to make coupons from the store."""
    stores, changes = StoreRepository(shop.workspace), Changes()
    store = stores.get(UUID(shop.store_id))
    assert store
    stores.save(changes, replace(store, makes_coupons=False))
    changes.commit()


class TestCreate:
    """POST /coupons."""

    def test_pool_with_all_fields_has_codes_at_once(self, shop: Shop) -> None:
        body = shop.body(
            prefix="SPRING-",
            valueType="amount",
            value=1500,
            minimumSubtotal={"amount": 5000, "currency": "EUR"},
            combinesWith={
                "orderDiscounts": True,
                "productDiscounts": False,
                "shippingDiscounts": True,
            },
            validity={"type": "days", "days": 14},
            reissue="every_email",
        )
        answer = shop.call("POST", "/coupons", body)
        assert answer.status == 201
        made = answer.json
        store = shop.get(f"/stores/{shop.store_id}")
        assert made == {
            "id": made["id"],
            "store": {
                "id": shop.store_id,
                "name": store["name"],
                "platform": "custom",
                "currency": "EUR",
            },
            "name": "Spring",
            "source": "platform",
            "kind": "bulk",
            "quantity": 3,
            "prefix": "SPRING-",
            "valueType": "amount",
            "value": 1500,
            "minimumSubtotal": {"amount": 5000, "currency": "EUR"},
            "validity": {"type": "days", "days": 14},
            "combinesWith": {
                "orderDiscounts": True,
                "productDiscounts": False,
                "shippingDiscounts": True,
            },
            "reissue": "every_email",
            "status": "active",
            "externalId": None,
            "adminUrl": None,
            "importSkipped": None,
            "codes": counts(available=3),
            "createdAt": made["createdAt"],
            "archivedAt": None,
        }
        assert shop.get(f"/coupons/{made['id']}") == made
        for code in shop.codes(made["id"]):
            assert code["code"].startswith("SPRING-")
            made_part = code["code"].removeprefix("SPRING-")
            assert len(made_part) == 10
            assert set(made_part) <= set(ALPHABET)
            assert not set("O0I1") & set(made_part)
        shop.check()

    def test_personal_coupon_has_no_codes_yet(self, shop: Shop) -> None:
        made = shop.coupon(kind="personal", quantity=None)
        assert (made["kind"], made["quantity"], made["codes"]) == ("personal", None, counts())
        assert shop.codes(made["id"]) == []

    def test_codes_beyond_one_transaction_are_made_by_worker(self, shop: Shop) -> None:
        made = shop.coupon(quantity=150)
        assert made["codes"]["available"] + made["codes"]["pending"] == 150
        assert made["codes"]["available"] > 0
        assert shop.get(f"/coupons/{made['id']}")["codes"] == made["codes"]
        shop.world.deliver()
        assert shop.get(f"/coupons/{made['id']}")["codes"] == counts(available=150)
        pages = [
            shop.get(f"/coupons/{made['id']}/codes", page=page, pageSize=50) for page in (1, 2, 3)
        ]
        assert {page["total"] for page in pages} == {150}
        assert len({code["code"] for page in pages for code in page["items"]}) == 150
        shop.check()

    @pytest.mark.parametrize(
        ("change", "paths"),
        [
            ({"name": " "}, ["/name"]),
            ({"kind": "many"}, ["/kind"]),
            ({"quantity": 0}, ["/quantity"]),
            ({"quantity": 200_001}, ["/quantity"]),
            ({"quantity": None}, ["/quantity"]),
            ({"kind": "personal"}, ["/quantity"]),
            ({"prefix": "A B"}, ["/prefix"]),
            ({"value": 0}, ["/value"]),
            ({"value": 101}, ["/value"]),
            ({"minimumSubtotal": {"amount": -1, "currency": "EUR"}}, ["/minimumSubtotal"]),
            ({"validity": {"type": "days", "days": 0}}, ["/validity/days"]),
            ({"validity": {"type": "days", "days": 366}}, ["/validity/days"]),
            (
                {"validity": {"type": "until", "endsAt": "2020-01-01T00:00:00Z"}},
                ["/validity/endsAt"],
            ),
            ({"validity": {"type": "weeks"}}, ["/validity/type"]),
            ({"reissue": "never"}, ["/reissue"]),
            ({"colour": "red"}, ["/colour"]),
        ],
    )
    def test_validation_errors(self, shop: Shop, change: dict[str, Any], paths: list[str]) -> None:
        assert shop.call("POST", "/coupons", shop.body(**change)).error_paths() == paths
        assert shop.get("/coupons")["total"] == 0

    def test_percentage_may_be_100_and_amount_more(self, shop: Shop) -> None:
        assert shop.coupon(value=100)["value"] == 100
        assert shop.coupon(valueType="amount", value=101)["value"] == 101

    def test_minimum_subtotal_in_other_currency_is_refused(self, shop: Shop) -> None:
        least = {"amount": 100, "currency": "USD"}
        answer = shop.call("POST", "/coupons", shop.body(minimumSubtotal=least))
        assert answer.problem() == (422, "currency_mismatch")
        assert [e["path"] for e in answer.json["errors"]] == ["/minimumSubtotal/currency"]

    def test_disconnected_store_is_refused(self, shop: Shop) -> None:
        assert shop.call("POST", f"/stores/{shop.store_id}/disconnect").status == 200
        assert shop.call("POST", "/coupons", shop.body()).problem() == (409, "store_disconnected")

    def test_store_without_coupon_permission_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool()
        without_permission(shop)
        assert shop.call("POST", "/coupons", shop.body()).problem() == (409, "permission_missing")
        more = shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 1})
        assert more.problem() == (409, "permission_missing")
        assert shop.import_codes("X1").status == 202


class TestList:
    """GET /coupons."""

    def test_newest_first_without_archived(self, shop: Shop) -> None:
        first = shop.pool(1, name="Alba")
        shop.world.advance(seconds=1)
        second = shop.pool(2, name="Corva")
        shop.world.advance(seconds=1)
        third = shop.personal(name="Berta")
        assert shop.ids("/coupons") == [third, second, first]
        assert shop.ids("/coupons", sort="createdAt") == [first, second, third]
        assert shop.ids("/coupons", sort="name") == [first, third, second]
        assert shop.ids("/coupons", sort="-name") == [second, third, first]
        assert [c["codes"]["available"] for c in shop.get("/coupons")["items"]] == [0, 2, 1]
        for step in ("end", "archive"):
            assert shop.call("POST", f"/coupons/{second}/{step}").status == 200
        assert shop.ids("/coupons") == [third, first]
        assert shop.ids("/coupons", status="archived") == [second]
        assert shop.ids("/coupons", status="archived,active") == [third, second, first]

    def test_filters(self, shop: Shop) -> None:
        outlet = shop.store("Outlet")
        here = shop.pool(1, name="Spring sale")
        there = shop.personal(name="Summer", storeId=outlet)
        imported = shop.import_codes("A1", name="Spring cards").json["id"]
        assert shop.ids("/coupons", storeId=outlet) == [there]
        assert set(shop.ids("/coupons", source="platform")) == {here, there}
        assert shop.ids("/coupons", source="import") == [imported]
        assert set(shop.ids("/coupons", kind="bulk")) == {here, imported}
        assert shop.ids("/coupons", kind="personal") == [there]
        assert set(shop.ids("/coupons", q="spring")) == {here, imported}
        assert shop.ids("/coupons", q="spr car") == [imported]
        assert shop.ids("/coupons", q="spring", source="platform") == [here]
        assert shop.ids("/coupons", status="ended") == []


class TestUpdate:
    """PATCH /coupons/{id}."""

    def test_name_and_reissue_can_be_changed(self, shop: Shop) -> None:
        before = shop.coupon()
        answer = shop.call("PATCH", f"/coupons/{before['id']}", {"name": "Autumn"})
        assert (answer.status, answer.json) == (200, {**before, "name": "Autumn"})
        answer = shop.call("PATCH", f"/coupons/{before['id']}", {"reissue": "every_email"})
        after = {**before, "name": "Autumn", "reissue": "every_email"}
        assert answer.json == after
        assert shop.get(f"/coupons/{before['id']}") == after

    @pytest.mark.parametrize(
        ("body", "path"),
        [
            ({"name": None}, "/name"),
            ({"reissue": None}, "/reissue"),
            ({"reissue": "never"}, "/reissue"),
            ({"value": 20}, "/value"),
        ],
    )
    def test_validation_errors(self, shop: Shop, body: dict[str, object], path: str) -> None:
        coupon = shop.pool()
        assert shop.call("PATCH", f"/coupons/{coupon}", body).error_paths() == [path]

    def test_archived_coupon_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool()
        shop.call("POST", f"/coupons/{coupon}/end")
        assert shop.call("PATCH", f"/coupons/{coupon}", {"name": "Ended"}).status == 200
        shop.call("POST", f"/coupons/{coupon}/archive")
        answer = shop.call("PATCH", f"/coupons/{coupon}", {"name": "Archived"})
        assert answer.problem() == (409, "coupon_archived")
        assert shop.get(f"/coupons/{coupon}")["name"] == "Ended"


class TestCreateCodes:
    """POST /coupons/{id}/codes."""

    def test_pool_gets_more_codes(self, shop: Shop) -> None:
        coupon = shop.pool(2)
        answer = shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 4})
        assert answer.status == 202
        assert (answer.json["quantity"], answer.json["codes"]) == (6, counts(available=6))
        assert shop.counts(coupon) == counts(available=6)
        shop.check()

    def test_many_codes_are_made_by_worker(self, shop: Shop) -> None:
        coupon = shop.pool(2)
        answer = shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 90})
        waiting = answer.json["codes"]["pending"]
        assert answer.json["codes"] == counts(available=92 - waiting, pending=waiting)
        shop.world.deliver()
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=92)

    def test_imported_pool_accepts_another_file(self, shop: Shop) -> None:
        coupon = shop.import_codes("A1\nA2\n").json["id"]
        shop.world.deliver()
        body = {"content": "code\nA2\nA3\nA3\n\nA 4\n"}
        answer = shop.call("POST", f"/coupons/{coupon}/codes", body)
        assert answer.status == 202
        assert answer.json["codes"] == counts(available=2, pending=2)
        shop.world.deliver()
        after = shop.get(f"/coupons/{coupon}")
        assert (after["codes"], after["importSkipped"]) == (counts(available=3), 3)
        assert set(shop.texts(coupon)) == {"A1", "A2", "A3"}

    def test_pool_needs_quantity_and_imported_pool_needs_content(self, shop: Shop) -> None:
        pool, imported = shop.pool(), shop.import_codes("A1").json["id"]
        wrong = shop.call("POST", f"/coupons/{pool}/codes", {"content": "A9"})
        assert wrong.error_paths() == ["/quantity"]
        wrong = shop.call("POST", f"/coupons/{imported}/codes", {"quantity": 1})
        assert wrong.error_paths() == ["/content"]
        for neither in ({}, {"quantity": 1, "content": "A9"}):
            assert shop.call("POST", f"/coupons/{pool}/codes", neither).error_paths() == [""]

    def test_personal_coupon_is_refused(self, shop: Shop) -> None:
        answer = shop.call("POST", f"/coupons/{shop.personal()}/codes", {"quantity": 1})
        assert answer.problem() == (409, "not_a_pool")

    def test_ended_coupon_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool()
        shop.call("POST", f"/coupons/{coupon}/end")
        answer = shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 1})
        assert answer.problem() == (409, "coupon_ended")

    def test_disconnected_store_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool()
        shop.call("POST", f"/stores/{shop.store_id}/disconnect")
        answer = shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 1})
        assert answer.problem() == (409, "store_disconnected")

    def test_unusable_content_is_refused_with_reason(self, shop: Shop) -> None:
        coupon = shop.import_codes("A1\n").json["id"]
        shop.world.deliver()
        for content, column, code in (
            ("", None, "unreadable"),
            ("A2\n", "voucher", "column_not_found"),
            ("a1\n", None, "no_valid_codes"),
        ):
            body = {"content": content} | ({"column": column} if column else {})
            assert shop.call("POST", f"/coupons/{coupon}/codes", body).problem() == (422, code)
        assert shop.counts(coupon) == counts(available=1)


class TestEnd:
    """POST /coupons/{id}/end."""

    def test_unassigned_codes_expire_and_assigned_stay_valid(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(4), shop.person(), shop.person()
        assigned, spent = shop.assigned(coupon, ann), shop.assigned(coupon, bob)
        shop.use(spent["code"])
        answer = shop.call("POST", f"/coupons/{coupon}/end")
        after = counts(assigned=1, used=1, expired=2)
        assert (answer.status, answer.json["status"], answer.json["codes"]) == (200, "ended", after)
        assert shop.counts(coupon) == after
        shop.world.deliver()
        assert shop.counts(coupon) == after
        assert {row.status for row in shop.code_rows()} == {"assigned", "used", "expired"}
        [remaining] = shop.codes(coupon, status="assigned")
        assert remaining == assigned
        shop.check()

    def test_pending_codes_are_never_made(self, shop: Shop) -> None:
        made = shop.coupon(quantity=200)
        first = made["codes"]["available"]
        assert shop.call("POST", f"/coupons/{made['id']}/end").json["codes"] == counts(expired=200)
        shop.world.deliver()
        assert shop.get(f"/coupons/{made['id']}")["codes"] == counts(expired=200)
        assert len(shop.codes(made["id"], status="expired")) == first < 200
        assert shop.world.rows(f"{shop.workspace.key}#coupon#") != []
        assert [r for r in shop.world.rows() if r.sk.startswith("work#")] == []
        shop.check()

    def test_second_end_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool()
        assert shop.call("POST", f"/coupons/{coupon}/end").status == 200
        again = shop.call("POST", f"/coupons/{coupon}/end")
        assert again.problem() == (409, "invalid_state")

    def test_expired_coupon_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool(validity={"type": "until", "endsAt": in_days(0.01)})
        shop.world.advance(minutes=20)
        assert shop.call("POST", f"/coupons/{coupon}/end").problem() == (409, "invalid_state")


class TestArchive:
    """POST /coupons/{id}/archive."""

    def test_ended_coupon_is_archived_with_its_codes(self, shop: Shop) -> None:
        coupon, ann = shop.pool(1), shop.person()
        shop.assigned(coupon, ann)
        shop.call("POST", f"/coupons/{coupon}/end")
        answer = shop.call("POST", f"/coupons/{coupon}/archive")
        assert (answer.status, answer.json["status"]) == (200, "archived")
        assert answer.json["archivedAt"] == shop.get(f"/coupons/{coupon}")["archivedAt"]
        assert answer.json["archivedAt"] is not None
        assert answer.json["codes"] == counts(assigned=1)
        assert shop.assign(coupon, ann).problem() == (409, "coupon_ended")

    def test_active_or_archived_coupon_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool()
        answer = shop.call("POST", f"/coupons/{coupon}/archive")
        assert answer.problem() == (409, "invalid_state")
        shop.call("POST", f"/coupons/{coupon}/end")
        assert shop.call("POST", f"/coupons/{coupon}/archive").status == 200
        answer = shop.call("POST", f"/coupons/{coupon}/archive")
        assert answer.problem() == (409, "invalid_state")

    def test_expired_coupon_can_be_archived(self, shop: Shop) -> None:
        coupon = shop.pool(validity={"type": "until", "endsAt": in_days(0.01)})
        shop.world.advance(minutes=20)
        answer = shop.call("POST", f"/coupons/{coupon}/archive")
        assert (answer.status, answer.json["status"]) == (200, "archived")
        assert answer.json["codes"] == counts(expired=3)
        shop.run_expiry()
        assert shop.get(f"/coupons/{coupon}")["status"] == "archived"
        assert shop.counts(coupon) == counts(expired=3)
        shop.check()


def test_code_ids_depend_on_store_and_ignore_case() -> None:
    """The same code of two stores is two codes: ids follow from the store."""
    one, two = uuid4(), uuid4()
    assert code_id(one, "Spring") == code_id(one, "SPRING")
    assert code_id(one, "Spring") != code_id(two, "Spring")
    assert WorkspaceScope(one) != WorkspaceScope(two)

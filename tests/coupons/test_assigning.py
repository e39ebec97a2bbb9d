"""Codes of people: assign, list, retry and delete."""

from functools import partial
from typing import Any

import pytest

from storepost.platform.persistence.counted_tree import Filter, Tree, TreeEntry, scanning
from storepost.platform.persistence.sealing import clear_key_cache
from tests.coupons.coupon_store import Shop, counts
from tests.harness.call_interruption import (
    another_container,
    at_call,
    before_the_commit,
    counted,
)
from tests.harness.world import CANARY, Answer


class TestAssign:
    """POST /coupons/{id}/assign."""

    def test_all_fields(self, shop: Shop) -> None:
        coupon = shop.pool(2, validity={"type": "days", "days": 2})
        ann = shop.person()
        profile = shop.get(f"/profiles/{ann}")
        answer = shop.assign(coupon, ann)
        assert answer.status == 201
        code = answer.json
        assert code == {
            "id": code["id"],
            "code": code["code"],
            "status": "assigned",
            "profile": {"id": ann, "name": profile["name"], "email": profile["email"]},
            "order": None,
            "assignedAt": code["assignedAt"],
            "expiresAt": code["expiresAt"],
            "usedAt": None,
            "error": None,
            "createdAt": code["createdAt"],
        }
        assert code in shop.codes(coupon)
        assert code["assignedAt"][:8] == code["createdAt"][:8]
        assert code["expiresAt"][10:] == code["assignedAt"][10:]
        assert code["expiresAt"] > code["assignedAt"]
        shop.check()

    def test_each_person_gets_another_code_until_none_is_left(self, shop: Shop) -> None:
        coupon, people = shop.pool(3), [shop.person() for _ in range(4)]
        codes = [shop.assigned(coupon, each)["code"] for each in people[:3]]
        assert len(set(codes)) == 3
        assert shop.assign(coupon, people[3]).problem() == (409, "no_codes_left")
        assert shop.counts(coupon) == counts(assigned=3)
        shop.check()

    def test_personal_code_is_created(self, shop: Shop) -> None:
        coupon, ann = shop.personal(prefix="HI-"), shop.person()
        code = shop.assigned(coupon, ann)
        assert code["code"].startswith("HI-")
        assert (code["status"], code["profile"]["id"]) == ("assigned", ann)
        assert shop.codes(coupon) == [code]
        assert shop.counts(coupon) == counts(assigned=1)
        shop.check()

    @pytest.mark.parametrize("make", ["pool", "personal"])
    def test_same_code_until_it_is_used(self, shop: Shop, make: str) -> None:
        coupon, ann = getattr(shop, make)(), shop.person()
        first = shop.assigned(coupon, ann)
        for reference in (None, "mail-1", "mail-2"):
            answer = shop.assign(coupon, ann, reference)
            assert (answer.status, answer.json) == (200, first)
        shop.use(first["code"])
        second = shop.assigned(coupon, ann)
        assert second["code"] != first["code"]
        assert shop.assign(coupon, ann).json == second
        shop.check()

    def test_same_code_until_it_expires(self, shop: Shop) -> None:
        coupon = shop.pool(validity={"type": "days", "days": 1})
        ann = shop.person()
        first = shop.assigned(coupon, ann)
        shop.world.advance(hours=23)
        assert shop.assign(coupon, ann).json == first
        shop.world.advance(hours=1)
        second = shop.assigned(coupon, ann)
        assert second["code"] != first["code"]
        assert shop.counts(coupon) == counts(available=1, assigned=1, expired=1)

    def test_every_email_gets_its_own_code(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(5, reissue="every_email"), shop.person(), shop.person()
        first, second = shop.assigned(coupon, ann, "mail-1"), shop.assigned(coupon, ann, "mail-2")
        other = shop.assigned(coupon, bob, "mail-1")
        assert len({first["code"], second["code"], other["code"]}) == 3
        again = shop.assign(coupon, ann, "mail-1")
        assert (again.status, again.json) == (200, first)
        shop.use(first["code"])
        again = shop.assign(coupon, ann, "mail-1")
        assert (again.status, again.json["id"], again.json["status"]) == (200, first["id"], "used")
        unnamed = [shop.assigned(coupon, ann)["code"] for _ in range(2)]
        assert len(set(unnamed)) == 2
        assert shop.counts(coupon) == counts(assigned=4, used=1)
        shop.check()

    @pytest.mark.parametrize("make", ["pool", "personal"])
    @pytest.mark.parametrize("reference", [None, "mail-1"])
    def test_code_of_email_is_reused_after_change_to_one_per_person(
        self, shop: Shop, make: str, reference: str | None
    ) -> None:
        coupon, ann = getattr(shop, make)(reissue="every_email"), shop.person()
        first = shop.assigned(coupon, ann, reference)
        answer = shop.call("PATCH", f"/coupons/{coupon}", {"reissue": "after_use_or_expiry"})
        assert answer.status == 200
        for other_reference in (None, "mail-1", "mail-2"):
            answer = shop.assign(coupon, ann, other_reference)
            assert (answer.status, answer.json) == (200, first)
        shop.use(first["code"])
        second = shop.assigned(coupon, ann)
        assert second["code"] != first["code"]
        shop.use(second["code"], order="2")
        assert len({first["code"], second["code"], shop.assigned(coupon, ann)["code"]}) == 3
        shop.check()

    def test_person_unknown_to_store_is_refused(self, shop: Shop) -> None:
        coupon, stranger = shop.pool(), shop.person(shop.store("Outlet"))
        assert shop.assign(coupon, stranger).problem() == (409, "profile_not_in_store")
        nobody = shop.assign(coupon, "c0ffee00-0000-4000-8000-000000000000")
        assert nobody.problem() == (422, "validation")
        assert shop.counts(coupon) == counts(available=3)

    def test_subscriber_gets_a_code_once_the_store_has_sent_them(self, shop: Shop) -> None:
        coupon, email = shop.pool(), f"reader.{CANARY}@example.com"
        subscriber = shop.call("POST", "/profiles", {"email": email}).json["id"]
        refused = shop.assign(coupon, subscriber)
        assert refused.problem() == (409, "profile_not_in_store")
        assert "`PUT /stores/{id}/customers/{externalId}`" in refused.json["detail"]
        moment = "2026-03-01T08:00:00Z"
        body = {"email": email, "externalCreatedAt": moment, "externalUpdatedAt": moment}
        shop.call("PUT", f"/stores/{shop.store_id}/customers/reader-1", body)
        assert shop.assign(coupon, subscriber).status == 201

    def test_person_known_by_order_only(self, shop: Shop) -> None:
        coupon = shop.pool()
        shop.order(shop.store_id, "1", buyer={"email": "buyer.canary@example.com"})
        buyer = shop.find_profile(email="buyer.canary@example.com")["id"]
        assert shop.assign(coupon, buyer).status == 201

    def test_ended_coupon_is_refused_even_with_assigned_code(self, shop: Shop) -> None:
        coupon, ann = shop.pool(), shop.person()
        shop.assigned(coupon, ann)
        shop.call("POST", f"/coupons/{coupon}/end")
        assert shop.assign(coupon, ann).problem() == (409, "coupon_ended")
        nobody = shop.assign(coupon, "c0ffee00-0000-4000-8000-000000000000")
        assert nobody.problem() == (422, "validation")

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["/profileId"]),
            ({"profileId": "x"}, ["/profileId"]),
            (
                {"profileId": "c0ffee00-0000-4000-8000-000000000000", "reference": ""},
                ["/reference"],
            ),
        ],
    )
    def test_validation_errors(self, shop: Shop, body: dict[str, Any], paths: list[str]) -> None:
        coupon = shop.pool()
        assert shop.call("POST", f"/coupons/{coupon}/assign", body).error_paths() == paths


class TestRaces:
    """Two requests at once, at the worst moment: just before a transaction is sent."""

    @pytest.mark.parametrize("make", ["pool", "personal"])
    def test_one_person_gets_one_code(self, shop: Shop, make: str) -> None:
        coupon, ann = getattr(shop, make)(), shop.person()
        answers = []
        with before_the_commit(lambda: answers.append(shop.assign(coupon, ann))):
            answers.append(shop.assign(coupon, ann))
        assert [each.status for each in answers] == [201, 200]
        assert answers[0].json == answers[1].json
        shop.check()

    def test_one_reference_gets_one_code(self, shop: Shop) -> None:
        coupon, ann = shop.pool(reissue="every_email"), shop.person()
        answers = []
        with before_the_commit(lambda: answers.append(shop.assign(coupon, ann, "m"))):
            answers.append(shop.assign(coupon, ann, "m"))
        assert [each.status for each in answers] == [201, 200]
        assert answers[0].json == answers[1].json
        assert shop.counts(coupon) == counts(available=2, assigned=1)

    def test_last_code_assigned_concurrently_to_same_reference(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        coupon, ann = shop.pool(1, reissue="every_email"), shop.person()
        plain, answers = Tree.any_of, []

        def after_another(tree: Tree, by: Filter) -> TreeEntry | None:
            monkeypatch.setattr(Tree, "any_of", plain)
            with another_container():
                answers.append(shop.assign(coupon, ann, "m"))
            return plain(tree, by)

        monkeypatch.setattr(Tree, "any_of", after_another)
        answers.append(shop.assign(coupon, ann, "m"))
        assert [each.status for each in answers] == [201, 200]
        assert answers[0].json == answers[1].json
        assert shop.assign(coupon, ann, "n").problem() == (409, "no_codes_left")
        assert shop.counts(coupon) == counts(assigned=1)

    def test_last_code_is_assigned_to_one_of_two(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(1), shop.person(), shop.person()
        answers = []
        with before_the_commit(lambda: answers.append(shop.assign(coupon, ann))):
            answers.append(shop.assign(coupon, bob))
        assert answers[0].status == 201
        assert answers[1].problem() == (409, "no_codes_left")
        assert shop.counts(coupon) == counts(assigned=1)
        shop.check()

    def test_last_code_assigned_between_any_two_calls(self, shop: Shop) -> None:
        """For example, the list still has the code when it is drawn, but its row is assigned."""
        coupon, ann, bob = shop.pool(1), shop.person(), shop.person()
        shop.world.deliver()
        begin = shop.world.checkpoint()
        calls = counted(partial(shop.assign, coupon, bob))
        made: list[Answer] = []

        def take() -> None:
            with another_container():
                made.append(shop.assign(coupon, ann))

        for place in range(1, calls.index("TransactWriteItems") + 2):
            begin()
            clear_key_cache()
            with at_call(place, take):
                second = shop.assign(coupon, bob)
            assert made.pop().status == 201, place
            assert second.problem() == (409, "no_codes_left"), place
            assert shop.counts(coupon) == counts(assigned=1), place
            shop.check()

    def test_code_deleted_concurrently_is_not_assigned(self, shop: Shop) -> None:
        coupon, ann = shop.pool(1), shop.person()
        [code] = shop.codes(coupon)
        path = f"/coupon-codes/{code['id']}"
        with before_the_commit(lambda: shop.call("DELETE", path)):
            answer = shop.assign(coupon, ann)
        assert answer.problem() == (409, "no_codes_left")
        assert shop.counts(coupon) == counts()

    def test_person_erased_concurrently_gets_no_code(self, shop: Shop) -> None:
        coupon, ann = shop.pool(1), shop.person()
        with before_the_commit(lambda: shop.call("DELETE", f"/profiles/{ann}")):
            answer = shop.assign(coupon, ann)
        assert answer.problem() == (422, "validation")
        assert shop.counts(coupon) == counts(available=1)

    def test_person_merged_concurrently_gets_code_as_survivor(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(2), shop.person(), shop.person()
        with before_the_commit(lambda: shop.merge(ann, bob)):
            answer = shop.assign(coupon, bob)
        assert answer.status == 201
        assert answer.json["profile"]["id"] == ann
        shop.world.deliver()
        assert [code["profile"]["id"] for code in shop.codes(coupon, profileId=ann)] == [ann]
        assert shop.assign(coupon, ann).json["id"] == answer.json["id"]
        shop.check()


class TestList:
    """GET /coupons/{id}/codes."""

    def test_newest_first_with_pagination(self, shop: Shop) -> None:
        coupon = shop.pool(12)
        shop.world.advance(seconds=1)
        shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 12})
        first = shop.get(f"/coupons/{coupon}/codes", pageSize=10)
        rest = [shop.get(f"/coupons/{coupon}/codes", pageSize=10, page=p) for p in (2, 3, 4)]
        assert [page["total"] for page in (first, *rest)] == [24] * 4
        assert [len(page["items"]) for page in (first, *rest)] == [10, 10, 4, 0]
        codes = [code for page in (first, *rest) for code in page["items"]]
        assert len({code["id"] for code in codes}) == 24
        made = [code["createdAt"] for code in codes]
        assert made == sorted(made, reverse=True)
        assert len(set(made)) == 2

    def test_filters(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(4, prefix="AB-"), shop.person(), shop.person()
        anns, bobs = shop.assigned(coupon, ann), shop.assigned(coupon, bob)
        shop.use(bobs["code"])
        assert shop.texts(coupon, status="assigned") == [anns["code"]]
        assert shop.texts(coupon, status="used") == [bobs["code"]]
        assert set(shop.texts(coupon, status="used,assigned")) == {anns["code"], bobs["code"]}
        assert shop.texts(coupon, profileId=ann) == [anns["code"]]
        assert shop.texts(coupon, profileId=ann, status="used") == []
        assert shop.texts(coupon, profileId=ann, q="ab") == [anns["code"]]
        assert shop.texts(coupon, profileId=ann, q="zz") == []
        assert shop.texts(coupon, profileId="c0ffee00-0000-4000-8000-000000000000") == []
        assert len(shop.texts(coupon, q="ab")) == 4
        assert shop.texts(coupon, q=anns["code"].lower()) == [anns["code"]]
        assert shop.texts(coupon, q="ab", status="used") == [bobs["code"]]
        assert shop.texts(coupon, q="0") == []

    def test_exact_code_is_found_in_large_pool(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        coupon, other = shop.pool(4, prefix="AB-"), shop.texts(shop.pool(1, prefix="AB-"))[0]
        first, second = shop.texts(coupon)[:2]
        shop.use(second)
        monkeypatch.setattr(scanning, "MAX_ROWS", 2)
        assert shop.texts(coupon, q=first) == [first]
        assert shop.texts(coupon, q=f" {first.lower()} ", status="available") == [first]
        assert shop.texts(coupon, q=first, status="assigned,available") == [first]
        assert shop.texts(coupon, q=first, status="available,used,pending") == [first]
        assert shop.texts(coupon, q=second, status="available") == []
        assert shop.texts(coupon, q=second, status="used") == [second]
        for q in ("ab", first[:-1], other):
            answer = shop.call("GET", f"/coupons/{coupon}/codes", query={"q": q})
            assert answer.problem() == (422, "filter_too_broad")

    def test_imported_codes_with_common_prefix(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """So a search that names one code exactly may match others too."""
        coupon = shop.import_codes("SAVE1\nSAVE10\nSAVE11\nOTHER\n").json["id"]
        shop.world.deliver()
        assert set(shop.texts(coupon, q="save1")) == {"SAVE1", "SAVE10", "SAVE11"}
        monkeypatch.setattr(scanning, "MAX_ROWS", 2)
        answer = shop.call("GET", f"/coupons/{coupon}/codes", query={"q": "SAVE1"})
        assert answer.problem() == (422, "filter_too_broad")

    def test_pagination_of_codes_of_profile(self, shop: Shop) -> None:
        coupon, ann = shop.pool(12, reissue="every_email"), shop.person()
        for number in range(11):
            shop.assigned(coupon, ann, f"mail-{number}")
        page = shop.get(f"/coupons/{coupon}/codes", profileId=ann, page=2, pageSize=10)
        assert (page["total"], len(page["items"])) == (11, 1)


class TestDelete:
    """DELETE /coupon-codes/{id}."""

    def test_unassigned_code_is_deleted(self, shop: Shop) -> None:
        coupon = shop.pool(2)
        gone, stays = shop.codes(coupon)
        answer = shop.call("DELETE", f"/coupon-codes/{gone['id']}")
        assert (answer.status, answer.body) == (204, b"")
        assert shop.codes(coupon) == [stays]
        assert shop.counts(coupon) == counts(available=1)
        again = shop.call("DELETE", f"/coupon-codes/{gone['id']}")
        assert (again.status, again.body) == (204, b"")
        shop.check()

    def test_deleted_code_can_be_imported_again(self, shop: Shop) -> None:
        coupon = shop.import_codes("A1\nA2").json["id"]
        shop.world.deliver()
        code = next(code for code in shop.codes(coupon) if code["code"] == "A1")
        shop.call("DELETE", f"/coupon-codes/{code['id']}")
        other = shop.import_codes("a1").json["id"]
        shop.world.deliver()
        assert shop.texts(other) == ["a1"]
        shop.check()

    def test_assigned_used_or_expired_code_is_refused(self, shop: Shop) -> None:
        coupon, ann = shop.pool(2), shop.person()
        code = shop.assigned(coupon, ann)
        path = f"/coupon-codes/{code['id']}"
        assert shop.call("DELETE", path).problem() == (409, "code_assigned")
        shop.use(code["code"])
        assert shop.call("DELETE", path).problem() == (409, "code_assigned")
        shop.call("POST", f"/coupons/{coupon}/end")
        [expired] = shop.codes(coupon, status="expired")
        answer = shop.call("DELETE", f"/coupon-codes/{expired['id']}")
        assert answer.problem() == (409, "code_assigned")


class TestRetry:
    """POST /coupon-codes/{id}/retry; what fails does so in shops (test_shopify.py)."""

    def test_code_that_has_not_failed_is_refused(self, shop: Shop) -> None:
        coupon = shop.pool(1)
        [code] = shop.codes(coupon)
        answer = shop.call("POST", f"/coupon-codes/{code['id']}/retry")
        assert answer.problem() == (409, "code_not_failed")
        assert shop.codes(coupon) == [code]

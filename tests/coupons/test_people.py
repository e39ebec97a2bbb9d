"""A person's codes: they follow merges, are erased with the person, and are exported."""

from storepost.coupons.rows import CodePointerItem
from tests.coupons.coupon_store import Shop, counts


def pointers(shop: Shop) -> list[CodePointerItem]:
    """The rows that name the owner of a code."""
    rows = shop.world.rows(shop.workspace.key)
    return [row for row in rows if isinstance(row, CodePointerItem)]


class TestMerges:
    """Codes move to the surviving profile."""

    def test_codes_belong_to_survivor_immediately(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(3, reissue="every_email"), shop.person(), shop.person()
        codes = [shop.assigned(coupon, bob, f"mail-{n}")["code"] for n in (1, 2)]
        own = shop.assigned(coupon, ann, "mail-3")["code"]
        assert shop.merge(ann, bob).status == 200
        for _ in range(2):
            assert set(shop.texts(coupon, profileId=ann)) == {own, *codes}
            assert set(shop.texts(coupon, profileId=bob)) == {own, *codes}
            assert {c["profile"]["id"] for c in shop.codes(coupon)} == {ann}
            answer = shop.assign(coupon, ann, "mail-1")
            assert (answer.status, answer.json["code"]) == (200, codes[0])
            shop.world.deliver()
        assert len({row.pk for row in pointers(shop)}) == 1
        shop.check()

    def test_earlier_of_two_codes_is_assigned_again(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(4), shop.person(), shop.person()
        shop.assigned(coupon, ann)
        shop.assigned(coupon, bob)
        first = min(shop.codes(coupon, status="assigned"), key=lambda c: (c["createdAt"], c["id"]))
        shop.merge(ann, bob)
        answer = shop.assign(coupon, ann)
        assert (answer.status, answer.json["code"]) == (200, first["code"])
        shop.world.deliver()
        answer = shop.assign(coupon, ann)
        assert (answer.status, answer.json["code"]) == (200, first["code"])
        assert len(pointers(shop)) == 2
        shop.use(*shop.texts(coupon, status="assigned"))
        assert shop.assign(coupon, ann).status == 201
        assert len(shop.texts(coupon, profileId=ann)) == 3
        shop.check()

    def test_chained_merges(self, shop: Shop) -> None:
        coupon, people = shop.pool(4), [shop.person() for _ in range(3)]
        for each in people:
            shop.assigned(coupon, each)
        ann, bob, cat = people
        shop.merge(bob, cat)
        shop.merge(ann, bob)
        shop.world.deliver()
        assert len(shop.texts(coupon, profileId=ann)) == 3
        assert len({row.pk for row in pointers(shop)}) == 1
        shop.check()


class TestErasure:
    """The person is removed; the code and its status stay."""

    def test_codes_remain_without_person(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(4, reissue="every_email"), shop.person(), shop.person()
        used, unused = shop.assigned(coupon, ann, "mail-1"), shop.assigned(coupon, ann, "mail-2")
        bobs = shop.assigned(coupon, bob, "mail-1")
        order = shop.use(used["code"]).json
        shop.merge(ann, bob)
        assert shop.call("DELETE", f"/profiles/{ann}").status == 204
        for _ in range(2):
            codes = {code["code"]: code for code in shop.codes(coupon)}
            assert [codes[c["code"]]["profile"] for c in (used, unused, bobs)] == [None] * 3
            assert codes[used["code"]]["order"]["id"] == order["id"]
            assert shop.counts(coupon) == counts(available=1, assigned=2, used=1)
            shop.world.deliver()
        assert pointers(shop) == []
        assert {row.profile_id for row in shop.code_rows()} == {None}
        shop.check()


class TestExport:
    """GET /profiles/{id}/export has a section of codes."""

    def test_export_has_every_code_of_person(self, shop: Shop) -> None:
        pool, personal = shop.pool(2), shop.personal()
        ann, bob = shop.person(), shop.person()
        codes = [shop.assigned(pool, ann), shop.assigned(personal, ann)]
        shop.assigned(pool, bob)
        section = shop.get(f"/profiles/{ann}/export")["couponCodes"]
        assert section["total"] == 2
        assert {code["id"] for code in section["items"]} == {code["id"] for code in codes}
        assert all(code in section["items"] for code in codes)

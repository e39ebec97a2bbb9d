"""Codes and coupons that expire: what reads show before and after the schedule handled them."""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

import pytest

from local.events import pumps
from storepost.coupons import expiring
from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.keys import DUE_PARTITION
from storepost.coupons.model import Code
from storepost.coupons.trees import CodeList
from tests.coupons.coupon_store import Shop, counts
from tests.coupons.test_coupons import in_days

DAYS = {"type": "days", "days": 1}


class TestValidityDays:
    """Codes that are valid for some days from their assignment."""

    def test_each_code_expires_separately(self, shop: Shop) -> None:
        coupon, ann, bob = shop.pool(3, validity=DAYS), shop.person(), shop.person()
        first = shop.assigned(coupon, ann)
        shop.world.advance(hours=12)
        second = shop.assigned(coupon, bob)
        assert shop.counts(coupon) == counts(available=1, assigned=2)
        shop.world.advance(hours=12)
        before = counts(available=1, assigned=1, expired=1)
        assert shop.counts(coupon) == before
        assert shop.texts(coupon, status="expired") == [first["code"]]
        assert shop.texts(coupon, status="assigned") == [second["code"]]
        assert shop.texts(coupon, profileId=ann, status="expired") == [first["code"]]
        shop.run_expiry()
        assert shop.counts(coupon) == before
        assert [row.status for row in shop.code_rows()].count("expired") == 1
        shop.check()
        shop.world.advance(hours=12)
        shop.run_expiry()
        assert shop.counts(coupon) == counts(available=1, expired=2)
        assert shop.world.rows(DUE_PARTITION) == []
        shop.check()

    def test_used_code_never_expires(self, shop: Shop) -> None:
        coupon, ann = shop.pool(1, validity=DAYS), shop.person()
        shop.use(shop.assigned(coupon, ann)["code"])
        assert shop.world.rows(DUE_PARTITION) == []
        shop.world.advance(days=2)
        assert shop.counts(coupon) == counts(used=1)
        shop.run_expiry()
        assert shop.counts(coupon) == counts(used=1)

    def test_assigned_codes_of_ended_coupon_expire_after_days(self, shop: Shop) -> None:
        coupon, ann = shop.pool(2, validity=DAYS), shop.person()
        shop.assigned(coupon, ann)
        shop.call("POST", f"/coupons/{coupon}/end")
        shop.world.deliver()
        assert shop.counts(coupon) == counts(assigned=1, expired=1)
        shop.world.advance(days=1)
        assert shop.counts(coupon) == counts(expired=2)
        shop.run_expiry()
        assert shop.counts(coupon) == counts(expired=2)
        shop.check()

    def test_many_codes_expire_in_several_runs(self, shop: Shop, monkeypatch: object) -> None:
        coupon, ann = shop.pool(38, validity=DAYS, reissue="every_email"), shop.person()
        for number in range(30):
            shop.assigned(coupon, ann, f"mail-{number}")
        shop.world.advance(days=1)
        monkeypatch.setattr(expiring, "MAX_OF_A_SHARD", 25)  # type: ignore[attr-defined]
        assert pumps.run_schedule("coupon_expiry") == {"moved": 25}
        assert [row.status for row in shop.code_rows()].count("expired") == 25
        assert shop.counts(coupon) == counts(available=8, expired=30)
        assert pumps.run_schedule("coupon_expiry") == {"moved": 5}
        assert pumps.run_schedule("coupon_expiry") == {"moved": 0}
        assert shop.counts(coupon) == counts(available=8, expired=30)
        shop.check()

    def test_failing_coupon_does_not_block_others(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its codes stay due, and expire once the failure is over."""
        coupons = [shop.pool(1, validity=DAYS) for _ in range(2)]
        codes = [shop.assigned(coupon, shop.person())["id"] for coupon in coupons]
        shop.world.advance(days=1)
        plain, restore = CodeRepository.get_many, shop.world.checkpoint()
        for failing, code in enumerate(codes):
            restore()

            def get_many(
                self: CodeRepository, ids: Iterable[UUID], code: str = code
            ) -> dict[UUID, Code]:
                if UUID(code) in (named := list(ids)):
                    raise TimeoutError
                return plain(self, named)

            with monkeypatch.context() as broken:
                broken.setattr(CodeRepository, "get_many", get_many)
                with pytest.raises(expiring.NotExpired):
                    pumps.run_schedule("coupon_expiry")
            stored = {str(row.coupon_id): row.status for row in shop.code_rows()}
            assert stored[coupons[failing]] == "assigned"
            assert stored[coupons[1 - failing]] == "expired"
            assert pumps.run_schedule("coupon_expiry") == {"moved": 1}
            assert {row.status for row in shop.code_rows()} == {"expired"}
            shop.check()

    def test_codes_in_different_leaves_fit_into_one_transaction(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In a large pool each of these codes is in its own leaf, below its own node."""
        narrow = property(lambda codes: replace(codes.tree_of_its_size, fan_out=1))
        monkeypatch.setattr(CodeList, "tree_of_its_size", CodeList.tree, raising=False)
        monkeypatch.setattr(CodeList, "tree", narrow)
        coupon, ann = shop.pool(25, validity=DAYS, reissue="every_email"), shop.person()
        for number in range(25):
            shop.assigned(coupon, ann, f"mail-{number}")
        assert len(CodeList(shop.workspace, UUID(coupon)).tree.rows.top()) == 25
        shop.world.advance(days=1)
        shop.run_expiry()
        assert [row.status for row in shop.code_rows()] == ["expired"] * 25
        shop.check()


class TestEndsAt:
    """Coupons that end at a moment."""

    def test_all_codes_expire_with_coupon(self, shop: Shop) -> None:
        coupon = shop.pool(4, validity={"type": "until", "endsAt": in_days(1)})
        ann, bob = shop.person(), shop.person()
        code = shop.assigned(coupon, ann)
        assert code["expiresAt"] == shop.get(f"/coupons/{coupon}")["validity"]["endsAt"]
        shop.use(shop.assigned(coupon, bob)["code"])
        shop.world.advance(days=1)
        after = shop.get(f"/coupons/{coupon}")
        assert (after["status"], after["codes"]) == ("ended", counts(used=1, expired=3))
        assert shop.counts(coupon) == counts(used=1, expired=3)
        assert shop.ids("/coupons", status="ended") == [coupon]
        assert shop.ids("/coupons", status="active") == []
        assert shop.assign(coupon, ann).problem() == (409, "coupon_ended")
        more = shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 1})
        assert more.problem() == (409, "coupon_ended")
        shop.run_expiry()
        assert shop.get(f"/coupons/{coupon}") == after
        assert shop.counts(coupon) == counts(used=1, expired=3)
        assert {row.status for row in shop.code_rows()} == {"used", "expired"}
        assert shop.world.rows(DUE_PARTITION) == []
        shop.check()

    def test_imported_coupon_expires_while_codes_are_pending(self, shop: Shop) -> None:
        made = shop.import_codes("A1\nA2\n", validity={"type": "until", "endsAt": in_days(1)})
        shop.world.advance(days=1)
        for _ in range(2):
            after = shop.get(f"/coupons/{made.json['id']}")
            assert (after["status"], after["codes"]) == ("ended", counts(expired=2))
            shop.run_expiry()
        assert shop.codes(made.json["id"]) == []
        assert shop.import_codes("A1").status == 202
        shop.check()

    def test_coupon_ended_before_is_unchanged(self, shop: Shop) -> None:
        coupon = shop.pool(1, validity={"type": "until", "endsAt": in_days(1)})
        shop.call("POST", f"/coupons/{coupon}/end")
        shop.call("POST", f"/coupons/{coupon}/archive")
        before = shop.get(f"/coupons/{coupon}")
        shop.world.advance(days=1)
        shop.run_expiry()
        assert shop.get(f"/coupons/{coupon}") == before
        assert shop.world.rows(DUE_PARTITION) == []


def test_coupon_without_end_is_never_due(shop: Shop) -> None:
    """Neither the coupon nor its codes have a row in the due queue."""
    coupon, ann = shop.pool(2), shop.person()
    shop.assigned(coupon, ann)
    shop.world.advance(days=20)
    assert shop.world.rows(DUE_PARTITION) == []
    assert pumps.run_schedule("coupon_expiry") == {"moved": 0}
    assert shop.counts(coupon) == counts(available=1, assigned=1)

"""Coupons of a connected shop that can't be reached, or refuses."""

from collections import Counter
from datetime import timedelta
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from werkzeug.wrappers import Response

from local.events import pumps
from storepost.coupons import shop_sync
from storepost.coupons.backoff import schedule_retry
from storepost.coupons.repository import CouponRepository
from storepost.platform.jobs.runs import Run
from storepost.platform.messaging.tries import RECEIVES, TRIES
from storepost.shopify.errors import MutationRefused, ShopUnavailable, UserError
from storepost.stores.stores.model import ConnectionStatus
from storepost.values import clock
from tests.coupons.coupon_store import counts
from tests.coupons.shopify.on_shopify import OnShopify
from tests.coupons.test_coupons import without_permission
from tests.shopify.hooks import Hooks
from tests.shopify.shops import SHOP, connection_is


class TestFailures:
    """Shops that can't be reached, or refuse codes."""

    def test_missing_permission_refuses_creation_but_not_import(self, shop: OnShopify) -> None:
        without_permission(shop)
        assert shop.call("POST", "/coupons", shop.body()).problem() == (409, "permission_missing")
        coupon = shop.import_codes("A1")
        assert coupon.status == 202
        shop.world.deliver()
        assert shop.counts(coupon.json["id"]) == counts(available=1)
        assert shop.discounts == []

    def test_needs_reauth_fails_codes(self, shop: OnShopify) -> None:
        connection_is(shop.connected, ConnectionStatus.NEEDS_REAUTH)
        coupon = shop.pool(3)
        shop.world.deliver()
        assert shop.counts(coupon) == counts(failed=3)
        assert {code["error"] for code in shop.codes(coupon)} == {
            "The shop doesn't let coupons be made, or has to be connected again."
        }
        connection_is(shop.connected, ConnectionStatus.CONNECTED)
        for code in shop.codes(coupon):
            assert shop.call("POST", f"/coupon-codes/{code['id']}/retry").status == 200
        shop.world.deliver()
        assert shop.counts(coupon) == counts(available=3)
        shop.check()

    def test_shop_that_refuses_tokens_needs_reauth_and_fails_codes(self, shop: OnShopify) -> None:
        """The app was removed from the shop, and the webhook about that is late."""
        shop.world.deliver()
        coupon = shop.pool(3)
        shop.shopify.shop(SHOP).installation = None
        shop.world.deliver()
        assert shop.counts(coupon) == counts(failed=3)
        store = shop.shopify.store(shop.workspace)
        assert store.connection_status is ConnectionStatus.NEEDS_REAUTH

    def test_unavailable_shop_fails_codes_after_all_tries(self, shop: OnShopify) -> None:
        coupon = shop.pool(1)
        shop.shopify.answering(*(Response(status=503) for _ in range(40)))
        shop.work(coupon, tries=TRIES)
        shop.shopify.server.interruptions.clear()
        [code] = shop.codes(coupon)
        assert (code["status"], code["error"]) == ("failed", "The shop can't be reached.")

    @pytest.mark.parametrize("tries", [TRIES, RECEIVES])
    def test_unexpected_error_fails_codes_after_all_tries(
        self, shop: OnShopify, monkeypatch: pytest.MonkeyPatch, tries: int
    ) -> None:
        """So does a last try that is killed: nobody could retry pending codes."""
        coupon = shop.pool(1)
        monkeypatch.setattr(shop_sync, "add_codes", mock.Mock(side_effect=ArithmeticError))
        shop.work(coupon, tries=TRIES - 1, fails=True)
        assert shop.counts(coupon) == counts(pending=1)
        if tries > TRIES:
            monkeypatch.undo()
        shop.work(coupon, tries=tries)
        [code] = shop.codes(coupon)
        assert (code["status"], code["error"]) == (
            "failed",
            "The coupon couldn't be sent to the shop.",
        )

    def test_large_pool_fails_in_several_runs_with_one_shop_call(
        self, shop: OnShopify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shop_sync, "CODES_OF_A_CALL", 4)
        coupon = shop.pool(10)
        monkeypatch.setattr(Run, "is_over", lambda _run: True)
        refused = MutationRefused((UserError("Not now."),))
        with (
            mock.patch.object(shop_sync, "add_codes", side_effect=refused) as shop_call,
            mock.patch.object(Run, "stop", autospec=True, side_effect=Run.stop) as stop,
        ):
            shop.world.deliver()
        assert shop.counts(coupon) == counts(failed=10)
        assert {code["error"] for code in shop.codes(coupon)} == {"Not now."}
        assert shop_call.call_count == 1
        reasons = [call.args[1].failing for call in stop.call_args_list]
        assert reasons == [None, "Not now.", "Not now.", "Not now."]
        shop.check()

    @pytest.fixture
    def expired(self, shop: OnShopify) -> str:
        """A coupon with a code that has just ended, and one that nobody has."""
        coupon, ann = shop.pool(2, validity={"type": "days", "days": 1}), shop.buyer()
        shop.world.deliver()
        shop.assigned(coupon, ann)
        shop.world.advance(days=1)
        return coupon

    def test_code_expired_during_reauth_is_deleted_after_reconnection(
        self, shop: OnShopify, expired: str
    ) -> None:
        connection_is(shop.connected, ConnectionStatus.NEEDS_REAUTH)
        shop.run_expiry()
        assert shop.counts(expired) == counts(available=1, expired=1)
        assert len(shop.there(expired)) == 2
        shop.shopify.connect(shop.owner, shop.workspace)
        shop.world.deliver()
        assert shop.there(expired) == set(shop.texts(expired, status="available"))
        assert shop.stored(expired).failed_syncs == 0
        shop.check()

    def test_code_expired_without_permission_is_deleted_once_shop_permits_it(
        self, shop: OnShopify, expired: str
    ) -> None:
        installation = shop.shopify.shop().installation
        assert installation is not None
        granted = installation.scopes
        hooks = Hooks(shop.world, shop.workspace, shop.connected, shop.shopify)
        for scopes in (("write_customers", "read_orders", "read_products"), granted):
            installation.scopes = scopes
            hooks.notify("app/scopes_update", {"previous": [], "current": []})
            if scopes != granted:
                shop.run_expiry()
                for _ in range(7):
                    shop.world.advance(hours=12)
                    shop.run_expiry()
                assert len(shop.there(expired)) == 2
        assert shop.there(expired) == set(shop.texts(expired, status="available"))
        assert shop.stored(expired).failed_syncs == 0

    def test_failing_shop_is_retried_with_backoff(self, shop: OnShopify, expired: str) -> None:
        with mock.patch.object(
            shop_sync, "delete_codes", side_effect=ShopUnavailable("away")
        ) as shop_call:
            pumps.run_schedule("coupon_expiry")
            shop.work(expired, tries=TRIES - 1, fails=True)
            assert (shop.stored(expired).failed_syncs, shop_call.call_count) == (0, 1)
            shop.work(expired, tries=TRIES)
            for tries, minutes in enumerate((10, 20, 40), 1):
                assert (shop.stored(expired).failed_syncs, shop_call.call_count) == (
                    tries,
                    tries + 1,
                )
                shop.world.advance(minutes=minutes - 1)
                assert pumps.run_schedule("coupon_expiry") == {"moved": 0}
                shop.world.advance(minutes=1)
                assert pumps.run_schedule("coupon_expiry") == {"moved": 1}
                shop.work(expired, tries=TRIES)
        shop.world.advance(minutes=80)
        shop.run_expiry()
        assert shop.there(expired) == set(shop.texts(expired, status="available"))
        assert shop.stored(expired).failed_syncs == 0
        shop.world.advance(days=30)
        assert pumps.run_schedule("coupon_expiry") == {"moved": 0}

    def test_disconnected_shop_is_synced_after_reconnection_only(
        self, shop: OnShopify, expired: str
    ) -> None:
        assert shop.call("POST", f"/stores/{shop.store_id}/disconnect").status == 200
        shop.run_expiry()
        for _ in range(20):
            shop.world.advance(days=1)
            shop.run_expiry()
        assert len(shop.there(expired)) == 2
        assert 10 < shop.stored(expired).failed_syncs < 15
        shop.shopify.connect(shop.owner, shop.workspace)
        shop.world.deliver()
        assert shop.there(expired) == set(shop.texts(expired, status="available"))

    def test_reconnected_shop_that_refuses_is_retried_soon(
        self, shop: OnShopify, expired: str
    ) -> None:
        assert shop.call("POST", f"/stores/{shop.store_id}/disconnect").status == 200
        shop.run_expiry()
        waits = timedelta()
        while waits < timedelta(days=2):
            shop.world.advance(days=1)
            shop.run_expiry()
            again_at = shop.stored(expired).retry_at
            assert again_at is not None
            waits = again_at - clock.now()
        refused = MutationRefused((UserError("Not now."),))
        with mock.patch.object(shop_sync, "delete_codes", side_effect=refused):
            shop.shopify.connect(shop.owner, shop.workspace)
            shop.world.deliver()
        assert shop.stored(expired).failed_syncs == 1
        shop.world.advance(minutes=10)
        shop.run_expiry()
        assert shop.there(expired) == set(shop.texts(expired, status="available"))
        assert shop.stored(expired).failed_syncs == 0
        shop.world.advance(days=30)
        assert pumps.run_schedule("coupon_expiry") == {"moved": 0}

    def test_shop_reconnected_before_failure_is_stored_is_retried(
        self, shop: OnShopify, expired: str
    ) -> None:
        """The shop is connected again before the failed sync is noted."""

        def put_off_once_it_is_back(*args: Any, **named: Any) -> None:
            if not named["is_connected"]:
                shop.shopify.connect(shop.owner, shop.workspace)
            schedule_retry(*args, **named)

        assert shop.call("POST", f"/stores/{shop.store_id}/disconnect").status == 200
        with mock.patch.object(shop_sync, "schedule_retry", put_off_once_it_is_back):
            shop.run_expiry()
        assert len(shop.there(expired)) == 2
        shop.world.advance(minutes=10)
        shop.run_expiry()
        assert shop.there(expired) == set(shop.texts(expired, status="available"))
        assert shop.stored(expired).failed_syncs == 0

    @pytest.mark.parametrize("ends", [False, True])
    def test_discount_missing_in_shop_counts_as_deleted(
        self, shop: OnShopify, expired: str, *, ends: bool
    ) -> None:
        """A user deleted it in the shop, or a run did that was killed before it noted so."""
        shop.discounts.clear()
        if ends:
            assert shop.call("POST", f"/coupons/{expired}/end").status == 200
        shop.run_expiry()
        stored = shop.stored(expired)
        assert (stored.failed_syncs, stored.external_id is None) == (0, ends)
        assert CouponRepository(shop.workspace).removals(stored.id, 10) == []
        for _ in range(2):
            shop.world.advance(days=30)
            shop.run_expiry()
        assert pumps.run_schedule("coupon_expiry") == {"moved": 0}
        assert shop.stored(expired).failed_syncs == 0

    def test_failed_deletion_does_not_fail_new_codes(self, shop: OnShopify, expired: str) -> None:
        refused = MutationRefused((UserError("Not now."),))
        with mock.patch.object(shop_sync, "delete_codes", side_effect=refused):
            shop.run_expiry()
            shop.call("POST", f"/coupons/{expired}/codes", {"quantity": 2})
            shop.world.deliver()
        assert shop.counts(expired) == counts(available=3, expired=1)
        assert len(shop.there(expired)) == 4

    def lose_response(self, shop: OnShopify, after: int = 0) -> None:
        """The shop carries a request out, after some others, and its answer is lost."""

        def lose(request: Any) -> Response | None:
            path = request.path.partition(f"{SHOP}/")[2]
            assert shop.shopify.server.pretend.answer(request, SHOP, path).status_code == 200
            return Response(status=502)

        shop.shopify.server.interruptions += [lambda _request: None] * after
        shop.shopify.server.interruptions.append(lose)

    def test_lost_response_creates_no_duplicates(self, shop: OnShopify) -> None:
        coupon = shop.pool(3)
        # Each run looks the discount up; its creation is lost, and then that of the codes.
        for _ in range(2):
            self.lose_response(shop, after=1)
            shop.work(coupon, fails=True)
            assert shop.counts(coupon) == counts(pending=3)
        shop.work(coupon)
        assert shop.counts(coupon) == counts(available=3)
        assert len(shop.discounts) == 1
        assert shop.there(coupon) == set(shop.texts(coupon))
        shop.check()

    def test_code_of_lost_response_is_deleted_with_coupons_end(self, shop: OnShopify) -> None:
        coupon = shop.pool(1)
        shop.world.deliver()
        code = shop.assigned(coupon, shop.buyer())["code"]
        shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 2})
        self.lose_response(shop)
        shop.work(coupon, fails=True)
        assert len(shop.there(coupon)) == 3
        assert shop.call("POST", f"/coupons/{coupon}/end").status == 200
        shop.work(coupon, tries=2)
        assert shop.there(coupon) == {code}
        assert shop.counts(coupon) == counts(assigned=1, expired=2)
        shop.check()

    def test_code_of_lost_response_is_deleted_with_its_person(self, shop: OnShopify) -> None:
        coupon, ann = shop.personal(), shop.buyer()
        shop.world.deliver()
        shop.assigned(coupon, ann)
        self.lose_response(shop)
        shop.work(coupon, fails=True)
        assert shop.call("DELETE", f"/profiles/{ann}").status == 204
        shop.world.deliver()
        assert shop.there(coupon) == set()
        assert shop.counts(coupon) == counts(expired=1)

    @pytest.mark.parametrize("ending", ["deleted", "waits", "retried"])
    def test_failed_code_of_lost_response_is_deleted_unless_retried(
        self, shop: OnShopify, ending: str
    ) -> None:
        coupon = shop.pool(1)
        shop.world.deliver()
        shop.call("POST", f"/coupons/{coupon}/codes", {"quantity": 1})
        self.lose_response(shop)
        shop.work(coupon, tries=TRIES)
        [failed] = shop.codes(coupon, status="failed")
        path = f"/coupon-codes/{failed['id']}"
        if ending == "deleted":
            assert shop.call("DELETE", path).status == 204
        if ending == "retried":
            assert shop.call("POST", f"{path}/retry").status == 200
        shop.world.deliver()
        shop.world.advance(minutes=10)
        shop.run_expiry()
        expected = {"deleted": {}, "waits": {"failed": 1}, "retried": {"available": 1}}[ending]
        assert Counter(shop.counts(coupon)) == Counter(counts(available=1)) + Counter(expected)
        assert shop.there(coupon) == set(shop.texts(coupon, status="available"))
        assert CouponRepository(shop.workspace).removals(UUID(coupon), 1) == []
        shop.check()

    def test_discount_of_lost_response_is_deleted_with_coupons_end(self, shop: OnShopify) -> None:
        coupon = shop.pool(1)
        self.lose_response(shop, after=1)
        shop.work(coupon, fails=True)
        assert len(shop.discounts) == 1
        assert shop.call("POST", f"/coupons/{coupon}/end").status == 200
        shop.work(coupon, tries=2)
        assert shop.discounts == []
        assert shop.counts(coupon) == counts(expired=1)

    def test_failed_deletion_does_not_fail_codes_assigned_meanwhile(self, shop: OnShopify) -> None:
        coupon = shop.personal(validity={"type": "days", "days": 1})
        ann, bob = shop.buyer(), shop.buyer()
        shop.assigned(coupon, ann)
        shop.world.deliver()
        shop.world.advance(days=1)

        def refuse_and_assign(*_: object) -> None:
            shop.assigned(coupon, bob)
            raise MutationRefused((UserError("Not now."),))

        with mock.patch.object(shop_sync, "delete_codes", refuse_and_assign):
            pumps.run_schedule("coupon_expiry")
            shop.work(coupon)
        assert shop.counts(coupon) == counts(expired=1, pending=1)
        shop.world.deliver()
        assert shop.counts(coupon) == counts(expired=1, assigned=1)

    def test_discount_that_another_run_created_meanwhile_is_used(self, shop: OnShopify) -> None:
        """Both looked it up before either created it; the shop refuses the second creation."""
        coupon = shop.pool(3)

        def create_before(request: Any) -> Response | None:
            path = request.path.partition(f"{SHOP}/")[2]
            assert shop.shopify.server.pretend.answer(request, SHOP, path).status_code == 200
            return None

        shop.shopify.server.interruptions += [lambda _request: None, create_before]
        shop.work(coupon)
        assert shop.counts(coupon) == counts(available=3)
        assert len(shop.discounts) == 1
        assert shop.there(coupon) == set(shop.texts(coupon))
        shop.check()

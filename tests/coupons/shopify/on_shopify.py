"""A workspace whose coupons are discounts of a connected shop."""

from unittest import mock
from uuid import UUID

from local.shopify.discount_records import Discount
from storepost.coupons.model import Coupon
from storepost.coupons.repository import CouponRepository
from storepost.coupons.shop_discounts import seed_of
from storepost.coupons.shop_sync import ShopSync
from storepost.people.consent.model import ConsentOrigin, ConsentSource
from storepost.people.customers.model import IncomingCustomer
from storepost.people.customers.service import write_customer
from storepost.platform.persistence.changes import commit_anew
from storepost.values import clock
from tests.coupons.coupon_store import Shop
from tests.harness.world import CANARY, World
from tests.shopify.hooks import Hooks, order_body
from tests.shopify.shops import Shopify


class OnShopify(Shop):
    """The workspace, with a connected shop."""

    def __init__(self, world: World, shopify: Shopify) -> None:
        super().__init__(world)
        self.shopify = shopify
        self.connected = shopify.connect(self.owner, self.workspace)
        self.store_id = str(self.connected.id)

    @property
    def discounts(self) -> list[Discount]:
        """What the shop has."""
        return self.shopify.shop().discounts

    def stored(self, coupon: str) -> Coupon:
        """A coupon as it is stored."""
        found = CouponRepository(self.workspace).get(UUID(coupon))
        assert found
        return found

    def there(self, coupon: str) -> set[str]:
        """The codes that the shop has of a coupon, without the discount's own."""
        [discount] = [d for d in self.discounts if seed_of(self.stored(coupon)) in d.codes]
        return set(discount.codes) - {seed_of(self.stored(coupon))}

    def store_codes(self) -> None:
        """Lets the worker store the requested codes, and die before it sends them to the shop."""
        with mock.patch.object(ShopSync, "sync_some", return_value=False):
            self.world.deliver()

    def buyer(self) -> str:
        """A customer whom the shop knows by an order."""
        self._people += 1
        email = f"b{self._people}.{CANARY}@example.com"
        other = self.upsert(email=email)
        customer = IncomingCustomer(
            email=email, external_created_at=clock.now(), external_updated_at=clock.now()
        )
        commit_anew(
            lambda changes: write_customer(
                self.connected,
                f"{self._people}",
                customer,
                ConsentOrigin(ConsentSource.SHOPIFY),
                changes,
            )
        )
        return str(other["id"])


def used_by(shop: OnShopify, code: str) -> None:
    """Lets the shop send a webhook of an order with a code."""
    hooks = Hooks(shop.world, shop.workspace, shop.connected, shop.shopify)
    discount = {"code": code, "amount": "1.00", "type": "percentage"}
    hooks.notify("orders/create", order_body(discount_codes=[discount]))
    shop.world.deliver()

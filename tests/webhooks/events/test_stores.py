"""Events of stores and of their imports: each type by the operation that causes it."""

from collections import Counter
from typing import Any
from uuid import UUID

from tests.catalog.products.sample import product
from tests.shopify.shops import Shopify
from tests.sync.batches import batch_store
from tests.webhooks.events.shop import Shop, of


def listed(shop: Shop, store: str) -> dict[str, Any]:
    """What the list shows of a store."""
    [found] = [each for each in shop.get("/stores")["items"] if each["id"] == store]
    assert isinstance(found, dict)
    return found


def batches(shop: Shop) -> batch_store.Shop:
    """Makes the store one that sends batches."""
    return batch_store.Shop(shop.world, shop.owner, shop.workspace, shop.store)


class TestConnected:
    def test_payload_is_the_summary(self, shop: Shop) -> None:
        store = shop.world.store(shop.owner)
        event = shop.only("store.connected")
        assert of(event) == ("store", UUID(store))
        assert shop.data(event) == listed(shop, store)

    def test_by_reconnecting(self, shop: Shop) -> None:
        batches(shop).disconnect()
        shop.delivered()
        batches(shop).connect_again()
        assert of(shop.only("store.connected")) == ("store", UUID(shop.store))

    def test_renaming_causes_no_event(self, shop: Shop) -> None:
        shop.call("PATCH", f"/stores/{shop.store}", {"name": "Other"})
        assert shop.types() == []

    def test_by_connecting_a_shopify_shop(self, shop: Shop, shopify: Shopify) -> None:
        store = shopify.connect(shop.owner, shop.workspace)
        assert of(shop.only("store.connected")) == ("store", store.id)


class TestDisconnected:
    def test_payload_is_the_summary(self, shop: Shop) -> None:
        batches(shop).disconnect()
        event = shop.only("store.disconnected")
        assert of(event) == ("store", UUID(shop.store))
        assert shop.data(event) == listed(shop, shop.store)

    def test_queued_and_running_imports_fail(self, shop: Shop) -> None:
        sender = batches(shop)
        ids = [sender.queue(orders=batch_store.orders(1, number)) for number in range(3)]
        shop.events()
        sender.disconnect()
        events = shop.events()
        assert Counter(event.type for event in events) == {
            "store.disconnected": 1,
            "store_import.failed": 3,
        }
        failed = {of(each)[1]: each for each in events if each.type == "store_import.failed"}
        assert sorted(failed) == sorted(map(UUID, ids))
        assert len({each.event_id for each in events}) == 4
        for import_id in ids:
            own = {**sender.read(import_id), "storeId": shop.store}
            assert shop.data(failed[UUID(import_id)]) == own


class TestNeedsAttention:
    def test_by_a_shop_that_must_reapprove_the_app(self, shop: Shop, shopify: Shopify) -> None:
        store = shopify.connect(shop.owner, shop.workspace)
        shop.delivered()
        shopify.shop().installation = None  # a user removed the app
        shop.world.advance(hours=1)
        shop.call("POST", f"/stores/{store.id}/imports", {"scope": "products"})
        shop.world.deliver()
        events = shop.events()
        attention = [event for event in events if event.type == "store.needs_attention"]
        assert {of(event) for event in attention} == {("store", store.id)}
        assert shop.data(attention[0]) == listed(shop, str(store.id))
        assert shop.data(attention[0])["connectionStatus"] == "needs_reauth"

    def test_by_a_failed_import(self, shop: Shop) -> None:
        sender = batches(shop)
        sender.queue(orders=batch_store.orders(1))
        shop.events()
        shop.world.delete_objects(b"{")  # the object of a batch is broken
        shop.world.deliver()
        assert shop.types() == ["store.needs_attention", "store_import.failed"]


class TestImports:
    def test_completed_batch_and_records_marked_imported(self, shop: Shop) -> None:
        sender = batches(shop)
        done = sender.import_batch(
            customers=[batch_store.customer(1)], orders=[batch_store.order(2)]
        )
        events = shop.events()
        [ended] = [event for event in events if event.type == "store_import.completed"]
        assert (ended.imported, ended.always) == (False, False)
        assert shop.data(ended) == {**sender.read(done["id"]), "storeId": shop.store}
        marked = Counter(event.type for event in events if event.imported)
        assert marked == {"order.created": 1, "profile.created": 2}
        assert len(events) == 4

    def test_later_single_request_is_not_marked_imported(self, shop: Shop) -> None:
        sender = batches(shop)
        sender.import_batch(orders=[batch_store.order(1)])
        shop.delivered()
        body = {k: v for k, v in batch_store.order(1, 5).items() if k != "externalId"}
        shop.call("PUT", f"/stores/{shop.store}/orders/o-1", {**body, "financialStatus": "voided"})
        assert [(e.type, e.imported) for e in shop.events()] == [("order.updated", False)]

    def test_unsubscriptions_of_a_batch_are_marked_always(self, shop: Shop) -> None:
        consent = {"emailMarketingConsent": "unsubscribed"}
        sender = batches(shop)
        sender.import_batch(customers=[batch_store.customer(n, **consent) for n in range(5)])
        events = [event for event in shop.events() if event.always or not event.imported]
        assert Counter(event.type for event in events) == {
            "consent.changed": 5,
            "store_import.completed": 1,
        }

    def test_products_of_a_batch_are_marked_imported(self, shop: Shop) -> None:
        batches(shop).import_batch(products=[{"externalId": "p-1", **product()}])
        events = [(event.type, event.imported) for event in shop.events()]
        assert sorted(events) == [("product.created", True), ("store_import.completed", False)]

    def test_shopify_import_causes_one_unmarked_event(self, shop: Shop, shopify: Shopify) -> None:
        shopify.connect(shop.owner, shop.workspace)
        shop.delivered()
        shop.call(
            "POST", f"/stores/{shopify.store(shop.workspace).id}/imports", {"scope": "products"}
        )
        shop.world.deliver()
        types = [event.type for event in shop.events() if not event.imported]
        assert types == ["store_import.completed"]

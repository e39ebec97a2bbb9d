"""The interface for importers: layers of several sources, several products a transaction."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from storepost.catalog.products import assembling
from storepost.catalog.products.feeds import add_feed, delete_source, note_import, rules_of
from storepost.catalog.products.matching import Match, MatchKey, match
from storepost.catalog.products.model import product_id
from storepost.catalog.products.naming import MAX_SKU_BYTES, candidates
from storepost.catalog.products.packing import packed
from storepost.catalog.products.rows import LayerItem, NameItem
from storepost.catalog.products.writing import (
    ProductSource,
    WriteOutcome,
    remove_layer,
    resolve_again,
)
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.stores.stores.model import Store
from storepost.values.ids import new_id
from storepost.values.problems import PayloadTooLarge, ValidationFailed
from tests.catalog.products.sample import eur, product, put, variant
from tests.catalog.products.source_layers import feed, says, write_layers
from tests.catalog.products.state import check, products, store_of, stored
from tests.harness.call_interruption import counted
from tests.harness.crash_points import crashes
from tests.harness.world import Answer, Someone, World

CREATED, CHANGED, UNCHANGED = WriteOutcome.CREATED, WriteOutcome.CHANGED, WriteOutcome.UNCHANGED


@pytest.fixture
def shop(world: World, store: str) -> Store:
    """The store as a value."""
    return store_of(world, store)


def shown(by: Someone, shop: Store, external_id: str) -> Any:
    """The product as it is answered."""
    path = f"/products/{product_id(shop.id, external_id)}"
    answer = by.call("GET", path)
    assert answer.status == 200, answer.body
    return answer.json


def lasting(body: dict[str, Any]) -> dict[str, Any]:
    """The product without what the service's clock says."""
    return {n: v for n, v in body.items() if n not in {"changedAt", "syncedAt", "addedAt"}}


class TestReplaceLayer:
    """Records of a feed beside the store's own."""

    def test_several_products_in_one_transaction(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        put(owner, str(shop.id), "p-1", product())
        source = feed(shop)
        layers = [says(f"p-{n}", title=f"T {n}", link="https://l.example") for n in range(1, 7)]
        assert write_layers(source, *layers) == [CHANGED, *[CREATED] * 5]
        before = stored(world)
        assert write_layers(source, *layers) == [UNCHANGED] * 6
        assert stored(world) == before
        assert [p.summary.title for p in products(world)].count("Grüner Tee") == 1
        marked = check(world, shop)
        assert marked.products == {0: 1, 1: 6}

    def test_feed_fills_fields_missing_in_store(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        put(owner, str(shop.id), "p-1", product(link=None, variants=[variant(1)]))
        source = feed(shop)
        fields = {"title": "Other", "link": "https://l.example"}
        write_layers(
            source,
            says("p-1", None, {"v-1": {"compareAtPrice": eur(900)}}, {"color": "green"}, **fields),
        )
        body = shown(owner, shop, "p-1")
        assert (body["title"], body["link"]) == ("Grüner Tee", "https://l.example")
        assert body["customFields"] == {"origin": "Uji", "color": "green"}
        assert (body["compareAtPrice"], body["missing"]) == (eur(900), [])
        check(world, shop)

    def test_variant_missing_in_new_layer_is_removed(self, owner: Someone, shop: Store) -> None:
        source = feed(shop)
        write_layers(
            source, says("f-1", None, {"a": {"title": "A"}, "b": {"title": "B"}}, title="F")
        )
        changed = says("f-1", None, {"b": {"title": "B2"}}, title="F")
        english = says("f-1", "en", title="E")
        assert write_layers(source, replace(changed, values=changed.values + english.values)) == [
            CHANGED
        ]
        path = f"/products/{product_id(shop.id, 'f-1')}/variants"
        rows = owner.call("GET", path).json["items"]
        assert [(row["externalId"], row["title"]) for row in rows] == [("b", "B2")]
        body = shown(owner, shop, "f-1")
        assert (body["title"], body["locales"]) == ("F", ["de-AT", "en"])

    def test_layer_without_product_record_is_refused(self, shop: Store) -> None:
        source = feed(shop)
        with pytest.raises(ValueError, match="of the product itself"):
            write_layers(source, says("f-1", None, {"a": {"title": "A"}}))

    def test_too_many_variants_are_refused(
        self, shop: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(assembling, "MAX_VARIANTS", 2)
        source = feed(shop)
        many = {str(n): {"title": "x"} for n in range(3)}
        with pytest.raises(ValidationFailed):
            write_layers(source, says("f-1", None, many, title="F"))

    def test_too_large_layer_is_refused(
        self, world: World, shop: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(assembling, "MAX_LAYER_BYTES", 100)
        source, text = feed(shop), "".join(chr(0x4E00 + 7 * n) for n in range(200))
        with pytest.raises(PayloadTooLarge):
            write_layers(source, says("f-1", title=text))
        assert products(world) == []

    def test_excess_skus_are_truncated(self, world: World, owner: Someone, shop: Store) -> None:
        """The product is kept with the first of them; the same records again change nothing."""
        random = Random(1)
        signs = [chr(n) for n in range(0x30, 0x7F) if chr(n) != "\\"]

        def sku() -> str:
            return "".join(random.choices(signs, k=255))

        many = [variant(n, sku=sku(), barcode=None, options=[]) for n in range(2_000)]
        tags = [
            "".join(chr(random.randrange(0x4E00, 0x9F00)) for _ in range(255)) for _ in range(60)
        ]
        body = product(variants=many, tags=tags)
        assert put(owner, str(shop.id), "p-1", body).status == 201
        source = feed(shop)
        others = {each["externalId"]: {"sku": sku()} for each in many}
        assert write_layers(source, says("p-1", None, others)) == [CHANGED]
        [stored_product] = products(world)
        skus = {*(each["sku"] for each in many), *(each["sku"] for each in others.values())}
        assert len(skus) == 4_000
        assert list(stored_product.skus) == sorted(skus)[: len(stored_product.skus)]
        assert 90_000 < len(packed(stored_product.skus)) <= MAX_SKU_BYTES
        before = stored(world)
        again = commit_anew(lambda changes: resolve_again(changes, shop, stored_product))
        assert (again.outcome, stored(world)) == (UNCHANGED, before)

    def test_import_time_is_shown_as_synced_at(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        source = feed(shop)
        write_layers(source, says("f-1", title="F"))
        first = shown(owner, shop, "f-1")
        world.advance(hours=6)
        now = shop.connected_at.replace(year=2030)
        before = stored(world)
        commit_anew(lambda changes: note_import(changes, shop, source.source_id, now))
        changed = [key[1] for key, row in stored(world).items() if row != before[key]]
        assert changed == ["rules"]
        body = shown(owner, shop, "f-1")
        assert first["syncedAt"] == first["addedAt"]
        assert body == {**first, "syncedAt": "2030" + body["syncedAt"][4:]}

    def test_large_layer_spans_several_rows(self, world: World, shop: Store) -> None:
        """A layer that doesn't fit one row deflated takes several rows, and later fewer again."""
        source, random = feed(shop), Random(1)

        def noise(size: int) -> str:
            return "".join(chr(random.randrange(0x4E00, 0x9FA5)) for _ in range(size))

        def layers() -> int:
            return sum(isinstance(row, LayerItem) for row in world.rows())

        large = {str(n): {"title": noise(8000)} for n in range(40)}
        write_layers(source, says("f-1", None, large, title="F"))
        assert layers() > 1
        assert write_layers(source, says("f-1", None, large, title="F")) == [UNCHANGED]
        assert write_layers(source, says("f-1", title="F")) == [CHANGED]
        # The removed variants are kept: they return under the same ids.
        assert layers() > 1
        check(world, shop)


class TestRemoveLayer:
    """remove_records: in that layer alone."""

    def remove(self, source: ProductSource, external_id: str) -> WriteOutcome | None:
        written = commit_anew(lambda changes: remove_layer(changes, source, external_id))
        return written.outcome if written else None

    def test_product_falls_back_to_store_values(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        source = feed(shop)
        write_layers(source, says("p-1", None, {"v-1": {"title": "F 1"}}, title="F", vendor="Feed"))
        before = shown(owner, shop, "p-1")
        put(owner, str(shop.id), "p-1", product(vendor=None))
        assert shown(owner, shop, "p-1")["vendor"] == "Feed"
        assert write_layers(source, says("p-1", None, {"v-1": {"title": "F 1"}})) == [CHANGED]
        body = shown(owner, shop, "p-1")
        assert (body["id"], body["vendor"], body["status"]) == (before["id"], None, "active")
        assert self.remove(source, "p-1") is CHANGED
        assert self.remove(source, "p-1") is UNCHANGED
        assert self.remove(source, "p-2") is None
        assert check(world, shop).products == {0: 1, 1: 0}

    def test_product_without_source_is_removed_and_restored(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        source = feed(shop)
        write_layers(source, says("f-1", None, {"f-1": {"price": eur(5)}}, title="F"))
        first = shown(owner, shop, "f-1")
        self.remove(source, "f-1")
        gone = shown(owner, shop, "f-1")
        assert (gone["status"], gone["title"], gone["variantCount"]) == ("removed", "F", 0)
        assert write_layers(source, says("f-1", None, {"f-1": {"price": eur(5)}}, title="F")) == [
            CHANGED
        ]
        body = shown(owner, shop, "f-1")
        moving = ("changedAt", "syncedAt")
        assert {**body, **{n: first[n] for n in moving}} == first
        check(world, shop)

    def test_deletion_by_store_leaves_layer_of_feed(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        put(owner, str(shop.id), "p-1", product())
        write_layers(feed(shop), says("p-1", title="F"))
        path = f"/stores/{shop.id}/products/p-1"
        assert owner.call("DELETE", path).status == 204
        body = shown(owner, shop, "p-1")
        assert (body["status"], body["title"], body["locales"]) == ("active", "F", ["de-AT"])
        assert owner.call("DELETE", path).status == 204
        check(world, shop)

    def test_values_of_deleted_feed_are_not_shown(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        put(owner, str(shop.id), "p-1", product(vendor=None))
        source = feed(shop)
        write_layers(source, says("p-1", vendor="Feed"), says("f-1", title="F"))
        commit_anew(lambda changes: delete_source(changes, shop, source.source_id))
        assert shown(owner, shop, "p-1")["vendor"] is None
        for external_id in ("p-1", "f-1"):
            assert self.remove(source, external_id) is CHANGED
        assert shown(owner, shop, "f-1")["status"] == "removed"
        assert len(rules_of(shop).sources) == 1
        check(world, shop)


class TestMatching:
    """Which product a feed's row is about."""

    def ask(self, shop: Store, *keys: MatchKey) -> list[Any]:
        return [(each.product, each.variant) if each else None for each in match(shop, keys)]

    def test_match_order_is_variant_product_sku_barcode(self, owner: Someone, shop: Store) -> None:
        for external_id, variants in {
            "p-1": [variant(1), variant(2)],
            "p-2": [variant(3)],
            "v-2": [variant(4)],
            "p-4": [variant(5, externalId="p-4", barcode=None, sku=None)],
        }.items():
            put(owner, str(shop.id), external_id, product(variants=variants))
        queries: list[tuple[MatchKey, Any]] = [
            (MatchKey("v-1"), ("p-1", "v-1")),
            (MatchKey("v-2"), ("p-1", "v-2")),
            (MatchKey("p-1"), ("p-1", None)),
            (MatchKey("p-2"), ("p-2", "v-3")),
            (MatchKey("p-4"), ("p-4", "p-4")),
            (MatchKey("x", sku="TEA-2"), ("p-1", "v-2")),
            (MatchKey("x", sku="TEA-9", gtin="4000000000003"), ("p-2", "v-3")),
            (MatchKey("v-1", sku="TEA-3"), ("p-1", "v-1")),
            (MatchKey("x"), None),
            (MatchKey("TEA-1"), ("p-1", "v-1")),
            (MatchKey("TEA-1", sku="TEA-9"), None),
        ]
        assert self.ask(shop, *(key for key, _ in queries)) == [found for _, found in queries]

    def test_ambiguous_sku_or_barcode_matches_nothing(self, owner: Someone, shop: Store) -> None:
        for number in (1, 2, 3):
            variants = [variant(number, sku="SAME", barcode="1")]
            put(owner, str(shop.id), f"p-{number}", product(variants=variants))
        key = MatchKey("x", sku="SAME", gtin="1")
        assert self.ask(shop, key) == [None]
        later = {"updatedAt": "2026-04-01T00:00:00Z"}
        for number in (1, 3):
            body = product(variants=[variant(number, sku=None, barcode=None)], **later)
            put(owner, str(shop.id), f"p-{number}", body)
        # Of three only the first and the last are known: nobody is found, and never a wrong one.
        assert self.ask(shop, key) == [None]
        put(owner, str(shop.id), "p-1", product(variants=[variant(1, sku="SAME")], **later))
        assert self.ask(shop, key) == [("p-1", "v-1")]

    def test_removed_product_is_not_matched(self, owner: Someone, shop: Store) -> None:
        put(owner, str(shop.id), "p-1", product())
        owner.call("DELETE", f"/stores/{shop.id}/products/p-1")
        keys = [MatchKey("p-1"), MatchKey("v-1"), MatchKey("x", sku="TEA-1")]
        assert self.ask(shop, *keys) == [None] * 3

    def test_other_stores_product_is_not_matched(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        put(owner, world.store(owner), "p-1", product())
        assert self.ask(shop, MatchKey("p-1"), MatchKey("v-1")) == [None, None]

    def test_product_of_feed_is_matched(self, shop: Store) -> None:
        write_layers(feed(shop), says("f-1", None, {"f-1-s": {"sku": "S"}}, title="F"))
        keys = [MatchKey("f-1"), MatchKey("f-1-s"), MatchKey("x", sku="S")]
        assert self.ask(shop, *keys) == [("f-1", "f-1-s")] * 3

    def test_matching_takes_three_batch_gets(self, owner: Someone, shop: Store) -> None:
        for number in range(1, 4):
            put(owner, str(shop.id), f"p-{number}", product(variants=[variant(number)]))
        keys = [MatchKey(f"v-{n}", f"TEA-{n}", f"400000000000{n}") for n in range(1, 4)]
        found: list[Match | None] = []
        calls = counted(lambda: found.extend(match(shop, keys)))
        assert [each and each.variant for each in found] == ["v-1", "v-2", "v-3"]
        # Names; products, by id and by name; their layers.
        assert calls == ["BatchGetItem"] * 3

    def test_shared_sku_stores_at_most_two_candidates(self, world: World, shop: Store) -> None:
        source = feed(shop)
        write_layers(
            source, says("f-1", None, {str(n): {"sku": "S"} for n in range(30)}, title="F")
        )
        [row] = [r for r in world.rows() if isinstance(r, NameItem) and r.sk.startswith("s#")]
        assert len(candidates(row)) <= 2


class TestKilled:
    """A product's write, killed at every call, by a caller that retries."""

    @pytest.mark.parametrize("stored", [False, True])
    def test_put_killed_at_any_call(
        self, world: World, owner: Someone, store: str, *, stored: bool
    ) -> None:
        shop = store_of(world, store)
        write_layers(feed(shop), says("p-1", title="F", custom={"a": "b"}))
        if stored:
            put(owner, store, "p-1", product())
        body = product(updatedAt="2026-04-01T00:00:00Z", variants=[variant(2), variant(3)])
        clear_key_cache()

        def send() -> Answer:
            return put(owner, store, "p-1", body, key="one")

        def outcome() -> Any:
            check(world, shop)
            return lasting(shown(owner, shop, "p-1"))

        found = crashes(world, send)
        assert len(found.positions) > 8
        expected = outcome()
        for positions in found:
            send()
            world.advance(seconds=60)
            answer = send()
            assert answer.status == 200, (positions, answer.body)
            assert outcome() == expected, positions

    def test_feed_transaction_killed_at_any_call(self, world: World, shop: Store) -> None:
        source = feed(shop)
        layers = [says(f"f-{n}", None, {"v": {"sku": str(n)}}, title=str(n)) for n in range(4)]

        def work() -> None:
            write_layers(source, *layers)

        for _ in crashes(world, work):
            work()
            assert check(world, shop).products == {1: 4}
            assert [p.summary.title for p in products(world)].count("0") == 1

    def test_concurrent_feeds_lose_no_update(
        self, world: World, owner: Someone, shop: Store
    ) -> None:
        """Both change one product: the second writer reads again what the first one wrote."""
        one, other = feed(shop, "One"), feed(shop, "Other")

        def meanwhile(_: Changes) -> None:
            write_layers(other, says("f-1", vendor="Other", title="Other"))

        with world.meanwhile(meanwhile):
            write_layers(one, says("f-1", title="One"))
        body = shown(owner, shop, "f-1")
        assert (body["title"], body["vendor"]) == ("One", "Other")
        check(world, shop)

    def test_feed_added_concurrently(self, world: World, shop: Store) -> None:
        one = feed(shop, "One")
        new = new_id()
        with world.meanwhile(lambda changes: add_feed(changes, shop, new, "New")):
            write_layers(one, says("f-1", title="One"))
        assert rules_of(shop).rank_of(new) == 3
        check(world, shop)

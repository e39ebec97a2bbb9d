"""Products that a load writes equal those that are written one by one, byte for byte."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.catalog.products.in_force import RulesRepository
from storepost.catalog.products.keys import product_partition
from storepost.catalog.products.loading import Loaded, NewProducts, ProductLoad
from storepost.catalog.products.model import product_id
from storepost.catalog.products.naming import Name, NameKind, name_key
from storepost.catalog.products.packing import layer_parts
from storepost.catalog.products.records import SourceValues
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.staging import Staging
from storepost.catalog.products.writing import ProductSource, SourceProduct, replace_layer
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import find_raw
from storepost.platform.persistence.loads import in_flight
from storepost.platform.persistence.write_marks import WriteMark, marking
from storepost.values import clock
from storepost.values.ids import new_id, short
from tests.catalog.products.source_layers import feed, says, write_layers
from tests.catalog.products.state import check, store_of
from tests.harness.world import World

NOW = datetime(2026, 11, 23, 12, 30, 15, 123000, UTC)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
prices = st.fixed_dictionaries(
    {"amount": st.integers(0, 10**9), "currency": st.sampled_from(["EUR", "USD"])}
)
products = st.fixed_dictionaries(
    {},
    optional={
        "title": texts,
        "description": st.text("abcdefgh äß", max_size=2000),
        "vendor": st.none() | texts,
        "tags": st.lists(texts, max_size=3),
        "status": st.sampled_from(["active", "draft", "unlisted"]),
        "published": st.booleans(),
        "image": st.fixed_dictionaries({"url": texts, "alt": st.none() | texts}),
        "custom.Farbe": texts,
    },
)
variants = st.fixed_dictionaries(
    {},
    optional={
        "title": texts,
        "sku": texts,
        "barcode": texts,
        "price": prices,
        "compareAtPrice": prices,
        "inventoryQuantity": st.integers(-5, 5),
        "availableForSale": st.booleans(),
        "options": st.lists(st.fixed_dictionaries({"name": texts, "value": texts}), max_size=2),
    },
)


@st.composite
def source_products(draw: st.DrawFn) -> SourceProduct:
    """The values that a source may have for a product, in some locales and of some variants."""
    locales = draw(st.lists(st.sampled_from([None, "de-AT", "en"]), min_size=1, unique=True))
    keys = draw(st.lists(texts.filter(bool), max_size=3, unique=True))
    values = []
    for locale in locales:
        values.append(SourceValues(draw(products), locale, None, draw(texts)))
        values += [SourceValues(draw(variants), locale, key, key) for key in keys]
    return SourceProduct(draw(texts.filter(bool)), tuple(values))


@pytest.fixture
def source(world: World, store: str) -> ProductSource:
    """A feed of a store."""
    return feed(store_of(world, store))


class TestNewProducts:
    """Rows that are made without models."""

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(product=source_products())
    def test_rows_equal_those_of_models(
        self, source: ProductSource, product: SourceProduct
    ) -> None:
        """The models write the same rows of the product, given the layer that the load placed."""
        in_force = RulesRepository(source.store).get()
        with marking(WriteMark.IMPORT):
            made, layer, rows = NewProducts(source, in_force).make(product, NOW)
            changes = Changes()
            parts = {source.source: layer_parts(layer)}
            ProductRepository(source.store.workspace).save(changes, None, made, parts)
            by_models = written_by(changes)
        assert {row["pk"]["S"] + row["sk"]["S"]: row for row in rows} == by_models

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(product=source_products())
    def test_products_equal_those_written_one_by_one(
        self, source: ProductSource, product: SourceProduct
    ) -> None:
        with mock.patch.object(clock, "now", return_value=NOW):
            single = replace_layer(Changes(), source, product)
        in_force = RulesRepository(source.store).get()
        made, layer, _ = NewProducts(source, in_force).make(product, NOW)
        assert single.layers == {source.source: layer}
        bare = [
            {**vars(each), "layers": {k: {**vars(m), "rows": 0} for k, m in each.layers.items()}}
            for each in (made, single.product)
        ]
        assert bare[0] == bare[1]


def written_by(changes: Changes) -> dict[str, Any]:
    """The rows that a unit of work would put, by their keys."""
    puts: list[Any] = []

    def save(item: Any, **_: object) -> None:
        version = {"version": {"N": "1"}} if hasattr(item, "version") else {}
        puts.append({**item.serialize(), **version})

    transaction = mock.Mock(save=save)
    for write in changes._writes.values():
        write.add_to(transaction)
    return {row["pk"]["S"] + row["sk"]["S"]: row for row in puts}


def test_existing_product_causes_lost_race(world: World, source: ProductSource) -> None:
    """The others' rows are staged then: these products don't exist until a writer lists them."""
    write_layers(source, says("b", title="B"))
    in_force = RulesRepository(source.store).get()
    before = find_raw([_key(source, "b")])
    changes = Changes()
    loaded = begun(source)
    load = ProductLoad(changes, source, in_force, loaded, NOW, 0)
    for name in ("a", "b", "c"):
        load.add(says(name, title=name))
    load.start()
    with pytest.raises(LostRace):
        loaded.lists.finish()
    assert find_raw([_key(source, "b")]) == before
    ids = [product_id(source.store.id, name) for name in ("a", "b", "c")]
    repository = ProductRepository(source.store.workspace)
    assert [each.external_id for each in repository.get_many(ids)] == ["b"]
    assert [repository.get(each) is None for each in ids] == [True, False, True]
    write_layers(source, says("a", title="A"), says("c", title="C"))
    assert len(ProductRepository(source.store.workspace).get_many(ids)) == 3
    check(world, source.store)


@pytest.mark.parametrize("is_beside", [False, True])
def test_sku_shared_across_transactions_refers_to_all_products(
    source: ProductSource, monkeypatch: pytest.MonkeyPatch, is_beside: bool
) -> None:
    """The next unit is made ready before the names of the one before are stored, or beside it."""
    if not is_beside:
        monkeypatch.setattr(in_flight, "CALLS_IN_FLIGHT", 1)
    write_layers(source, says("before", title="Before"))
    in_force, loaded = RulesRepository(source.store).get(), begun(source)
    for number, name in enumerate("abc"):
        load = ProductLoad(
            Changes(), source, in_force, loaded, clock.now() + timedelta(seconds=number), number
        )
        load.add(says(name, title=name, variants={f"{name}-1": {"sku": "SAME"}}))
        load.start()
    loaded.lists.finish()
    row = find_raw([name_key(source.store, Name(NameKind.SKU, "SAME"))]).popitem()[1]
    ends = [short(product_id(source.store.id, name)) + f"{name}-1" for name in "ac"]
    assert [row["first"]["S"], row["last"]["S"]] == ends


def test_sku_added_concurrently_survives_retry_of_lost_race(source: ProductSource) -> None:
    same = {"sku": "SAME"}
    write_layers(source, says("b", title="B"))
    in_force, loaded = RulesRepository(source.store).get(), begun(source)
    for names in (("a", "b"), ("a",)):
        load = ProductLoad(Changes(), source, in_force, loaded, NOW, 0)
        for name in names:
            load.add(says(name, title=name, variants={f"{name}-1": same} if name == "a" else {}))
        load.start()
        if len(names) > 1:
            with pytest.raises(LostRace):
                loaded.lists.finish()
            loaded.begin_anew()
            loaded.staging.begin()
            write_layers(source, says("q", title="Q", variants={"q-1": same}))
    loaded.lists.finish()
    row = find_raw([name_key(source.store, Name(NameKind.SKU, "SAME"))]).popitem()[1]
    ends = [short(product_id(source.store.id, name)) + f"{name}-1" for name in "aq"]
    assert [row["first"]["S"], row["last"]["S"]] == ends


def begun(source: ProductSource) -> Loaded:
    """A load that nothing was written of."""
    staging = Staging(source.store, source.source, new_id())
    staging.begin()
    return Loaded(staging)


def _key(source: ProductSource, name: str) -> tuple[str, str]:
    identifier = product_id(source.store.id, name)
    return product_partition(source.store.workspace, identifier), "product"

"""All names of a store, read at once, give what gets give; unknown rows then need no get."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.catalog.products import store_names
from storepost.catalog.products.matching import MatchKey, match, products_among
from storepost.catalog.products.store_names import read_names
from tests.catalog.products.sample import product, put, variant
from tests.catalog.products.state import store_of
from tests.harness.call_interruption import counted
from tests.harness.world import Someone, World

CALLED = st.sampled_from([None, "a", "b", "c"])
VARIANTS = st.lists(
    st.fixed_dictionaries(
        {"externalId": st.sampled_from(["a", "b", "x"]), "sku": CALLED, "barcode": CALLED}
    ),
    max_size=3,
    unique_by=lambda fields: fields["externalId"],
)
WRITES = st.lists(
    st.tuples(st.sampled_from(["a", "c", "x"]), st.none() | VARIANTS), min_size=1, max_size=5
)
KEYS = [
    MatchKey(row_id, sku, gtin)
    for row_id in ("a", "b", "c", "x", "y")
    for sku in (None, "a", "z")
    for gtin in (None, "b", "z")
]


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(writes=WRITES)
def test_names_read_at_once_match_like_single_reads(
    world: World, owner: Someone, writes: list[tuple[str, list[dict[str, Any]] | None]]
) -> None:
    """Products that are put, put once more under other names, and deleted."""
    store = world.store(owner)
    for second, (external_id, variants) in enumerate(writes):
        if variants is None:
            owner.call("DELETE", f"/stores/{store}/products/{external_id}")
            continue
        body = product(
            variants=[variant(**fields) for fields in variants],
            updatedAt=f"2026-04-01T00:00:{second:02}Z",
        )
        put(owner, store, external_id, body)
    shop = store_of(world, store)
    names = read_names(shop, 1_000)
    assert names is not None
    expected = match(shop, KEYS)
    assert match(shop, KEYS, among=names) == expected
    found = [key for key, each in zip(KEYS, expected, strict=True) if each]
    assert all(products_among(key, names) for key in found)


def test_unknown_keys_need_no_read(world: World, owner: Someone, store: str) -> None:
    put(owner, store, "p-1", product(variants=[variant(1)]))
    shop = store_of(world, store)
    names = read_names(shop, 1_000)
    assert names is not None
    nobodys = MatchKey("x", "TEA-9", "4")
    assert not products_among(nobodys, names)
    assert counted(lambda: match(shop, [nobodys], among=names)) == []
    found = list[object]()
    keys = [MatchKey("x", "TEA-1", "4")]
    # The product and its layer: the name is known, and an id that no product has isn't read.
    calls = counted(lambda: found.extend(match(shop, keys, among=names)))
    assert calls == ["BatchGetItem"] * 2
    assert found == match(shop, keys)


def test_too_many_products_or_names_are_not_read(
    world: World, owner: Someone, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_names, "_DEVIATIONS", 0)
    variants = [variant(n, sku=None, barcode=None) for n in range(60)]
    put(owner, store, "p-1", product(variants=[]))
    put(owner, store, "p-2", product(variants=[]))
    shop = store_of(world, store)
    assert read_names(shop, 1) is None
    found = read_names(shop, 2)
    assert found is not None
    assert (len(found.products), len(found.variants)) == (2, 0)
    put(owner, store, "p-2", product(variants=variants, updatedAt="2026-04-01T00:00:00Z"))
    world.deliver()
    # Three of each partition: of sixty names, some partition has four.
    assert read_names(shop, 48) is None
    found = read_names(shop, 48 * 16)
    assert found is not None
    assert (len(found.products), len(found.variants)) == (2, 60)
    monkeypatch.setattr(store_names, "MAX_NAMES", 1)
    assert read_names(shop, 1_000) is None

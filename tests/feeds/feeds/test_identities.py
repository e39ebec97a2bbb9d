"""What holds of every file: its counts add up, and a check counts as an import does."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.feeds.feeds.feed_store import MAPPING, Shop, csv
from tests.feeds.files.making import FORMATS, encoded

IDS = st.sampled_from(["", "a", "b", "c", "p1", "p1-v", "p2"])
ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": IDS, "title": st.sampled_from(["T", "Ü"])},
        optional={
            "item_group_id": st.sampled_from(["g", "h", "p1", "a"]),
            "price": st.sampled_from(["1", "2.50 EUR", "3 USD", "ask us"]),
            "locale": st.sampled_from(["de", "fr", "DE", "klingon"]),
            "sku": st.sampled_from(["SKU-2", "SKU-9"]),
        },
    ),
    min_size=1,
    max_size=12,
)


def listed_of(rows: list[dict[str, str]]) -> list[tuple[int, str | None]]:
    """Which rows are to be listed, by the documented rules: skipped, or without their price."""
    seen, listed = set[tuple[str, str]](), []
    for number, row in enumerate(rows, 1):
        key = (row["id"], row.get("locale", "").lower())
        is_unreadable = row.get("locale") == "klingon" or row.get("price") == "ask us"
        is_skipped = not row["id"] or is_unreadable or key in seen
        if is_skipped or row.get("price") == "3 USD":
            listed.append((number, row["id"] or None))
        if not is_skipped:
            seen.add(key)
    return listed


@pytest.mark.parametrize("mode", ["add_and_enrich", "enrich_only"])
@settings(max_examples=13, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, name=st.sampled_from(list(FORMATS)), zipped=st.booleans())
def test_counts_add_up_and_equal_those_of_check(
    shop: Shop, rows: list[dict[str, str]], name: str, zipped: bool, mode: str
) -> None:
    money = {"amount": 1000, "currency": "EUR"}
    shop.put_product("p1", variants=[{"externalId": "p1-v", "title": "V", "price": money}])
    variants = [{"externalId": v, "title": v, "price": money, "sku": "SKU-2"} for v in ("x",)]
    shop.put_product("p2", variants=variants)
    url = shop.server.put("/any", encoded(FORMATS[name](rows), "utf-8", zipped=zipped))
    overrides: dict[str, Any] = {"mode": mode, "mapping": MAPPING}
    checked = shop.do("POST", "/feeds/check", {"storeId": shop.store_id, "url": url, **overrides})
    assert checked.status == 200, checked.body
    preview = checked.json
    feed = shop.create(url, **overrides)
    shop.world.deliver()
    latest = shop.get(f"/feeds/{feed['id']}")["latestImport"]
    assert latest["status"] == "completed"
    counts = latest["counts"]
    assert counts["rows"] == len(rows)
    assert counts["rows"] == counts["imported"] + counts["unmatched"] + counts["skipped"]
    assert counts["variantOnly"] <= counts["imported"]
    assert counts["fromFirstRow"] <= counts["products"]
    assert counts["created"] <= counts["products"]
    assert preview["checked"] == preview["importable"] + preview["unmatched"] + preview["skipped"]
    assert preview == {
        "checked": counts["rows"],
        "importable": counts["imported"],
        **{name: counts[name] for name in ("variantOnly", "fromFirstRow", "unmatched", "skipped")},
        "skippedRows": preview["skippedRows"],
    }
    assert [(row["row"], row["id"]) for row in preview["skippedRows"]] == listed_of(rows)
    assert [(row, row_id) for row, row_id, _ in shop.skipped(feed, latest["id"])] == listed_of(rows)
    if mode == "add_and_enrich":
        assert counts["unmatched"] == 0
    else:
        assert counts["created"] == 0
    again = shop.again(feed)["counts"]
    assert again == {**counts, "created": 0}
    shop.do("DELETE", f"/feeds/{feed['id']}")
    shop.world.deliver()


GROUPED = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from("abcd"),
            "item_group_id": st.sampled_from(["", "", "a", "b", "g"]),
            "title": st.sampled_from("TU"),
        }
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda row: row["id"],
)


def placed_by_rule(rows: list[dict[str, str]]) -> dict[str, set[str]]:
    """The variants of a file's products by the rules, if the store has no products of its own."""
    named = {row["item_group_id"] for row in rows}
    products: dict[str, set[str]] = {}
    for row in rows:
        own = row["id"] if row["id"] in named else ""
        products.setdefault(row["item_group_id"] or own or row["id"], set()).add(row["id"])
    return {name: ids - {name} or ids for name, ids in products.items()}


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(GROUPED, min_size=2, max_size=3))
def test_result_is_independent_of_earlier_files(
    shop: Shop, files: list[list[dict[str, str]]]
) -> None:
    first, *others = files
    feed = shop.feed(csv(*first))
    for rows in others:
        shop.again(feed, csv(*rows))
        found = {name: set(shop.variants(each)) for name, each in shop.products().items()}
        assert found == placed_by_rule(rows)
    shop.do("DELETE", f"/feeds/{feed['id']}")
    shop.world.deliver()

"""Reads of products and of priorities with invalid parameters."""

import pytest

from tests.harness.world import Someone, World


@pytest.mark.parametrize(
    ("path", "query", "wrong"),
    [
        ("/products/7/sources", {"locale": "en"}, "path.id"),
        ("/products/7/variants", {}, "path.id"),
        ("/stores/7/product-priority", {}, "path.id"),
        ("/product-priority-changes/7", {}, "path.id"),
    ],
)
def test_invalid_id_is_refused(
    world: World, owner: Someone, path: str, query: dict[str, str], wrong: str
) -> None:
    answer = world.call("GET", path, token=owner.token, query=query)
    assert answer.error_paths() == [wrong]

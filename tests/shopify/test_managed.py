"""Resources that Shopify manages can't be changed here, nor can another workspace's store."""

from typing import Any

import pytest

from tests.catalog.products.sample import product
from tests.harness.world import Someone
from tests.orders.sample import order
from tests.shopify.hooks import Hooks

LOCALE = {
    "locale": "en",
    "label": "English",
    "isPrimary": True,
    "country": "DE",
    "currency": "EUR",
    "url": None,
}
OPERATIONS: list[tuple[str, str, Any]] = [
    ("PATCH", "", {"name": "Mine"}),
    ("PUT", "/locales", [LOCALE]),
    ("GET", "/write-back", None),
    ("PUT", "/write-back", {"url": "https://hooks.example.com/"}),
    ("DELETE", "/write-back", None),
    ("POST", "/write-back/rotate", None),
    ("DELETE", "/customers/1", None),
    ("PUT", "/orders/1", order()),
    ("DELETE", "/orders/1", None),
    ("PUT", "/products/1", product()),
    ("DELETE", "/products/1", None),
]


class TestManagedByPlatform:
    """The operations that are for custom stores alone."""

    @pytest.mark.parametrize(("method", "path", "body"), OPERATIONS)
    def test_operation_is_refused(
        self, hooks: Hooks, owner: Someone, method: str, path: str, body: object
    ) -> None:
        at = f"/stores/{hooks.store.id}{path}"
        answer = owner.call(method, at, body)
        assert answer.problem() == (409, "store_managed_by_platform")
        is_of_write_back = path.startswith("/write-back")
        detail = "Only custom stores have a write-back address."
        assert (answer.json["detail"] == detail) == is_of_write_back

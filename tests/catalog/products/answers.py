"""A product as it is answered."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from storepost.values.ids import derived_id
from tests.catalog.products.sample import eur
from tests.harness.world import Answer

type Get = Callable[..., Answer]


def whole(store: str, external_id: str = "p-1", **change: object) -> dict[str, Any]:
    """The sample as it is answered, but for the moments of the service's own clock."""
    return {
        "id": str(derived_id(UUID(store), "product", external_id)),
        "storeId": store,
        "externalId": external_id,
        "locale": "de-AT",
        "title": "Grüner Tee",
        "missing": [],
        "published": True,
        "handle": "green-tea",
        "status": "active",
        "removedAt": None,
        "vendor": "Olive's",
        "productType": "Tea",
        "image": {"url": "https://shop.example.com/green-tea.jpg", "alt": "A cup"},
        "price": {"min": eur(500), "max": eur(1000)},
        "compareAtPrice": eur(700),
        "variantCount": 2,
        "stock": "in_stock",
        "inventory": 30,
        "store": {"id": store, "name": "Olive's Shop", "platform": "custom"},
        "locales": ["de-AT", "en"],
        "description": "Lose.",
        "link": "https://shop.example.com/green-tea",
        "adminUrl": "https://admin.example.com/",
        "tags": ["green", "loose"],
        "customFields": {"origin": "Uji"},
        "publishedAt": "2026-02-01T00:00:00.000Z",
        "createdAt": "2025-12-31T23:00:00.000Z",
        **change,
    }


def without_moments(body: dict[str, Any]) -> dict[str, Any]:
    """The answer without what the service's clock says, once that is seen to be a moment."""
    left = dict(body)
    moments = [left.pop(name) for name in ("changedAt", "addedAt", "syncedAt")]
    assert moments == sorted(moments, reverse=True) or len(set(moments)) > 1
    return left

"""Products as a store would send them."""

from typing import Any

from tests.harness.world import Answer, Someone


def eur(amount: int) -> dict[str, Any]:
    """Money in the store's currency."""
    return {"amount": amount, "currency": "EUR"}


def variant(number: int = 1, **change: object) -> dict[str, Any]:
    """A variant of tea: `number` times 100 g."""
    return {
        "externalId": f"v-{number}",
        "title": f"{number}00 g",
        "sku": f"TEA-{number}",
        "barcode": f"400000000000{number}",
        "options": [{"name": "Weight", "value": f"{number}00 g"}],
        "price": eur(500 * number),
        "inventory": 10 * number,
        **change,
    }


def product(**change: object) -> dict[str, Any]:
    """A whole product in two locales, with two variants."""
    return {
        "updatedAt": "2026-03-01T10:30:00.250Z",
        "status": "active",
        "handle": "green-tea",
        "vendor": "Olive's",
        "productType": "Tea",
        "tags": ["green", "loose"],
        "publishedAt": "2026-02-01T00:00:00Z",
        "createdAt": "2026-01-01T00:00:00+01:00",
        "link": "https://shop.example.com/green-tea",
        "image": {"url": "https://shop.example.com/green-tea.jpg", "alt": "A cup"},
        "customFields": {"origin": "Uji"},
        "locales": [
            {"locale": "de-AT", "title": "Grüner Tee", "description": "Lose."},
            {"locale": "en", "title": "Green tea"},
        ],
        "variants": [variant(1, compareAtPrice=eur(700)), variant(2)],
        **change,
    }


def put(by: Someone, store: str, external_id: str, body: dict[str, Any], **more: Any) -> Answer:
    """Puts a product into a store."""
    return by.call("PUT", f"/stores/{store}/products/{external_id}", body, **more)

"""Orders as a store would send them."""

from typing import Any
from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import derived_id
from tests.harness.world import CANARY, Answer, Someone, World


def eur(amount: int) -> dict[str, Any]:
    """Money in the store's currency."""
    return {"amount": amount, "currency": "EUR"}


def order(**change: object) -> dict[str, Any]:
    """A whole order of two lines, paid and not yet sent."""
    return {
        "number": "#1001",
        "placedAt": "2026-03-01T12:30:00.250+02:00",
        "updatedAt": "2026-03-01T10:31:00Z",
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "customer": {
            "externalId": "c-1",
            "email": f"Buyer.{CANARY}@Example.com",
            "phone": "+43 660 1234567",
            "firstName": "Berta",
            "lastName": f"Buyer {CANARY}",
        },
        "total": eur(5499),
        "subtotal": eur(4999),
        "totalDiscounts": eur(100),
        "totalShipping": eur(600),
        "totalTax": eur(833),
        "totalRefunded": eur(0),
        "lineItems": [
            {
                "title": "Tea",
                "variantTitle": "250 g",
                "sku": "TEA-250",
                "quantity": 2,
                "unitPrice": eur(1500),
                "totalDiscount": eur(100),
                "productExternalId": "p-1",
                "variantExternalId": "v-1",
            },
            {
                "title": "Voucher",
                "quantity": 1,
                "unitPrice": eur(2099),
                "totalDiscount": eur(0),
                "isGiftCard": True,
            },
        ],
        "discountCodes": ["SPRING"],
        **change,
    }


def put(by: Someone, store: str, external_id: str, body: dict[str, Any], **more: Any) -> Answer:
    """Puts an order into a store."""
    return by.call("PUT", f"/stores/{store}/orders/{external_id}", body, **more)


BUYER = f"buyer.{CANARY}@example.com"


def profile_of(by: Someone, body: dict[str, Any]) -> dict[str, Any]:
    """The buyer's profile whole."""
    answer = by.call("GET", f"/profiles/{body['buyer']['profileId']}")
    assert answer.status == 200, answer.body
    profile: dict[str, Any] = answer.json
    return profile


def stored(world: World) -> dict[Key, dict[str, Any]]:
    """Every row by its key, but for the owner's own."""
    rows = (row for row in world.rows("workspace#") if "#" in row.pk.removeprefix("workspace#"))
    return {row.key: row.serialize() for row in rows}


def whole(body: dict[str, Any], store: str, **change: object) -> dict[str, Any]:
    """The sample as it is answered."""
    identifier = derived_id(UUID(store), "order", "o-1")
    return {
        "id": str(identifier),
        "storeId": store,
        "number": "#1001",
        "placedAt": "2026-03-01T10:30:00.250Z",
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "cancelled": False,
        "total": eur(5499),
        "locale": None,
        "store": {"id": store, "name": "Olive's Shop", "platform": "custom"},
        "adminUrl": "https://admin.example.com/",
        "customerAdminUrl": None,
        "buyer": {
            "profileId": body["buyer"]["profileId"],
            "name": f"Berta Buyer {CANARY}",
            "email": BUYER,
        },
        "subtotal": eur(4999),
        "totalDiscounts": eur(100),
        "totalShipping": eur(600),
        "totalTax": eur(833),
        "totalRefunded": eur(0),
        "sourceName": None,
        "isTest": False,
        "cancelledAt": None,
        "lineItems": [
            {
                "id": body["lineItems"][0]["id"],
                "title": "Tea",
                "variantTitle": "250 g",
                "sku": "TEA-250",
                "quantity": 2,
                "unitPrice": eur(1500),
                "totalDiscount": eur(100),
                "isGiftCard": False,
            },
            {
                "id": body["lineItems"][1]["id"],
                "title": "Voucher",
                "variantTitle": None,
                "sku": None,
                "quantity": 1,
                "unitPrice": eur(2099),
                "totalDiscount": eur(0),
                "isGiftCard": True,
            },
        ],
        **change,
    }


def in_yen(value: Any) -> Any:
    """The same with every amount in yen, which has no minor unit."""
    if isinstance(value, dict):
        if set(value) == {"amount", "currency"}:
            return {"amount": value["amount"], "currency": "JPY"}
        return {name: in_yen(inner) for name, inner in value.items()}
    return [in_yen(inner) for inner in value] if isinstance(value, list) else value

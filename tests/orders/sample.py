"""Orders as a store would send them."""

from typing import Any

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


def put(
    world: World, by: Someone, store: str, external_id: str, body: dict[str, Any], **more: Any
) -> Answer:
    """Puts an order into a store."""
    path = f"/stores/{store}/orders/{external_id}"
    return world.call("PUT", path, token=by.token, json_body=body, **more)

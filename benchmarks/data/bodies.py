"""A shop system's customers and orders, with bodies of realistic length."""

from datetime import UTC, datetime, timedelta
from typing import Any

from storepost.values import clock

type Body = dict[str, Any]

_OPENED = datetime(2026, 1, 1, 8, tzinfo=UTC)


def customer_id(number: int) -> str:
    """Returns the shop system's id."""
    return f"{7_250_000_000 + number}"


def customer(number: int, *, minutes: int = 0, **fields: object) -> Body:
    """Returns a customer who is subscribed to emails, updated `minutes` minutes later."""
    created = _OPENED + timedelta(seconds=number)
    return {
        **_person(number),
        "locale": "en-GB",
        "emailMarketingConsent": "subscribed",
        "emailMarketingConsentUpdatedAt": clock.to_text(created),
        "externalCreatedAt": clock.to_text(created),
        "externalUpdatedAt": clock.to_text(created + timedelta(minutes=minutes)),
        **fields,
    }


def order(number: int, buyer: int, *, minutes: int = 0, **fields: object) -> Body:
    """Returns an order of two lines, updated `minutes` minutes later."""
    placed = _OPENED + timedelta(days=1, seconds=number)
    return {
        "number": f"#{1_200_000 + number}",
        "placedAt": clock.to_text(placed),
        "updatedAt": clock.to_text(placed + timedelta(minutes=minutes)),
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "locale": "en-GB",
        "sourceName": "web",
        "customer": {"externalId": customer_id(buyer), **_person(buyer)},
        "total": _eur(10_290),
        "subtotal": _eur(9_800),
        "totalDiscounts": _eur(0),
        "totalShipping": _eur(490),
        "totalTax": _eur(1_643),
        "totalRefunded": _eur(0),
        "lineItems": [
            _line(number, "Wool throw", "Grey, 130 by 170 cm", "THROW-GREY", 8_900),
            _line(number, "Beeswax candle", None, "CANDLE", 900),
        ],
        **fields,
    }


def _person(number: int) -> Body:
    return {
        "email": f"magdalena.{number}@mail.example.com",
        "phone": f"+43660{4_000_000 + number}",
        "firstName": "Magdalena",
        "lastName": "Steinberger",
    }


def _line(number: int, title: str, variant: str | None, sku: str, price: int) -> Body:
    return {
        "title": title,
        "variantTitle": variant,
        "sku": sku,
        "quantity": 1,
        "unitPrice": _eur(price),
        "totalDiscount": _eur(0),
        "productExternalId": f"{8_120_000_000 + number}",
        "variantExternalId": f"{44_310_000_000 + number}",
    }


def _eur(amount: int) -> Body:
    return {"amount": amount, "currency": "EUR"}

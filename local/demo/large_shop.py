"""The large demo's history: the shop's sales of two years, determined by their number and end.

Each record is derived from its own number, so that any part can be made without the rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from storepost.values import clock

CURRENCY = "EUR"
ADMIN = "https://admin.example.com/"
BATCH = 200
"""Records of a request. A batch accepts 500, but a run that ends first completes what it sent."""
YEARS = timedelta(days=730)

type Body = dict[str, Any]

_FIRST_NAMES = (
    *("Ada", "Aino", "Alma", "Anton", "Beata", "Bruno", "Carla", "Chiara", "Dara", "David"),
    *("Elif", "Emil", "Émile", "Fatou", "Felix", "Freja", "Greta", "Hana", "Hugo", "Ida"),
    *("Ines", "Jakub", "Jan", "Jonas", "Katya", "Lars", "Lea", "Leon", "Luca", "Maja"),
    *("Marek", "Mina", "Nils", "Nora", "Oskar", "Paula", "Rosa", "Samir", "Sofia", "Tilda"),
)
_LAST_NAMES = (
    *("Ahlström", "Bauer", "Becker", "Berg", "Bianchi", "Byrne", "Costa", "Dahl", "Diallo"),
    *("Dubois", "Dvořák", "Fischer", "Fontaine", "Gallo", "García", "Greco", "Haas", "Holm"),
    *("Horváth", "Jensen", "Kaya", "Keller", "Koch", "Kovács", "Kowalski", "Lang", "Laurent"),
    *("Lind", "Lopes", "Marsh", "Martin", "Meyer", "Moreau", "Murphy", "Nagy", "Novák"),
    *("Nowak", "Olsen", "Öz", "Petit", "Popescu", "Ricci", "Rossi", "Roth", "Sato", "Schmid"),
    *("Silva", "Svoboda", "Vos", "Walsh", "Weber", "Wolf", "Yilmaz", "Zorn"),
)
_PLAIN = str.maketrans("áåäãçéěíłñóöøřşšúüýžÉÖ", "aaaaceeilnooorssuuyzEO")
_LOCALES = {"de": 50, "en": 25, "fr": 10, "it": 10, "nl": 5}
_EMAIL_CONSENTS = {"subscribed": 58, "not_subscribed": 24, "unsubscribed": 14, "pending": 4}
_SMS_CONSENTS = {"not_subscribed": 88, "subscribed": 9, "unsubscribed": 3}
_MATERIALS = ("Wool", "Linen", "Cotton", "Birch", "Beeswax", "Oak", "Clay", "Felt")
_KINDS = {"throw": 8900, "towel": 2490, "tray": 3450, "basket": 4200, "bowl": 2800}
# The payment's and the delivery's status, with the number of such orders in a hundred.
_COURSES = {
    ("paid", "fulfilled"): 86,
    ("paid", "partially_fulfilled"): 2,
    ("refunded", "restocked"): 4,
    ("partially_refunded", "fulfilled"): 4,
    ("voided", "unfulfilled"): 2,
    ("pending", "unfulfilled"): 2,
}
_REFUNDED = {"refunded": 1, "partially_refunded": 3}
"""The divisor of the order's total: all of it is refunded, or a third."""
_PRODUCTS = tuple(
    (f"{material} {kind}", price + 100 * place)
    for place, material in enumerate(_MATERIALS)
    for kind, price in _KINDS.items()
)


@dataclass(frozen=True)
class History:
    """`orders` orders by three tenths as many people, over the two years before `until`."""

    orders: int
    until: datetime
    batch: int = BATCH
    """The most records that are sent together."""

    @property
    def people(self) -> int:
        """How many customers the shop has."""
        return max(1, self.orders * 3 // 10)

    @property
    def records(self) -> int:
        """How many records all batches have together."""
        return len(_PRODUCTS) + self.people + self.orders

    def batches(self) -> list["Batch"]:
        """Returns the batches to send: products, customers, then orders, oldest first."""
        parts = ("products", len(_PRODUCTS)), ("customers", self.people), ("orders", self.orders)
        return [
            Batch(self, name, range(first, min(first + self.batch, count)))
            for name, count in parts
            for first in range(0, count, self.batch)
        ]

    def product(self, number: int) -> Body:
        """Returns a product with two variants."""
        title, price = _PRODUCTS[number]
        slug = title.lower().replace(" ", "-")
        return {
            "externalId": f"classic-{number}",
            "updatedAt": self._at(0),
            "createdAt": self._at(0),
            "status": "active",
            "handle": slug,
            "vendor": "Birch & Loom",
            "productType": title.rpartition(" ")[2].capitalize(),
            "tags": ["classic"],
            "link": f"https://shop.example.com/products/{slug}",
            "locales": [{"locale": "en", "title": title}],
            "variants": [
                {
                    "externalId": f"classic-{number}-{place}",
                    "title": color,
                    "sku": f"{slug}-{color}".upper(),
                    "options": [{"name": "Color", "value": color}],
                    "price": _money(price),
                    "inventory": (7 * number + place) % 60,
                }
                for place, color in enumerate(("Natural", "Blue"))
            ],
        }

    def customer(self, number: int) -> Body:
        """Returns a customer, created before their first order."""
        chance = _chance(f"customer {number}")
        since = self._at(0)
        has_phone = chance.random() < 0.4
        sms = _choice(chance, _SMS_CONSENTS) if has_phone else "not_subscribed"
        return {
            **self._person(number),
            "phone": f"+49151{20_000_000 + number}" if has_phone else None,
            "locale": _choice(chance, _LOCALES),
            "emailMarketingConsent": _choice(chance, _EMAIL_CONSENTS),
            "emailMarketingConsentUpdatedAt": since,
            "smsMarketingConsent": sms,
            "smsMarketingConsentUpdatedAt": since,
            "adminUrl": f"{ADMIN}customers/l{number}",
            "externalCreatedAt": since,
            "externalUpdatedAt": since,
        }

    def order(self, number: int) -> Body:
        """Returns an order of one to three products; some people order often."""
        chance = _chance(f"order {number}")
        buyer = int(self.people * chance.random() ** 1.6)
        financial, fulfillment = _choice(chance, _COURSES)
        placed = self._at((number + chance.random()) / self.orders)
        lines = [_line(chance) for _ in range(chance.choice((1, 1, 1, 2, 2, 3)))]
        subtotal = sum(line["quantity"] * line["unitPrice"]["amount"] for line in lines)
        shipping = 0 if subtotal >= 10000 else 490
        total = subtotal + shipping
        refunded = total // _REFUNDED[financial] if financial in _REFUNDED else 0
        return {
            "externalId": f"history-{number}",
            "number": f"#H{number}",
            "placedAt": placed,
            "updatedAt": placed,
            "financialStatus": financial,
            "fulfillmentStatus": fulfillment,
            "cancelledAt": placed if financial == "voided" else None,
            "sourceName": "web",
            "adminUrl": f"{ADMIN}orders/h{number}",
            "customer": self._person(buyer),
            "total": _money(total),
            "subtotal": _money(subtotal),
            "totalDiscounts": _money(0),
            "totalShipping": _money(shipping),
            "totalTax": _money(total * 19 // 119),
            "totalRefunded": _money(refunded),
            "lineItems": lines,
        }

    def _person(self, number: int) -> Body:
        """Returns the fields that a customer and the buyer of their orders share."""
        chance = _chance(f"person {number}")
        first_name, last_name = chance.choice(_FIRST_NAMES), chance.choice(_LAST_NAMES)
        mailbox = f"{first_name}.{last_name}".translate(_PLAIN).lower()
        return {
            "externalId": f"shopper-{number}",
            "email": f"{mailbox}.{number}@example.com",
            "firstName": first_name,
            "lastName": last_name,
        }

    def _at(self, part: float) -> str:
        return clock.to_text(self.until - YEARS * (1 - part))


@dataclass(frozen=True)
class Batch:
    """Records of one kind, by their numbers."""

    history: History
    kind: str
    numbers: range

    def body(self) -> dict[str, list[Body]]:
        """Returns the request's body."""
        return {self.kind: list(self._records())}

    def _records(self) -> Iterator[Body]:
        of = {
            "products": self.history.product,
            "customers": self.history.customer,
            "orders": self.history.order,
        }
        return map(of[self.kind], self.numbers)


def _chance(of: str) -> Random:
    return Random(of)  # noqa: S311 - it is to be the same each time


def _line(chance: Random) -> Body:
    number = int(len(_PRODUCTS) * chance.random() ** 2)
    title, price = _PRODUCTS[number]
    return {
        "title": title,
        "variantTitle": "Natural",
        "quantity": chance.choice((1, 1, 1, 2)),
        "unitPrice": _money(price),
        "totalDiscount": _money(0),
        "isGiftCard": False,
        "productExternalId": f"classic-{number}",
        "variantExternalId": f"classic-{number}-0",
    }


def _choice[T](chance: Random, weights: dict[T, int]) -> T:
    [chosen] = chance.choices(list(weights), list(weights.values()))
    return chosen


def _money(amount: int) -> Body:
    return {"amount": amount, "currency": CURRENCY}

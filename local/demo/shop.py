"""The demo's shop: the records that its store system sends, the same in every run except for times.

Bodies are those of docs/interface.md, section 5. Prices include 19 % of tax, amounts are cents.
"""

from datetime import datetime, timedelta
from typing import Any

from storepost.values import clock

CURRENCY = "EUR"
ADMIN = "https://admin.example.com/"
ORDERS = 30
SUBSCRIBER = "ada.lind@example.com"
"""A customer who is subscribed to marketing emails; the first screen unsubscribes this one."""

FEED = "Birch & Loom's catalogue"

type Body = dict[str, Any]

STORE: Body = {
    "platform": "custom",
    "name": "Birch & Loom",
    "externalId": "birch-loom",
    "currency": CURRENCY,
    "primaryLocale": "en",
    "adminUrl": ADMIN,
    "storefrontUrl": "https://shop.example.com/",
    "contactEmail": "hello@shop.example.com",
}

SEGMENT: Body = {
    "kind": "segment",
    "name": "Bought lately",
    "summary": "For the spring letter",
    "definition": {
        "description": "Subscribed to emails, with an order in the last 90 days",
        "condition": {
            "type": "all",
            "conditions": [
                {"type": "consent", "channel": "email", "states": ["subscribed"]},
                {"type": "order", "within": {"lastDays": 90}},
            ],
        },
    },
}

SEGMENT_CHANGE: Body = {
    "summary": "Half a year, as linen is bought twice a year",
    "patch": [
        {"op": "replace", "path": "/condition/conditions/1/within/lastDays", "value": 180},
        {
            "op": "replace",
            "path": "/description",
            "value": "Subscribed to emails, with an order in the last 180 days",
        },
    ],
}

STORE_LOCALES: list[Body] = [
    {
        "locale": "en",
        "label": "English",
        "isPrimary": True,
        "country": "IE",
        "currency": CURRENCY,
        "url": "https://shop.example.com/",
    },
    {
        "locale": "de",
        "label": "Deutsch",
        "isPrimary": False,
        "country": "DE",
        "currency": CURRENCY,
        "url": "https://shop.example.com/de",
    },
]

# First name, last name, email, phone, locale, consents to emails and to SMS.
_PEOPLE = (
    ("Ada", "Lind", SUBSCRIBER, "+4915112345601", "en", "subscribed", "not_subscribed"),
    ("Bruno", "Keller", "bruno.keller@example.com", None, "de", "subscribed", "not_subscribed"),
    ("Chiara", "Rossi", "chiara.rossi@example.com", None, "it", "unsubscribed", "not_subscribed"),
    ("Dara", "Byrne", "dara.byrne@example.com", "+353871234504", "en", "pending", "subscribed"),
    ("Emil", "Novak", "emil.novak@example.com", None, "de", "subscribed", "not_subscribed"),
    ("Fatou", "Diallo", "fatou.diallo@example.com", None, "fr", "not_subscribed", "not_subscribed"),
    ("Greta", "Holm", "greta.holm@example.com", "+4915112345607", "de", "subscribed", "subscribed"),
    ("Hugo", "Marsh", "hugo.marsh@example.com", None, "en", "not_subscribed", "not_subscribed"),
)

# Title, variant, SKU, price.
_GOODS = (
    ("Wool throw", "Grey", "THROW-GREY", 8900),
    ("Linen sheet", "Double", "SHEET-DOUBLE", 12900),
    ("Birch tray", None, "TRAY", 3450),
    ("Cotton towel", "Large", "TOWEL-L", 2490),
    ("Beeswax candle", None, "CANDLE", 1290),
)

# Title in German, kind, another variant with its SKU, number in stock.
_SHELVES = (
    ("Wolldecke", "Throws", ("Green", "THROW-GREEN"), 12),
    ("Leinentuch", "Bedding", ("Single", "SHEET-SINGLE"), 7),
    ("Birkentablett", "Kitchen", None, 0),
    ("Baumwollhandtuch", "Bath", ("Small", "TOWEL-S"), 40),
    ("Bienenwachskerze", "Candles", None, 25),
)

# The payment's and the delivery's status of each of ten orders.
_COURSES = (
    ("paid", "fulfilled"),
    ("paid", "fulfilled"),
    ("paid", "partially_fulfilled"),
    ("paid", "unfulfilled"),
    ("pending", "unfulfilled"),
    ("authorized", "unfulfilled"),
    ("paid", "fulfilled"),
    ("partially_refunded", "fulfilled"),
    ("refunded", "restocked"),
    ("voided", "unfulfilled"),
)


def customers() -> dict[str, Body]:
    """The customers' bodies by their `externalId`."""
    return {f"customer-{number}": _customer(number) for number in range(1, len(_PEOPLE) + 1)}


def orders() -> dict[str, Body]:
    """Returns the orders' bodies by their `externalId`, oldest first; the newest is of now."""
    return {f"order-{1000 + number}": _order(number) for number in range(1, ORDERS + 1)}


def products() -> dict[str, Body]:
    """The products' bodies by their `externalId`."""
    return {f"product-{number}": _product(number) for number in range(1, len(_GOODS) + 1)}


def visits(store_id: str) -> list[Body]:
    """Returns events of some customers' recent visits to the shop window."""
    return [
        {
            "profile": {"email": email},
            "name": "viewed_product",
            "occurredAt": _ago(days=number, hours=2),
            "storeId": store_id,
            "properties": {"path": f"/products/{number + 1}", "referrer": "newsletter"},
            "uniqueId": f"visit-{number + 1}",
        }
        for number, (_, _, email, *_) in enumerate(_PEOPLE[:5])
    ]


def _customer(number: int) -> Body:
    first_name, last_name, email, phone, locale, emails, sms = _PEOPLE[number - 1]
    since = _ago(days=90 + number)
    return {
        "email": email,
        "phone": phone,
        "firstName": first_name,
        "lastName": last_name,
        "locale": locale,
        "emailMarketingConsent": emails,
        "smsMarketingConsent": sms,
        "emailMarketingConsentUpdatedAt": since,
        "smsMarketingConsentUpdatedAt": since,
        "adminUrl": f"{ADMIN}customers/{number}",
        "externalCreatedAt": since,
        "externalUpdatedAt": since,
    }


def _order(number: int) -> Body:
    buyer = number % len(_PEOPLE)
    first_name, last_name, email, phone, locale, _, _ = _PEOPLE[buyer]
    financial, fulfillment = _COURSES[number % len(_COURSES)]
    placed = _ago(days=3 * (ORDERS - number), hours=number % 7, minutes=1)
    amounts = _amounts(number, financial)
    return {
        "number": f"#{1000 + number}",
        "placedAt": placed,
        "updatedAt": placed,
        "financialStatus": financial,
        "fulfillmentStatus": fulfillment,
        "cancelledAt": placed if financial == "voided" else None,
        "isTest": number == 1,
        "locale": locale,
        "sourceName": "web",
        "adminUrl": f"{ADMIN}orders/{1000 + number}",
        "customer": {
            "externalId": f"customer-{buyer + 1}",
            "email": email,
            "phone": phone,
            "firstName": first_name,
            "lastName": last_name,
        },
        **{name: _money(amount) for name, amount in amounts.items()},
        "lineItems": _lines(number),
        "discountCodes": ["WELCOME10"] if number % 5 == 0 else [],
    }


def _product(number: int) -> Body:
    title, option, sku, price = _GOODS[number - 1]
    german, kind, other, inventory = _SHELVES[number - 1]
    slug = title.lower().replace(" ", "-")
    variants = [(option or title, sku), *([other] if other else [])]
    return {
        "updatedAt": _ago(days=number),
        "createdAt": _ago(days=200 + number),
        "status": "draft" if number == len(_GOODS) else "active",
        "handle": slug,
        "vendor": "Birch & Loom",
        "productType": kind,
        "tags": ["handmade", kind.lower()],
        "link": f"https://shop.example.com/products/{slug}",
        "image": {"url": f"https://shop.example.com/images/{slug}.jpg", "alt": title},
        "customFields": {"origin": "Sweden" if number % 2 else "Portugal"},
        "adminUrl": f"{ADMIN}products/{number}",
        "locales": [
            {"locale": "en", "title": title, "description": f"<p>{title}, made to last.</p>"},
            {"locale": "de", "title": german},
        ],
        "variants": [
            {
                "externalId": f"variant-{number}-{place}",
                "title": name,
                "sku": code,
                "options": [{"name": "Kind", "value": name}],
                "price": _money(price),
                "compareAtPrice": _money(price + 1000) if number == 1 else None,
                "inventory": inventory,
            }
            for place, (name, code) in enumerate(variants, 1)
        ],
    }


def _lines(number: int) -> list[Body]:
    """Returns one to three lines; every fifth order has a discount of a tenth."""
    lines = []
    for place in range(1 + number % 3):
        good = (number + place) % len(_GOODS)
        title, variant, sku, price = _GOODS[good]
        quantity = 1 + (number + place) % 2
        discount = price * quantity // 10 if number % 5 == 0 else 0
        lines.append(
            {
                "title": title,
                "variantTitle": variant,
                "sku": sku,
                "quantity": quantity,
                "unitPrice": _money(price),
                "totalDiscount": _money(discount),
                "isGiftCard": False,
                "productExternalId": f"product-{good + 1}",
                "variantExternalId": f"variant-{good + 1}-1",
            }
        )
    return lines


def _amounts(number: int, financial: str) -> dict[str, int]:
    lines = _lines(number)
    discounts = sum(line["totalDiscount"]["amount"] for line in lines)
    goods = sum(line["quantity"] * line["unitPrice"]["amount"] for line in lines)
    subtotal = goods - discounts
    shipping = 0 if subtotal >= 10000 else 490
    total = subtotal + shipping
    refunded = {"refunded": total, "partially_refunded": total // 4}.get(financial, 0)
    return {
        "total": total,
        "subtotal": subtotal,
        "totalDiscounts": discounts,
        "totalShipping": shipping,
        "totalTax": total * 19 // 119,
        "totalRefunded": refunded,
    }


def _money(amount: int) -> Body:
    return {"amount": amount, "currency": CURRENCY}


def _ago(**by: float) -> str:
    moment: datetime = clock.now() - timedelta(**by)
    return clock.to_text(moment)


def coupons(store_id: str) -> list[dict[str, Any]]:
    """Returns a sale's pool of codes, and a welcome coupon with one code per person."""
    sale = {
        "storeId": store_id,
        "name": "Spring sale",
        "kind": "bulk",
        "quantity": 50,
        "prefix": "SPRING-",
        "valueType": "percentage",
        "value": 15,
        "validity": {"type": "days", "days": 30},
        "reissue": "after_use_or_expiry",
    }
    welcome = {
        "storeId": store_id,
        "name": "Welcome",
        "kind": "personal",
        "prefix": "HELLO-",
        "valueType": "amount",
        "value": 500,
        "minimumSubtotal": {"amount": 3000, "currency": STORE["currency"]},
        "validity": {"type": "none"},
        "reissue": "after_use_or_expiry",
    }
    return [sale, welcome]


def gift_cards(store_id: str) -> dict[str, Any]:
    """Returns a coupon whose codes another system made, and which are imported from a file."""
    rows = (f"{number},GIFT-{number * 7919:07}" for number in range(1, 21))
    return {
        "storeId": store_id,
        "name": "Gift cards",
        "content": "\n".join(("number,code", *rows)),
        "validity": {"type": "none"},
        "reissue": "every_email",
    }

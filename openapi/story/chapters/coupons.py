"""A spring sale with a pool of codes, and gift cards with codes of another system."""

from openapi.story.steps import Step
from openapi.story.story_run import Chapter

SALE = {"id": "{sale.id}"}
FILE = "code\nGIFT-0001\nGIFT-0002\nGIFT-0003"

CHAPTER: Chapter = [
    Step(
        "coupons.create",
        body={
            "storeId": "{store.id}",
            "name": "Spring sale",
            "kind": "bulk",
            "quantity": 5,
            "prefix": "SPRING-",
            "valueType": "percentage",
            "value": 15,
            "minimumSubtotal": {"amount": 5000, "currency": "EUR"},
            "validity": {"type": "days", "days": 30},
            "combinesWith": {
                "orderDiscounts": False,
                "productDiscounts": False,
                "shippingDiscounts": True,
            },
            "reissue": "after_use_or_expiry",
        },
        keep="sale",
    ),
    Step("coupons.get", path=SALE),
    Step("coupons.update", path=SALE, body={"name": "Spring sale 2026"}),
    Step(
        "coupons.assign",
        path=SALE,
        body={"profileId": "{people.items.0.id}", "reference": "newsletter-2026-03"},
        keep="assigned",
    ),
    Step(
        "coupons.assign",
        path=SALE,
        body={"profileId": "{people.items.0.id}", "reference": "newsletter-2026-03"},
    ),
    Step("coupons.createCodes", path=SALE, body={"quantity": 2}),
    Step(
        "coupons.listCodes",
        path=SALE,
        query={
            "status": "assigned",
            "profileId": "{people.items.0.id}",
            "q": "SPRING",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step("coupons.listCodes", path=SALE, query={"status": "available"}, keep="codes"),
    Step("couponCodes.get", path={"id": "{codes.items.0.id}"}),
    Step("couponCodes.delete", path={"id": "{codes.items.0.id}"}),
    Step(
        "coupons.checkImport",
        body={"storeId": "{store.id}", "content": FILE, "column": "code"},
    ),
    Step(
        "coupons.import",
        body={
            "storeId": "{store.id}",
            "content": FILE,
            "column": "code",
            "name": "Gift cards",
            "validity": {"type": "none"},
            "reissue": "every_email",
        },
        keep="gifts",
    ),
    Step(
        "coupons.list",
        query={
            "storeId": "{store.id}",
            "status": "active",
            "source": "platform",
            "kind": "bulk",
            "q": "spring",
            "sort": "name",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step("coupons.end", path=SALE),
    Step("coupons.archive", path=SALE),
]

"""The shop's customers: Ada, sent by the shop's system, and Bruno, who wants the newsletter."""

from typing import Any

from openapi.story.steps import Step
from openapi.story.story_run import Chapter

ADA = {"id": "{people.items.0.id}"}
CUSTOMER: dict[str, Any] = {
    "email": "ada.lind@example.com",
    "phone": "+4915112345601",
    "firstName": "Ada",
    "lastName": "Lind",
    "locale": "en",
    "emailMarketingConsent": "subscribed",
    "smsMarketingConsent": "not_subscribed",
    "emailMarketingConsentUpdatedAt": "2026-01-05T10:00:00.000Z",
    "proof": {
        "reference": "Newsletter form in the checkout",
        "ip": "203.0.113.7",
        "userAgent": "Mozilla/5.0",
    },
    "evidence": {
        "text": "Yes, write to me about new things from the loom.",
        "textVersion": "2026-01",
        "url": "https://shop.example.com/checkout",
        "optInLevel": "confirmed",
    },
    "adminUrl": "https://admin.example.com/customers/1001",
    "externalCreatedAt": "2026-01-05T10:00:00.000Z",
    "externalUpdatedAt": "2026-01-05T10:00:00.000Z",
}
VIEW = {
    "productId": "wool-throw",
    "title": "Wool throw",
    "url": "https://shop.example.com/products/wool-throw",
}

CHAPTER: Chapter = [
    Step(
        "customers.put",
        path={"id": "{store.id}", "externalId": "1001"},
        body=CUSTOMER,
    ),
    Step("customers.put", path={"id": "{store.id}", "externalId": "1001"}, body=CUSTOMER),
    Step(
        "profiles.list",
        query={
            "q": "ada",
            "email": "ada.lind@example.com",
            "phone": "+4915112345601",
            "externalId": "1001",
            "storeId": "{store.id}",
            "isCustomer": "true",
            "emailMarketingConsent": "subscribed",
            "smsMarketingConsent": "not_subscribed",
            "reachable": "email",
            "locale": "en",
            "firstSeenFrom": "2026-01-01T00:00:00.000Z",
            "firstSeenTo": "2026-04-01T00:00:00.000Z",
            "lastSeenFrom": "2026-01-01T00:00:00.000Z",
            "lastSeenTo": "2026-04-01T00:00:00.000Z",
            "sort": "-firstSeenAt",
            "page": 1,
            "pageSize": 25,
        },
        keep="people",
    ),
    Step(
        "profiles.upsert",
        body={
            "email": "bruno.keller@example.com",
            "anonymousId": "visitor-7f3b",
            "firstName": "Bruno",
            "lastName": "Keller",
            "locale": "de",
        },
        keep="bruno",
    ),
    Step(
        "profiles.upsert",
        body={"email": "bruno.keller@example.com", "phone": "+4915112345602"},
    ),
    Step("profiles.get", path=ADA),
    Step("profiles.update", path=ADA, body={"phone": "+4915112345603"}),
    Step(
        "profiles.listCustomers",
        path=ADA,
        query={"storeId": "{store.id}", "page": 1, "pageSize": 25},
    ),
    Step(
        "profiles.listIdentities",
        path=ADA,
        query={"type": "phone", "page": 1, "pageSize": 25},
        keep="phones",
    ),
    Step(
        "profiles.deleteIdentity",
        path={**ADA, "identityId": "{phones.items.0.id}"},
    ),
    Step(
        "profiles.upsert",
        body={"email": "ada.private@example.com", "firstName": "Ada"},
        keep="other_ada",
    ),
    Step("profiles.merge", path=ADA, body={"profileId": "{other_ada.id}"}),
    Step("profiles.listMerges", path=ADA, query={"page": 1, "pageSize": 25}),
    Step(
        "events.create",
        body={
            "profile": {"email": "ada.lind@example.com"},
            "name": "viewed_product",
            "occurredAt": "2026-03-14T08:15:00.000Z",
            "storeId": "{store.id}",
            "properties": VIEW,
            "uniqueId": "visit-1",
        },
    ),
    Step(
        "events.create",
        body={
            "profile": {"email": "ada.lind@example.com"},
            "name": "viewed_product",
            "occurredAt": "2026-03-14T08:15:00.000Z",
            "storeId": "{store.id}",
            "properties": VIEW,
            "uniqueId": "visit-1",
        },
    ),
    Step(
        "events.createBulk",
        body={
            "events": [
                {
                    "profile": {"email": "bruno.keller@example.com"},
                    "name": "viewed_product",
                    "occurredAt": "2026-03-14T08:20:00.000Z",
                    "storeId": "{store.id}",
                    "properties": VIEW,
                    "uniqueId": "visit-2",
                },
                {
                    "profile": {"anonymousId": "visitor-91c2"},
                    "name": "viewed_product",
                    "occurredAt": "2026-03-14T08:25:00.000Z",
                    "storeId": "{store.id}",
                    "properties": VIEW,
                    "uniqueId": "visit-3",
                },
            ]
        },
    ),
    Step(
        "profiles.listEvents",
        path=ADA,
        query={
            "name": "viewed_product",
            "source": "api",
            "storeId": "{store.id}",
            "occurredFrom": "2026-03-01T00:00:00.000Z",
            "occurredTo": "2026-04-01T00:00:00.000Z",
            "page": 1,
            "pageSize": 25,
        },
    ),
    Step("profiles.export", "{owner.token}", path=ADA),
]

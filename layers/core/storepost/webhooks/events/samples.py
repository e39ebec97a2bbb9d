"""A whole message of each type, as its receiver would get it."""

from collections.abc import Mapping
from typing import Any

type Data = dict[str, Any]

_ID = "0199a3c4-51d0-7c1e-9f6e-2b7d8a41c0e1"
_STORE_ID = "5b0f6a1e-2f5d-4c0e-9b7a-6d3c1f2e8a90"
_PROFILE_ID = "8d2c7e54-0a6b-4f19-8c3d-e7b1a5960f42"
_OTHER_ID = "3f9e1b7a-64c2-4d85-a0f7-19c8d2e6b530"
_AT = "2026-03-14T09:30:10.000Z"
_EARLIER = "2026-03-01T10:30:00.250Z"

_PROFILE: Data = {
    "id": _PROFILE_ID,
    "name": "Ada Lindgren",
    "email": "ada@example.com",
    "phone": "+436601234567",
    "locale": "de-AT",
    "storeIds": [_STORE_ID],
    "isCustomer": True,
    "emailMarketingConsent": "subscribed",
    "smsMarketingConsent": "not_subscribed",
    "firstSeenAt": _EARLIER,
    "lastSeenAt": _AT,
}
_CONSENT: Data = {
    "id": _ID,
    "profileId": _PROFILE_ID,
    "channel": "email",
    "state": "unsubscribed",
    "source": "one_click",
    "store": None,
    "address": "ada@example.com",
    "proof": {"userId": None, "apiKeyId": None, "reference": "spring-newsletter"},
    "by": None,
    "occurredAt": "2026-03-14T09:30:09.120Z",
    "recordedAt": "2026-03-14T09:30:09.120Z",
    "writeBacks": [
        {
            "store": {"id": _STORE_ID, "name": "Birch & Loom"},
            "status": "pending",
            "skipReason": None,
            "error": None,
            "doneAt": None,
        }
    ],
}
_ORDER: Data = {
    "id": _ID,
    "storeId": _STORE_ID,
    "number": "#1001",
    "placedAt": _EARLIER,
    "financialStatus": "paid",
    "fulfillmentStatus": "unfulfilled",
    "cancelled": False,
    "total": {"amount": 5499, "currency": "EUR"},
    "locale": "de-AT",
}
_PRODUCT: Data = {
    "id": _ID,
    "storeId": _STORE_ID,
    "externalId": "8001",
    "locale": "de-AT",
    "title": "Linen cushion",
    "missing": [],
    "published": True,
    "handle": "linen-cushion",
    "status": "active",
    "removedAt": None,
    "vendor": "Birch & Loom",
    "productType": "Cushions",
    "image": {"url": "https://cdn.example.com/cushion.jpg", "alt": "A grey cushion"},
    "price": {
        "min": {"amount": 3900, "currency": "EUR"},
        "max": {"amount": 4900, "currency": "EUR"},
    },
    "compareAtPrice": None,
    "variantCount": 2,
    "stock": "in_stock",
    "inventory": 17,
    "changedAt": _AT,
}
_COUPON: Data = {
    "id": _OTHER_ID,
    "store": {
        "id": _STORE_ID,
        "name": "Birch & Loom",
        "platform": "custom",
        "currency": "EUR",
    },
    "name": "Spring",
    "source": "platform",
    "kind": "personal",
    "quantity": None,
    "prefix": "SPRING",
    "valueType": "percentage",
    "value": 10,
    "minimumSubtotal": None,
    "validity": {"type": "days", "days": 30},
    "combinesWith": None,
    "reissue": "after_use_or_expiry",
    "status": "active",
    "externalId": None,
    "adminUrl": None,
    "importSkipped": None,
    "codes": {
        "available": 0,
        "assigned": 0,
        "used": 0,
        "expired": 0,
        "pending": 0,
        "failed": 0,
    },
    "createdAt": _AT,
    "archivedAt": None,
}
_CODE: Data = {
    "id": _ID,
    "couponId": _OTHER_ID,
    "code": "SPRING-7KQ2MX9A",
    "status": "assigned",
    "profile": {"id": _PROFILE_ID, "name": "Ada Lindgren", "email": "ada@example.com"},
    "order": None,
    "assignedAt": _AT,
    "expiresAt": "2026-04-13T09:30:10.000Z",
    "usedAt": None,
    "error": None,
    "createdAt": _AT,
}
_STORE: Data = {
    "id": _STORE_ID,
    "platform": "shopify",
    "name": "Birch & Loom",
    "externalId": "birch-loom.myshopify.com",
    "currency": "EUR",
    "primaryLocale": "de-AT",
    "status": "active",
    "connectionStatus": "connected",
    "importStatus": "none",
    "permissions": {"coupons": True, "consent": True},
    "connectedAt": _AT,
}
_STORE_IMPORT: Data = {
    "id": _ID,
    "storeId": _STORE_ID,
    "scope": "customers_orders",
    "status": "completed",
    "stage": None,
    "requestedBy": {"id": None, "name": "Shop server"},
    "imported": {"customers": 480, "orders": 1205, "products": 0},
    "error": None,
    "queuedAt": "2026-03-14T09:29:41.000Z",
    "startedAt": "2026-03-14T09:29:42.310Z",
    "completedAt": _AT,
}
_FEED_IMPORT: Data = {
    "id": _ID,
    "feedId": _OTHER_ID,
    "status": "completed",
    "trigger": "schedule",
    "format": "csv",
    "bytes": 48211,
    "counts": {
        "rows": 120,
        "imported": 118,
        "variantOnly": 40,
        "fromFirstRow": 0,
        "created": 3,
        "products": 78,
        "unmatched": 0,
        "skipped": 2,
        "removed": 1,
    },
    "error": None,
    "queuedAt": "2026-03-14T09:29:41.000Z",
    "startedAt": "2026-03-14T09:29:42.310Z",
    "completedAt": _AT,
}
_PROPOSAL: Data = {
    "id": _ID,
    "kind": "segment",
    "definitionId": None,
    "name": "Recent buyers",
    "summary": "Whom the spring newsletter goes to",
    "status": "open",
    "stale": False,
    "author": {"type": "api_key", "id": _OTHER_ID, "name": "Assistant"},
    "createdAt": _AT,
    "reviewedBy": None,
    "reviewedAt": None,
}
_REVIEW: Data = {
    "reviewedBy": {"id": _PROFILE_ID, "name": "Olive Owner"},
    "reviewedAt": "2026-03-14T11:02:55.430Z",
}
_MEMBER: Data = {
    "id": _ID,
    "userId": _PROFILE_ID,
    "name": "Mia Member",
    "email": "mia@example.com",
    "role": "member",
    "joinedAt": _AT,
    "lastActiveAt": None,
}
_API_KEY: Data = {
    "id": _ID,
    "name": "Shop server",
    "scope": "write",
    "prefix": "stp_7Kq2mX9a",
    "createdBy": "Olive Owner",
    "createdAt": _EARLIER,
    "lastUsedAt": None,
    "rotatedAt": None,
    "revokedAt": None,
    "status": "active",
}
_USE: Data = {"order": {"id": _OTHER_ID, "number": "#1001"}, "usedAt": _AT}

_DATA: Mapping[str, Data] = {
    "profile.created": _PROFILE,
    "profile.updated": _PROFILE,
    "profile.merged": {**_PROFILE, "mergedProfileId": _OTHER_ID},
    "profile.erased": {"id": _PROFILE_ID, "mergedProfileIds": [_OTHER_ID]},
    "consent.changed": _CONSENT,
    "order.created": _ORDER,
    "order.updated": {**_ORDER, "fulfillmentStatus": "fulfilled"},
    "order.cancelled": {**_ORDER, "financialStatus": "voided", "cancelled": True},
    "order.refunded": {**_ORDER, "financialStatus": "partially_refunded"},
    "order.deleted": {"id": _ID, "storeId": _STORE_ID},
    "product.created": _PRODUCT,
    "product.updated": _PRODUCT,
    "product.removed": {**_PRODUCT, "published": False, "removedAt": _AT},
    "coupon.created": _COUPON,
    "coupon.ended": {**_COUPON, "status": "ended"},
    "coupon_code.assigned": _CODE,
    "coupon_code.used": {**_CODE, **_USE, "status": "used", "assignedAt": _EARLIER},
    "coupon_code.expired": {**_CODE, "status": "expired", "assignedAt": _EARLIER},
    "store.connected": _STORE,
    "store.disconnected": {
        **_STORE,
        "status": "disconnected",
        "connectionStatus": "disconnected",
    },
    "store.needs_attention": {**_STORE, "connectionStatus": "needs_reauth"},
    "store_import.completed": _STORE_IMPORT,
    "store_import.failed": {**_STORE_IMPORT, "status": "failed", "error": "timed_out"},
    "feed_import.completed": _FEED_IMPORT,
    "feed_import.failed": {**_FEED_IMPORT, "status": "failed", "error": "import_failed"},
    "change_proposal.opened": _PROPOSAL,
    "change_proposal.approved": {
        **_PROPOSAL,
        **_REVIEW,
        "status": "approved",
        "definitionId": _OTHER_ID,
    },
    "change_proposal.rejected": {**_PROPOSAL, **_REVIEW, "status": "rejected"},
    "member.joined": _MEMBER,
    "member.role_changed": {**_MEMBER, "role": "admin"},
    "member.removed": {"id": _ID, "userId": _PROFILE_ID},
    "api_key.created": _API_KEY,
    "api_key.rotated": {**_API_KEY, "rotatedAt": _AT},
    "api_key.revoked": {**_API_KEY, "status": "revoked", "revokedAt": _AT},
    "webhook.test": {"id": _ID},
}


def sample_of(name: str) -> dict[str, Any]:
    """Returns a whole message of the type."""
    return {"type": name, "timestamp": _AT, "data": _DATA[name]}

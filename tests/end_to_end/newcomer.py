"""A shop, made as a newcomer makes it: by sign-up, workspace, key and store."""

from dataclasses import dataclass
from typing import Any

from tests.end_to_end.service import ID, MOMENT, Matching, Service

PASSWORD = "correct horse battery staple"
SIGN_UP = "Your Storepost sign-up code"
WORKSPACE = "Fern & Thread"
STORE = "Garn & Wolle Zoë"
CUSTOMER: dict[str, Any] = {
    "email": "zoe.lind@example.com",
    "phone": "+4915112345601",
    "firstName": "Zoë 🧵",
    "lastName": "Lind",
    "locale": "de",
    "emailMarketingConsent": "subscribed",
    "smsMarketingConsent": "not_subscribed",
    "emailMarketingConsentUpdatedAt": "2026-01-05T08:00:00.000Z",
    "smsMarketingConsentUpdatedAt": "2026-01-05T08:00:00.000Z",
    "adminUrl": "https://admin.example.com/customers/1",
    "externalCreatedAt": "2026-01-05T08:00:00.000Z",
    "externalUpdatedAt": "2026-01-05T08:00:00.000Z",
}


@dataclass(frozen=True)
class Shop:
    """What Petra made."""

    owner: str
    """Her session's token."""
    workspace_id: str
    key: str
    key_id: str
    store_id: str
    secret: str
    """What write-backs to the store are signed with."""


def sign_up(service: Service, name: str, email: str) -> str:
    """Makes an account by the code in the email; the session's token."""
    body = {"name": name, "email": email, "password": PASSWORD}
    registered = service.json_of(202, "POST", "/v1/auth/sign-up", json_body=body)
    assert registered == {"registration": ID}
    sent = service.email_to(email, SIGN_UP)
    page = f"http://{service.host}/v1/pages/verify-address"
    assert sent == {
        "id": Matching(r"\S+"),
        "to": email,
        "subject": SIGN_UP,
        "text": sent["text"],
        "html": sent["html"],
        "links": [f"{page}#{registered['registration']}"],
        "codes": [Matching(r"\d{6}")],
        "sentAt": MOMENT,
        "tags": {"kind": "sign_up", "id": registered["registration"]},
        "events": [],
    }
    code = sent["codes"][0]
    assert f"\n{code}\n" in sent["text"]
    assert code in sent["html"]
    verified = service.json_of(
        200, "POST", "/v1/auth/verify-email", json_body={**registered, "code": code}
    )
    assert verified == {
        "token": Matching(r"sts_[\w-]{43}"),
        "expiresAt": MOMENT,
        "emailUndeliverable": False,
    }
    return str(verified["token"])


def open_shop(service: Service) -> Shop:
    """Signs Petra up and makes her workspace, a key of it, and a store that listens."""
    owner = sign_up(service, "Petra", "petra@example.com")
    workspace = service.json_of(
        201, "POST", "/v1/workspaces", token=owner, json_body={"name": WORKSPACE}
    )
    assert workspace == {"id": ID, "name": WORKSPACE, "slug": "fern-thread"}
    made = service.json_of(
        201, "POST", "/v1/api-keys", token=owner, json_body={"name": "Feed", "scope": "write"}
    )
    assert made == {
        "apiKey": {
            "id": ID,
            "name": "Feed",
            "scope": "write",
            "prefix": made["key"][:12],
            "createdBy": "Petra",
            "createdAt": MOMENT,
            "lastUsedAt": None,
            "rotatedAt": None,
            "status": "active",
            "revokedAt": None,
        },
        "key": Matching(r"stp_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}"),
    }
    store_id = _connect_store(service, owner)
    listening = service.json_of(
        200,
        "PUT",
        f"/v1/stores/{store_id}/write-back",
        token=owner,
        json_body={"url": service.write_back_url},
    )
    assert listening == {"url": service.write_back_url, "secret": Matching(r"whsec_\S{32}")}
    return Shop(
        owner, workspace["id"], made["key"], made["apiKey"]["id"], store_id, listening["secret"]
    )


def _connect_store(service: Service, owner: str) -> str:
    body = {
        "platform": "custom",
        "name": STORE,
        "externalId": "garn",
        "currency": "EUR",
        "primaryLocale": "de",
        "adminUrl": "https://admin.example.com/",
    }
    store = service.json_of(201, "POST", "/v1/stores", token=owner, json_body=body)
    assert store == {
        **body,
        "id": ID,
        "status": "active",
        "connectionStatus": "connected",
        "importStatus": "none",
        "permissions": {"coupons": True, "consent": False},
        "connectedAt": MOMENT,
        "storefrontUrl": None,
        "contactEmail": None,
        "localeCount": 1,
        "customerCount": 0,
        "orderCount": 0,
        "productCount": 0,
        "lastOrderAt": None,
        "lastProductSyncAt": None,
        "imports": {"customersOrders": None, "products": None},
        "latestCustomer": None,
    }
    return str(store["id"])

"""The way through the whole service: from a sign-up to the write-back of a consent change."""

from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from tests.end_to_end.newcomer import CUSTOMER, STORE, WORKSPACE, Shop, sign_up
from tests.end_to_end.service import ID, MOMENT, Service, soon

EURO = {"currency": "EUR"}
PLACED = ("2026-02-01T09:00:00.000Z", "2026-02-02T09:00:00.000Z", "2026-02-03T09:00:00.000Z")


def order(number: int) -> dict[str, Any]:
    """The body of one of the orders."""
    return {
        "number": f"#{number}",
        "placedAt": PLACED[number],
        "updatedAt": PLACED[number],
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "cancelledAt": None,
        "isTest": False,
        "locale": "de",
        "sourceName": "web",
        "adminUrl": f"https://admin.example.com/orders/{number}",
        "customer": {name: CUSTOMER[name] for name in ("email", "phone", "firstName", "lastName")}
        | {"externalId": "customer 1"},
        "total": {"amount": 1490 + number, **EURO},
        "subtotal": {"amount": 1000 + number, **EURO},
        "totalDiscounts": {"amount": 0, **EURO},
        "totalShipping": {"amount": 490, **EURO},
        "totalTax": {"amount": 238, **EURO},
        "totalRefunded": {"amount": 0, **EURO},
        "lineItems": [],
        "discountCodes": [],
    }


def summary(shop: Shop, number: int) -> dict[str, Any]:
    """An order as lists show it."""
    return {
        "id": ID,
        "storeId": shop.store_id,
        "number": f"#{number}",
        "placedAt": PLACED[number],
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "cancelled": False,
        "total": {"amount": 1490 + number, **EURO},
        "locale": "de",
    }


@pytest.fixture(scope="module")
def profile(service: Service, shop: Shop) -> dict[str, Any]:
    """Sends the customer and three orders; the profile that results, as lists show it."""
    path = f"/v1/stores/{shop.store_id}"
    put = service.json_of(
        201, "PUT", f"{path}/customers/customer%201", token=shop.key, json_body=CUSTOMER
    )
    consent_times = ("emailMarketingConsentUpdatedAt", "smsMarketingConsentUpdatedAt")
    assert put == {
        **{name: value for name, value in CUSTOMER.items() if name not in consent_times},
        "id": ID,
        "store": {"id": shop.store_id, "name": STORE, "platform": "custom"},
        "externalId": "customer 1",
        "deletedAt": None,
    }
    for number in range(3):
        made = service.json_of(
            201, "PUT", f"{path}/orders/o{number}", token=shop.key, json_body=order(number)
        )
        assert summary(shop, number).items() <= made.items()
    listed = service.json_of(200, "GET", "/v1/profiles", token=shop.key)
    (found,) = listed.pop("items")
    assert listed == {"total": 1, "page": 1, "pageSize": 25}
    assert isinstance(found, dict)
    return found


class TestPeople:
    def test_signed_up_user_owns_the_workspace(self, service: Service, shop: Shop) -> None:
        assert service.json_of(200, "GET", "/v1/me", token=shop.owner) == {
            "user": {
                "id": ID,
                "name": "Petra",
                "email": "petra@example.com",
                "emailUndeliverable": False,
                "twoFactor": {"app": None, "email": None, "trustedBrowsers": 0},
            },
            "workspaces": [
                {
                    "id": shop.workspace_id,
                    "name": WORKSPACE,
                    "slug": "fern-thread",
                    "role": "owner",
                    "storeCount": 1,
                    "requireTwoFactor": False,
                }
            ],
        }

    def test_accepted_invitation_creates_a_member(self, service: Service, shop: Shop) -> None:
        body = {"email": "nora@example.com", "role": "member"}
        invited = service.json_of(201, "POST", "/v1/invitations", token=shop.owner, json_body=body)
        assert invited == {
            **body,
            "id": ID,
            "invitedBy": "Petra",
            "createdAt": MOMENT,
            "expiresAt": MOMENT,
            "expired": False,
            "undeliverable": False,
        }
        subject = f"Petra invited you to {WORKSPACE} on Storepost"
        sent = service.email_to("nora@example.com", subject)
        assert sent["links"] == [f"http://{service.host}/v1/pages/invitation#{invited['id']}"]
        path = f"/v1/invitations/{invited['id']}"
        assert service.json_of(200, "GET", f"{path}/preview") == {
            **body,
            "workspace": WORKSPACE,
            "workspaceSlug": "fern-thread",
            "invitedBy": "Petra",
            "status": "pending",
        }
        nora = sign_up(service, "Nora", "nora@example.com")
        accepted = service.call("POST", f"{path}/accept", token=nora)
        assert accepted.status == 200
        members = service.json_of(200, "GET", "/v1/members?sort=name", token=shop.owner)
        roles = [(m["name"], m["email"], m["role"]) for m in members["items"]]
        assert roles == [
            ("Nora", "nora@example.com", "member"),
            ("Petra", "petra@example.com", "owner"),
        ]


class TestShop:
    def test_customer_and_orders_create_one_profile(
        self, shop: Shop, profile: dict[str, Any]
    ) -> None:
        assert profile == {
            "id": ID,
            "name": "Zoë 🧵 Lind",
            "email": "zoe.lind@example.com",
            "phone": "+4915112345601",
            "locale": "de",
            "storeIds": [shop.store_id],
            "isCustomer": True,
            "emailMarketingConsent": "subscribed",
            "smsMarketingConsent": "not_subscribed",
            "firstSeenAt": "2026-01-05T08:00:00.000Z",
            "lastSeenAt": PLACED[2],
        }

    def test_orders_are_paginated(
        self, service: Service, shop: Shop, profile: dict[str, Any]
    ) -> None:
        query = "/v1/orders?page=1&pageSize=10&sort=placedAt"
        assert service.json_of(200, "GET", query, token=shop.key) == {
            "items": [summary(shop, number) for number in range(3)],
            "total": 3,
            "page": 1,
            "pageSize": 10,
        }
        beyond = service.json_of(200, "GET", "/v1/orders?page=2&pageSize=10", token=shop.key)
        assert beyond == {"items": [], "total": 3, "page": 2, "pageSize": 10}

    def test_store_locale_becomes_the_workspaces(self, service: Service, shop: Shop) -> None:
        assert service.json_of(200, "GET", "/v1/locales", token=shop.key) == {
            "items": [
                {
                    "id": ID,
                    "code": "de",
                    "label": "German",
                    "language": "de",
                    "region": None,
                    "origin": "store",
                    "isDefault": True,
                    "createdAt": MOMENT,
                }
            ],
            "total": 1,
            "page": 1,
            "pageSize": 25,
        }


def test_unsubscription_is_written_back_with_a_signature(
    service: Service, shop: Shop, profile: dict[str, Any]
) -> None:
    path = f"/v1/profiles/{profile['id']}/consent"
    changed = service.json_of(
        200, "PUT", f"{path}/email", token=shop.key, json_body={"state": "unsubscribed"}
    )
    write_back = {
        "store": {"id": shop.store_id, "name": STORE},
        "status": "pending",
        "skipReason": None,
        "error": None,
        "doneAt": None,
    }
    assert changed == {
        "id": ID,
        "channel": "email",
        "state": "unsubscribed",
        "source": "api",
        "store": None,
        "address": "zoe.lind@example.com",
        "proof": {
            "ip": None,
            "userAgent": None,
            "userId": None,
            "apiKeyId": shop.key_id,
            "reference": None,
        },
        "by": "Feed",
        "occurredAt": MOMENT,
        "recordedAt": MOMENT,
        "writeBacks": [write_back],
    }
    message = f"{changed['id']}.{shop.store_id}"

    def received_write_backs() -> list[Any]:
        """The demo's store listens at the same address."""
        write_backs = service.json_of(200, "GET", "/_local/write-backs")
        return [each for each in write_backs if each["headers"]["webhook-id"] == message]

    (received,) = soon(received_write_backs)
    headers = received["headers"]
    assert Webhook(shop.secret).verify(received["body"], headers) == {
        "type": "consent.changed",
        "timestamp": changed["occurredAt"],
        "data": {
            "changeId": changed["id"],
            "channel": "email",
            "state": "unsubscribed",
            "address": "zoe.lind@example.com",
            "occurredAt": changed["occurredAt"],
            "source": "api",
            "customers": [{"externalId": "customer 1"}],
        },
    }

    def written() -> Any:
        now = service.json_of(200, "GET", f"{path}/{changed['id']}", token=shop.key)
        return now if now["writeBacks"][0]["status"] != "pending" else None

    assert soon(written) == {
        **changed,
        "writeBacks": [{**write_back, "status": "written", "doneAt": MOMENT}],
    }
    queue = service.json_of(200, "GET", "/_local/queues")["WriteBackQueue"]
    assert queue == {"waiting": 0, "inFlight": 0, "deadLetters": 0}

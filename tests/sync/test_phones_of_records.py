"""Phones of a shop's records, read as the country of the person or of the shop writes them."""

from typing import Any

import pytest

from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.sync.records import nodes, rest
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope

WHEN = "2026-11-01T00:00:00Z"


def store_in(primary_locale: str) -> Store:
    """A store whose primary locale is that."""
    return Store(
        id=new_id(),
        workspace=WorkspaceScope(new_id()),
        platform=Platform.SHOPIFY,
        name="Shop",
        external_id="shop.example.com",
        currency="EUR",
        primary_locale=primary_locale,
        status=StoreStatus.ACTIVE,
        connection_status=ConnectionStatus.CONNECTED,
        takes_consent=True,
        admin_url="https://admin.example.com",
        storefront_url=None,
        contact_email=None,
        connected_at=clock.now(),
        locales=(),
    )


@pytest.mark.parametrize(
    ("locale", "address", "phone"),
    [
        ("de-AT", {}, "+436641234567"),
        ("fr", {"country_code": "AT"}, "+436641234567"),
        ("de-AT", {"country_code": "US"}, None),
        ("de-AT", {"country_code": None}, "+436641234567"),
        ("de-AT", {"country_code": "Austria"}, "+436641234567"),
    ],
)
def test_a_customers_phone(locale: str, address: dict[str, Any], phone: str | None) -> None:
    store = store_in(locale)
    body = {"id": 7, "updated_at": WHEN, "phone": "0664 1234567", "default_address": address}
    assert rest.customer_of(store, body)[1].phone == phone
    node = {
        "id": "gid://shopify/Customer/7",
        "updatedAt": WHEN,
        "defaultPhoneNumber": {"phoneNumber": "0664 1234567"},
        "defaultAddress": {"countryCodeV2": address.get("country_code")},
        "firstName": "Ada\u202e",
    }
    customer = nodes.customer_of(store, node)[1]
    assert (customer.phone, customer.first_name) == (phone, "Ada")

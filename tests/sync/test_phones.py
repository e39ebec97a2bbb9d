"""Phones from stores, read by the country of the person or of the store."""

from typing import Any

import phonenumbers
import pytest
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from storepost.people.customers.bodies import Customer
from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.sync.records import nodes, rest
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World
from tests.orders.sample import order as put_order
from tests.sync.batches.batch_store import customer, open_shop, order

WHEN = "2026-11-01T00:00:00Z"
COUNTRIES = {
    *("AE", "AR", "AT", "AU", "BE", "BG", "BR", "CA", "CH", "CL", "CO", "CZ", "DE", "DK", "EE"),
    *("EG", "ES", "FI", "FR", "GB", "GR", "HR", "HU", "ID", "IE", "IL", "IN", "IS", "IT", "JP"),
    *("KR", "LT", "LU", "LV", "MX", "NL", "NO", "NZ", "PL", "PT", "RO", "RS", "RU", "SA", "SE"),
    *("SG", "SI", "SK", "TH", "TR", "UA", "US", "VN", "ZA"),
}


def store_in(primary_locale: str) -> Store:
    """A store with that primary locale."""
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
    ("locale", "written", "phone"),
    [
        ("de-DE", "4915112345678", "+4915112345678"),
        ("de-DE", "49 151 12345678", "+4915112345678"),
        ("de-DE", "491711234567", "+491711234567"),
        ("de-DE", "0491711234", "+49491711234"),
        ("de-DE", "49301234567", "+49301234567"),
        ("de-DE", "017112345678", "+4917112345678"),
        ("de-AT", "436641234567", "+436641234567"),
        ("it-IT", "3931234567", "+393931234567"),
        ("it-IT", "393391234567", "+393391234567"),
        ("en-US", "14155550100", "+14155550100"),
        ("pt-BR", "5511912345678", "+5511912345678"),
    ],
)
def test_number_with_country_code_but_without_plus(locale: str, written: str, phone: str) -> None:
    """Exports of WhatsApp and others write them so."""
    body = {"id": 1, "updated_at": WHEN, "phone": written}
    assert rest.customer_of(store_in(locale), body)[1].phone == phone


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
def test_shopify_customer_phone_uses_address_or_store_country(
    locale: str, address: dict[str, Any], phone: str | None
) -> None:
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


@pytest.mark.parametrize("country", sorted(COUNTRIES))
def test_national_phone_in_request_uses_store_country(country: str) -> None:
    store = store_in(f"en-{country}")
    for kind in (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE):
        number = phonenumbers.example_number_for_type(country, kind)
        assert number is not None
        written = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
        e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        for text in (written, written.replace(" ", "."), e164):
            body = {"phone": text, "externalCreatedAt": WHEN, "externalUpdatedAt": WHEN}
            assert Customer.model_validate(body).value(store).phone == e164


WRITTEN = "0664 / 123 45 67"
PHONE = "+436641234567"


def test_phones_of_put_customers_and_orders(world: World) -> None:
    shop = open_shop(world)
    body = {"phone": WRITTEN, "externalCreatedAt": WHEN, "externalUpdatedAt": WHEN}
    put = shop.do("PUT", "/customers/c-1", body)
    assert (put.status, put.json["phone"]) == (201, PHONE)
    buyer = {"phone": WRITTEN}
    put = shop.do("PUT", "/orders/o-1", put_order(customer=buyer))
    assert put.status == 201
    [profile] = shop.get("/profiles")["items"]
    assert (profile["phone"], put.json["buyer"]["profileId"]) == (PHONE, profile["id"])


@pytest.mark.parametrize("wrong", ["0664 1", "call me", "+1 555-0123"])
def test_invalid_phone_is_refused_with_its_path(world: World, wrong: str) -> None:
    shop = open_shop(world)
    body = {"phone": wrong, "externalCreatedAt": WHEN, "externalUpdatedAt": WHEN}
    assert shop.do("PUT", "/customers/c-1", body).error_paths() == ["/phone"]
    ordered = put_order(customer={"phone": wrong})
    assert shop.do("PUT", "/orders/o-1", ordered).error_paths() == ["/customer/phone"]
    assert shop.get("/profiles")["total"] == 0
    sent = shop.queue(
        customers=[customer(0, phone=wrong), customer(1)],
        orders=[order(0, customer={"phone": wrong})],
    )
    world.deliver()
    assert [problem["detail"].partition(": ")[0] for problem in shop.problems(sent)] == [
        "/customers/0/phone",
        "/orders/0/customer/phone",
    ]


def test_phones_of_batch(world: World) -> None:
    shop = open_shop(world)
    sent = shop.queue(
        customers=[customer(0, email=None, phone=WRITTEN)],
        orders=[order(0, customer={"phone": WRITTEN})],
    )
    world.deliver()
    assert shop.problems(sent) == []
    [profile] = shop.get("/profiles")["items"]
    assert profile["phone"] == PHONE

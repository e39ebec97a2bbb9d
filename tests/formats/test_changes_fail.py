"""Plants changes that would break a deployed system, and checks that each is detected."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock
from uuid import UUID, uuid5

import pytest
from pynamodb.attributes import Attribute, NumberAttribute, UnicodeAttribute

from storepost.catalog.products import packing
from storepost.feeds.imports import staging
from storepost.orders.repository import OrderItem
from storepost.orders.trees import FINANCIAL, TEST
from storepost.people.consent.items import ConsentAddressItem
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.rows import ProfileItem
from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence import sealing
from storepost.platform.persistence.counted_tree.model import FilterField
from storepost.platform.persistence.item import KIND
from storepost.platform.persistence.records import Record
from storepost.values import emails, ids, money, phones, text
from tests.formats import frozen as frozen_module
from tests.formats.frozen import differences, frozen
from tests.formats.recorded import NEWEST, read

type Plant = Any
"""A context manager that changes the code."""


def kinds(change: Callable[[dict[str, Any]], None]) -> Plant:
    """Changes the kinds of rows."""
    others = dict(KIND.known)
    change(others)
    return mock.patch.object(KIND, "_discriminator_map", others)


@pytest.fixture(scope="module", autouse=True)
def _all_kinds() -> None:
    """Imports all kinds first: one imported during a plant would be undone with it."""
    frozen_module.import_all()


def attributes(model: Any, **others: Attribute[Any] | None) -> Plant:
    """Changes a row's attributes; None drops one."""
    found = {**model.get_attributes(), **others}
    present = {name: each for name, each in found.items() if each is not None}
    return mock.patch.object(model, "get_attributes", return_value=present)


def elements(model: Any, name: str, change: Callable[[list[str]], list[str]]) -> Plant:
    """Changes a record's elements."""
    record = model.get_attributes()[name]
    assert isinstance(record, Record)
    return mock.patch.object(record, "elements", tuple(change(list(record.elements))))


def letters(field: FilterField, marks: Mapping[Any, str]) -> Plant:
    """Changes a filter's letters."""
    return mock.patch.dict(field.__dict__, {"marks": marks})


def swapped(record: list[str]) -> list[str]:
    """Returns the record with its first two elements swapped."""
    return [record[1], record[0], *record[2:]]


def enum_value(enum: Any, member: str, value: str) -> Plant:
    """Changes the stored value of an enumeration's member."""
    return mock.patch.object(enum[member], "_value_", value)


def resource(name: str, **changed: object) -> Plant:
    """Changes properties of a resource of the template; without any, renames the resource."""
    found = dict(frozen_module._resources())
    if changed:
        found[name] = {**found[name], **changed}
    else:
        found[f"{name}Renamed"] = found.pop(name)
    return mock.patch.object(frozen_module, "_resources", found.items)


def uuid_with(separator: str) -> Callable[..., UUID]:
    """Derives ids from their parts with another separator."""
    return lambda parent, *parts: uuid5(parent, separator.join(parts))


def dropped(name: str) -> Callable[[dict[str, Any]], None]:
    """Removes a kind."""
    return lambda found: found.pop(name) and None


def renamed(name: str) -> Callable[[dict[str, Any]], None]:
    """Renames a kind."""
    return lambda found: found.update({f"{name}s": found.pop(name)})


FIRST, SECOND, *_ = FINANCIAL.marks
OTHER_LETTERS = {**FINANCIAL.marks, FIRST: FINANCIAL.marks[SECOND], SECOND: FINANCIAL.marks[FIRST]}

PLANTED: list[tuple[str, Callable[[], Plant]]] = [
    ("/kinds/order is gone", lambda: kinds(renamed("order"))),
    ("/kinds/coupon_code_removal is gone", lambda: kinds(dropped("coupon_code_removal"))),
    (
        "/kinds/order/told",
        lambda: attributes(OrderItem, recorded=UnicodeAttribute(attr_name="recorded")),
    ),
    ("/kinds/order/number is gone", lambda: attributes(OrderItem, number=None)),
    (
        "/kinds/order/number/type",
        lambda: attributes(OrderItem, number=NumberAttribute(attr_name="number")),
    ),
    (
        "/kinds/order/updated_at/form",
        lambda: attributes(OrderItem, updated_at=UnicodeAttribute(attr_name="updated_at")),
    ),
    ("/kinds/order/amounts/elements", lambda: elements(OrderItem, "amounts", swapped)),
    ("/kinds/order/line_items/elements", lambda: elements(OrderItem, "line_items", swapped)),
    (
        "/kinds/order/line_items/elements lacks sku",
        lambda: elements(OrderItem, "line_items", lambda all_: [e for e in all_ if e != "sku"]),
    ),
    (
        "/kinds/order/amounts/elements has another order",
        lambda: elements(OrderItem, "amounts", lambda all_: ["net", *all_]),
    ),
    ("/kinds/profile/links/elements", lambda: elements(ProfileItem, "links", swapped)),
    (
        "/kinds/profile/identities/elements lacks store",
        lambda: elements(
            ProfileItem, "identities", lambda e: ["shop" if x == "store" else x for x in e]
        ),
    ),
    (
        "/kinds/consent_address/dated/elements",
        lambda: elements(ConsentAddressItem, "dated", swapped),
    ),
    ("/stored values/ConsentState", lambda: enum_value(ConsentState, "SUBSCRIBED", "opted_in")),
    ("/letters of filters/orders.FINANCIAL", lambda: letters(FINANCIAL, OTHER_LETTERS)),
    (
        "/letters of filters/orders.TEST/True",
        lambda: letters(TEST, {False: "A", True: "C"}),
    ),
    (
        "/letters of filters/orders.TEST/letter",
        lambda: mock.patch.dict(TEST.__dict__, {"letter": "z"}),
    ),
    ("/purposes/OPT_IN_LINK", lambda: enum_value(sealing.Purpose, "OPT_IN_LINK", "opt in link")),
    ("/queues/EMAILS", lambda: enum_value(Queue, "EMAILS", "mails")),
    (
        "/keys and hashes/hash: erased address",
        lambda: mock.patch.object(
            sealing, "domain_bytes", lambda *parts: json.dumps(parts, indent=1).encode()
        ),
    ),
    (
        "/keys and hashes/key: unsubscribe link",
        lambda: mock.patch.object(
            sealing, "domain_bytes", lambda *parts: b64encode(str(parts).encode())
        ),
    ),
    ("/dictionary of deflate", lambda: mock.patch.object(packing, "_KNOWN", packing._KNOWN + b" ")),
    (
        "/derived ids/order",
        lambda: mock.patch("storepost.orders.keys.derived_id", uuid_with("/")),
    ),
    (
        "/derived ids/variant",
        lambda: mock.patch("storepost.catalog.products.model.derived_id", uuid_with("#")),
    ),
    (
        "/derived ids/customer",
        lambda: mock.patch("storepost.people.customers.model.derived_id", uuid_with("")),
    ),
    (
        "/derived ids/short",
        lambda: mock.patch.object(
            frozen_module, "short", lambda id_: b64encode(id_.bytes).decode()
        ),
    ),
    (
        "/files of imports/1/rows/row",
        lambda: mock.patch.object(staging, "_SCHEMA", staging._SCHEMA.replace("gtin TEXT, ", "")),
    ),
    (
        "/files of imports/1/manifest/entry",
        lambda: mock.patch.object(
            staging,
            "_MANIFEST",
            staging._MANIFEST.replace("digest BLOB", "hash BLOB"),
        ),
    ),
    (
        "/currencies/BGN is gone",
        lambda: mock.patch.object(
            frozen_module, "currencies", return_value=money.currencies() - {"BGN"}
        ),
    ),
    (
        "/folded/Straße",
        lambda: mock.patch.object(text, "fold", lambda each: each.lower()),
    ),
    (
        "/normalised/Erika@Example.COM",
        lambda: mock.patch.object(emails, "normalised", lambda each: each),
    ),
    (
        "/normalised/0664 1234567 AT",
        lambda: mock.patch.object(phones, "normalised", lambda *each: each[0]),
    ),
    ("/resources/Table is gone", lambda: resource("Table")),
    (
        "/resources/Table/KeySchema",
        lambda: resource("Table", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}]),
    ),
    ("/resources/CodeKey/MultiRegion", lambda: resource("CodeKey", MultiRegion=False)),
    ("/resources/WriteBackQueue/FifoQueue", lambda: resource("WriteBackQueue", FifoQueue=False)),
]


def test_at_least_thirty_breaking_changes() -> None:
    assert len(PLANTED) >= 30


@pytest.mark.parametrize(("path", "plant"), PLANTED, ids=[path for path, _ in PLANTED])
def test_breaking_change_is_detected(path: str, plant: Callable[[], Plant]) -> None:
    before = read(NEWEST, "frozen")
    sealing.clear_key_cache()
    with plant():
        found = differences(before, json.loads(json.dumps(frozen())))
    sealing.clear_key_cache()
    assert any(each.startswith(path) for each in found), found[:5]


@pytest.mark.parametrize(
    "plant",
    [
        lambda: elements(OrderItem, "amounts", lambda all_: [*all_, "net"]),
        lambda: attributes(OrderItem, weight=NumberAttribute(attr_name="weight", null=True)),
    ],
)
def test_addition_breaks_nothing(plant: Callable[[], Plant]) -> None:
    """An addition is missing in the newest folder, as another test says, but breaks no old one."""
    before = read(NEWEST, "frozen")
    with plant():
        now = json.loads(json.dumps(frozen()))
    assert differences(before, now) == []
    assert differences(now, before) != []


def test_frozen_hashes_are_those_of_the_code() -> None:
    assert (
        read(NEWEST, "frozen")["dictionary of deflate"]
        == hashlib.sha256(packing._KNOWN).hexdigest()
    )
    assert len(read(NEWEST, "frozen")["derived ids"]["short"]) == ids.SHORT_LENGTH

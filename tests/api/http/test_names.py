"""Names and titles in requests: what can't be seen in them is stored nowhere."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.catalog.products.sample import product, put, variant
from tests.harness.world import Answer, Someone, World
from tests.orders.sample import order

WRITTEN = " Fern\x00 &\r\n\tClay\x1b[2J\u202e\u200b "
STORED = "Fern & Clay[2J"
UNSEEN = "\x07\u200e"

type Send = Callable[[World, Someone, str], Answer]


def create(path: str, **fields: object) -> Send:
    """Creates a resource of that name."""

    def send(world: World, owner: Someone, name: str) -> Answer:
        return owner.call("POST", path, {"name": name, **fields})

    return send


def change_own_name(world: World, owner: Someone, name: str) -> Answer:
    changed = owner.call("PATCH", "/me", {"name": name})
    return changed if changed.status >= 300 else owner.call("GET", "/me")


def name_locale(world: World, owner: Someone, name: str) -> Answer:
    return owner.call("POST", "/locales", {"code": "fr", "label": name})


def create_coupon(world: World, owner: Someone, name: str) -> Answer:
    terms = {"valueType": "percentage", "value": 10, "validity": {"type": "none"}}
    more = {"kind": "personal", "reissue": "every_email", "storeId": world.store(owner)}
    return create("/coupons", **more, **terms)(world, owner, name)


def rename_store(world: World, owner: Someone, name: str) -> Answer:
    path = f"/stores/{world.store(owner)}"
    return owner.call("PATCH", path, {"name": name})


STORE = {
    "platform": "custom",
    "externalId": "fern-clay",
    "currency": "EUR",
    "primaryLocale": "en",
    "adminUrl": "https://admin.example.com/",
}
SENT: dict[str, tuple[Send, Callable[[Any], object]]] = {
    "person": (change_own_name, lambda answer: answer["user"]["name"]),
    "workspace": (create("/workspaces"), lambda answer: answer["name"]),
    "key": (create("/api-keys", scope="read"), lambda answer: answer["apiKey"]["name"]),
    "store": (create("/stores", **STORE), lambda answer: answer["name"]),
    "renamed store": (rename_store, lambda answer: answer["name"]),
    "locale": (name_locale, lambda answer: answer["label"]),
    "coupon": (create_coupon, lambda answer: answer["name"]),
}


@pytest.fixture
def owner(world: World) -> Someone:
    return world.owner()


@pytest.mark.parametrize("what", SENT)
def test_name_is_stored_without_invisible_characters(
    world: World, owner: Someone, what: str
) -> None:
    send, name_in = SENT[what]
    answer = send(world, owner, WRITTEN)
    assert answer.status < 300, answer.body
    assert name_in(answer.json) == STORED


@pytest.mark.parametrize("what", SENT)
def test_name_of_invisible_characters_alone_is_refused_as_empty(
    world: World, owner: Someone, what: str
) -> None:
    answer = SENT[what][0](world, owner, UNSEEN)
    assert answer.problem() == (422, "validation")
    assert [error["message"] for error in answer.json["errors"]] == ["Must not be empty"]


def test_product_is_stored_without_invisible_characters(world: World, owner: Someone) -> None:
    options = [{"name": WRITTEN, "value": WRITTEN}]
    texts = [{"locale": "de-AT", "title": WRITTEN}]
    body = product(
        vendor=WRITTEN,
        productType=WRITTEN,
        locales=texts,
        variants=[variant(title=WRITTEN, options=options)],
    )
    answer = put(owner, world.store(owner), "p-1", body)
    assert answer.status == 201, answer.body
    assert [answer.json[name] for name in ("title", "vendor", "productType")] == [STORED] * 3
    (found,) = owner.call("GET", f"/products/{answer.json['id']}/variants").json["items"]
    assert found["title"] == STORED
    assert found["options"] == [{"name": STORED, "value": STORED}]


def test_lines_of_an_order_are_stored_without_invisible_characters(
    world: World, owner: Someone
) -> None:
    body = order()
    body["lineItems"][0] |= {"title": WRITTEN, "variantTitle": WRITTEN}
    path = f"/stores/{world.store(owner)}/orders/o-1"
    answer = owner.call("PUT", path, body)
    assert answer.status == 201, answer.body
    line = answer.json["lineItems"][0]
    assert (line["title"], line["variantTitle"]) == (STORED, STORED)

"""The writers' requests: a mixture of writes about few people, in one store."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from storepost.values.scope import WorkspaceScope
from tests.concurrency.people import STATES, customer
from tests.harness.world import CANARY
from tests.orders.sample import order

PEOPLE = 60
"""The number of people that all writers share, so that their writes conflict."""

_KINDS = {
    "order": 30,
    "customer": 15,
    "profile": 12,
    "consent": 15,
    "event": 12,
    "assignment": 8,
    "coupon": 3,
    "batch": 5,
}
_IN_A_BATCH = 5
CODES = 20
"""The number of codes of a writer's coupon."""


@dataclass(frozen=True)
class Sent:
    """A request, without its caller."""

    kind: str
    method: str
    path: str
    key: str
    """Its idempotency key."""
    body: Any
    person: int = 0
    """The number of its person."""
    named: str = ""
    """The writer's own id of the record that it creates."""


@dataclass(frozen=True)
class Shop:
    """The records that exist before the faults begin."""

    workspace: WorkspaceScope
    store: str
    pool: str
    """The id of a coupon with more codes than all writers request."""
    profiles: dict[int, str]
    """The profiles' ids of all people, by number."""


def email_of(person: int) -> str:
    """Returns a person's address."""
    return f"p{person}.{CANARY}@example.com"


def requests_of(writer: int, count: int, shop: Shop) -> Iterator[Sent]:
    """Yields one writer's requests."""
    chance = random.Random(writer)
    kinds, weights = list(_KINDS), list(_KINDS.values())
    for number in range(count):
        [kind] = chance.choices(kinds, weights)
        yield _MAKE[kind](shop, chance.randrange(PEOPLE), f"{writer}-{number}", chance)


def _order_of(person: int, name: str, number: int = 0) -> dict[str, Any]:
    placed = f"2026-03-{1 + (person + number) % 28:02}T09:{person % 60:02}:00.000Z"
    buyer = {"email": email_of(person)}
    return order(number=f"#{name}", placedAt=placed, updatedAt=placed, customer=buyer)


def customer_of(person: int) -> dict[str, Any]:
    """Returns a person as the store's customer; the body is the same each time."""
    return customer(email_of(person), firstName=f"Ann{person}")


def _order(shop: Shop, person: int, name: str, chance: random.Random) -> Sent:
    path, body = (
        f"/stores/{shop.store}/orders/o-{name}",
        _order_of(person, name, chance.randrange(9)),
    )
    return Sent("order", "PUT", path, name, body, person, f"o-{name}")


def _customer(shop: Shop, person: int, name: str, _chance: random.Random) -> Sent:
    path = f"/stores/{shop.store}/customers/c-{person}"
    return Sent("customer", "PUT", path, name, customer_of(person), person, f"c-{person}")


def _profile(_shop: Shop, person: int, name: str, _chance: random.Random) -> Sent:
    body = {"email": email_of(person), "anonymousId": f"a-{person}", "locale": "de-AT"}
    return Sent("profile", "POST", "/profiles", name, body, person)


def _consent(shop: Shop, person: int, name: str, chance: random.Random) -> Sent:
    path = f"/profiles/{shop.profiles[person]}/consent/email"
    body = {"state": chance.choice(STATES), "proof": {"reference": name}}
    return Sent("consent", "PUT", path, name, body, person)


def _event(_shop: Shop, person: int, name: str, chance: random.Random) -> Sent:
    body: dict[str, Any] = {
        "profile": {"email": email_of(person)},
        "name": "viewed",
        "occurredAt": "2026-03-01T10:00:00Z",
        "properties": {"page": name},
    }
    if chance.random() < 0.5:
        body["uniqueId"] = name
    return Sent("event", "POST", "/events", name, body, person)


def _assignment(shop: Shop, person: int, name: str, _chance: random.Random) -> Sent:
    body = {"profileId": shop.profiles[person], "reference": name}
    return Sent("assignment", "POST", f"/coupons/{shop.pool}/assign", name, body, person, name)


def pool_of(store: str, name: str, quantity: int) -> dict[str, Any]:
    """Returns a coupon's body."""
    return {
        "storeId": store,
        "name": name,
        "kind": "bulk",
        "quantity": quantity,
        "valueType": "percentage",
        "value": 10,
        "validity": {"type": "days", "days": 3},
        "reissue": "every_email",
    }


def _coupon(shop: Shop, _person: int, name: str, _chance: random.Random) -> Sent:
    return Sent("coupon", "POST", "/coupons", name, pool_of(shop.store, name, CODES), 0, name)


def _batch(shop: Shop, person: int, name: str, _chance: random.Random) -> Sent:
    others = [(person + number) % PEOPLE for number in range(_IN_A_BATCH)]
    body = {
        "customers": [{"externalId": f"c-{each}", **customer_of(each)} for each in others],
        "orders": [
            {"externalId": f"b-{name}-{each}", **_order_of(each, f"{name}-{each}")}
            for each in others
        ],
    }
    return Sent("batch", "POST", f"/stores/{shop.store}/batches", name, body, person)


_MAKE = {
    "order": _order,
    "customer": _customer,
    "profile": _profile,
    "consent": _consent,
    "event": _event,
    "assignment": _assignment,
    "coupon": _coupon,
    "batch": _batch,
}

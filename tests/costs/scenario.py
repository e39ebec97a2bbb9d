"""A workspace of typical size, in which every operation is called once.

Three members, two stores, 200 profiles of whom 150 are customers, 500 orders of those, five API
keys, five open invitations, a few locales. Texts have a typical length, and are the same each time;
ids differ, but have one length.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from unittest import mock
from urllib.parse import quote, urlencode

from benchmarks.measure.reckoning import Usage
from local.template import ROOT
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.api.http.forms import FORM
from storepost.api.http.query_forms import SUFFIX
from storepost.feeds.imports import fetching as feed_fetching
from storepost.platform.attempts import posting
from storepost.platform.fetching import Answer as Fetched
from storepost.platform.fetching import Download, client, conversation, guard
from storepost.shopify import patience
from storepost.values.scope import WorkspaceScope
from tests.accounts.sign_in.accounts import FIREFOX, account
from tests.costs.metering import Meter
from tests.harness.world import Answer, Someone, World
from tests.orders.sample import order
from tests.shopify.shops import Shopify

CUSTOMERS, PROFILES, ORDERS = 150, 200, 500
PUBLIC = "93.184.216.34"
HOOK = "https://hooks.shop.example.com/storepost/consent"
_OPENED = datetime(2025, 3, 1, 8, tzinfo=UTC)
_FIRST_NAMES = ("Erika", "Anselm", "Josephine", "Lukas", "Magdalena", "Paul")
_LAST_NAMES = ("Mustermann", "Hofer", "Steinberger", "Gruber", "Auer", "Wiesinger", "Lang")


@cache
def operations() -> dict[str, tuple[str, str]]:
    """Method and path of every operation in the interface's description, without the twins by
    `?externalId=`, which run the same code.
    """
    path = ROOT / "layers" / "core" / "storepost" / "api" / "reference" / "openapi.json"
    paths = json.loads(path.read_text("utf-8"))["paths"]
    return {
        described["operationId"]: (method.upper(), path)
        for path, methods in paths.items()
        for method, described in methods.items()
        if not described["operationId"].endswith(SUFFIX)
    }


@dataclass(frozen=True)
class Request:
    """One request: its caller and its parameters."""

    token: str | None = None
    body: object = None
    query: Mapping[str, object] = field(default_factory=dict)
    path: Mapping[str, object] = field(default_factory=dict)
    key: str | None = None
    """The idempotency key."""
    form: Mapping[str, str] | None = None
    """The body where it is a form."""
    raw: bytes | None = None
    """The body where it isn't ours to write."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Shop:
    """The workspace and its people, as the scenarios name them."""

    world: World
    owner: Someone
    admin: Someone
    member: Someone
    workspace: WorkspaceScope
    stores: tuple[str, str]
    key: str = field(repr=False)
    """Of scope `write`, made by the admin: what an integration asks with."""
    meter: Meter
    outside: "Outside"
    shopify: Shopify

    @property
    def store(self) -> str:
        """The store that consent is written back to."""
        return self.stores[0]

    def send(self, operation: str, request: Request) -> Answer:
        """Sends a request; it must succeed."""
        method, path = operations()[operation]
        answer = self.world.call(
            method,
            path.format_map({k: quote(str(v), safe="") for k, v in request.path.items()}),
            token=request.token,
            json_body=request.body,
            body=urlencode(request.form).encode() if request.form else request.raw,
            query=request.query,
            key=request.key,
            headers={
                "user-agent": FIREFOX,
                **({"content-type": FORM} if request.form else {}),
                **request.headers,
            },
        )
        assert answer.status < 400, (operation, answer.status, answer.body)
        return answer

    def profile_of(self, email: str) -> str:
        """The id of the profile that has an address."""
        request = Request(self.key, query={"email": email})
        [found] = self.send("profiles.list", request).json["items"]
        return str(found["id"])

    @property
    def buyer(self) -> str:
        """A customer of the first store with four orders, who has not been asked for consent."""
        return self.profile_of(email_of(1))

    @property
    def subscriber(self) -> str:
        """A customer of the first store with four orders, whom the store gave as subscribed."""
        return self.profile_of(email_of(0))


def email_of(number: int) -> str:
    """A customer's address."""
    last = _LAST_NAMES[number % len(_LAST_NAMES)].lower()
    return f"{last}.{number:04}@mail.example.com"


def customer(number: int, **overrides: object) -> dict[str, Any]:
    """A customer as their store gives them."""
    created = _OPENED + timedelta(hours=4 * number)
    return {
        "email": email_of(number),
        "phone": f"+43660{4000000 + number}",
        "firstName": _FIRST_NAMES[number % len(_FIRST_NAMES)],
        "lastName": _LAST_NAMES[number % len(_LAST_NAMES)],
        "locale": "de-AT",
        "externalCreatedAt": created.isoformat(),
        "externalUpdatedAt": created.isoformat(),
        **overrides,
    }


def order_of(number: int, buyer: int | None = None, **overrides: object) -> dict[str, Any]:
    """An order of a customer."""
    buyer = number % CUSTOMERS if buyer is None else buyer
    placed = (_OPENED + timedelta(days=60, hours=2 * number)).isoformat()
    known = customer(buyer)
    named = {name: known[name] for name in ("email", "phone", "firstName", "lastName")}
    sent: dict[str, Any] = {
        "number": f"#{10000 + number}",
        "placedAt": placed,
        "updatedAt": placed,
        "customer": {"externalId": customer_id(buyer), **named},
        "locale": "de-AT",
        "sourceName": "web",
    }
    return order(**{**sent, **overrides})


def customer_id(number: int) -> str:
    """A store's own id of a customer."""
    return f"7{number:012}"


def order_id(number: int) -> str:
    """A store's own id of an order."""
    return f"5{number:012}"


def create_shop(world: World, meter: Meter, outside: "Outside", shopify: Shopify) -> Shop:
    """The workspace with its people, stores and orders."""
    owner = account(world, "Olive Steinberger")
    workspace = world.workspace(owner, "Steinberger Teas & Co")
    admin, member = (account(world, name) for name in ("Adalbert Hofer", "Maximiliane Auer"))
    world.join(admin, workspace, Role.ADMIN)
    world.join(member, workspace, Role.MEMBER)
    stores = (
        world.store(owner, name="Steinberger Teas", primaryLocale="de-AT"),
        world.store(owner, name="Steinberger Wholesale", primaryLocale="en-GB"),
    )
    key = world.api_key(workspace, KeyScope.WRITE, admin)
    shop = Shop(world, owner, admin, member, workspace, stores, key, meter, outside, shopify)
    _furnish(shop)
    _people(shop)
    world.deliver()
    return shop


def _furnish(shop: Shop) -> None:
    owner = shop.owner.token
    for store in shop.stores:
        request = Request(owner, {"url": HOOK}, path={"id": store})
        shop.send("stores.putWriteBack", request)
    _keys(shop)
    for number in range(5):
        body = {"email": f"guest.{number}@mail.example.com", "role": "member"}
        shop.send("invitations.create", Request(owner, body))
    for code in ("fr-FR", "it-IT"):
        shop.send("locales.create", Request(owner, {"code": code}))
    for _ in range(2):
        shop.world.sign_in(shop.owner.id, shop.workspace)


def _keys(shop: Shop) -> None:
    owner = shop.owner.token
    for number in range(4):
        made = shop.send(
            "apiKeys.create", Request(owner, {"name": f"Key {number}", "scope": "read"})
        )
        if number % 2:
            shop.send("apiKeys.revoke", Request(owner, path={"id": made.json["apiKey"]["id"]}))


def _people(shop: Shop) -> None:
    for number in range(CUSTOMERS):
        fields = {} if number % 2 else {"emailMarketingConsent": "subscribed"}
        path = {"id": _store_of(shop, number), "externalId": customer_id(number)}
        shop.send("customers.put", Request(shop.key, customer(number, **fields), path=path))
    shop.world.deliver()
    for number in range(CUSTOMERS, PROFILES):
        body = {"email": email_of(number), "firstName": "Visitor"}
        shop.send("profiles.upsert", Request(shop.key, body))
    for store in shop.stores:
        path = {"id": store}
        shop.send(
            "stores.createBatch", Request(shop.key, {"orders": orders_in(shop, store)}, path=path)
        )
        shop.world.deliver()


def _store_of(shop: Shop, buyer: int) -> str:
    """Two thirds of the customers are the first store's."""
    return shop.stores[1 if buyer % 3 == 2 else 0]


def orders_in(shop: Shop, store: str) -> list[dict[str, Any]]:
    """The orders of one store, as a batch has them."""
    numbers = (n for n in range(ORDERS) if _store_of(shop, n % CUSTOMERS) == store)
    return [{"externalId": order_id(number), **order_of(number)} for number in numbers]


class Outside:
    """Answers the service's requests to strangers' servers at once."""

    def __init__(self, meter: Meter) -> None:
        """`meter` counts the requests."""
        self._meter = meter
        self.status = 204
        self.file = b""
        """What every address of a feed leads to."""
        self._plain_resolve = guard.resolve
        self._patches: list[Any] = [
            mock.patch.object(posting, "post", self._post),
            mock.patch.object(guard, "resolve", self._resolve),
            mock.patch.object(conversation, "send", self._counted(client.send)),
            mock.patch.object(client, "send", self._counted(client.send)),
            mock.patch.object(patience, "sleep"),
            mock.patch.object(feed_fetching, "download", self._download),
        ]

    def __enter__(self) -> "Outside":
        """Answers in the place of strangers' servers."""
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Lets the service reach them again."""
        for patch in self._patches:
            patch.stop()

    def _resolve(self, host: str, port: int) -> Sequence[str]:
        """An example's host has a public address; a host of a real socket has its own."""
        return [PUBLIC] if host.endswith(".example.com") else self._plain_resolve(host, port)

    def _counted(self, send: Callable[..., Any]) -> Callable[..., Any]:
        """Counts a request that really goes out: to a shop."""

        def counted(*args: Any, **kwargs: Any) -> Any:
            self._meter.note(Usage(deliveries=1))
            return send(*args, **kwargs)

        return counted

    @contextmanager
    def _download(self, *_: object, **__: object) -> Iterator[Download]:
        self._meter.note(Usage(deliveries=1))
        yield Download("text/csv", iter([self.file]))

    def _post(self, *_: object, **__: object) -> Fetched:
        self._meter.note(Usage(deliveries=1))
        return Fetched(self.status, {}, b"")

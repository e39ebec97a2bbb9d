"""A typical shop's workspace: people, a key, a store, customers and orders."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from local import gateway
from local.demo import shop as demo
from storepost.accounts.api_keys.model import ApiKey, Secret
from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.repository import (
    EmailClaimItem,
    PersonItem,
    email_claim_key,
    person_key,
)
from storepost.accounts.identity.tokens import digest, new_api_key, prefix_of_key
from storepost.accounts.workspaces.model import Membership, Role, Workspace
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.write_back import WriteBackItem, write_back_key
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import PersonScope, WorkspaceScope

MEMBERS = 12
CUSTOMERS = 200
ORDERS = 600

type Event = dict[str, Any]
type Body = dict[str, Any]


class Refused(Exception):  # noqa: N818 - it is what happened
    """A request that had to succeed was refused."""


@dataclass(frozen=True)
class Shop:
    """The workspace and its store, and the gateway's events of requests to them."""

    key: str
    store_id: str

    def event(self, method: str, path: str, body: object = None, key: str | None = None) -> Event:
        """Returns the event of a request with the API key; `key` is the idempotency key."""
        return _event(self.key, method, path, body, key)

    def send(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Sends a request; returns the answer's JSON."""
        return self.answer(self.event(method, path, body))

    @staticmethod
    def answer(event: Event) -> Any:  # noqa: ANN401 - JSON
        """Runs an event; returns the answer's JSON. Raises Refused."""
        answer = gateway.handle(event)
        if answer.status >= 400:
            raise Refused(answer.body.decode())
        return json.loads(answer.body)

    def customer_path(self, number: int) -> str:
        """Returns the path to which the store puts a customer."""
        return f"/stores/{self.store_id}/customers/customer-{number}"

    def order_path(self, number: int) -> str:
        """Returns the path to which the store puts an order."""
        return f"/stores/{self.store_id}/orders/order-{number}"


def open_shop() -> Shop:
    """Creates a shop, whose store puts its customers and orders."""
    workspace = Workspace(
        new_id(), "Birch & Loom", new_id().hex, require_two_factor=False, store_count=0
    )
    changes = Changes()
    WorkspaceRepository(workspace.scope).add(changes, workspace)
    changes.commit()
    owner, *_ = [_join(workspace.scope, number) for number in range(MEMBERS)]
    key = _key(workspace.scope, owner)
    shop = Shop(key, Shop.answer(_event(key, "POST", "/stores", demo.STORE, None))["id"])
    _add_write_back(workspace.scope, UUID(shop.store_id))
    for number in range(CUSTOMERS):
        shop.send("PUT", shop.customer_path(number), customer(number))
    for number in range(ORDERS):
        shop.send("PUT", shop.order_path(number), order(number))
    return shop


def customer(number: int) -> Body:
    """Returns a customer's body: one of the demo's with another address."""
    bodies = list(demo.customers().values())
    return {
        **bodies[number % len(bodies)],
        "email": f"customer-{number}@example.com",
        "phone": None,
        "externalUpdatedAt": clock.to_text(clock.now()),
    }


def order(number: int) -> Body:
    """Returns an order's body: one of the demo's with another buyer."""
    bodies = list(demo.orders().values())
    buyer, now = number % CUSTOMERS, clock.now()
    return {
        **bodies[number % len(bodies)],
        "number": f"#{number}",
        "placedAt": clock.to_text(now - timedelta(minutes=max(1, ORDERS - number))),
        "updatedAt": clock.to_text(now),
        "customer": {"externalId": f"customer-{buyer}", "email": f"customer-{buyer}@example.com"},
    }


def _event(token: str, method: str, path: str, body: object, key: str | None) -> Event:
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    if key is not None:
        headers["idempotency-key"] = key
    address = urlsplit(path)
    sent = b"" if body is None else json.dumps(body).encode()
    return gateway.http_event(
        method, f"/v1{address.path}", query=address.query, headers=headers, body=sent
    )


def _join(workspace: WorkspaceScope, number: int) -> UUID:
    """Creates a member; returns the person's id. The first one is the owner."""
    person, now, email = new_id(), clock.now(), f"{new_id()}@example.com"
    role = Role.MEMBER if number else Role.OWNER
    changes = Changes()
    changes.create(
        PersonItem(
            *person_key(PersonScope(person)),
            id=str(person),
            name=f"Person {number}",
            email=email,
            email_verified_at=now,
            password_hash="no password verifies against this",
            created_at=now,
        )
    )
    changes.create(EmailClaimItem(*email_claim_key(email), person_id=str(person)))
    membership = Membership(new_id(), workspace.id, person, role, now, None)
    WorkspaceRepository(workspace).add_member(changes, membership)
    changes.commit()
    return person


def _key(workspace: WorkspaceScope, maker: UUID) -> str:
    """Creates a `write` key of the maker; returns its secret."""
    secret, changes = new_api_key(), Changes()
    key = ApiKey(
        id=new_id(),
        workspace_id=workspace.id,
        name="The store's",
        scope=KeyScope.WRITE,
        prefix=prefix_of_key(secret),
        maker_id=maker,
        created_at=clock.now(),
        used_before=None,
        rotated_at=None,
        revoked_at=None,
        secrets=(Secret(digest(secret), None),),
    )
    ApiKeyRepository(workspace).add(changes, key)
    changes.commit()
    return secret


def _add_write_back(workspace: WorkspaceScope, store_id: UUID) -> None:
    """Configures write-backs of the store. Only the worker needs their secret; none runs here."""
    changes = Changes()
    item = WriteBackItem(*write_back_key(workspace, store_id), url="https://shop.example.com/told")
    item.secret = "sealed"
    changes.save(item)
    changes.commit()

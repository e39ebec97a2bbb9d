"""Stores of random histories: the customers that each has, and the messages that it takes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from local.events.pumps import pump_queue
from local.shopify import customers as shopify_customers
from local.shopify.customers import Consent, ShopCustomer
from storepost.people.consent.model import ConsentChange, SkipReason
from storepost.people.consent_changes.requests import WriteBackRefusal
from storepost.people.consent_changes.shops import update_shop
from storepost.stores.stores.model import Store
from storepost.values import clock
from tests.harness.world import Answer, World
from tests.people.consent.listening_store import Shop
from tests.people.consent.rules import Record, Rules
from tests.shopify.hooks import Hooks, consents, customer_body
from tests.shopify.shops import SHOP, Shopify

REFUSED = {"field": ["input"], "message": "Nobody may", "code": "INVALID"}
QUEUES = (
    "WebhookQueue",
    "StoreImportQueue",
    "ProfileMergeQueue",
    "ProfileErasureQueue",
    "WriteBackQueue",
)
"""Those that anything of a history comes to."""

_take = shopify_customers.update_email_consent


def moment(text: str | None) -> datetime | None:
    """A moment of a customer as a store sends it."""
    return clock.from_text(text) if text else None


def deliver_all_but_write_backs(world: World) -> None:
    """Lets the queues deliver everything but write-backs."""
    deliver(world, [each for each in QUEUES if each != "WriteBackQueue"])


def deliver(world: World, queues: Sequence[str] = QUEUES) -> None:
    """Lets these queues deliver their messages until none is left; it reads no other queues."""
    world.deliver_outbox()
    while sum(pump_queue(queue) for queue in queues):
        world.deliver_outbox()


@dataclass
class CustomStore:
    """A store that pushes its customers, and takes write-backs at its own address."""

    id: UUID
    shop: Shop
    rules: Rules
    customers: dict[str, dict[str, Any]] = field(default_factory=dict)
    refuses: bool = False
    is_away: bool = False

    def call(self, method: str, path: str, body: object = None) -> Answer:
        """A request of the store's owner."""
        token = self.shop.owner.token
        return self.shop.world.call(method, path, token=token, json_body=body)

    def change(self, external_id: str, email: str, state: str, consent_at: str | None) -> None:
        """A customer is new or changes."""
        now = clock.to_text(clock.now())
        self.customers[external_id] = {
            "externalCreatedAt": now,
            # A record older than a change that the store took has the state from before it.
            "externalUpdatedAt": now,
            "email": email,
            "emailMarketingConsent": state,
            **({"emailMarketingConsentUpdatedAt": consent_at} if consent_at else {}),
        }
        self.push(external_id)

    def push(self, external_id: str) -> None:
        """Sends a customer with the store's values."""
        if self.is_away:
            return
        body = self.customers[external_id]
        answer = self.call("PUT", f"/stores/{self.id}/customers/{external_id}", body)
        assert answer.status in {200, 201}, answer.body
        record = Record(
            body["email"],
            body["emailMarketingConsent"],
            clock.from_text(body["externalUpdatedAt"]),
            moment(body.get("emailMarketingConsentUpdatedAt")),
        )
        place = (self.id, external_id)
        self.rules.push(self.shop.workspace.id, place, record, clock.now())

    def delete(self, external_id: str) -> None:
        """The store deletes a customer, and sends that."""
        if self.is_away or external_id not in self.customers:
            return
        del self.customers[external_id]
        answer = self.call("DELETE", f"/stores/{self.id}/customers/{external_id}")
        if answer.status == 204 and (self.id, external_id) in self.rules.customers:
            self.rules.delete((self.id, external_id))

    def take(self, data: dict[str, Any]) -> int:
        """Takes a write-back, if it has the customers."""
        if self.refuses:
            return 410
        for each in data["customers"]:
            stored = self.customers.get(each["externalId"])
            if stored and data["address"] in {None, stored["email"]}:
                stored["emailMarketingConsent"] = data["state"]
                stored["emailMarketingConsentUpdatedAt"] = data["occurredAt"]
            at = clock.from_text(data["occurredAt"])
            place = (self.id, each["externalId"])
            self.rules.take(place, data["address"], data["state"], at)
        return 204

    def leave(self) -> None:
        """The store is disconnected."""
        assert self.call("POST", f"/stores/{self.id}/disconnect").status == 200
        self.is_away = True

    def come_back(self) -> None:
        """The store is connected again, and sends its customers."""
        if self.is_away:
            known = self.call("GET", f"/stores/{self.id}").json
            names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
            assert self.call("POST", "/stores", {n: known[n] for n in names}).status == 200
            self.is_away = False
        self.push_all()

    def push_all(self) -> None:
        """Sends all customers with the store's values."""
        for external_id in self.customers:
            self.push(external_id)

    @property
    def subscribed(self) -> Iterable[tuple[UUID, str]]:
        """The workspace and address of each customer whom the store has as subscribed."""
        for each in self.customers.values():
            if each["emailMarketingConsent"] == "subscribed":
                yield self.shop.workspace.id, each["email"]


@dataclass
class MovingShop:
    """A Shopify shop that is connected to one workspace and later to another one."""

    shopify: Shopify
    shops: list[Shop]
    rules: Rules
    refuses: bool = False
    hooks: Hooks | None = None
    """None while it isn't connected."""
    been: set[UUID] = field(default_factory=set)
    """The workspaces that it ever was connected to."""
    recorded_events_of: str | None = None
    """The address of the change that it is told."""

    def update_shop(
        self, store: Store, change: ConsentChange, external_ids: list[str], *more: Any, **named: Any
    ) -> WriteBackRefusal | SkipReason | None:
        """Replaces `update_shop`, to record the address of the change."""
        self.recorded_events_of = change.address
        return update_shop(store, change, external_ids, *more, **named)

    @property
    def customers(self) -> list[ShopCustomer]:
        """Its customers."""
        return self.shopify.shop(SHOP).customers

    @property
    def is_away(self) -> bool:
        """Whether it is connected to no workspace."""
        return self.hooks is None

    def update_email_consent(
        self, customers: Iterable[ShopCustomer], variables: dict[str, Any]
    ) -> dict[str, Any]:
        """Replaces the pretend shop's mutation: it may refuse; the rules record the change."""
        if self.refuses:
            return {"customer": None, "userErrors": [REFUSED]}
        consent, answer = variables["emailMarketingConsent"], _take(customers, variables)
        node = answer["customer"]
        if node and self.hooks:
            address, state = node["defaultEmailAddress"], consent["marketingState"]
            if address["marketingState"] == state:
                place = (self.hooks.store.id, node["id"].rpartition("/")[2])
                at = clock.from_text(consent["consentUpdatedAt"])
                self.rules.take(place, self.recorded_events_of, state.lower(), at)
        return answer

    def change(self, number: str, email: str, state: str, consent_at: str | None) -> None:
        """A customer is new or changes; two of a shop never have one address."""
        if any(c.email == email and str(c.number) != number for c in self.customers):
            return
        customer = next((c for c in self.customers if str(c.number) == number), None)
        if customer is None:
            customer = ShopCustomer(int(number), created_at=clock.now())
            self.customers.append(customer)
        at = moment(consent_at)
        customer.email, customer.updated_at = email, clock.now()
        customer.email_consent = Consent(state.upper(), min(at, clock.now()) if at else None)
        self.push(customer)

    def push(self, customer: ShopCustomer) -> None:
        """Sends a webhook of a customer with the shop's values."""
        if self.hooks is None:
            return
        at = customer.email_consent.marketing_updated_at
        state = customer.email_consent.marketing_state.lower()
        body = customer_body(
            id=customer.number,
            email=customer.email,
            phone=None,
            created_at=clock.to_text(customer.created_at),
            updated_at=clock.to_text(customer.updated_at),
            **consents(state, at=clock.to_text(at) if at else None),
        )
        assert self.hooks.post("customers/update", body).status == 200
        deliver_all_but_write_backs(self.hooks.world)
        self._pushed(customer)

    def _pushed(self, customer: ShopCustomer) -> None:
        assert self.hooks is not None
        assert customer.email is not None
        consent = customer.email_consent
        record = Record(
            customer.email,
            consent.marketing_state.lower(),
            customer.updated_at,
            consent.marketing_updated_at,
            keeps_times=True,
        )
        place = (self.hooks.store.id, str(customer.number))
        self.rules.push(self.hooks.workspace.id, place, record, clock.now())

    def push_all(self) -> None:
        """Sends webhooks of all customers."""
        for customer in self.customers:
            self.push(customer)

    def move(self, shop: Shop) -> None:
        """Connects it to a workspace, from wherever it was before, and pulls all its records."""
        store = self.shopify.connect(shop.owner, shop.workspace)
        self.hooks = Hooks(shop.world, shop.workspace, store, self.shopify)
        self.been.add(shop.workspace.id)
        deliver_all_but_write_backs(shop.world)
        for customer in self.customers:
            self._pushed(customer)

    def leave(self) -> None:
        """A user disconnects it."""
        if self.hooks is not None:
            shop = next(each for each in self.shops if each.workspace == self.hooks.workspace)
            assert shop.owner.call("DELETE", f"/connections/shopify:{SHOP}").status == 204
            self.hooks = None

    def come_back(self) -> None:
        """A user connects it again."""
        if self.hooks is None:
            self.move(self.shops[0])
        self.push_all()

    @property
    def subscribed(self) -> Iterable[tuple[UUID, str]]:
        """The workspace and address of each customer whom the shop has as subscribed."""
        for each in self.customers:
            if each.email_consent.marketing_state == "SUBSCRIBED" and each.email and self.hooks:
                yield self.hooks.workspace.id, each.email

"""Random histories over two workspaces and four stores that have customers of their own.

People share, change and mistype addresses; stores push what they have, with and without times, go
away and come back, refuse what they are told; lists are imported, links are followed, people are
merged and erased. In the end, with all stores answering, no store has as subscribed whom we hold as
unsubscribed, nothing is told twice, and an address's state is that of the greatest word.
"""

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from storepost import clock
from storepost.consent_changes import requests
from storepost.fetching import Answer as Fetched
from tests.consent.imports import at
from tests.consent.shop import HOOK, Shop, open_shop
from tests.consent.test_no_holds import tell
from tests.world import BASE_URL, CANARY, Answer, World

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
HISTORIES, STEPS = (3000, 30) if LONG else (2, 15)
EMAILS = [f"{name}.{CANARY}@example.com" for name in ("ann", "anm", "ben")]
STATES = ["subscribed", "subscribed", "unsubscribed", "not_subscribed"]


@dataclass
class Pushing:
    """A store as it is: what it has of each customer, and whether it takes what it is told."""

    id: UUID
    shop: Shop
    customers: dict[str, dict[str, Any]] = field(default_factory=dict)
    refuses: bool = False
    is_away: bool = False

    def call(self, method: str, path: str, body: object = None) -> Answer:
        """A request of the store's owner."""
        token = self.shop.owner.token
        return self.shop.world.call(method, path, token=token, json_body=body)

    def push(self, external_id: str) -> None:
        """Sends a customer as the store has it."""
        if not self.is_away:
            path = f"/stores/{self.id}/customers/{external_id}"
            answer = self.call("PUT", path, self.customers[external_id])
            assert answer.status in {200, 201, 409}, answer.body

    def take(self, data: dict[str, Any]) -> int:
        """Takes what it is told, of customers that it has."""
        if self.refuses:
            return 410
        for each in data["customers"]:
            held = self.customers[each["externalId"]]
            if data["address"] in {None, held["email"]}:
                held["emailMarketingConsent"] = data["state"]
        return 204


class History:
    """Two workspaces, four stores, and what happens."""

    def __init__(self, world: World, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.random, self.world = random.Random(seed), world
        self.shops = [open_shop(world) for _ in range(2)]
        self.stores = [Pushing(shop.store(), shop) for shop in self.shops for _ in range(2)]
        self.links: list[str] = []
        self.minute = 0
        monkeypatch.setattr(requests, "post", self.post)

    def post(self, url: str, *, body: bytes, headers: dict[str, str], timeout: float) -> Fetched:
        """Takes the place of the network: the store that a message is for takes it, or doesn't."""
        store_id = headers["webhook-id"].rpartition(".")[2]
        store = next(each for each in self.stores if str(each.id) == store_id)
        return Fetched(store.take(json.loads(body)["data"]), {}, b"")

    def moment(self) -> str:
        """Some time of the history, or one that is still to come."""
        if self.random.random() < 0.15:
            return clock.to_text(clock.now() + timedelta(days=900))
        return at(self.random.randint(0, self.minute + 2))

    def some_profile(self, shop: Shop) -> str | None:
        """A profile of a workspace."""
        found = self.call(shop, "GET", "/profiles").json["items"]
        return str(self.random.choice(found)["id"]) if found else None

    def call(self, shop: Shop, method: str, path: str, body: object = None) -> Answer:
        """A request of a workspace's owner."""
        return self.world.call(method, path, token=shop.owner.token, json_body=body)

    def step(self) -> None:
        """Something happens."""
        self.minute += 1
        kinds: list[Callable[[], None]] = [
            *[self.change_customer] * 6,
            *[self.ask] * 3,
            *[self.import_one] * 2,
            *[self.deliver] * 3,
            self.link,
            self.follow,
            self.merge,
            self.erase,
            self.turn,
            self.leave,
        ]
        self.random.choice(kinds)()

    def change_customer(self) -> None:
        """A store's customer comes, changes, or drifts."""
        store = self.random.choice(self.stores)
        external_id = self.random.choice(["c", "d"])
        held = store.customers.get(external_id, {"email": None})
        email = held["email"] if self.random.random() < 0.6 else None
        given = {
            "externalCreatedAt": at(0),
            # What is older than the change that a store took is what it had before.
            "externalUpdatedAt": clock.to_text(clock.now()),
            "email": email or self.random.choice(EMAILS),
            "emailMarketingConsent": self.random.choice(STATES),
        }
        if self.random.random() < 0.6:
            given["emailMarketingConsentUpdatedAt"] = self.moment()
        store.customers[external_id] = given
        store.push(external_id)

    def ask(self) -> None:
        """A request subscribes or unsubscribes somebody."""
        shop = self.random.choice(self.shops)
        profile = self.call(shop, "POST", "/profiles", {"email": self.random.choice(EMAILS)}).json
        body: dict[str, Any] = {"state": self.random.choice(["subscribed", "unsubscribed"])}
        if self.random.random() < 0.5:
            body["occurredAt"] = at(self.random.randint(0, self.minute))
        self.call(shop, "PUT", f"/profiles/{profile['id']}/consent/email", body)

    def import_one(self) -> None:
        """A list says something of an address."""
        row: dict[str, Any] = {
            "email": self.random.choice(EMAILS),
            "state": self.random.choice(["subscribed", "unsubscribed"]),
            "occurredAt": self.moment(),
        }
        if self.random.random() < 0.5:
            row["proof"] = {"reference": "form"}
        shop = self.random.choice(self.shops)
        assert self.call(shop, "POST", "/consent/import", {"changes": [row]}).json["failed"] == []

    def deliver(self) -> None:
        """Everything that is on its way arrives."""
        tell(self.shops[0])
        self.world.deliver()

    def link(self) -> None:
        """An email goes out."""
        shop = self.random.choice(self.shops)
        if profile := self.some_profile(shop):
            made = self.call(shop, "POST", f"/profiles/{profile}/unsubscribe-links")
            if made.status == 201:
                self.links.append(made.json["url"].removeprefix(BASE_URL))

    def follow(self) -> None:
        """Somebody takes themselves off."""
        if self.links:
            form = {"content-type": "application/x-www-form-urlencoded"}
            path = self.random.choice(self.links)
            body = b"List-Unsubscribe=One-Click"
            assert self.world.call("POST", path, headers=form, body=body).status in {200, 410}

    def merge(self) -> None:
        """Two are said to be one."""
        shop = self.random.choice(self.shops)
        one, two = self.some_profile(shop), self.some_profile(shop)
        if one and two and one != two:
            self.call(shop, "POST", f"/profiles/{one}/merge", {"profileId": two})

    def erase(self) -> None:
        """Somebody is forgotten."""
        shop = self.random.choice(self.shops)
        if profile := self.some_profile(shop):
            assert self.call(shop, "DELETE", f"/profiles/{profile}").status == 204

    def turn(self) -> None:
        """A store refuses what it is told, or takes it again."""
        store = self.random.choice(self.stores)
        store.refuses = not store.refuses

    def leave(self) -> None:
        """A store is disconnected, or connected again."""
        store = self.random.choice(self.stores)
        if store.is_away:
            self.come_back(store)
        else:
            assert store.call("POST", f"/stores/{store.id}/disconnect").status == 204
            store.is_away = True

    def come_back(self, store: Pushing) -> None:
        """The store is connected again, and sends what it has."""
        known = store.call("GET", f"/stores/{store.id}").json
        names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
        assert store.call("POST", "/stores", {n: known[n] for n in names}).status == 200
        store.is_away = False
        for external_id in store.customers:
            store.push(external_id)

    def end(self) -> None:
        """All stores answer, send what they have, and what failed is tried again."""
        for store in self.stores:
            store.refuses = False
            if store.is_away:
                self.come_back(store)
        self.deliver()
        for shop in self.shops:
            self.retry(shop)
        self.deliver()
        for store in self.stores:
            for external_id in store.customers:
                store.push(external_id)
        self.deliver()

    def retry(self, shop: Shop) -> None:
        """Tries again what a store refused."""
        for profile in self.call(shop, "GET", "/profiles").json["items"]:
            path = f"/profiles/{profile['id']}/consent"
            for change in self.world.call(
                "GET", path, token=shop.owner.token, query={"pageSize": 100}
            ).json["items"]:
                for each in change["writeBacks"]:
                    if each["status"] == "failed":
                        store = each["store"]["id"]
                        self.call(shop, "POST", f"{path}/{change['id']}/write-backs/{store}/retry")

    def check(self) -> None:
        """No store has as subscribed whom we hold as unsubscribed; and nothing is left to tell."""
        for store in self.stores:
            for external_id, customer in store.customers.items():
                answer = self.world.call(
                    "GET",
                    "/profiles",
                    token=store.shop.owner.token,
                    query={"email": customer["email"]},
                )
                holds = [each["emailMarketingConsent"] for each in answer.json["items"]]
                shown = [each["email"] for each in answer.json["items"]]
                if shown == [customer["email"]] and holds == ["unsubscribed"]:
                    has = customer["emailMarketingConsent"]
                    assert has != "subscribed", (external_id, customer)
        for store in self.stores:
            for external_id in store.customers:
                store.push(external_id)
        assert tell(self.shops[0]) == 0


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_no_store_has_as_subscribed_whom_we_hold_as_unsubscribed(
    world: World, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few by default, as each request takes its time; 3,000 with the profile of CI."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)
    history = History(world, seed, monkeypatch)
    for _ in range(STEPS):
        history.step()
    history.end()
    history.check()

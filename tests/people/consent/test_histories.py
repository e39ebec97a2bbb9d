"""Random histories over two workspaces, three stores and a shop that moves between the two.

People share, change and mistype addresses; stores push what they have, with and without times, go
away and come back, refuse what they are told; lists are imported, links are followed, people are
merged and erased. After every step each address is what a plain model of the rules says. In the
end, with all stores answering, no store has as subscribed whom we hold as unsubscribed, and what
stores send that is nothing new tells nobody.
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from local.shopify import customers as shopify_customers
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel
from storepost.people.consent_changes import delivery
from storepost.people.customers import contradictions
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.platform.attempts import posting
from storepost.platform.fetching import Answer as Fetched
from storepost.shopify import patience
from storepost.sync.pulls import running
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import BASE_URL, CANARY, Answer, World
from tests.people.consent.customers_of_stores import send_write_backs
from tests.people.consent.listening_store import HOOK, Shop, open_shop
from tests.people.consent.pretend_stores import CustomStore, MovingShop, deliver
from tests.people.consent.rules import (
    NOT_SUBSCRIBED,
    PENDING,
    SUBSCRIBED,
    UNSUBSCRIBED,
    Rules,
    Statement,
)
from tests.shopify.shops import Shopify, ShopifyServer, canary_shops, running_server

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
HISTORIES, STEPS = (3000, 30) if LONG else (4, 15)
EMAILS = [f"{name}.{CANARY}@example.com" for name in ("ann", "anm", "ben")]
STATES = [SUBSCRIBED, SUBSCRIBED, SUBSCRIBED, UNSUBSCRIBED, NOT_SUBSCRIBED, PENDING]


@pytest.fixture(scope="module")
def server() -> Iterator[ShopifyServer]:
    """One socket for all of the histories."""
    with running_server() as made:
        yield made


@pytest.fixture
def shopify(world: World, server: ShopifyServer, monkeypatch: pytest.MonkeyPatch) -> Shopify:
    """The shop before it is connected; the clock only moves between two steps."""
    start = clock.now()
    monkeypatch.setattr(clock, "now", lambda: start + clock.offset())
    world.advance(days=1)
    monkeypatch.setattr(patience, "sleep", lambda _seconds: None)
    monkeypatch.setattr(running, "sleep", lambda _seconds: None)
    monkeypatch.setenv("FEED_ALLOW_HOSTS", f"{HOOK},{server.host}")
    monkeypatch.setenv("SHOPIFY_STAND_IN", server.url)
    server.begin(*canary_shops())
    return Shopify(world, server)


def holder_of(workspace: WorkspaceScope, email: str) -> Profile | None:
    """The profile that has an address."""
    identity = identity_of(Address(Channel.EMAIL, email))
    return look_up(ProfileRepository(workspace), [identity]).holder_of(identity)


class History:
    """Two workspaces, four stores, and the steps."""

    def __init__(self, shopify: Shopify, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.random, self.world = random.Random(seed), shopify.world
        # No history is long enough to reach the real limit.
        limit = self.random.choice([1, contradictions.MAX_CONTRADICTIONS])
        monkeypatch.setattr(contradictions, "MAX_CONTRADICTIONS", limit)
        self.rules = Rules(limit)
        self.shops = [open_shop(self.world) for _ in range(2)]
        owners = [self.shops[0], self.shops[1], self.shops[1]]
        self.stores = [CustomStore(each.store(), each, self.rules) for each in owners]
        self.shop = MovingShop(shopify, self.shops, self.rules)
        self.all: list[CustomStore | MovingShop] = [*self.stores, self.shop]
        self.links: list[tuple[Shop, UUID, str, str]] = []
        monkeypatch.setattr(posting, "post", self.post)
        take = self.shop.update_email_consent
        monkeypatch.setattr(shopify_customers, "update_email_consent", take)
        monkeypatch.setattr(delivery, "update_shop", self.shop.update_shop)
        self.shop.move(self.shops[0])

    def post(self, url: str, *, body: bytes, headers: dict[str, str], timeout: float) -> Fetched:
        """Replaces the network: the message's store accepts it, or doesn't."""
        store_id = headers["webhook-id"].rpartition(".")[2]
        store = next(each for each in self.stores if str(each.id) == store_id)
        return Fetched(store.take(json.loads(body)["data"]), {}, b"")

    def moment(self) -> datetime:
        """A time within the history, before it, or in the future."""
        if self.random.random() < 0.15:
            return clock.now() + timedelta(days=900)
        return clock.now() - timedelta(minutes=self.random.randint(0, 20))

    def call(self, shop: Shop, method: str, path: str, body: object = None) -> Answer:
        """A request of a workspace's owner."""
        return shop.owner.call(method, path, body)

    def some_profile(self, shop: Shop) -> dict[str, Any] | None:
        """A profile of a workspace."""
        found = self.call(shop, "GET", "/profiles").json["items"]
        return dict(self.random.choice(found)) if found else None

    def step(self) -> None:
        """A random step, a minute after the one before."""
        self.world.advance(minutes=1)
        kinds: list[Callable[[], None]] = [
            *[self.change_customer] * 7,
            *[self.ask] * 3,
            *[self.import_rows] * 2,
            *[self.deliver] * 3,
            *[self.link] * 2,
            *[self.follow_link] * 2,
            self.delete_customer,
            self.merge,
            self.erase,
            self.turn,
            self.leave,
            self.move,
        ]
        kind = self.random.choice(kinds)
        kind()
        self.check_rules(kind.__name__)

    def change_customer(self) -> None:
        """A store's customer is new, changes, or drifts from the service's state."""
        store, number = self.random.choice(self.all), self.random.choice(["7", "8"])
        email, state = self.random.choice(EMAILS), self.random.choice(STATES)
        at = clock.to_text(self.moment()) if self.random.random() < 0.6 else None
        store.change(number, email, state, at)

    def delete_customer(self) -> None:
        """A store deletes a customer."""
        self.random.choice(self.stores).delete(self.random.choice(["7", "8"]))

    def ask(self) -> None:
        """A request subscribes or unsubscribes a person."""
        shop, state = self.random.choice(self.shops), self.random.choice([SUBSCRIBED, UNSUBSCRIBED])
        profile = self.call(shop, "POST", "/profiles", {"email": self.random.choice(EMAILS)}).json
        path = f"/profiles/{profile['id']}/consent/email"
        address = self.rules.address(shop.workspace.id, profile["email"])
        if self.random.random() < 0.5:
            at = min(self.moment(), clock.now())
            body = {"state": state, "occurredAt": clock.to_text(at)}
            assert self.call(shop, "PUT", path, body).status == 200
            address.add(Statement(state, at))
        else:
            assert self.call(shop, "PUT", path, {"state": state}).status == 200
            address.add_now(state, clock.now())

    def import_rows(self) -> None:
        """An import has statements about addresses."""
        shop, rows = self.random.choice(self.shops), list[dict[str, Any]]()
        for _ in range(self.random.randint(1, 3)):
            email, at = self.random.choice(EMAILS), self.moment()
            state, is_proven = self.random.choice([SUBSCRIBED, UNSUBSCRIBED]), self.random.random()
            row = {"email": email, "state": state, "occurredAt": clock.to_text(at)}
            rows.append({**row, "proof": {"reference": "form"}} if is_proven < 0.5 else row)
            stated = Statement(state, at, is_proven < 0.5)
            self.rules.import_row(shop.workspace.id, email, stated, clock.now())
        assert self.call(shop, "POST", "/consent/import", {"changes": rows}).json["failed"] == []

    def deliver(self) -> None:
        """All queues are delivered."""
        deliver(self.world)

    def link(self) -> None:
        """An email with an unsubscribe link is sent."""
        shop = self.random.choice(self.shops)
        if (profile := self.some_profile(shop)) and profile["email"]:
            made = self.call(shop, "POST", f"/profiles/{profile['id']}/unsubscribe-links")
            path = made.json["url"].removeprefix(BASE_URL)
            self.links.append((shop, UUID(profile["id"]), profile["email"], path))

    def follow_link(self) -> None:
        """A person follows an unsubscribe link."""
        if not self.links:
            return
        shop, profile_id, email, path = self.random.choice(self.links)
        here = holder_of(shop.workspace, email)
        here = here or ProfileRepository(shop.workspace).get(profile_id)
        hooks, there = self.shop.hooks, list[UUID]()
        if hooks and shop.workspace.id in self.shop.been and hooks.workspace != shop.workspace:
            there = [hooks.workspace.id] if here or holder_of(hooks.workspace, email) else []
        form = {"content-type": "application/x-www-form-urlencoded"}
        answer = self.world.call("POST", path, headers=form, body=b"List-Unsubscribe=One-Click")
        assert answer.status == (200 if here or there else 410)
        for workspace in [*([shop.workspace.id] if here else []), *there]:
            self.rules.address(workspace, email).add_now(UNSUBSCRIBED, clock.now())

    def merge(self) -> None:
        """A request merges two profiles."""
        shop = self.random.choice(self.shops)
        one, two = self.some_profile(shop), self.some_profile(shop)
        if one and two and one["id"] != two["id"]:
            path = f"/profiles/{one['id']}/merge"
            assert self.call(shop, "POST", path, {"profileId": two["id"]}).status == 200

    def erase(self) -> None:
        """A request erases a person."""
        shop = self.random.choice(self.shops)
        if (profile := self.some_profile(shop)) is None:
            return
        path, emails, customers = f"/profiles/{profile['id']}", list[str](), []
        for each in self.call(shop, "GET", f"{path}/identities").json["items"]:
            if each["type"] == "email":
                emails.append(each["value"])
        for each in self.call(shop, "GET", f"{path}/customers").json["items"]:
            customers.append((UUID(each["store"]["id"]), each["externalId"]))
        assert self.call(shop, "DELETE", path).status == 204
        self.rules.erase(shop.workspace.id, emails, customers, clock.now())

    def turn(self) -> None:
        """A store begins or stops refusing write-backs."""
        store = self.random.choice(self.all)
        store.refuses = not store.refuses

    def leave(self) -> None:
        """A store is disconnected, or connected again."""
        store = self.random.choice(self.all)
        if not store.is_away:
            store.leave()
        else:
            store.come_back()

    def move(self) -> None:
        """The shop is connected, possibly to the other workspace."""
        shop = self.random.choice(self.shops)
        if self.shop.hooks is None or self.shop.hooks.workspace != shop.workspace:
            self.shop.move(shop)

    def end(self) -> None:
        """All stores accept, send what they have, and failed write-backs are retried."""
        for store in self.all:
            store.refuses = False
            store.come_back()
        self.deliver()
        for shop in self.shops:
            self.retry(shop)
        self.deliver()
        self.push_all()
        self.deliver()

    def push_all(self) -> None:
        """Every store sends what it has."""
        for store in self.all:
            store.push_all()

    def retry(self, shop: Shop) -> None:
        """Retries the write-backs that a store refused."""
        for profile in self.call(shop, "GET", "/profiles").json["items"]:
            path = f"/profiles/{profile['id']}/consent"
            for change in self.call(shop, "GET", f"{path}").json["items"]:
                for each in change["writeBacks"]:
                    if each["status"] == "failed":
                        store = each["store"]["id"]
                        self.call(shop, "POST", f"{path}/{change['id']}/write-backs/{store}/retry")

    def check_rules(self, after: str) -> None:
        """Each address, and the profile that shows it, has the state that the rules say."""
        for shop in self.shops:
            repository = ConsentRepository(shop.workspace)
            for email in EMAILS:
                consent = repository.consent_of(Address(Channel.EMAIL, email))
                rules = self.rules.address(shop.workspace.id, email)
                assert (consent.state.value, consent.as_of) == rules.state, (after, rules)
                holder = holder_of(shop.workspace, email)
                if holder and holder.email == email:
                    assert holder.email_consent.value == rules.state[0], (after, rules)

    def check(self) -> None:
        """No store has a person as subscribed who is unsubscribed here; no write-back is left."""
        for store in self.all:
            for workspace, email in store.subscribed:
                state, _ = self.rules.address(workspace, email).state
                assert state != UNSUBSCRIBED, (store, email)
        self.push_all()
        assert send_write_backs(self.shops[0]) == 0
        self.check_rules("the end")


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_random_histories_match_model_and_stores_have_every_opt_out(
    shopify: Shopify, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few by default, as each request takes its time; 3,000 with the profile of CI."""
    history = History(shopify, seed, monkeypatch)
    for _ in range(STEPS):
        history.step()
    history.end()
    history.check_rules("all answered")
    history.check()

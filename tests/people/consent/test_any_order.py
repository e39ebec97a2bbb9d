"""What requests, lists, stores, boxes and links say of an address, in every order of arrival."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel
from storepost.values import clock
from tests.harness.world import BASE_URL, CANARY
from tests.people.consent.customers_of_stores import put_customer
from tests.people.consent.imports import PROOF, counts, upserted
from tests.people.consent.listening_store import Shop
from tests.people.consent.rules import AddressRules, Statement

BEGIN = clock.now()
NOW = BEGIN + timedelta(days=1)
"""When everything arrives; what is said was said in the hour before."""

STATES = ["subscribed", "unsubscribed"]
KINDS = ["request", "list", "list without proof", "store", "undated store", "box", "link"]


@dataclass(frozen=True)
class SourceValues:
    """A statement, and the way in which it arrives."""

    kind: str
    state: str
    minute: int

    @property
    def at(self) -> datetime:
        """The statement's moment."""
        return NOW + timedelta(minutes=self.minute - 60)

    def statements(self, links: int) -> list[Statement]:
        """The statements that the rules derive from it.

        `links` is how many links were followed before: each unsubscribes now, and at least a
        millisecond after what is known.
        """
        if self.kind == "link":
            return [Statement("unsubscribed", NOW + timedelta(milliseconds=links))]
        if self.kind == "box":
            earlier = self.at - timedelta(minutes=1)
            return [Statement("subscribed", earlier), Statement("unsubscribed", self.at)]
        is_proven = self.kind not in {"list without proof", "undated store"}
        return [Statement(self.state, self.at, is_proven)]


class Arrivals:
    """A workspace in which a person's statements arrive."""

    def __init__(self, shop: Shop, stores: list[UUID], email: str) -> None:
        """`email` is an address without statements."""
        self.shop, self.stores, self.email, self.numbers = shop, stores, email, count()
        self.person = upserted(shop, email=email)["id"]

    def messages(self, number: int, values: SourceValues) -> list[Callable[[], object]]:
        """The calls by which it arrives, in the order of their sender."""
        at, earlier = clock.to_text(values.at), clock.to_text(values.at - timedelta(minutes=1))
        if values.kind == "request":
            return [lambda: self.ask(values.state, at)]
        if values.kind.startswith("list"):
            proof = {} if values.kind == "list without proof" else {"proof": PROOF}
            row = {"email": self.email, "state": values.state, "occurredAt": at, **proof}
            return [lambda: counts(self.shop, row)]
        if values.kind == "link":
            return [self.follow_link]
        if values.kind == "box":
            return [
                lambda: self.push(number, "subscribed", earlier, earlier),
                lambda: self.push(number, "not_subscribed", at, at),
            ]
        return [lambda: self.push(number, values.state, at, at if values.kind == "store" else None)]

    def ask(self, state: str, at: str) -> None:
        """Sends a request."""
        path = f"/profiles/{self.person}/consent/email"
        assert self.shop.owner.call("PUT", path, {"state": state, "occurredAt": at}).status == 200

    def push(self, number: int, state: str, updated_at: str, consent_at: str | None) -> None:
        """Puts a store's customer; each statement has a store of its own."""
        put_customer(
            self.shop,
            self.stores[number],
            self.email,
            email=self.email,
            externalUpdatedAt=updated_at,
            emailMarketingConsent=state,
            emailMarketingConsentUpdatedAt=consent_at,
        )

    def follow_link(self) -> None:
        """Follows an unsubscribe link."""
        world, path = self.shop.world, f"/profiles/{self.person}/unsubscribe-links"
        made = self.shop.owner.call("POST", path)
        form = {"content-type": "application/x-www-form-urlencoded"}
        link, body = made.json["url"].removeprefix(BASE_URL), b"List-Unsubscribe=One-Click"
        assert world.call("POST", link, headers=form, body=body).status == 200

    @property
    def state(self) -> tuple[str, datetime | None]:
        """The resulting state, which the profile shows too."""
        effective = ConsentRepository(self.shop.workspace).consent_of(
            Address(Channel.EMAIL, self.email)
        )
        shown = self.shop.profile(UUID(self.person))
        assert shown.email_consent is effective.state
        return effective.state.value, effective.as_of


all_values = st.lists(
    st.builds(SourceValues, st.sampled_from(KINDS), st.sampled_from(STATES), st.integers(2, 6)),
    min_size=2,
    max_size=5,
)


@pytest.fixture
def arrivals(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Arrivals]:
    """Makes an address without statements; the clock is stopped."""
    monkeypatch.setattr(clock, "now", lambda: NOW)
    stores, numbers = [shop.store(listens=False) for _ in range(5)], count()
    return lambda: Arrivals(shop, stores, f"{next(numbers)}.{CANARY}@example.com")


# There are as many requests as statements: three seconds for sixty orders.
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=all_values, data=st.data())
def test_every_arrival_order_ends_in_state_of_model(
    arrivals: Callable[[], Arrivals], values: list[SourceValues], data: st.DataObject
) -> None:
    rules = AddressRules()
    for number, one in enumerate(values):
        for statement in one.statements([each.kind for each in values[:number]].count("link")):
            rules.add(statement)
    for _ in range(2):
        somebody = arrivals()
        waiting = {n: somebody.messages(n, each) for n, each in enumerate(values)}
        senders = [n for n, messages in waiting.items() for _ in messages]
        for number in data.draw(st.permutations(senders)):
            waiting[number].pop(0)()
        assert somebody.state == rules.state

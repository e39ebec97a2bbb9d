"""Histories of a workspace's people against a plain model, compared by the interface.

Customers and orders are put, changed and deleted; people are named, changed, merged and erased by
hand; consent is given and withdrawn; stores are disconnected and connected; workers run at once,
late, or only in the end.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from storepost.accounts.identity.model import KeyScope
from storepost.people.profiles.rows import ErasedProfileItem, ProfileItem
from storepost.values import clock
from tests.harness.histories import SHARDS, run_histories
from tests.harness.world import CANARY, Answer, World
from tests.people.matching.model import Model
from tests.people.matching.model_records import CHANNELS, Channel, Person, Refused
from tests.people.matching.scenario import NEW_YEAR, Scenario, day

EMAILS = st.sampled_from([None, *(f"{name}.{CANARY}@example.com" for name in "abc")])
PHONES = st.sampled_from([None, "+14155550101", "+14155550102"])
IDS = st.sampled_from("12")
DAYS = st.integers(1, 9)
NAMES = st.sampled_from([None, "Ann", "Bob"])
LOCALES = st.sampled_from([None, "it", "en-GB"])
STATES = st.sampled_from([None, "subscribed", "unsubscribed", "pending", "not_subscribed"])
CHANNEL = st.sampled_from(list(CHANNELS))
STORES = st.integers(0, 1)
WHO = st.integers(0, 20)

CUSTOMERS = st.fixed_dictionaries(
    {
        "created": DAYS,
        "updated": DAYS,
        "email": EMAILS,
        "phone": PHONES,
        "firstName": NAMES,
        "locale": LOCALES,
        "emailState": STATES,
        "smsState": STATES,
        "emailAt": st.none() | DAYS,
    }
)
ORDERS = st.fixed_dictionaries(
    {
        "updated": DAYS,
        "placed": DAYS,
        "spent": st.sampled_from([0, 700, 1000]),
        "locale": LOCALES,
        "buyer": st.fixed_dictionaries(
            {"externalId": st.none() | IDS, "email": EMAILS, "phone": PHONES, "firstName": NAMES}
        ),
    }
)
PEOPLE = st.fixed_dictionaries(
    {
        "email": EMAILS,
        "phone": PHONES,
        "anonymousId": st.sampled_from([None, "m", "n"]),
        "firstName": NAMES,
        "locale": LOCALES,
    }
).filter(lambda body: bool(body["email"] or body["phone"] or body["anonymousId"]))
UPDATES = st.fixed_dictionaries(
    {}, optional={"email": EMAILS, "phone": PHONES, "firstName": NAMES, "locale": LOCALES}
)

MEANWHILE = st.sampled_from(["look", "look", "deliver", "again", "store"])

_checkpoints: list[tuple[World, Scenario, list[str], Callable[[], None]]] = []


def at(number: int | None) -> datetime | None:
    """The moment of a day."""
    return None if number is None else NEW_YEAR + timedelta(days=number)


def dated(body: dict[str, Any]) -> dict[str, Any]:
    """The same with days replaced by moments."""
    days = ("created", "updated", "placed", "emailAt")
    return {name: at(value) if name in days else value for name, value in body.items()}


def somebody(histories: "Histories") -> bool:
    """Whether the workspace has any profile."""
    return bool(histories.model.people)


class Histories(RuleBasedStateMachine):
    """One workspace with two stores."""

    @initialize(people=st.lists(PEOPLE, max_size=3))
    def begin(self, people: list[dict[str, Any]]) -> None:
        """Restores the same workspace each time, with some people in it."""
        if not _checkpoints:
            world = World()
            scenario = Scenario(world)
            stores = [
                world.store(scenario.owner, name=name, primaryLocale=locale, externalId=name)
                for name, locale in (("A", "de-AT"), ("B", "fr-FR"))
            ]
            # A key needs one read, a session three.
            scenario.token = world.api_key(scenario.workspace, KeyScope.WRITE)
            _checkpoints.append((world, scenario, stores, world.checkpoint()))
        self.world, self.scenario, self.stores, begin_anew = _checkpoints[0]
        begin_anew()
        self.now = clock.now()
        self.clock = mock.patch.object(clock, "now", self.moment)
        self.clock.start()
        self.deleted: set[tuple[str, str, str]] = set()
        self.model = Model(dict(zip(self.stores, ("de-AT", "fr-FR"), strict=True)))
        for body in people:
            self.name(body)

    @rule(store=STORES, external_id=IDS, body=CUSTOMERS)
    def put_customer(self, store: int, external_id: str, body: dict[str, Any]) -> None:
        """PUT /stores/{id}/customers/{externalId}."""
        key = (self.stores[store], external_id)
        sent = {
            "externalCreatedAt": day(body["created"]),
            "externalUpdatedAt": day(body["updated"]),
            "emailMarketingConsent": body["emailState"],
            "smsMarketingConsent": body["smsState"],
            "emailMarketingConsentUpdatedAt": body["emailAt"] and day(body["emailAt"]),
        }
        sent |= {name: body[name] for name in ("email", "phone", "firstName", "locale")}
        path = f"/stores/{key[0]}/customers/{external_id}"
        query = {"storeId": key[0], "externalId": external_id}
        self.do(
            lambda: self.scenario.call("PUT", path, sent),
            lambda: self.model.put_customer(
                key, dated(body), self.now, lambda: str(self.scenario.find_profile(**query)["id"])
            ),
        )

    @rule(store=STORES, external_id=IDS, body=ORDERS)
    def put_order(self, store: int, external_id: str, body: dict[str, Any]) -> None:
        """PUT /stores/{id}/orders/{externalId}."""
        self.put_an_order(store, external_id, body)

    def put_an_order(self, store: int, external_id: str, body: dict[str, Any]) -> None:
        """Puts it, with any buyer."""
        key = (self.stores[store], external_id)
        answers: list[Answer] = []

        def send() -> Answer:
            total = {"amount": body["spent"], "currency": "EUR"}
            more = {"total": total, "updatedAt": day(body["updated"]), "locale": body["locale"]}
            buyer = body["buyer"] if any(body["buyer"].values()) else None
            sent = self.scenario.order(key[0], external_id, body["placed"], buyer=buyer, **more)
            answers.append(sent)
            return sent

        self.do(
            send,
            lambda: self.model.put_order(
                key, dated(body), lambda: str(answers[0].json["buyer"]["profileId"])
            ),
        )

    @precondition(somebody)
    @rule(store=STORES, external_id=IDS, number=WHO, body=ORDERS)
    def buy(self, store: int, external_id: str, number: int, body: dict[str, Any]) -> None:
        """PUT /stores/{id}/orders/{externalId} of a known person."""
        person = self.model.find(self.pick(number))
        buyer = {**body["buyer"], "email": person.email, "phone": person.phone}
        self.put_an_order(store, f"b-{external_id}", {**body, "buyer": buyer})

    @rule(store=STORES, external_id=IDS, what=st.sampled_from(["customers", "orders"]))
    def delete(self, store: int, external_id: str, what: str) -> None:
        """DELETE /stores/{id}/customers/{externalId}, and of orders."""
        key, model = (self.stores[store], external_id), self.model
        path = f"/stores/{key[0]}/{what}/{external_id}"
        if what == "customers" and key in model.unowned and key[0] not in model.inactive:
            # It counts as absent; until the worker ran, it may be deleted nevertheless.
            assert self.scenario.call("DELETE", path).status in {204, 404}
            return
        self.do(
            lambda: self.scenario.call("DELETE", path),
            lambda: self.happen_once((what, *key), lambda: self.model.delete(what, key)),
        )

    def happen_once(self, deleted: tuple[str, str, str], happen: Callable[[], None]) -> None:
        """Does the deletion once; a repeated one gets the same answer."""
        try:
            happen()
        except Refused as problem:
            if str(problem) != "not_found" or deleted not in self.deleted:
                raise
        self.deleted.add(deleted)

    @rule(body=PEOPLE)
    def upsert(self, body: dict[str, Any]) -> None:
        """POST /profiles."""
        self.name(body)

    def name(self, body: dict[str, Any]) -> None:
        """A request upserts a profile."""
        answers: list[Answer] = []

        def send() -> Answer:
            answers.append(self.scenario.call("POST", "/profiles", body))
            return answers[0]

        self.do(send, lambda: self.model.upsert(body, self.now, lambda: str(answers[0].json["id"])))

    @precondition(somebody)
    @rule(number=WHO, body=UPDATES)
    def update(self, number: int, body: dict[str, Any]) -> None:
        """PATCH /profiles/{id}, by any id that a person ever had."""
        each = self.pick(number)
        self.do(
            lambda: self.scenario.call("PATCH", f"/profiles/{each}", body),
            lambda: self.model.update(each, body, self.now),
        )

    @precondition(somebody)
    @rule(into=WHO, other=st.integers(0, 5))
    def merge(self, into: int, other: int) -> None:
        """POST /profiles/{id}/merge."""
        one, two = self.pick(into), self.pick(into + other)
        self.do(lambda: self.scenario.merge(one, two), lambda: self.model.merge(one, two))

    @precondition(somebody)
    @rule(number=WHO)
    def erase(self, number: int) -> None:
        """DELETE /profiles/{id}, by any id that a person ever had."""
        each, token = self.pick(number), self.scenario.owner.token
        self.do(
            lambda: self.world.call("DELETE", f"/profiles/{each}", token=token),
            lambda: self.model.erase(each, self.now),
        )

    @precondition(somebody)
    @rule(
        number=WHO,
        channel=CHANNEL,
        state=st.sampled_from(["subscribed", "unsubscribed"]),
        on=st.none() | DAYS,
    )
    def change_consent(self, number: int, channel: Channel, state: str, on: int | None) -> None:
        """PUT /profiles/{id}/consent/email, and sms."""
        each, body = self.pick(number), {"state": state, "occurredAt": day(on) if on else None}
        path = f"/profiles/{each}/consent/{channel}"
        answer = self.do(
            lambda: self.scenario.call("PUT", path, body),
            lambda: self.model.change_consent(each, channel, state, at(on), self.now),
        )
        if answer.status == 200:
            change = answer.json
            is_state = change["state"] == self.model.state(channel, change["address"])
            assert is_state or (channel, change["address"]) in self.model.erased

    @precondition(somebody)
    @rule(what=MEANWHILE, number=WHO)
    def meanwhile(self, what: str, number: int) -> None:
        """Workers run, an old message comes again, a store is disconnected or connected."""
        if what == "look":
            self.compare()
        elif what == "deliver":
            self.world.deliver()
        elif what == "again":
            self.scenario.run_merge(self.pick(number))
            if self.model.gone:
                self.scenario.run_erasure(self.model.gone[number % len(self.model.gone)])
        else:
            self.go_or_come_back(number % 2)

    def go_or_come_back(self, store: int) -> None:
        """A store is disconnected, or connected again."""
        store_id = self.stores[store]
        if store_id not in self.model.inactive:
            answer = self.scenario.owner.call("POST", f"/stores/{store_id}/disconnect")
            self.model.inactive.add(store_id)
        else:
            body = {
                "platform": "custom",
                "name": "AB"[store],
                "externalId": "AB"[store],
                "currency": "EUR",
                "primaryLocale": self.model.stores[store_id],
                "adminUrl": "https://admin.example.com/",
            }
            answer = self.scenario.owner.call("POST", "/stores", body)
            assert answer.json["id"] == store_id
            self.model.inactive.remove(store_id)
        assert answer.status in {200, 201, 204}

    @property
    def is_under_way(self) -> bool:
        """Whether the worker has rows to move."""
        rows = self.world.rows(self.scenario.workspace.key)
        return any(
            isinstance(row, ErasedProfileItem)
            or (isinstance(row, ProfileItem) and row.pending_sources)
            for row in rows
        )

    def moment(self) -> datetime:
        """The time, which stops during a step."""
        return self.now

    def pick(self, number: int) -> str:
        """An id that some profile has or had, the same in each run of a history."""
        ids = [*self.model.people, *self.model.survivors]
        return ids[number % len(ids)]

    def do(self, send: Callable[[], Answer], happen: Callable[[], None]) -> Answer:
        """Sends a request and applies it to the model; both refuse it or neither."""
        self.now += timedelta(seconds=1)
        answer, refused = send(), ""
        try:
            happen()
        except Refused as problem:
            refused = str(problem)
        assert (answer.problem()[1] if answer.status >= 400 else "") == refused
        return answer

    def compare(self) -> None:
        """All that the interface shows of people equals the model."""
        people = sorted(self.model.people.values(), key=lambda each: (each.first_seen, each.id))
        self.compare_lists(people)
        for person in people:
            self.compare_one(person)
        for old, into in self.model.survivors.items():
            assert self.scenario.get(f"/profiles/{old}")["id"] == into
            orders = self.scenario.get("/orders", profileId=old)["total"]
            assert orders == len(self.model.orders_of(self.model.people[into]))
        for each in self.model.gone[-2:]:
            assert self.scenario.call("GET", f"/profiles/{each}").status == 404

    def compare_lists(self, people: list[Person]) -> None:
        """Compares the lists and their totals."""
        shown = self.scenario.get("/profiles", sort="firstSeenAt", pageSize=100)
        assert shown["items"] == [summary(self.model, each) for each in people]
        assert shown["total"] == len(people)
        by_email = sorted(people, key=lambda each: (each.email is None, each.email or "", each.id))
        assert self.scenario.ids("/profiles", sort="email") == [each.id for each in by_email]
        for store in self.stores:
            known = [each.id for each in people if store in self.model.stores_of(each)]
            assert self.scenario.ids("/profiles", sort="firstSeenAt", storeId=store) == known
        for state in ("subscribed", "unsubscribed"):
            counted = self.scenario.get("/profiles", emailMarketingConsent=state, pageSize=10)
            emails = [self.model.state("email", each.email) for each in people]
            assert counted["total"] == emails.count(state)
        orders = [each for each in self.model.orders.values() if not each.deleted]
        assert self.scenario.get("/orders")["total"] == len(orders)

    def compare_one(self, person: Person) -> None:
        """Compares all that belongs to one person."""
        model, path = self.model, f"/profiles/{person.id}"
        assert self.scenario.get(path) == whole(model, person)
        identities = self.scenario.get(f"{path}/identities", pageSize=100)["items"]
        assert {
            (i["type"], i["store"] and i["store"]["id"], i["value"]): (
                i["firstSeenAt"],
                i["lastSeenAt"],
            )
            for i in identities
        } == {
            (str(i.type), str(i.store_id) if i.store_id else None, i.value): tuple(
                map(clock.to_text, seen)
            )
            for i, seen in person.seen.items()
        }
        history = self.scenario.get(f"{path}/consent", pageSize=100)
        assert Counter(map(change_of, history["items"])) == Counter(
            (c.channel, c.address, c.state, clock.to_text(c.at), c.store) for c in person.history
        )
        self.compare_write_backs(person, history["items"])
        recorded = [row["recordedAt"] for row in history["items"]]
        assert recorded == sorted(recorded, reverse=True)
        assert history["total"] == len(recorded)
        merges = self.scenario.get(f"{path}/merges", pageSize=100)
        assert merges["total"] == len(person.merged)
        assert Counter(
            (m["mergedProfileId"], m["cause"]["source"], m["cause"]["reference"])
            for m in merges["items"]
        ) == Counter(person.merged)
        customers = self.scenario.get(f"{path}/customers", pageSize=100)["items"]
        assert {
            (c["store"]["id"], c["externalId"]): c["deletedAt"] is not None for c in customers
        } == {key: model.customers[key].deleted for key in model.customers_of(person)}
        orders = self.scenario.get("/orders", profileId=person.id, sort="placedAt", pageSize=100)
        placed = sorted(model.orders[key].placed for key in model.orders_of(person))
        assert [row["placedAt"] for row in orders["items"]] == list(map(clock.to_text, placed))

    def compare_write_backs(self, person: Person, items: list[dict[str, Any]]) -> None:
        """Each change names the stores that knew the person or had the address, and no others.

        It may also name a store that sends a yes later.
        """
        named, knew = dict[tuple[object, ...], set[str]](), dict[tuple[object, ...], set[str]]()
        for row in items:
            named.setdefault(change_of(row), set()).update(recorded_events_of(row))
        for c in person.history:
            change = (c.channel, c.address, c.state, clock.to_text(c.at), c.store)
            knew.setdefault(change, set()).update(c.write_back_stores)
        for which, least in knew.items():
            ever = self.model.had.get((str(which[0]), str(which[1])), set())
            assert least <= named[which] <= least | ever

    def teardown(self) -> None:
        """In the end the state is right before the workers run, and after."""
        if not hasattr(self, "clock"):
            return
        try:
            if self.is_under_way:
                self.compare()
            self.world.deliver()
            self.compare()
            self.scenario.check_rows()
            self.scenario.check_gone(self.model.gone)
        finally:
            self.clock.stop()


def summary(model: Model, person: Person) -> dict[str, Any]:
    """A person as the list shows them."""
    stores = model.stores_of(person)
    return {
        "id": person.id,
        "name": person.first_name,
        "email": person.email,
        "phone": person.phone,
        "locale": person.locale.code if person.locale else None,
        "storeIds": sorted(stores),
        "isCustomer": bool(stores),
        "emailMarketingConsent": model.state("email", person.email),
        "smsMarketingConsent": model.state("sms", person.phone),
        "firstSeenAt": clock.to_text(person.first_seen),
        "lastSeenAt": clock.to_text(person.last_seen),
    }


def whole(model: Model, person: Person) -> dict[str, Any]:
    """A person as their profile shows them."""
    source = person.locale.source if person.locale else None
    orders = model.orders_of(person)
    spent = sum(model.orders[key].spent for key in orders)
    names = dict(zip(model.stores, "AB", strict=True))
    return {
        **summary(model, person),
        "firstName": person.first_name,
        "lastName": person.last_name,
        "localeSource": source
        and {
            "source": source[0],
            "storeId": source[1],
            "signal": source[2],
            "at": clock.to_text(source[3]),
        },
        "stores": [
            {"id": store, "name": names[store], "platform": "custom"}
            for store in sorted(model.stores_of(person))
        ],
        "orders": len(orders),
        "spent": [{"amount": spent, "currency": "EUR"}] if spent else [],
    }


def change_of(row: dict[str, Any]) -> tuple[object, ...]:
    """A change of consent as it is compared."""
    store = row["store"] and row["store"]["id"]
    return (row["channel"], row["address"], row["state"], row["occurredAt"], store)


def recorded_events_of(row: dict[str, Any]) -> set[str]:
    """The stores to which a change is written back."""
    return {each["store"]["id"] for each in row["writeBacks"]}


@pytest.mark.parametrize("shard", SHARDS)
def test_random_histories_match_model(shard: int) -> None:
    """In every order of events the service agrees with the model."""
    run_histories(Histories, shard, few=4, steps=20, long_steps=10, checkpoints=_checkpoints)

"""Compares the acknowledged writes with the service's state once everything is delivered."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from local.template import QUEUE, resources
from storepost.coupons.trees import CodeList
from storepost.orders.trees import OrderList
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.persistence.counted_tree.checking import faults
from tests.fault_injection.acknowledged_writes import Facts
from tests.fault_injection.requests import CODES, PEOPLE, Shop, email_of
from tests.harness.world import Someone, World


def differences(world: World, by: Someone, shop: Shop, facts: Facts) -> Iterator[str]:
    """Yields each difference from the acknowledged writes, in words."""
    reading = _Reading(world, by, shop, facts)
    yield from reading.orders()
    yield from reading.people()
    yield from reading.codes()
    yield from reading.batches()
    yield from reading.trees()
    yield from reading.repeated()
    for queue in resources(QUEUE):
        if world.queue_depth(queue):
            yield f"{queue} still has {world.queue_depth(queue)} messages"


class _Reading:
    def __init__(self, world: World, by: Someone, shop: Shop, facts: Facts) -> None:
        self._world, self._by, self._shop, self._facts = world, by, shop, facts

    def orders(self) -> Iterator[str]:
        for query in ({}, {"storeId": self._shop.store}):
            listed = self._all("/orders", **query)
            yield from _differ(
                f"orders {query}",
                Counter(str(each["number"]) for each in listed),
                Counter(f"#{name.partition('-')[2]}" for name in self._facts.orders),
            )
            ids = {each["id"] for each in listed}
            answered = {body["id"] for _, body in self._facts.of("order")}
            yield from _differ("ids of orders that aren't listed", answered - ids, set())

    def people(self) -> Iterator[str]:
        listed = self._all("/profiles")
        known = {email_of(person) for person in range(PEOPLE)} | self._facts.people
        shown = Counter(str(each["email"]) for each in listed)
        yield from _differ("profiles", shown, Counter(known))
        own: set[tuple[str, str]] = set()
        events, changes = self._facts.events, self._facts.changes
        for each in listed:
            path, email = f"/profiles/{each['id']}", each["email"]
            own |= {(email, row["externalId"]) for row in self._all(f"{path}/customers")}
            names = Counter(row["name"] for row in self._all(f"{path}/events"))
            yield from _differ(f"events of {email}", names, events[email])
            ids = Counter(row["id"] for row in self._all(f"{path}/consent"))
            yield from _differ(f"changes of {email}", ids, Counter(changes[email]))
            found = self._get("/profiles", q=email)["total"]
            if found != 1:
                yield f"the search finds {email} {found} times"
        yield from _differ("customers", own, self._facts.customers)

    def codes(self) -> Iterator[str]:
        assigned = {sent.named: body["code"] for sent, body in self._facts.of("assignment")}
        if len(set(assigned.values())) != len(assigned):
            yield "a code was given out twice"
        listed = self._all(f"/coupons/{self._shop.pool}/codes", status="assigned")
        yield from _differ(
            "assigned codes", Counter(each["code"] for each in listed), Counter(assigned.values())
        )
        shown = self._get(f"/coupons/{self._shop.pool}")["codes"]
        if shown["assigned"] != len(assigned):
            yield f"the pool counts {shown}, not {len(assigned)} assigned"
        made = {body["id"] for _, body in self._facts.of("coupon")}
        coupons = self._all("/coupons")
        ids = Counter(each["id"] for each in coupons if each["id"] != self._shop.pool)
        yield from _differ("coupons", ids, Counter(made))
        for each in coupons:
            if each["id"] in made and each["codes"]["available"] != CODES:
                yield f"coupon {each['name']} has {each['codes']}"

    def batches(self) -> Iterator[str]:
        listed = self._all(f"/stores/{self._shop.store}/imports")
        answered = Counter(body["id"] for _, body in self._facts.of("batch"))
        yield from _differ("imports", Counter(each["id"] for each in listed), answered)
        for each in listed:
            if each["status"] != "completed":
                yield f"import {each}"

    def trees(self) -> Iterator[str]:
        workspace, store = self._shop.workspace, UUID(self._shop.store)
        people = ProfileLists(workspace)
        pools = [self._shop.pool, *(body["id"] for _, body in self._facts.of("coupon"))]
        for tree in (
            OrderList(workspace).tree,
            OrderList(workspace, store).tree,
            people.by_first_seen,
            people.by_name,
            people.by_email,
            people.of_store(store),
            *(CodeList(workspace, UUID(pool)).tree for pool in pools),
        ):
            yield from (f"{tree.partition}: {fault}" for fault in faults(tree))

    def repeated(self) -> Iterator[str]:
        """Repeats acknowledged requests; yields those that aren't answered as before."""
        for sent, body in self._facts.answered[::10]:
            answer = self._by.call(sent.method, sent.path, sent.body, key=sent.key)
            if answer.status >= 300 or answer.json != body:
                yield f"{sent.kind} {sent.key} again: {answer.status} {answer.body!r}"

    def _get(self, path: str, **query: object) -> Any:
        answer = self._by.call("GET", path, query=query)
        if answer.status != 200:
            raise AssertionError((path, query, answer.body))
        return answer.json

    def _all(self, path: str, **query: object) -> list[Any]:
        """Returns the items of all pages, and checks the total."""
        found: list[Any] = []
        page = 1
        while True:
            answer = self._get(path, page=page, pageSize=100, **query)
            found += answer["items"]
            page += 1
            if not answer["items"]:
                assert answer["total"] == len(found), (path, query, answer["total"], len(found))
                return found


def _differ(what: str, found: Any, expected: Any) -> Iterator[str]:
    missing, more = list(expected - found), list(found - expected)
    if missing or more:
        yield f"{what}: {len(missing)} missing {missing[:5]}, {len(more)} too many {more[:5]}"

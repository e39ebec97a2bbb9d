"""Random histories of requests, compared with a plain model of the events.

The model knows no row: it reads each order and profile by its own operation before and after, and
computes the events that an integrator must get from these answers alone.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.values import clock
from tests.harness.world import CANARY, World
from tests.orders.sample import eur, order
from tests.webhooks.events.shop import Shop, of

PEOPLE = [f"p{number}.{CANARY}@example.com" for number in range(2)]
MOMENTS = [f"2026-03-0{day}T00:00:00Z" for day in (1, 2, 3)]

type Answers = dict[tuple[str, str], dict[str, Any]]
"""What each resource answers, by its kind and id."""

orders = st.fixed_dictionaries(
    {
        "updatedAt": st.sampled_from(MOMENTS),
        "customer": st.sampled_from([{"email": each} for each in PEOPLE] + [None]),
        "cancelledAt": st.sampled_from([None, MOMENTS[0]]),
        "totalRefunded": st.sampled_from([eur(0), eur(100), eur(200)]),
        "fulfillmentStatus": st.sampled_from(["fulfilled", "unfulfilled"]),
        "discountCodes": st.sampled_from([[], ["SPRING"]]),
    }
)
steps = st.one_of(
    st.tuples(st.just("order"), orders),
    st.tuples(st.just("delete"), st.just(None)),
    st.tuples(st.just("event"), st.sampled_from(PEOPLE)),
    st.tuples(st.just("name"), st.tuples(st.sampled_from(PEOPLE), st.sampled_from("AB"))),
    st.tuples(
        st.just("consent"),
        st.tuples(st.sampled_from(PEOPLE), st.sampled_from(["subscribed", "unsubscribed"])),
    ),
    st.tuples(st.just("erase"), st.sampled_from(PEOPLE)),
    st.tuples(st.just("merge"), st.none()),
)


def put_order(shop: Shop, change: dict[str, Any]) -> None:
    send(shop, "PUT", f"/stores/{shop.store}/orders/o-1", order(**change))


def delete_order(shop: Shop, _: None) -> None:
    send(shop, "DELETE", f"/stores/{shop.store}/orders/o-1")


def look(shop: Shop, address: str) -> None:
    body = {"profile": {"email": address}, "name": "viewed", "properties": {}}
    send(shop, "POST", "/events", {**body, "occurredAt": clock.to_text(clock.now())})


def name(shop: Shop, value: tuple[str, str]) -> None:
    send(shop, "POST", "/profiles", {"email": value[0], "firstName": value[1]})


def consent(shop: Shop, value: tuple[str, str]) -> None:
    for profile_id in profiles(shop, email=value[0]):
        send(shop, "PUT", f"/profiles/{profile_id}/consent/email", {"state": value[1]})


def erase(shop: Shop, address: str) -> None:
    for profile_id in profiles(shop, email=address):
        send(shop, "DELETE", f"/profiles/{profile_id}")


def merge(shop: Shop, _: None) -> None:
    if len(ids := profiles(shop)) == 2:
        send(shop, "POST", f"/profiles/{ids[0]}/merge", {"profileId": ids[1]})


PLAYS: dict[str, Callable[[Shop, Any], None]] = {
    "order": put_order,
    "delete": delete_order,
    "event": look,
    "name": name,
    "consent": consent,
    "erase": erase,
    "merge": merge,
}


def profiles(shop: Shop, **query: str) -> list[str]:
    """The ids of the workspace's people."""
    return [each["id"] for each in shop.call("GET", "/profiles", query=query).json["items"]]


def send(shop: Shop, method: str, path: str, body: object = None) -> None:
    """A request that may be refused, and the workers that it needs."""
    answer = shop.owner.call(method, path, body)
    assert answer.status < 500, answer.body
    shop.world.deliver()


def answers(shop: Shop) -> Answers:
    """The answers for every order and profile now, without what each page view changes."""
    found: Answers = {}
    for kind in ("order", "profile"):
        for listed in shop.get(f"/{kind}s")["items"]:
            answer = shop.get(f"/{kind}s/{listed['id']}")
            found[kind, listed["id"]] = {**answer, "lastSeenAt": None}
    return found


def expected(step: str, before: Answers, after: Answers) -> set[tuple[str, str, str]]:
    """The expected events: kind, id, and the most specific type."""
    gone = {key for key in before if key not in after and key[0] == "profile"}
    if gone:
        return {_of_gone(step, identifier, after) for _, identifier in gone}
    events = set()
    for kind, identifier in before.keys() | after.keys():
        old, new = before.get((kind, identifier)), after.get((kind, identifier))
        name = _order(old, new) if kind == "order" else _profile(old, new)
        if name:
            events.add((kind, identifier, f"{kind}.{name}"))
    return events


def _of_gone(step: str, identifier: str, after: Answers) -> tuple[str, str, str]:
    """An erasure and a merge have an event of the person only: it implies the orders' changes."""
    if step == "erase":
        return ("profile", identifier, "profile.erased")
    [survivor] = [found for kind, found in after if kind == "profile"]
    return ("profile", survivor, "profile.merged")


def _order(old: dict[str, Any] | None, new: dict[str, Any] | None) -> str | None:
    if old is None or new is None:
        return "created" if old is None else "deleted"
    if new["cancelled"] and not old["cancelled"]:
        return "cancelled"
    if new["totalRefunded"]["amount"] > old["totalRefunded"]["amount"]:
        return "refunded"
    # The buyer's identity belongs to the order; their name, to the profile.
    names = {name for name in old if old[name] != new[name]} - {"buyer"}
    ids = [each["buyer"] and each["buyer"]["profileId"] for each in (old, new)]
    return "updated" if names or ids[0] != ids[1] else None


def _profile(old: dict[str, Any] | None, new: dict[str, Any] | None) -> str | None:
    if old is None:
        return "created"
    return "updated" if old != new else None


def actual(shop: Shop) -> set[tuple[str, str, str]]:
    """The actual events of orders and profiles, each of them once."""
    events = [event for event in shop.events() if of(event)[0] in {"order", "profile"}]
    assert len({of(event) for event in events}) == len(events)
    return {(kind, str(found), e.type) for e in events for kind, found in [of(e)]}


@settings(max_examples=10)
@given(st.lists(steps, min_size=1, max_size=6))
def test_events_equal_the_model_after_any_history(history: list[tuple[str, Any]]) -> None:
    """Each of ten histories begins in an empty world and reads all after each step: seconds."""
    world = World()
    try:
        owner = world.person()
        workspace = world.workspace(owner)
        shop = Shop(world, owner, workspace, world.store(owner)).delivered()
        before = answers(shop)
        for step in history:
            PLAYS[step[0]](shop, step[1])
            after = answers(shop)
            assert actual(shop) == expected(step[0], before, after), step
            before = after
    finally:
        world.close()

"""A batch writes what its records would write, put one by one, the customers first."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harness.world import CANARY, World
from tests.orders.sample import eur
from tests.sync.batches.batch_store import Body, Shop, moment, open_shop, order
from tests.sync.batches.state import state_of

MINUTES = st.integers(0, 3)
IDS = st.sampled_from([f"c-{number}" for number in range(5)])
EMAILS = st.sampled_from(
    [f"{name}.{CANARY}@example.com" for name in ("ann", "bob", "cid", "dee", "eve")]
)
PHONES = st.sampled_from([f"+43660{number}123456" for number in range(3)])
STATES = st.sampled_from(["subscribed", "unsubscribed", "pending", "not_subscribed"])
NAMES = st.sampled_from(["Ann", "Bob"])


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Body]:
    """Some of the fields, or none."""
    return st.fixed_dictionaries({}, optional=fields)


CUSTOMERS = st.builds(
    lambda number, updated, rest: {
        "externalId": number,
        "externalCreatedAt": moment(-updated),
        "externalUpdatedAt": moment(updated),
        **rest,
    },
    IDS,
    MINUTES,
    maybe(
        email=EMAILS,
        phone=PHONES,
        firstName=NAMES,
        locale=st.sampled_from(["de", "fr"]),
        emailMarketingConsent=STATES,
        smsMarketingConsent=STATES,
        emailMarketingConsentUpdatedAt=MINUTES.map(moment),
    ),
)
ORDERS = st.builds(
    lambda number, updated, rest: {
        key: value
        for key, value in order(number, updated, **{"customer": None, **rest}).items()
        if value is not None
    },
    st.integers(0, 7),
    MINUTES,
    maybe(
        customer=maybe(externalId=IDS, email=EMAILS, phone=PHONES, firstName=NAMES),
        placedAt=st.integers(-3, 3).map(moment),
        cancelledAt=MINUTES.map(moment),
        isTest=st.booleans(),
        total=st.sampled_from([eur(100), {"amount": 100, "currency": "USD"}]),
        locale=st.sampled_from(["de", "fr"]),
    ),
)
DELETED = st.lists(st.sampled_from(["/customers/c-0", "/customers/c-1", "/orders/o-1"]), max_size=2)
TAKEN, STALE, REFUSED = {200, 201}, 409, 422


def put(shop: Shop, kind: str, record: Body) -> int:
    """Puts one record by its own operation: the status."""
    body = {name: value for name, value in record.items() if name != "externalId"}
    return shop.do("PUT", f"/{kind}/{record['externalId']}", body).status


def put_all(shop: Shop, customers: list[Body], orders: list[Body]) -> list[tuple[str, int, int]]:
    """Puts records one by one: the kind, place and status of each.

    Until the worker of a merge has run, the merged profile has claims.
    """
    statuses = [
        (kind, index, put(shop, kind, record))
        for kind, records in (("customers", customers), ("orders", orders))
        for index, record in enumerate(records)
    ]
    shop.world.deliver()
    return statuses


@settings(max_examples=12, deadline=None)
@given(
    st.lists(CUSTOMERS, max_size=3),
    st.lists(ORDERS, max_size=3),
    DELETED,
    st.lists(CUSTOMERS, max_size=6),
    st.lists(ORDERS, min_size=1, max_size=9),
)
def test_random_batch_equals_single_puts(
    known_customers: list[Body],
    known_orders: list[Body],
    deleted: list[str],
    customers: list[Body],
    orders: list[Body],
) -> None:
    world = World()
    try:
        one, other = open_shop(world), open_shop(world)
        for shop in (one, other):
            put_all(shop, known_customers, known_orders)
            for path in deleted:
                shop.do("DELETE", path)
        assert state_of(one) == state_of(other)
        done = one.import_batch(customers=customers, orders=orders)
        statuses = put_all(other, customers, orders)
        check(one, other, done, statuses)
    finally:
        world.close()


def check(one: Shop, other: Shop, done: Body, statuses: list[tuple[str, int, int]]) -> None:
    """The batch wrote what the puts wrote, and it counts their answers."""
    ours, theirs = state_of(one), state_of(other)
    for part in ours:
        assert ours[part] == theirs[part], part
    one.check_lists()
    other.check_lists()
    # Rows of one moment are in the order of their ids.
    assert sorted(one.numbers()) == sorted(other.numbers())
    assert {status for _, _, status in statuses} <= {*TAKEN, STALE, REFUSED}
    taken = [kind for kind, _, status in statuses if status != REFUSED]
    assert done["status"] == "completed"
    assert done["imported"] == {
        "customers": taken.count("customers"),
        "orders": taken.count("orders"),
        "products": 0,
    }
    refused = [(kind, index) for kind, index, status in statuses if status == REFUSED]
    problems = one.problems(done["id"])
    assert [("orders", problem["index"]) for problem in problems] == refused
    assert {problem["code"] for problem in problems} <= {"currency_mismatch"}

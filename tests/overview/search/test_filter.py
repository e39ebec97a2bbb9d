"""The postings' reader of the stream is run for records that may change them, and no others."""

from collections.abc import Callable

import pytest

from local.events.pumps import passes
from storepost.overview.search.sources import entry_of
from storepost.platform.persistence.streams import row_of
from storepost.values import clock
from tests.harness.world import CANARY, World
from tests.orders.sample import order, put

READER = "search_postings"


class Shop:
    """A workspace with a store and a profile."""

    def __init__(self, world: World) -> None:
        self.world, self.owner = world, world.owner()
        self.store = world.store(self.owner)
        self.profile = self.upsert(email=f"eve.{CANARY}@example.com")
        world.deliver()

    def call(self, method: str, path: str, body: object = None) -> None:
        answer = self.owner.call(method, path, body)
        assert answer.status in {200, 201, 204}, answer.body

    def upsert(self, **values: object) -> str:
        answer = self.owner.call("POST", "/profiles", values)
        assert answer.status in {200, 201}, answer.body
        return str(answer.json["id"])

    def records(self) -> int:
        """How many records wait for the reader."""
        return len(self.world.records_for(READER))


@pytest.fixture
def shop(world: World) -> Shop:
    """The stream has no record for the reader."""
    return Shop(world)


def event() -> dict[str, object]:
    """An event of now: an older one would change the person's first-seen time."""
    return {
        "profile": {"email": f"eve.{CANARY}@example.com"},
        "name": "viewed",
        "occurredAt": clock.to_text(clock.now()),
        "properties": {},
    }


QUIET: dict[str, Callable[[Shop], None]] = {
    "a change of consent": lambda shop: shop.call(
        "PUT", f"/profiles/{shop.profile}/consent/email", {"state": "subscribed"}
    ),
    "an event": lambda shop: shop.call("POST", "/events", event()),
    "seen again": lambda shop: shop.call(
        "POST", "/profiles", {"email": f"eve.{CANARY}@example.com"}
    ),
}
LOUD: dict[str, Callable[[Shop], None]] = {
    "somebody new": lambda shop: shop.call("POST", "/profiles", {"anonymousId": "a"}),
    "a name": lambda shop: shop.call(
        "POST", "/profiles", {"email": f"eve.{CANARY}@example.com", "firstName": "Eve"}
    ),
    "a phone": lambda shop: shop.call(
        "POST", "/profiles", {"email": f"eve.{CANARY}@example.com", "phone": "+436601234567"}
    ),
    "erased": lambda shop: shop.call("DELETE", f"/profiles/{shop.profile}"),
}


@pytest.mark.parametrize("what", QUIET)
def test_write_without_searched_change_is_filtered_out(shop: Shop, what: str) -> None:
    QUIET[what](shop)
    assert shop.records() == 0


@pytest.mark.parametrize("what", LOUD)
def test_write_with_searched_change_passes(shop: Shop, what: str) -> None:
    LOUD[what](shop)
    assert shop.records() == 1


def test_later_write_without_searched_change_is_filtered_out(shop: Shop) -> None:
    """A write's mark applies to that write only, and not to the next one."""
    LOUD["a name"](shop)
    shop.world.deliver()
    QUIET["a change of consent"](shop)
    assert shop.records() == 0


def test_every_record_that_changes_an_entry_passes(shop: Shop) -> None:
    """Every writer of a profile: orders, customers, merges, erasures, and deleted rows."""
    world, every = shop.world, dict[str, object]()
    reader = world._reader(READER)
    source, reader.source = reader.source, every
    other = shop.upsert(anonymousId="a")
    for write in (*QUIET.values(), LOUD["a name"], LOUD["a phone"]):
        write(shop)
    put(shop.owner, shop.store, "1", order())
    shop.call("POST", f"/profiles/{shop.profile}/merge", {"profileId": other})
    LOUD["erased"](shop)
    records = world.records_for(READER)
    for row in world.rows():
        if row.sk == "profile":
            row.delete()
    records = world.records_for(READER)
    images = [(r, r["dynamodb"].get("OldImage"), r["dynamodb"].get("NewImage")) for r in records]
    changed = [
        record for record, old, new in images if entry_of(row_of(old)) != entry_of(row_of(new))
    ]
    assert len(changed) > 6
    assert all(passes(record, source) for record in changed)
    profiles = [r for r, old, new in images if "profile" in {_kind(old), _kind(new)}]
    assert [r for r in profiles if passes(r, source)] == [r for r in profiles if r in changed]


def _kind(image: dict[str, dict[str, str]] | None) -> str:
    return image["kind"]["S"] if image else ""

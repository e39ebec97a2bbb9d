"""Histories of a feed's imports among the store's own writes, against dictionaries.

Each import's file has some of the products, under some titles. Before any call of its worker the
store puts and deletes products of its own; the worker dies before or after any call, and its
message comes again, or twice.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from storepost.platform.persistence.sealing import clear_key_cache
from tests.feeds.feeds.feed_store import Shop, csv
from tests.feeds.feeds.interruptions import resume
from tests.feeds.feeds.loads import says, small_loads
from tests.harness.call_interruption import Killed, Side, Step, another_container, around_calls

NUMBERS = st.integers(0, 13)
FILES = st.dictionaries(NUMBERS, st.sampled_from("xyz"), min_size=1, max_size=14)
FULL = st.sampled_from("xyz").map(lambda title: dict.fromkeys(range(14), title))
OWN = st.one_of(
    st.tuples(st.just("put"), NUMBERS, st.integers(1, 9)), st.tuples(st.just("delete"), NUMBERS)
)
INTERRUPTIONS = st.dictionaries(
    st.integers(4, 40),
    st.one_of(st.sampled_from(["killed before", "killed after"]), OWN, OWN),
    max_size=4,
)
IMPORTS = st.tuples(st.just("import"), FULL | FILES, INTERRUPTIONS, INTERRUPTIONS)
STEPS = st.lists(st.one_of(IMPORTS, IMPORTS, OWN), min_size=2, max_size=5)

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
SHARDS = range(2)


class History:
    """A store with a feed, and both sources' values of products by their ids."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.own: dict[str, tuple[int, str] | None] = {}
        """When the store put what title last; None once it deleted the product."""
        self.file: dict[str, str] = {}
        self.feed: dict[str, Any] | None = None

    def act(self, step: Any) -> None:
        """Performs a step."""
        acts: dict[str, Callable[..., None]] = {
            "put": self.put,
            "delete": self.delete,
            "import": self.run,
        }
        acts[step[0]](*step[1:])

    def put(self, number: int, day: int) -> None:
        """PUT /stores/{id}/products/{externalId}."""
        name, title = f"p{number}", f"own {day} {number}"
        body = {
            "updatedAt": f"2026-11-0{day}T00:00:00Z",
            "status": "active",
            "locales": [{"locale": "de-AT", "title": title}],
            "variants": [],
        }
        answer = self.shop.do("PUT", f"/stores/{self.shop.store_id}/products/{name}", body)
        stored = self.own.get(name)
        if answer.status == 409:
            assert answer.problem() == (409, "stale_update")
            assert name in self.own
            return
        assert answer.status in {200, 201}, answer.body
        assert stored is None or stored[0] <= day
        self.own[name] = (day, title)

    def delete(self, number: int) -> None:
        """DELETE /stores/{id}/products/{externalId}."""
        name = f"p{number}"
        answer = self.shop.do("DELETE", f"/stores/{self.shop.store_id}/products/{name}")
        assert answer.status in {204, 404}, answer.body
        if self.own.get(name):
            assert answer.status == 204
            self.own[name] = None

    def run(self, titles: dict[int, str], first: Any, second: Any) -> None:
        """The feed's next import, of a file with these titles."""
        rows = [
            {"id": f"p{n}", "title": f"{title} {n}", "price": str(n + 1), "brand": "Brand"}
            for n, title in titles.items()
        ]
        url = self.shop.server.put("/feed", csv(*rows))
        if self.feed is None:
            self.feed = self.shop.create(url)
        else:
            answer = self.shop.do("POST", f"/feeds/{self.feed['id']}/imports")
            assert answer.status == 202, answer.body
        self.shop.world.deliver_outbox()
        for tries, interruptions in enumerate((first, second, {}, {}), 1):
            self.work(interruptions, tries)
        self.file = {row["id"]: row["title"] for row in rows}
        shown = self.shop.get(f"/feeds/{self.feed['id']}")["latestImport"]
        assert (shown["status"], shown["error"]) == ("completed", None)
        assert shown["counts"]["rows"] == shown["counts"]["imported"] == len(rows)

    def work(self, interruptions: dict[int, Any], tries: int) -> None:
        """One run of the worker."""
        assert self.feed is not None
        wrong, feed = list[Exception](), self.feed
        clear_key_cache()
        try:
            with around_calls(self.stepping(interruptions, wrong)):
                resume(self.shop, feed, tries=tries)
        except Killed:
            return
        finally:
            if wrong:
                raise wrong[0]

    def stepping(self, interruptions: dict[int, Any], wrong: list[Exception]) -> Step:
        """Interrupts the worker's calls."""
        calls, inside = 0, False

        def step(_number: int, _operation: str, side: Side) -> None:
            nonlocal calls, inside
            if inside:
                return
            calls += side is Side.BEFORE
            what = interruptions.get(calls)
            if what == f"killed {side}":
                raise Killed
            if isinstance(what, tuple) and side is Side.BEFORE:
                inside = True
                try:
                    with another_container():
                        self.act(what)
                except Exception as error:
                    wrong.append(error)
                    raise
                finally:
                    inside = False

        return step

    def check(self) -> None:
        """The answers equal the dictionaries: the store's title is preferred to the feed's."""
        own = {name: stored[1] for name, stored in self.own.items() if stored}
        expected = {**self.file, **own}
        stored = says(self.shop)
        assert {name for name, (is_live, *_) in stored.items() if is_live} == expected.keys()
        for sort, reverse in (("title", False), ("-title", True)):
            found = self.pages(sort=sort)
            assert {row["externalId"]: row["title"] for row in found} == expected
            titles = [row["title"].lower() for row in found]
            assert titles == sorted(titles, reverse=reverse)
        removed = self.pages(status="removed")
        assert {row["externalId"] for row in removed} == stored.keys() - expected.keys()
        self.shop.world.deliver()
        for word in ("own", *"xyz"):
            named = {name for name, title in expected.items() if title.startswith(word)}
            assert {row["externalId"] for row in self.pages(q=word)} == named, word

    def pages(self, **query: object) -> list[dict[str, Any]]:
        """A list of products, page by page, with its total on each."""
        found, number = list[dict[str, Any]](), 1
        while True:
            answer = self.shop.get("/products", pageSize=10, page=number, **query)
            found += answer["items"]
            number += 1
            if len(found) >= answer["total"] or not answer["items"]:
                assert len(found) == answer["total"] == len({row["id"] for row in found})
                return found


@pytest.mark.parametrize("shard", SHARDS)
def test_random_history_matches_model(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, shard: int
) -> None:
    """Few by default, 1,000 with the profile of CI."""
    small_loads(monkeypatch)
    back: Callable[[], None] = shop.world.checkpoint()

    @settings(max_examples=500 if LONG else 2, deadline=None, derandomize=False, database=None)
    @given(STEPS)
    def run(steps: list[Any]) -> None:
        back()
        clear_key_cache()
        history = History(shop)
        for step in steps:
            history.act(step)
            history.check()

    (run if LONG else seed(shard)(run))()

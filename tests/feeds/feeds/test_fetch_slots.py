"""Previews and checks of feeds wait for others: a workspace runs four at once."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from unittest import mock

import pytest
from pynamodb.exceptions import UpdateError

from storepost.platform.budgets import slots
from storepost.platform.budgets.slots import FetchSlotsItem, fetch_slot, fetch_slots_key
from storepost.platform.persistence.item import amend, find
from storepost.values.scope import WorkspaceScope
from tests.feeds.feeds.feed_store import MAPPING, Shop
from tests.harness.budgeting import clock_at_rest
from tests.harness.world import Answer, World

SECONDS = 29
"""How long the function may take, by the template."""


@pytest.fixture
def running(shop: Shop) -> Iterator[ExitStack]:
    """Keeps the runs that the tests begin and don't end."""
    with ExitStack() as stack:
        yield stack


def preview(shop: Shop) -> Answer:
    """Requests the preview of a small feed."""
    url = shop.server.put("/feed", "id\na\n")
    return shop.do("POST", "/feeds/preview", {"storeId": shop.store_id, "url": url})


def check(shop: Shop) -> Answer:
    """Requests the check of a small feed."""
    url = shop.server.put("/feed", "id\na\n")
    body = {"storeId": shop.store_id, "url": url, "mode": "enrich_only"}
    return shop.do("POST", "/feeds/check", {**body, "mapping": {"id": MAPPING["id"]}})


def begin(running: ExitStack, workspace: WorkspaceScope, times: int) -> None:
    """Begins so many runs, which last until the test ends."""
    for _ in range(times):
        running.enter_context(fetch_slot(workspace, SECONDS * 1000))


def leases(shop: Shop) -> int:
    """How many leases the row has."""
    row = find(FetchSlotsItem, fetch_slots_key(shop.workspace))
    return len(row.leases) if row else 0


type Asking = Callable[[Shop], Answer]


@pytest.mark.parametrize("ask", [preview, check])
class TestLimit:
    """Four previews and checks together."""

    def test_fifth_run_is_refused(self, shop: Shop, running: ExitStack, ask: Asking) -> None:
        begin(running, shop.workspace, 3)
        assert ask(shop).status == 200, "the fourth"
        begin(running, shop.workspace, 1)
        refused = ask(shop)
        assert refused.problem() == (429, "rate_limited")
        assert refused.header("retry-after") == "15"
        assert "At most 4 previews and checks" in refused.json["detail"]
        assert leases(shop) == 4

    def test_ended_run_frees_slot(self, shop: Shop, running: ExitStack, ask: Asking) -> None:
        begin(running, shop.workspace, 3)
        for _ in range(5):
            assert ask(shop).status == 200
        assert leases(shop) == 3


class TestRelease:
    """However a run ends, its slot is free again."""

    def test_unreadable_feed_frees_slot(self, shop: Shop) -> None:
        answer = shop.do(
            "POST", "/feeds/preview", {"storeId": shop.store_id, "url": shop.server.put("/", "")}
        )
        assert answer.status == 422
        assert leases(shop) == 0

    @pytest.fixture(autouse=True)
    def _clock(self) -> Iterator[None]:
        with clock_at_rest():
            yield

    def test_slots_of_killed_runs_expire(self, shop: Shop) -> None:
        for run in "abcd":
            slots._Slots(shop.workspace, run).acquire(SECONDS * 1000 + 1000)
        assert preview(shop).status == 429
        shop.world.advance(seconds=SECONDS)
        refused = preview(shop)
        assert refused.status == 429
        assert refused.header("retry-after") == "1"
        shop.world.advance(seconds=1)
        assert preview(shop).status == 200
        assert find(FetchSlotsItem, fetch_slots_key(shop.workspace)) is None

    def test_late_release_does_not_restore_deleted_row(self, world: World, shop: Shop) -> None:
        """The workspace was deleted during the run."""
        with fetch_slot(shop.workspace, SECONDS * 1000):
            FetchSlotsItem(*fetch_slots_key(shop.workspace)).delete()
        assert find(FetchSlotsItem, fetch_slots_key(shop.workspace)) is None


class TestTable:
    """Faults and changes of the table meanwhile."""

    def test_slots_are_per_workspace(self, shop: Shop, running: ExitStack) -> None:
        begin(running, shop.world.workspace(shop.world.person()), 4)
        assert preview(shop).status == 200

    def test_throttled_table_lets_requests_pass(self, shop: Shop, running: ExitStack) -> None:
        begin(running, shop.workspace, 4)
        with mock.patch.object(slots, "find", side_effect=UpdateError("throttled")):
            assert preview(shop).status == 200

    def test_concurrent_acquisitions_are_both_counted(self, shop: Shop, running: ExitStack) -> None:
        begin(running, shop.workspace, 2)

        def second(*args: object) -> bool:
            patch.stop()
            begin(running, shop.workspace, 2)
            return amend(*args)  # type: ignore[arg-type]

        patch = mock.patch.object(slots, "amend", second)
        patch.start()
        assert preview(shop).problem() == (429, "rate_limited")
        assert leases(shop) == 4

    def test_lost_response_takes_one_slot(self, shop: Shop) -> None:
        def lost(*args: object) -> bool:
            patch.stop()
            amend(*args)  # type: ignore[arg-type]
            return False

        patch = mock.patch.object(slots, "amend", lost)
        patch.start()
        with fetch_slot(shop.workspace, SECONDS * 1000):
            assert leases(shop) == 1
        assert leases(shop) == 0

"""Postings that are written in number are stored in pages, where every reader finds them."""

from functools import partial
from math import ceil
from typing import Any
from uuid import UUID

import pytest

from local.events.pumps import StreamPump
from storepost.overview.search.indexing import posting_writes, write_batch
from storepost.platform.postings import packing, writing
from storepost.platform.postings.entries import Posting, SearchEntry, SearchKind
from storepost.platform.postings.finding import Query, find
from storepost.platform.postings.keys import Indexed
from storepost.platform.postings.pages import PostingFencesItem, PostingPageItem
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.rows import NoPostingItem, PostingItem
from storepost.platform.postings.runs import PostingRunsItem, Runs, RunsRepository
from storepost.platform.postings.writing import PostingWrites
from tests.catalog.products.sample import product, variant
from tests.harness.call_interruption import Side, around_calls, counted
from tests.harness.crash_points import crashes
from tests.harness.world import World
from tests.lifecycle.migrations.searched import Searched
from tests.lifecycle.workspaces.full_workspace import Home
from tests.overview.search.test_search import Library
from tests.platform.counted_tree.engine import size_of

PRODUCTS = 20
"""They have more than two hundred postings."""

COLOURS = ("amber", "blue", "coral", "denim")


class Shop(Library):
    """A workspace with many products at once."""

    def put(self, number: int, title: str, second: int = 0) -> None:
        """A product, updated at a second."""
        body = product(
            updatedAt=f"2026-03-01T10:30:{second:02}.000Z",
            locales=[{"locale": "de-AT", "title": title}],
            variants=[variant(sku=f"SKU {number}")],
        )
        path = f"/stores/{self.shop}/products/p-{number}"
        assert self.call("PUT", path, body).status in {200, 201}

    def load(self, numbers: range = range(PRODUCTS), second: int = 0) -> None:
        """Writes many products, whose records are in one batch of the stream."""
        for number in numbers:
            self.put(number, f"Vest {number} {COLOURS[number % len(COLOURS)]}", second)

    @property
    def runs(self) -> Runs:
        """The runs of products."""
        return RunsRepository(Indexed(self.workspace, SearchKind.PRODUCT)).find()

    @property
    def kinds(self) -> set[type[Any]]:
        """The kinds of the search's rows."""
        return {type(row) for row in self.world.rows(self.workspace.partition("search", "product"))}

    def vests(self) -> list[Posting]:
        """The postings of one word."""
        return list(PostingRepository(self.workspace, SearchKind.PRODUCT).of("vest"))

    def shown(self, q: str, **query: object) -> list[str]:
        """The titles of the products that a search finds, once the stream delivered them."""
        self.world.deliver()
        groups = self.get("/search", q=q, kinds="product", limit=10, **query)["groups"]
        return sorted(each["title"] for group in groups for each in group["items"])


@pytest.fixture
def shop(world: World) -> Shop:
    """A workspace whose products were written in number."""
    made = Shop(world)
    made.load()
    world.deliver()
    return made


def only_postings() -> StreamPump:
    """The stream from its beginning, for the reader that keeps the postings."""
    anew = StreamPump()
    anew.readers = [each for each in anew.readers if each.function.job == "search_postings"]
    return anew


class TestFound:
    """Postings in pages are found as postings in rows are."""

    def test_load_writes_only_pages(self, shop: Shop) -> None:
        assert PostingPageItem in shop.kinds
        assert PostingItem not in shop.kinds
        [run] = shop.runs.runs
        assert (run.is_sorted, shop.runs.begun, shop.runs.ended) == (False, (), ())

    @pytest.mark.parametrize(
        ("q", "titles"),
        [
            ("amb", [f"Vest {n} amber" for n in (0, 12, 16, 4, 8)]),
            ("coral vest 1", [f"Vest {n} coral" for n in (10, 14, 18)]),
            ("p-7", ["Vest 7 denim"]),
            ("SKU 13", ["Vest 13 blue"]),
            ("zzz", []),
        ],
    )
    def test_found_by_search(self, shop: Shop, q: str, titles: list[str]) -> None:
        assert shop.shown(q) == titles

    def test_found_in_list(self, shop: Shop) -> None:
        listing = shop.get("/products", q="amber", pageSize=10)
        assert listing["total"] == 5

    def test_orders_are_packed_too(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(writing, "MIN_PACKED", 2)
        for number in range(4):
            shop.order(shop.shop, str(number), number=f"#100{number}")
        shop.world.deliver()
        rows = shop.world.rows(shop.workspace.partition("search", "order"))
        assert PostingPageItem in set(map(type, rows))
        [group] = shop.get("/search", q="1002")["groups"]
        assert [each["title"] for each in group["items"]] == ["#1002"]

    def test_profiles_are_never_packed(
        self, library: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A deleted posting stays in a page until a merge, and no name may."""
        monkeypatch.setattr(writing, "MIN_PACKED", 2)
        for number in range(3):
            library.customer(library.shop, f"c-{number}", email=f"p{number}@example.com")
        library.world.deliver()
        found = library.world.rows(library.workspace.partition("search", "profile"))
        assert {type(row) for row in found} == {PostingItem}

    def test_few_postings_are_not_packed(self, library: Shop) -> None:
        library.load(range(3))
        library.world.deliver()
        assert library.kinds == {PostingItem}


@pytest.fixture
def library(world: World) -> Shop:
    """A workspace without products."""
    return Shop(world)


class TestSingleWrites:
    """A later single write takes precedence over the pages at once."""

    def test_changed_title(self, shop: Shop) -> None:
        shop.put(4, "Scarf", 1)
        assert shop.shown("scarf") == ["Scarf"]
        assert "Vest 4 amber" not in shop.shown("amber")
        assert "Scarf" not in shop.shown("vest")
        assert {PostingItem, NoPostingItem} <= shop.kinds

    def test_removed_product(self, shop: Shop) -> None:
        shop.call("DELETE", f"/stores/{shop.shop}/products/p-4")
        assert len(shop.shown("amber")) == 4
        assert shop.shown("SKU 4") == ["Vest 4 amber"]

    def test_restored_product(self, shop: Shop) -> None:
        shop.call("DELETE", f"/stores/{shop.shop}/products/p-4")
        shop.world.deliver()
        shop.put(4, "Vest 4 amber", 2)
        assert "Vest 4 amber" in shop.shown("amber")

    def test_later_load_takes_precedence(self, shop: Shop) -> None:
        """The load changes the titles, also those in rows and tombstones."""
        shop.put(4, "Scarf", 1)
        shop.world.deliver()
        shop.load(second=2)
        assert "Vest 4 amber" in shop.shown("amber")
        assert shop.shown("scarf") == []

    def test_rows_of_earlier_release_are_read_beside_pages(self, library: Shop) -> None:
        """They have no sequence: any page takes precedence over them."""
        library.put(50, "Older scarf")
        library.world.deliver()
        assert library.kinds == {PostingItem}
        library.load()
        assert library.shown("older") == ["Older scarf"]
        assert len(library.shown("amber")) == 5


class TestMerges:
    """Runs are merged into one."""

    @pytest.fixture(autouse=True)
    def often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Merges after two batches."""
        monkeypatch.setattr(packing, "MAX_UNSORTED_PAGES", 2)

    def test_runs_are_merged_at_limit_of_pages(self, shop: Shop) -> None:
        shop.load(second=1)
        shop.put(4, "Scarf", 2)
        shop.world.deliver()
        shop.load(range(20, 40))
        shop.world.deliver()
        [run] = shop.runs.runs
        assert run.is_sorted
        assert PostingFencesItem in shop.kinds
        assert len(shop.shown("amber")) == 9
        assert shop.shown("scarf") == ["Scarf"]

    def test_merged_pages_are_deleted_with_next_batch(self, shop: Shop) -> None:
        shop.load(range(20, 40))
        shop.world.deliver()
        assert len(shop.runs.ended) == 2
        shop.load(range(40, 60))
        shop.world.deliver()
        assert not shop.runs.ended
        stored = shop.world.rows(shop.workspace.partition("search", "product", "pages"))
        pages = [row for row in stored if isinstance(row, PostingPageItem)]
        assert len(pages) == sum(run.pages for run in shop.runs.runs)

    def test_pages_deleted_during_search(self, shop: Shop) -> None:
        """The search reads the row of runs once more."""
        expected = {each.id for each in shop.vests()}
        waiting = [range(20, 40), range(40, 60)]

        def load(_number: int, operation: str, side: Side) -> None:
            if operation == "BatchGetItem" and side is Side.BEFORE and len(waiting) == 2:
                while waiting:
                    shop.load(waiting.pop(0))
                    shop.world.deliver()

        with around_calls(load):
            found = {each.id for each in shop.vests()}
        assert not waiting
        assert stored_runs(shop).isdisjoint({1})
        assert found >= expected


class TestKilled:
    """A batch that is killed at any call, and delivered again."""

    def test_killed_at_any_call(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also while it merges; half an hour later no page is left that no reader needs."""
        monkeypatch.setattr(packing, "MAX_UNSORTED_PAGES", 2)
        shop = Shop(world)
        shop.load()
        world.deliver()
        shop.put(4, "Scarf", 1)
        world.deliver()
        shop.load(range(18, 38))
        shop.put(5, "Glove", 1)
        batch = _waiting(shop)
        found = crashes(world, lambda: write_batch(batch), deliver=False)
        assert len(found.positions) > 16
        for positions in found:
            write_batch(batch)
            repository = PostingRepository(shop.workspace, SearchKind.PRODUCT)
            words = {posting.word for posting in repository.beginning("")}
            assert {"scarf", "glove", "coral"} <= words, positions
            assert len(set(repository.of("vest"))) == 36, positions
            assert len(set(repository.of("amber"))) == 9, positions
            world.advance(minutes=31)
            write_batch(batch)
            write_batch(batch)
            assert not shop.runs.begun, positions
            read, ended = shop.runs.runs, shop.runs.ended
            named = {run.number for run in read} | {run.number for run in ended}
            assert stored_runs(shop) <= named, positions

    def test_redelivered_records(self, shop: Shop) -> None:
        """The stream is read again from its beginning: the results stay the same."""
        shop.put(4, "Scarf", 1)
        expected = shop.shown("vest"), shop.shown("scarf"), shop.shown("amber")
        assert only_postings().pump() > PRODUCTS
        assert (shop.shown("vest"), shop.shown("scarf"), shop.shown("amber")) == expected


def _waiting(shop: Shop) -> list[PostingWrites]:
    """The writes that the reader has to do for the stream's waiting records."""
    records = shop.world.records_for("search_postings")
    images = [
        (each["dynamodb"].get("OldImage"), each["dynamodb"].get("NewImage")) for each in records
    ]
    return [writes for old, new in images if (writes := posting_writes(old, new))]


def stored_runs(shop: Shop) -> set[int]:
    """The numbers of runs of which pages or fences are stored."""
    stored = shop.world.rows(shop.workspace.partition("search", "product", "pages"))
    return {int(row.sk.partition("#")[0]) for row in stored}


class TestDeletedWorkspaces:
    """A deleted workspace whose postings are in pages leaves nothing behind."""

    @pytest.fixture(autouse=True)
    def packed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Packs postings from two on."""
        monkeypatch.setattr(writing, "MIN_PACKED", 2)

    def test_no_row_remains(self, world: World) -> None:
        home = Home(world)
        home.fill()
        world.deliver()
        kinds = {type(row) for row in world.rows(home.workspace.partition("search"))}
        assert {PostingRunsItem, PostingPageItem} <= kinds
        home.delete()
        world.deliver()
        home.is_removed()

    def test_late_records_leave_no_row(self, world: World) -> None:
        """They leave neither pages nor tombstones."""
        home = Home(world)
        home.stock()
        home.delete()
        home.is_removed()
        world.deliver()
        assert home.left() == []

    def test_no_pages_are_started_after_deletion(self, world: World) -> None:
        home = Home(world)
        assert home.call("PUT", f"/stores/{home.shop}/products/p-1", product()).status == 201
        home.delete()
        only_postings().pump()
        rows = world.rows(home.workspace.partition("search", "product"))
        assert {type(row) for row in rows} == {PostingItem}


class TestRebuilds:
    """`make rebuild-search` where there are pages."""

    @pytest.fixture(autouse=True)
    def packed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Packs postings from two on."""
        monkeypatch.setattr(writing, "MIN_PACKED", 20)

    def test_lost_postings_are_restored(self, shop: Shop) -> None:
        expected = words_of(shop)
        for row in shop.world.rows(shop.workspace.partition("search", "product")):
            row.delete()
        assert shop.shown("vest") == []
        Searched(shop.world, shop.workspace).work()
        assert words_of(shop) == expected

    def test_stale_postings_are_deleted(self, shop: Shop) -> None:
        """Also if a page has it."""
        expected = words_of(shop)
        postings = PostingRepository(shop.workspace, SearchKind.PRODUCT)
        [somebody, *_] = postings.of("vest")
        stale = SearchEntry(
            SearchKind.PRODUCT, somebody.id, " ".join(f"old{n}" for n in range(30)), somebody.at
        )
        write_batch([postings.differences(None, stale)])
        assert words_of(shop) != expected
        Searched(shop.world, shop.workspace).work()
        assert words_of(shop) == expected


def words_of(shop: Shop) -> list[tuple[str, UUID, str]]:
    """All postings of products, as a search finds them."""
    postings = PostingRepository(shop.workspace, SearchKind.PRODUCT).beginning("")
    return [(each.word, each.id, each.text) for each in postings]


class TestCosts:
    """In units computed from the sizes of rows, as DynamoDB bills them."""

    def test_loaded_posting_takes_at_most_a_sixtieth_of_a_unit(self, shop: Shop) -> None:
        """A posting in a row takes one unit."""
        postings = len(words_of(shop))
        pages = [
            row.serialize()
            for row in shop.world.rows(shop.workspace.partition("search", "product", "pages"))
        ]
        units = sum(ceil(size_of(page) / 1024) for page in pages)
        assert postings > 200
        assert units <= postings / 60

    def test_search_takes_two_more_calls(self, shop: Shop) -> None:
        """One for the row of runs, and one for pages, however many words it has."""

        def find_all(q: str) -> None:
            find(PostingRepository(shop.workspace, SearchKind.PRODUCT), Query.of(q))

        for q in ("vest", "vest amber", "SKU 4"):
            calls = counted(partial(find_all, q))
            assert [each for each in calls if each != "Query"] == ["GetItem", "BatchGetItem"]

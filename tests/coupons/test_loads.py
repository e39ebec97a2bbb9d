"""Codes that are loaded: other writers use them before the coupon's list shows them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from botocore.client import BaseClient

from storepost.coupons import filling, trees
from storepost.coupons.codes import ALPHABET, CODE_LENGTH, code_id, new_seed, seeded_code
from storepost.coupons.loading import CodeLoad
from storepost.coupons.rows import CodeItem, CouponWorkItem
from storepost.coupons.trees import CodeList
from storepost.lifecycle.workspaces.commerce import delete_codes, delete_coupons
from storepost.platform.persistence.counted_tree import Packing
from storepost.platform.persistence.counted_tree.items import EntryItem, NodeItem
from tests.coupons.coupon_store import Shop, counts, day
from tests.harness.call_interruption import Killed, Side, around_calls, counted
from tests.harness.crash_points import Shard, crashes, in_shards
from tests.harness.faults import CONFLICT, FAULT, THROTTLED, FakeTime, faults, lost_answer, refusal

CODES = 36
TEXTS = [f"C-{n:02}" for n in range(CODES)]


@pytest.fixture(autouse=True)
def _small_chunks_and_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small, so that the codes are two chunks, and most of them are in pages."""
    monkeypatch.setattr(filling, "CODES_OF_A_CHUNK", 18)
    small = Packing(entries=5, fold_after=5, ends=2, node_fan_out=3)
    monkeypatch.setattr(trees, "PACKING", small)


@pytest.fixture
def coupon(shop: Shop) -> str:
    """A coupon whose codes are still to be stored; another one has a code of the file already."""
    shop.import_codes("c-07")
    shop.world.deliver()
    return str(shop.import_codes("\n".join(TEXTS)).json["id"])


def pages(shop: Shop, coupon: str) -> int:
    """How many leaves of the list have a page."""
    nodes, _ = CodeList(shop.workspace, UUID(coupon)).tree.rows.everything()
    return sum(node.page is not None for node in nodes)


@contextmanager
def before_calls(act: Callable[[int, str], None], every: int = 1) -> Iterator[None]:
    """Acts before each call of the worker, or each third; calls of the act itself don't count."""
    acting = False

    def step(number: int, operation: str, side: Side) -> None:
        nonlocal acting
        if side is Side.BEFORE and not acting and not number % every:
            acting = True
            try:
                act(number, operation)
            finally:
                acting = False

    with around_calls(step):
        yield


def killed_at_write(work: Callable[[], None]) -> None:
    """Kills the work after its first write."""
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(client: Any, operation: str, parameters: Any) -> Any:
        answer = plain(client, operation, parameters)
        if operation in {"TransactWriteItems", "BatchExecuteStatement"}:
            raise Killed
        return answer

    with mock.patch.object(BaseClient, "_make_api_call", call), suppress(Killed):
        work()


def test_counts_grow_with_each_part_of_chunk(shop: Shop, coupon: str) -> None:
    """A chunk has at most 5,000 codes, and a worker stores some 2,000 a second."""
    seen = [0]

    def look(_number: int, _operation: str) -> None:
        available = shop.counts(coupon)["available"]
        if available != seen[-1]:
            seen.append(available)

    with before_calls(look):
        shop.world.deliver()
    look(0, "")
    assert seen == sorted(seen)
    assert seen[-1] == CODES - 1
    assert 18 in seen[1:] or 17 in seen[1:]
    assert max(after - before for before, after in pairwise(seen)) <= 18


def test_most_codes_are_stored_in_pages(shop: Shop, coupon: str) -> None:
    """Otherwise no test here would be about pages."""
    shop.world.deliver()
    assert pages(shop, coupon) >= 4
    assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=CODES - 1)
    assert set(shop.texts(coupon)) == set(TEXTS) - {"C-07"}
    shop.check()


def test_rows_are_written_in_batches_without_reads(shop: Shop, coupon: str) -> None:
    calls = counted(lambda: shop.work(coupon))
    assert calls.count("BatchExecuteStatement") == 2
    assert calls.count("BatchGetItem") == 1


class TestKilled:
    """Killed before and after every call, and started again."""

    @in_shards(2)
    @pytest.mark.parametrize("kind", ["file", "made"])
    def test_killed_at_any_call_gives_same_rows_list_and_counts(
        self, shop: Shop, kind: str, shard: Shard
    ) -> None:
        """Some 60 states of two chunks, each stored to its end: 2 s a shard."""
        if kind == "file":
            shop.use("c-03")
            shop.import_codes("c-07")
            shop.world.deliver()
            made = shop.import_codes("\n".join(TEXTS[:22])).json["id"]
            expected = counts(available=20, used=1)
        else:
            made = shop.pool(22 + 38)
            expected = counts(available=60)
        found = crashes(shop.world, lambda: shop.work(made), deliver=False)
        texts = set[str]()
        for _ in found.shard(shard):
            shop.work(made)
            shop.work(made)
            after = shop.get(f"/coupons/{made}")
            assert after["codes"] == expected
            assert after["importSkipped"] == (1 if kind == "file" else None)
            texts |= {row.text for row in shop.code_rows()}
            assert len(texts) == (22 if kind == "file" else 60)
            shop.check()

    def test_repeated_run_generates_same_codes(self, shop: Shop) -> None:
        """Otherwise the rows of a killed run would be codes that no list has."""
        made = shop.pool(38 + 10)
        restore = shop.world.checkpoint(deliver=False)
        shop.work(made)
        first = {row.text for row in shop.code_rows()}
        restore()
        shop.work(made)
        assert {row.text for row in shop.code_rows()} == first


class TestConcurrentWriters:
    """Other writers while a chunk is written and listed."""

    def test_orders_use_codes_at_any_moment(self, shop: Shop, coupon: str) -> None:
        """Before each call an order uses another code: one not stored, stored, or listed."""
        used = list[str]()

        def use(_number: int, _operation: str) -> None:
            if len(used) < CODES:
                text = TEXTS[len(used)]
                shop.use(text.lower(), order=f"o-{text}")
                used.append(text)

        with before_calls(use):
            shop.work(coupon)
        assert len(used) >= 20
        used_here = len(set(used) - {"C-07"})
        after = shop.get(f"/coupons/{coupon}")["codes"]
        assert after == counts(used=used_here, available=CODES - 1 - used_here)
        shop.check()

    def test_order_with_several_codes_not_listed_yet(self, shop: Shop, coupon: str) -> None:
        self._die_before_the_list(shop, coupon)
        shop.use("C-00", "C-01", "C-02", at=2)
        shop.use("C-02", "C-03", order="earlier", at=1)
        shop.work(coupon)
        expected = counts(used=4, available=CODES - 5)
        assert shop.get(f"/coupons/{coupon}")["codes"] == expected
        [code] = [row for row in shop.code_rows() if row.text == "C-02"]
        assert code.use[2] == day(1)
        shop.check()

    def test_counts_and_pages_are_exact_at_any_moment(self, shop: Shop, coupon: str) -> None:
        seen = set[int]()

        def read(_number: int, _operation: str) -> None:
            counted_now = shop.get(f"/coupons/{coupon}")
            codes, skipped = counted_now["codes"], counted_now["importSkipped"]
            assert codes["available"] + codes["pending"] + skipped == CODES
            listed = shop.codes(coupon)
            assert len(listed) == codes["available"]
            assert {code["status"] for code in listed} <= {"available"}
            seen.add(codes["available"])

        with before_calls(read, every=4):
            shop.work(coupon)
        assert {0, CODES - 1} < seen | {CODES - 1}
        assert len(seen) > 3

    def test_code_not_listed_yet_is_not_found(self, shop: Shop, coupon: str) -> None:
        """It can't be deleted either, and a file can't add it a second time."""
        shop.use("c-03", order="before")
        self._die_before_the_list(shop, coupon)
        assert len(shop.code_rows()) > 1
        path = f"/coupon-codes/{code_id(UUID(shop.store_id), 'C-05')}"
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(pending=CODES)
        assert shop.texts(coupon, q="C-05") == []
        for method in ("GET", "DELETE"):
            assert shop.call(method, path).problem() == (404, "not_found")
        assert shop.import_codes("C-05").problem() == (422, "no_valid_codes")
        shop.work(coupon)
        expected = counts(available=CODES - 2, used=1)
        assert shop.get(f"/coupons/{coupon}")["codes"] == expected
        shop.check()

    def test_codes_are_assigned_as_soon_as_they_are_listed(self, shop: Shop, coupon: str) -> None:
        ann, codes = shop.person(), list[str]()

        def assign(number: int, _operation: str) -> None:
            answer = shop.assign(coupon, ann, f"mail-{number}")
            if answer.status == 201:
                codes.append(answer.json["code"])
            else:
                assert answer.problem() == (409, "no_codes_left")

        with before_calls(assign, every=4):
            shop.work(coupon)
        assert len(codes) == len(set(codes)) > 3
        assert shop.counts(coupon) == counts(available=CODES - 1 - len(codes), assigned=len(codes))
        shop.check()

    @pytest.mark.parametrize("listed", [False, True])
    def test_coupon_ends_during_load(self, shop: Shop, coupon: str, listed: bool) -> None:
        """Chunks that were started are stored and expire; the rest is never stored."""

        def end() -> None:
            assert shop.call("POST", f"/coupons/{coupon}/end").status == 200

        if listed:
            self._once(shop, coupon, "TransactWriteItems", 3, end)
        else:
            self._once(shop, coupon, "BatchExecuteStatement", 1, end)
        shop.world.deliver()
        after = shop.get(f"/coupons/{coupon}")
        assert after["codes"]["expired"] + after["importSkipped"] == CODES
        assert after["codes"] == counts(expired=after["codes"]["expired"])
        assert {row.status for row in shop.code_rows() if row.text != "c-07"} == {"expired"}
        shop.check()

    def test_concurrent_run_of_same_coupon(self, shop: Shop, coupon: str) -> None:
        """The first one pauses meanwhile, before it writes rows or lists some of them."""
        restore = shop.world.checkpoint(deliver=False)
        for operation, which in (("BatchExecuteStatement", 1), ("TransactWriteItems", 3)):
            restore()
            self._once(shop, coupon, operation, which, lambda: shop.work(coupon))
            expected = counts(available=CODES - 1)
            assert shop.get(f"/coupons/{coupon}")["codes"] == expected
            assert shop.get(f"/coupons/{coupon}")["importSkipped"] == 1
            shop.check()

    def test_concurrent_run_is_killed_after_its_first_write(self, shop: Shop, coupon: str) -> None:
        """Before each call of the first one, the second one writes once and is killed."""

        def write_once(_number: int, _operation: str) -> None:
            killed_at_write(lambda: shop.work(coupon))

        with before_calls(write_once):
            shop.work(coupon)
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=CODES - 1)
        shop.check()

    def test_codes_deleted_once_listed_are_not_stored_again(self, shop: Shop, coupon: str) -> None:
        """A run that resumes must not store them again."""
        deleted = list[str]()

        def delete(_number: int, _operation: str) -> None:
            for code in shop.codes(coupon)[-1:]:
                assert shop.call("DELETE", f"/coupon-codes/{code['id']}").status == 204
                deleted.append(code["code"])

        with before_calls(delete, every=4):
            shop.work(coupon)
        assert len(set(deleted)) == len(deleted) > 3
        assert set(shop.texts(coupon)) == set(TEXTS) - {"C-07", *deleted}
        shop.check()

    def test_late_rows_are_deleted(self, shop: Shop, coupon: str) -> None:
        """A run pauses before it writes rows; another lists them all, and some are deleted.

        The first run's late rows would be codes that no list shows, and that no file could add
        again.
        """
        deleted = list[str]()

        def overtake() -> None:
            shop.work(coupon)
            for code in shop.codes(coupon)[::5]:
                assert shop.call("DELETE", f"/coupon-codes/{code['id']}").status == 204
                deleted.append(code["code"])

        self._once(shop, coupon, "BatchExecuteStatement", 1, overtake)
        shop.check()
        remaining = CODES - 1 - len(deleted)
        assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=remaining)
        again = str(shop.import_codes("\n".join(deleted)).json["id"])
        shop.world.deliver()
        assert sorted(shop.texts(again)) == sorted(deleted)
        assert len(deleted) > 3
        shop.check()

    def test_coupon_deleted_with_workspace_during_load(self, shop: Shop, coupon: str) -> None:
        """The worker ends without a list, and deletes its rows again.

        If it is killed before, the rows are where the workspace's deletion looks a second time.
        """

        def remove() -> None:
            delete_codes(shop.workspace)
            delete_coupons(shop.workspace)

        restore = shop.world.checkpoint(deliver=False)
        self._once(shop, coupon, "BatchExecuteStatement", 1, remove)
        assert shop.code_rows() == []
        restore()
        with mock.patch.object(CodeLoad, "take_back_late_rows"):
            self._once(shop, coupon, "BatchExecuteStatement", 1, remove)
        assert len(shop.code_rows()) > 1
        remove()
        kinds = {type(row) for row in shop.world.rows(shop.workspace.key)}
        assert not kinds & {CodeItem, CouponWorkItem, EntryItem, NodeItem}

    def _once(
        self, shop: Shop, coupon: str, operation: str, which: int, act: Callable[[], None]
    ) -> None:
        seen = list[str]()

        def step(_number: int, called: str) -> None:
            seen.append(called)
            if called == operation and seen.count(operation) == which:
                act()

        with before_calls(step):
            shop.work(coupon)
        assert seen.count(operation) >= which

    def _die_before_the_list(self, shop: Shop, coupon: str) -> None:
        """Kills the worker once all rows of a chunk are written."""
        seen = list[str]()

        def die(_number: int, called: str) -> None:
            seen.append(called)
            if called == "TransactWriteItems" and "BatchExecuteStatement" in seen:
                raise Killed

        with before_calls(die), pytest.raises(Killed):
            shop.work(coupon)


@pytest.mark.parametrize("error", [CONFLICT, FAULT, *map(refusal, THROTTLED)])
@pytest.mark.parametrize("operation", ["BatchExecuteStatement", "TransactWriteItems"])
def test_throttled_or_conflicting_calls_are_retried(
    shop: Shop, coupon: str, fake_time: FakeTime, operation: str, error: Any
) -> None:
    if error is CONFLICT and operation != "TransactWriteItems":
        return
    with faults(error, operation, times=6):
        shop.work(coupon)
    assert fake_time.waits
    assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=CODES - 1)
    shop.check()


@pytest.mark.parametrize(
    "operation", ["BatchExecuteStatement", "BatchWriteItem", "TransactWriteItems"]
)
@pytest.mark.usefixtures("fake_time")
def test_lost_responses(shop: Shop, coupon: str, operation: str) -> None:
    with lost_answer(operation, times=5) as met:
        shop.work(coupon)
    assert met.met == 5
    assert shop.get(f"/coupons/{coupon}")["codes"] == counts(available=CODES - 1)
    assert shop.get(f"/coupons/{coupon}")["importSkipped"] == 1
    shop.check()


def test_work_row_of_earlier_release_gets_a_seed(shop: Shop) -> None:
    """An earlier release drew codes as it stored them, so its requests have no seed."""
    made = shop.pool(38 + 30)
    [work] = [r for r in shop.world.rows(shop.workspace.key) if isinstance(r, CouponWorkItem)]
    work.update([CouponWorkItem.seed.remove()])
    shop.world.deliver()
    assert shop.get(f"/coupons/{made}")["codes"] == counts(available=68)
    shop.check()


class TestSeeds:
    """Codes that are derived from a secret."""

    def test_codes_depend_on_the_seed(self) -> None:
        seed = new_seed()
        first = [seeded_code("A-", seed, number) for number in range(1000)]
        assert first == [seeded_code("A-", seed, number) for number in range(1000)]
        assert len(set(first)) == 1000
        assert not {*first} & {seeded_code("A-", new_seed(), number) for number in range(1000)}

    def test_seeded_codes_look_like_random_ones(self) -> None:
        seed = new_seed()
        codes = [seeded_code(None, seed, number) for number in range(2000)]
        assert {len(code) for code in codes} == {CODE_LENGTH}
        for place in range(CODE_LENGTH):
            assert {code[place] for code in codes} == set(ALPHABET)

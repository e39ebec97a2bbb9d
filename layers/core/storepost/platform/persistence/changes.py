"""The unit of work: all writes of a request or message, collected, then committed together.

A service adds each write together with the problem to raise if its condition fails. Nothing is
written before `commit`, which is one transaction: it writes everything or nothing.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from storepost.platform.persistence.item import Item, Key, VersionedItem
from storepost.platform.persistence.patience import wait
from storepost.platform.persistence.reads import ReadAhead, Reads
from storepost.platform.persistence.recorded_reads import Raw, as_it_was
from storepost.platform.persistence.row import Row
from storepost.platform.persistence.transaction import (
    MAX_ITEMS,
    Order,
    OtherWay,
    TooManyWrites,
    Write,
    send,
)
from storepost.platform.persistence.unknown import Place, unknown_attributes
from storepost.platform.persistence.write_marks import mark_put, mark_update
from storepost.values.logs import log_unexpected
from storepost.values.problems import Conflict

__all__ = [
    "MAX_ITEMS",
    "MAX_RUNS",
    "Changes",
    "LostRace",
    "TooManyWrites",
    "WrittenTwice",
    "commit_anew",
    "until_won",
    "wait_before",
]

MAX_RUNS = 12
_WAIT_SECONDS = 0.02


class WrittenTwice(ValueError):  # noqa: N818 - as LostRace
    """The unit writes one row twice, which no transaction can do."""


class LostRace(Exception):  # noqa: N818 - it is a race that was lost, not an error
    """Another writer changed rows that this unit was decided on: read again and decide again."""


@dataclass(frozen=True)
class _Step:
    """A step that adds writes at the start of the commit, and how many items it will add."""

    run: Callable[[], None]
    items: Callable[[], int]


def _never() -> bool:
    return False


@dataclass(frozen=True)
class _LaterStep:
    """A step after the commit, and whether it may wait until the next unit is collected."""

    run: Callable[[], None]
    may_wait: Callable[[], bool]


class Changes:
    """The writes of one unit of work."""

    def __init__(self, reads: Reads | None = None) -> None:
        """Begins with nothing to write; `reads` reads the rows that the unit decides on."""
        self.reads = reads or Reads()
        self._writes: dict[Place, Write] = {}
        self._before: list[_Step] = []
        self._after: list[_LaterStep] = []
        self._other_ways: list[OtherWay] = []
        self._shared: dict[Hashable, object] = {}
        self._seen: Mapping[Key, Raw | None] = {}
        self.is_written = False
        """Whether the transaction was written."""

    def __len__(self) -> int:
        """Returns how many items the transaction has so far."""
        return len(self._writes)

    @property
    def items(self) -> int:
        """Returns how many items the transaction will have, with those that the commit adds."""
        return len(self) + sum(step.items() for step in self._before)

    @property
    def is_empty(self) -> bool:
        """Returns whether nothing is to be written; unlike `items` it reads no list."""
        return not self._writes and not self._before

    def create(self, item: Row, on_conflict: Exception | None = None) -> None:
        """Writes a row that must not exist yet."""
        unknown_attributes.forget(item.place)
        self.save(item, Item.pk.does_not_exist(), on_conflict)

    def save(
        self, item: Row, condition: Condition | None = None, on_conflict: Exception | None = None
    ) -> None:
        """Writes the whole row; a versioned one only if no other writer changed it.

        If the row was read, it keeps the attributes that another release gave it.
        """
        mark_put(item)
        self._add(
            Order.PUT,
            item,
            lambda tx: tx.save(item, condition=self._as_seen(item, condition)),
            on_conflict,
        )

    def update(
        self,
        item: Row,
        actions: list[Action],
        condition: Condition | None = None,
        on_conflict: Exception | None = None,
    ) -> None:
        """Changes some attributes of the row, whatever its version is, and increments the version.

        PynamoDB writes version 1 for a row that wasn't read. A save that another writer's change
        should refuse would then pass. PynamoDB also adds to the list of actions at every attempt.
        """
        if isinstance(item, VersionedItem) and item.version is None:
            item.version = 0
        marked = [*actions, *mark_update(item)]
        self._add(
            Order.UPDATE,
            item,
            lambda tx: tx.update(
                item,
                list(marked),
                condition=self._as_seen(item, condition),
                add_version_condition=False,
            ),
            on_conflict,
        )

    def delete(
        self, item: Row, condition: Condition | None = None, on_conflict: Exception | None = None
    ) -> None:
        """Deletes the row; a versioned one that was read only if no other writer changed it."""
        unknown_attributes.forget(item.place)
        # For a row that wasn't read, PynamoDB would demand that it has no version.
        by_version = isinstance(item, VersionedItem) and item.version is not None
        self._add(
            Order.DELETE,
            item,
            lambda tx: tx.delete(
                item,
                condition=self._as_seen(item, condition),
                add_version_condition=by_version,
            ),
            on_conflict,
        )

    def expect(self, item: Row, condition: Condition, on_conflict: Exception | None = None) -> None:
        """Adds a condition on a row that this unit doesn't write."""
        model, (pk, sk) = type(item), item.key
        self._add(
            Order.CHECK, item, lambda tx: tx.condition_check(model, pk, sk, condition), on_conflict
        )

    def expect_unchanged(self, rows: Mapping[Key, Raw | None]) -> None:
        """Demands that those of these rows that the unit writes are still as they were read."""
        self._seen = rows

    def has(self, item: Row) -> bool:
        """Returns whether this unit writes the row, or has a condition on it."""
        return item.place in self._writes

    def shared[T](self, under: Hashable, make: Callable[[], T]) -> T:
        """Returns an object that several writes of this unit share; the first of them makes it."""
        if under not in self._shared:
            self._shared[under] = make()
        return cast("T", self._shared[under])

    def before_commit(self, step: Callable[[], None], items: Callable[[], int]) -> None:
        """Runs `step` at the start of the commit: it may add writes that depend on all the others.

        `items` returns how many items it would add now.
        """
        self._before.append(_Step(step, items))

    def after_commit(self, step: Callable[[], None], may_wait: Callable[[], bool] = _never) -> None:
        """Runs `step` after the commit. It may fail or never run: nothing may depend on it.

        `may_wait` returns whether the next unit may be collected before that.
        """
        self._after.append(_LaterStep(step, may_wait))

    @property
    def may_be_followed(self) -> bool:
        """Returns whether the next unit may be collected before the steps after the commit."""
        return all(step.may_wait() for step in self._after)

    def where_contended(self, take: Callable[[], None], items: Iterable[Row] | None = None) -> None:
        """Runs `take` if another transaction has one of the rows, before the retry.

        `items` None means any row of the unit. `take` may withdraw writes and add others, or raise
        an error that ends the unit. Without it the transaction waits for the other one.
        """
        keys = None if items is None else frozenset(item.key for item in items)
        self._other_ways.append(OtherWay(keys, take))

    def withdraw(self, item: Row) -> None:
        """Removes the write of a row from the unit."""
        del self._writes[item.place]

    def clear(self) -> None:
        """Drops everything, for another attempt."""
        self._writes.clear()
        self._before.clear()
        self._after.clear()
        self._other_ways.clear()
        self._shared.clear()
        self._seen = {}

    def complete(self) -> None:
        """Adds the writes that `before_commit` left to the commit. Raises TooManyWrites."""
        self._complete()
        if len(self) > MAX_ITEMS:
            raise TooManyWrites(f"a unit of {len(self)} items")

    def commit(self) -> None:
        """Writes everything in one transaction.

        Raises the problem of the first write whose condition failed, or `LostRace` if that write
        has none.
        """
        self._complete()
        send(self._writes, self._other_ways)
        self.conclude()

    def write_unit(self) -> None:
        """Writes everything as `commit` does, and leaves the steps after it to `conclude`."""
        self._complete()
        send(self._writes, self._other_ways)
        self.is_written = True

    def conclude(self) -> None:
        """Runs the steps after the commit, each once."""
        after, self._after = self._after, []
        for step in after:
            try:
                step.run()
            except Exception as error:  # all is written: the answer is right all the same
                log_unexpected(error)

    def _complete(self) -> None:
        for step in self._before:
            step.run()
        self._before.clear()
        self._shared.clear()

    def _as_seen(self, item: Row, condition: Condition | None) -> Condition | None:
        """Returns the condition, with the one of `expect_unchanged` where that applies."""
        if not self._seen or item.key not in self._seen:
            return condition
        seen = as_it_was(self._seen[item.key])
        return seen if condition is None else condition & seen

    def _add(
        self,
        order: Order,
        item: Row,
        add_to: Callable[[TransactWrite], None],
        on_conflict: Exception | None,
    ) -> None:
        place = item.place
        if place in self._writes:
            raise WrittenTwice(f"two writes of one {type(item).__name__} in one transaction")
        _, key = place
        if order is not Order.CHECK:
            self.reads.mark_dirty(key)
        self._writes[place] = Write(order, key, add_to, on_conflict or LostRace())


def wait_before(run: int) -> None:
    """Waits before work that lost a race is repeated; `run` 0 is the first. Raises Busy."""
    if run:
        wait(run, _WAIT_SECONDS)


def until_won[T](work: Callable[[], T], reload: Callable[[], None] | None = None) -> T:
    """Runs `work`, and again if it loses a race; `reload` runs before each repetition.

    Raises Conflict where other writers go on changing the same rows.
    """
    for run in range(MAX_RUNS):
        wait_before(run)
        with suppress(LostRace):
            return work()
        if reload:
            reload()
    raise Conflict()


def commit_anew[T](work: Callable[[Changes], T], reads: ReadAhead | None = None) -> T:
    """Runs `work` and commits its changes; repeats both after a lost race. Raises Conflict.

    `reads` has rows that were read ahead; it is emptied after a lost race.
    """

    def commit() -> T:
        changes = Changes(reads)
        result = work(changes)
        changes.commit()
        return result

    return until_won(commit, reads.clear if reads else None)

"""Rows that say what kind of work wrote them last.

A pull, a batch, a feed's import or a list of consents writes the same rows as single requests do,
and so does the upkeep after a merge or an erasure. A reader of the table's stream distinguishes
these writes by a mark in the row: the mark in an image is that of the write that made the image.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.update import Action

from storepost.platform.persistence.item import Item
from storepost.values.stored_enum import StoredEnum


class WriteMark(StoredEnum):
    """What kind of work wrote a row, where that was no single request.

    `import`: a pull, a batch, a feed's import or a list of consents. `upkeep`: a worker that
    moves or removes rows after a merge or an erasure; nobody sees a change by that.
    """

    IMPORT = "import"
    UPKEEP = "upkeep"


_mark: ContextVar[WriteMark | None] = ContextVar("write_mark", default=None)


class MarkedItem(Item):
    """A row that says what kind of work wrote it last."""

    written_by = UnicodeAttribute(null=True)
    """A WriteMark; None for a single request."""


@contextmanager
def marking(mark: WriteMark | None) -> Iterator[None]:
    """Marks the rows that are written inside the block; None leaves them without a mark."""
    token = _mark.set(mark)
    try:
        yield
    finally:
        _mark.reset(token)


def written_by() -> WriteMark | None:
    """Returns the mark of the current block; None outside of one."""
    return _mark.get()


def mark_put(item: object) -> None:
    """Sets the mark of a row that is about to be put, if it has one."""
    if isinstance(item, MarkedItem):
        item.written_by = _mark.get()


def mark_update(item: object) -> list[Action]:
    """Returns an update's actions on the row's mark; none if the row has none."""
    if not isinstance(item, MarkedItem):
        return []
    mark = _mark.get()
    return [MarkedItem.written_by.set(mark) if mark else MarkedItem.written_by.remove()]

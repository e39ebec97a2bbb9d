"""A row's mark names the kind of work that wrote it last, and counts for that write only."""

from collections.abc import Callable

import pytest

from storepost.orders.repository import DeletedOrderItem, OrderItem
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import Item, find
from storepost.platform.persistence.write_marks import WriteMark, marking
from storepost.values import clock
from storepost.values.ids import new_id
from tests.harness.world import World

KEY = ("workspace#marks", "order")
ID = new_id()


def put(changes: Changes) -> None:
    """Writes the whole row, also if it was read with another write's mark."""
    row = find(OrderItem, KEY) or OrderItem(*KEY)
    row.id, row.store_id, row.external_id = ID, ID, "o-1"
    row.updated_at = clock.now()
    changes.save(row)


def update(changes: Changes) -> None:
    """Changes an attribute of the row, as movers do."""
    changes.update(OrderItem(*KEY), [OrderItem.number.set("#1")], OrderItem.pk.exists())


def mark() -> str | None:
    """The row's mark."""
    raw = Item._get_connection().get_item(*KEY, consistent_read=True)["Item"]
    return raw.get("written_by", {}).get("S")  # type: ignore[no-any-return]


@pytest.mark.parametrize("write", [put, update])
@pytest.mark.parametrize("kind", WriteMark)
class TestMark:
    def test_is_set_while_marking_and_cleared_by_the_next_write(
        self, world: World, kind: WriteMark, write: Callable[[Changes], None]
    ) -> None:
        commit_anew(put)
        assert world.rows(KEY[0])
        assert mark() is None
        with marking(kind):
            commit_anew(write)
            assert mark() == kind
        commit_anew(write)
        assert mark() is None

    def test_is_not_set_after_the_marking_work_failed(
        self, world: World, kind: WriteMark, write: Callable[[Changes], None]
    ) -> None:
        commit_anew(put)
        assert world.rows(KEY[0])
        with pytest.raises(RuntimeError), marking(kind):
            raise RuntimeError
        commit_anew(write)
        assert mark() is None


def test_row_of_a_kind_without_marks_is_not_marked(world: World) -> None:
    with marking(WriteMark.IMPORT):
        commit_anew(lambda changes: changes.save(DeletedOrderItem(*KEY)))
    [row] = world.rows(KEY[0])
    assert set(row.serialize()) == {"pk", "sk", "kind"}

"""Writers of postings beside the stream's reader, at its worst moment."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from storepost.platform.persistence.changes import Changes
from storepost.platform.postings import writing
from storepost.platform.postings.entries import SearchEntry, SearchKind
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.writing import write_together
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import Side, around_calls

KIND = SearchKind.PRODUCT
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def expect_nothing(_changes: Changes, _workspace: WorkspaceScope) -> None:
    """The workspace exists."""


def entry(number: int, title: str) -> SearchEntry:
    """A product."""
    return SearchEntry(KIND, UUID(int=number), title, MOMENT)


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
@pytest.mark.parametrize("side", list(Side))
def test_row_of_an_old_sequence_hides_no_newer_one(
    monkeypatch: pytest.MonkeyPatch, operation: str, side: Side
) -> None:
    """A rebuild read the newest state; the stream delivers two writes, as a page and then a row."""
    monkeypatch.setattr(writing, "MIN_PACKED", 2)
    workspace = WorkspaceScope(uuid4())
    repository = PostingRepository(workspace, KIND)
    earlier = [repository.differences(None, entry(number, "scarf")) for number in (1, 2)]
    write_together(earlier, expect_nothing)
    older, newer = entry(3, "vest"), entry(3, "vest amber")
    waiting = [True]

    def meanwhile(_number: int, called: str, moment: Side) -> None:
        if waiting and (called, moment) == (operation, side):
            waiting.pop()
            differing = [repository.differences(None, each) for each in (older, entry(4, "glove"))]
            write_together(differing, expect_nothing)
            write_together([repository.differences(older, newer)])

    with around_calls(meanwhile):
        repository.write_all([((), newer)])
    assert not waiting
    found = PostingRepository(workspace, KIND)
    assert [posting.text for posting in found.of("vest")] == ["vest amber\n"]
    assert [posting.text for posting in found.of("amber")] == ["vest amber\n"]

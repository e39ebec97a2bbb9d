"""The stream's reader: updates the postings of the rows that are searched.

A row's records arrive in order, and those that failed arrive again with all that followed them. So
the postings end in the row's state, however often a record arrives. Those of a batch are written
together, for all of its rows: many products' and orders' as pages, all others as rows, 25 a call.
"""

from collections.abc import Sequence

from storepost.accounts.workspaces.problems import NoActiveWorkspace
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.overview.search.sources import entry_of
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.streams import Image, row_of
from storepost.platform.postings.repository import PostingRepository
from storepost.platform.postings.writing import PostingWrites, write_together
from storepost.values.scope import WorkspaceScope


def posting_writes(before: Image | None, after: Image | None) -> PostingWrites | None:
    """Returns the changes of a row's postings from its former state to its new one.

    An image is None if there is no row.
    """
    old, new = (entry_of(row_of(image)) for image in (before, after))
    changed = new or old
    image = after or before
    if changed is None or image is None or old == new:
        return None
    workspace = WorkspaceScope.of(image["pk"]["S"])
    return PostingRepository(workspace, changed.kind).differences(old, new)


def expect_live(changes: Changes, workspace: WorkspaceScope) -> None:
    """Demands that a workspace exists: whatever gets pages must be removed with it."""
    WorkspaceRepository(workspace).expect_live(changes)


def write_batch(writes: Sequence[PostingWrites]) -> None:
    """Writes the postings of a batch of the stream.

    In a deleted workspace it writes rows alone, which the records of the removal delete again.
    """
    try:
        write_together(writes, expect_live)
    except NoActiveWorkspace:
        write_together(writes)

"""The stream's reader: the postings follow the rows that are searched.

A row's records come in order, and those that failed come again with all that followed them. So the
postings end where the row is, however often a record comes.
"""

from collections.abc import Mapping
from typing import Any

from storepost.persistence.item import Item
from storepost.scope import WorkspaceScope
from storepost.search.repository import PostingRepository
from storepost.search.sources import entry_of

type Image = Mapping[str, Any]
"""A row in DynamoDB's own notation."""


def follow(before: Image | None, after: Image | None) -> None:
    """Brings the postings of a row from what it was to what it is; None where it isn't there."""
    old, new = (entry_of(_row(image)) for image in (before, after))
    changed = new or old
    image = after or before
    if changed is None or image is None or old == new:
        return
    workspace = WorkspaceScope.of(image["pk"]["S"])
    PostingRepository(workspace, changed.kind).follow(old, new)


def _row(image: Image | None) -> Item | None:
    return Item.from_raw_data(dict(image)) if image else None

"""The stream's reader: the postings follow the rows that are searched.

A row's records come in order, and those that failed come again with all that followed them. So the
postings end where the row is, however often a record comes.
"""

from base64 import b64decode
from typing import Any

from storepost.overview.search.sources import entry_of
from storepost.platform.persistence.item import Item
from storepost.platform.persistence.streams import Image
from storepost.platform.postings.repository import PostingRepository
from storepost.values.scope import WorkspaceScope


def update_index(before: Image | None, after: Image | None) -> None:
    """Brings the postings of a row from what it was to what it is; None where it isn't there."""
    old, new = (entry_of(row_of(image)) for image in (before, after))
    changed = new or old
    image = after or before
    if changed is None or image is None or old == new:
        return
    workspace = WorkspaceScope.of(image["pk"]["S"])
    PostingRepository(workspace, changed.kind).update_index(old, new)


def row_of(image: Image | None) -> Item | None:
    """The row of an image; Lambda hands binaries over as base64."""
    if not image:
        return None
    return Item.from_raw_data({name: _value(value) for name, value in image.items()})


def _value(value: dict[str, Any]) -> dict[str, Any]:
    binary = value.get("B")
    return {"B": b64decode(binary)} if isinstance(binary, str) else value

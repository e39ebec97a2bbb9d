"""Finds what the rows of a list refer to, for a worker that removes the list; reads no nodes."""

from dataclasses import dataclass
from uuid import UUID

from storepost.platform.persistence.counted_tree.items import BEFORE_KEYS, PageItem
from storepost.platform.persistence.counted_tree.keys import id_of
from storepost.platform.persistence.item import Key, find_all, keys_in


@dataclass(frozen=True)
class ListedRow:
    """A row of a list: an entry, a tombstone or a page."""

    key: Key
    ids: tuple[UUID, ...]
    """The ids that its entries refer to. Some of those records may be gone already."""


def listed_rows(partition: str, limit: int) -> list[ListedRow]:
    """Returns the first rows of a list. A page, which has many entries, is returned alone."""
    found: list[ListedRow] = []
    for key in keys_in(partition, limit):
        if BEFORE_KEYS not in key[1]:
            found.append(ListedRow(key, (id_of(key[1]),)))
            continue
        if not found:
            found.append(ListedRow(key, _ids_of_page(key)))
        break
    return found


def _ids_of_page(key: Key) -> tuple[UUID, ...]:
    page = find_all([key]).get(key)
    if not isinstance(page, PageItem):
        return ()
    keys: list[str] = page.entries[0]
    return tuple(map(id_of, keys))

"""Says what the rows of a list lead to, for whoever removes the list: it reads no nodes."""

from dataclasses import dataclass
from uuid import UUID

from storepost.platform.persistence.counted_tree.items import BEFORE_KEYS, PageItem
from storepost.platform.persistence.counted_tree.keys import id_of
from storepost.platform.persistence.item import Key, find_all, keys_in


@dataclass(frozen=True)
class ListedRow:
    """A row of a list: an entry, one that says that an entry is gone, or a page."""

    key: Key
    ids: tuple[UUID, ...]
    """What its entries are of. Some of it may be gone already."""


def listed_rows(partition: str, limit: int) -> list[ListedRow]:
    """Returns the first rows of a list. A page stands alone: it has more entries than many rows."""
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

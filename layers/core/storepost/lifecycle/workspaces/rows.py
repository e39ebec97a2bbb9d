"""Deletes rows of any kind: some at a time, and again until none is left."""

from collections.abc import Iterable
from functools import partial
from itertools import batched

from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import Tree
from storepost.platform.persistence.counted_tree.listed import ListedRow, listed_rows
from storepost.platform.persistence.item import Item, Key, keys_in

ROWS_AT_ONCE = 80
"""Rows per transaction."""

FEW = 20
"""Rows that are read together where each leads to others."""


def few(partition: str) -> list[Key]:
    """Returns some keys of a partition whose rows lead to others."""
    return keys_in(partition, FEW)


def few_listed(tree: Tree) -> list[ListedRow]:
    """Returns some rows of a list whose entries lead to others; a page row has many entries."""
    return listed_rows(tree.rows.partition, FEW)


def delete_some(partition: str) -> bool:
    """Deletes some rows of a partition; returns whether there were any."""
    keys = keys_in(partition, ROWS_AT_ONCE)
    delete_rows(keys)
    return bool(keys)


def empty(partition: str) -> None:
    """Deletes all rows of a partition."""
    while delete_some(partition):
        pass


def delete_rows(keys: Iterable[Key]) -> None:
    """Deletes rows of any kind."""
    for some in batched(dict.fromkeys(keys), ROWS_AT_ONCE, strict=False):
        commit_anew(partial(_delete, keys=some))


def _delete(changes: Changes, keys: Iterable[Key]) -> None:
    for key in keys:
        changes.delete(Item(*key))

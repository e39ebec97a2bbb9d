"""Writes and deletes pages that no leaf names, outside of transactions, for half the price."""

from collections.abc import Iterable

from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.platform.persistence.loads.row_writes import delete_rows, put_rows


def put_pages(pages: Iterable[PageItem]) -> None:
    """Writes pages; each has a new name, so that none is overwritten."""
    put_rows(page.serialize() for page in pages)


def delete_pages(partition: str, keys: Iterable[str]) -> None:
    """Deletes pages that no leaf will ever name again."""
    delete_rows((partition, key) for key in keys)

"""Writing and removing pages that no leaf names: outside of transactions, at half their price."""

from collections.abc import Iterable

from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.platform.persistence.loads.row_writes import delete_rows, put_rows


def put_pages(pages: Iterable[PageItem]) -> None:
    """Writes pages, which have names of their own."""
    put_rows(page.serialize() for page in pages)


def delete_pages(partition: str, keys: Iterable[str]) -> None:
    """Removes pages, which no leaf will ever name again."""
    delete_rows((partition, key) for key in keys)

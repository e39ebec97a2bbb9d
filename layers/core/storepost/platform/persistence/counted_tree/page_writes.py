"""Writing and removing pages that no leaf names: outside of transactions, at half their price."""

from collections.abc import Iterable, Sequence
from itertools import batched
from typing import Any

from storepost.platform.persistence.counted_tree.items import PageItem
from storepost.platform.persistence.item import Item, connection
from storepost.platform.persistence.patience import pause

_AT_ONCE = 25


def put_pages(pages: Iterable[PageItem]) -> None:
    """Writes pages, which have names of their own."""
    _write([{"PutRequest": {"Item": page.serialize()}} for page in pages])


def delete_pages(partition: str, keys: Iterable[str]) -> None:
    """Removes pages, which no leaf will ever name again."""
    places = [{"pk": {"S": partition}, "sk": {"S": key}} for key in keys]
    _write([{"DeleteRequest": {"Key": place}} for place in places])


def _write(requests: Sequence[dict[str, Any]]) -> None:
    """What DynamoDB leaves comes again."""
    for some in batched(requests, _AT_ONCE, strict=False):
        left, tries = list(some), 0
        while left:
            asked = {"RequestItems": {Item.Meta.table_name: left}}
            answer = connection.dispatch("BatchWriteItem", asked)
            left = answer.get("UnprocessedItems", {}).get(Item.Meta.table_name, [])
            if left:
                tries += 1
                pause(tries)

"""Rows of postings: those that single writes have added, and tombstones over pages."""

from collections.abc import Iterable
from itertools import batched
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.item import Item, Key, dynamodb_client
from storepost.platform.persistence.patience import pause
from storepost.platform.postings.entries import Posting
from storepost.platform.postings.keys import END_OF_WORD
from storepost.values.ids import from_short, from_short_moment, short_moment

_WRITES = 25
"""How many writes DynamoDB takes in a call."""

type Request = dict[str, Any]
"""One write of BatchWriteItem."""


class PostingItem(Item, discriminator="hit"):
    """A posting. Its names are short, as a query may read a thousand."""

    at = UnicodeAttribute(attr_name="n")
    text = UnicodeAttribute(attr_name="t")
    exact = NumberAttribute(attr_name="e", null=True)
    sequence = NumberAttribute(attr_name="s", null=True)
    """It overrides pages of this sequence and lower ones (`runs.py`); without one, no pages."""


class NoPostingItem(PostingItem, discriminator="no_hit"):
    """A tombstone: there is no posting, though a page may have one."""

    at = UnicodeAttribute(attr_name="n", null=True)
    text = UnicodeAttribute(attr_name="t", null=True)


_KIND = Item.kind.get_discriminator(PostingItem)
_TOMBSTONE = Item.kind.get_discriminator(NoPostingItem)


def as_posting(item: PostingItem) -> Posting | None:
    """Returns a row's posting; None for a tombstone."""
    if isinstance(item, NoPostingItem):
        return None
    word, _, entry_id = item.sk.rpartition(END_OF_WORD)
    return Posting(
        word=word,
        id=from_short(entry_id),
        at=from_short_moment(item.at),
        text=item.text,
        is_exact=item.exact is not None,
    )


def request(key: Key, posting: Posting | None, sequence: int) -> Request:
    """Returns the write of a posting, or for None the write that removes it.

    For a kind without pages the sequence is 0, and the row of a removed posting is deleted; with a
    sequence, a tombstone is put. It is made without a PynamoDB object, as a searched row has a
    dozen postings.
    """
    above = {"s": {"N": str(sequence)}} if sequence else {}
    row: dict[str, Any] = {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
    if posting is None:
        if not sequence:
            return {"DeleteRequest": {"Key": row}}
        return {"PutRequest": {"Item": row | above | {"kind": {"S": _TOMBSTONE}}}}
    row |= {"kind": {"S": _KIND}, "n": {"S": short_moment(posting.at)}, "t": {"S": posting.text}}
    row |= above | ({"e": {"N": "1"}} if posting.is_exact else {})
    return {"PutRequest": {"Item": row}}


def send(requests: Iterable[Request]) -> None:
    """Writes rows without transactions in as few calls as possible; retries unprocessed ones."""
    for some in batched(requests, _WRITES, strict=False):
        unprocessed, tries = list(some), 0
        while unprocessed:
            answer = dynamodb_client().batch_write_item(
                RequestItems={Item.Meta.table_name: unprocessed}
            )
            unprocessed = answer.get("UnprocessedItems", {}).get(Item.Meta.table_name, [])
            if unprocessed:
                tries += 1
                pause(tries)

"""Rows of postings; alone among all rows they are read as they may have been a moment ago."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import batched
from typing import Any
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.item import Item, Key, dynamodb_client, find_all
from storepost.platform.persistence.patience import pause
from storepost.platform.postings.entries import Posting, SearchEntry, SearchKind, postings_of
from storepost.platform.postings.keys import END_OF_WORD, posting_key, postings_partition
from storepost.values.ids import from_short, from_short_moment, short_moment
from storepost.values.scope import WorkspaceScope

type PostingWrites = Mapping[Key, Posting | None]
"""What is to stand under keys; None for nothing."""

_WRITES = 25
"""That DynamoDB takes in a call."""

PAGE = 251
"""Four are a thousand and one: more than that is not looked at of one word."""


class PostingItem(Item, discriminator="hit"):
    """A posting. Its names are short, as a query may read a thousand."""

    at = UnicodeAttribute(attr_name="n")
    text = UnicodeAttribute(attr_name="t")
    exact = NumberAttribute(attr_name="e", null=True)


_KIND = Item.kind.get_discriminator(PostingItem)


class PostingRepository:
    """The postings of a workspace's entries of one kind."""

    def __init__(self, workspace: WorkspaceScope, kind: SearchKind) -> None:
        """Makes the repository of one kind in one workspace."""
        self._scope = workspace
        self._kind = kind

    def beginning(self, prefix: str) -> Iterator[Posting]:
        """Returns the postings of words that begin so, by word; reads a few hundred at a time."""
        rows = PostingItem.query(
            postings_partition(self._scope, self._kind),
            PostingItem.sk.startswith(prefix),
            consistent_read=False,
            page_size=PAGE,
        )
        return map(_as_posting, rows)

    def of(self, word: str) -> Iterator[Posting]:
        """Returns the postings of just this word."""
        return self.beginning(f"{word}{END_OF_WORD}")

    def update_index(self, before: SearchEntry | None, after: SearchEntry | None) -> None:
        """Writes what differs between the postings of two states of an entry.

        It may be killed and run again: each posting is put or deleted whatever stands there. Of
        the old ones just the keys are needed, so that whatever stands there can be deleted.
        """
        write_together([self.differences(before, after)])

    def differences(self, before: SearchEntry | None, after: SearchEntry | None) -> PostingWrites:
        """Returns what `update_index` writes: each posting as it is to be, None for no more."""
        old, new = self._postings(before), self._postings(after)
        # What is shown again has moved to another list: whoever goes through that may have passed.
        kept = {} if before and after and before.is_hidden > after.is_hidden else old
        changed = {key: posting for key, posting in new.items() if kept.get(key) != posting}
        return {**changed, **{key: None for key in old if key not in new}}

    def write_all(
        self, entries: Iterable[tuple[Collection[Key], SearchEntry | None]]
    ) -> list[set[Key]]:
        """Writes all postings of entries as they are now, and deletes stale ones of each.

        It may be killed and run again, as `update_index` may. Returns the written keys of each.
        """
        written, requests = list[set[Key]](), list[dict[str, Any]]()
        for stale, now in entries:
            new = self._postings(now)
            requests += (_put(key, posting) for key, posting in new.items())
            requests += (_delete(key) for key in dict.fromkeys(stale) if key not in new)
            written.append(set(new))
        _write(requests)
        return written

    def keys(self, entry: SearchEntry | None) -> set[Key]:
        """Returns the keys of an entry's postings."""
        return set(self._postings(entry))

    def delete_entry(self, entry_id: UUID, words: Collection[str]) -> None:
        """Deletes the postings of an entry for these words, and for all words that those name.

        These go last: a run that is killed finds by them again what is left.
        """
        own = [posting_key(self._scope, self._kind, word, entry_id) for word in words]
        rows = (row for row in find_all(own).values() if isinstance(row, PostingItem))
        other_words = {word for row in rows for word in _as_posting(row).words}
        others = (posting_key(self._scope, self._kind, word, entry_id) for word in other_words)
        _write(_delete(key) for key in dict.fromkeys((*others, *own)) if key not in own)
        _write(map(_delete, dict.fromkeys(own)))

    def stored(self, after: str, most: int) -> list[tuple[Key, UUID]]:
        """Returns the first postings behind a sort key, by word, with their entries' ids."""
        rows = PostingItem.query(
            postings_partition(self._scope, self._kind),
            PostingItem.sk > after if after else None,
            consistent_read=True,
            limit=most,
            attributes_to_get=["pk", "sk", "kind"],
        )
        return [(row.key, from_short(row.sk.rpartition(END_OF_WORD)[2])) for row in rows]

    def row(self, posting: Posting) -> PostingItem:
        """Returns a posting's row."""
        return PostingItem(
            *posting_key(self._scope, self._kind, posting.word, posting.id),
            at=short_moment(posting.at),
            text=posting.text,
            exact=1 if posting.is_exact else None,
        )

    def _postings(self, entry: SearchEntry | None) -> dict[Key, Posting]:
        return {
            posting_key(self._scope, self._kind, posting.word, posting.id): posting
            for posting in (postings_of(entry) if entry else ())
        }


def write_together(writes: Iterable[PostingWrites]) -> None:
    """Writes what differs of several entries, in as few calls as there may be.

    Of two that write under one key the later one holds.
    """
    merged: dict[Key, Posting | None] = {}
    for each in writes:
        merged |= each
    _write(_put(key, each) if each else _delete(key) for key, each in merged.items())


def _put(key: Key, posting: Posting) -> dict[str, Any]:
    """Puts a posting's row, without an object of PynamoDB: what is searched has a dozen of them."""
    row = {
        "pk": {"S": key[0]},
        "sk": {"S": key[1]},
        "kind": {"S": _KIND},
        "n": {"S": short_moment(posting.at)},
        "t": {"S": posting.text},
    }
    return {"PutRequest": {"Item": row | ({"e": {"N": "1"}} if posting.is_exact else {})}}


def _delete(key: Key) -> dict[str, Any]:
    return {"DeleteRequest": {"Key": {"pk": {"S": key[0]}, "sk": {"S": key[1]}}}}


def _write(requests: Iterable[dict[str, Any]]) -> None:
    """Writes rows one by one in as few calls as there may be; what DynamoDB leaves comes again."""
    for some in batched(requests, _WRITES, strict=False):
        left, tries = list(some), 0
        while left:
            answer = dynamodb_client().batch_write_item(RequestItems={Item.Meta.table_name: left})
            left = answer.get("UnprocessedItems", {}).get(Item.Meta.table_name, [])
            if left:
                tries += 1
                pause(tries)


def _as_posting(item: PostingItem) -> Posting:
    word, _, entry_id = item.sk.rpartition(END_OF_WORD)
    return Posting(
        word=word,
        id=from_short(entry_id),
        at=from_short_moment(item.at),
        text=item.text,
        is_exact=item.exact is not None,
    )

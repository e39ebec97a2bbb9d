"""The postings of a workspace's entries of one kind, in rows and in pages.

Unlike most rows, they are read with eventual consistency.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from uuid import UUID

from storepost.platform.persistence.item import Key, find_all
from storepost.platform.postings.entries import Posting, SearchEntry, SearchKind, postings_of
from storepost.platform.postings.keys import (
    END_OF_WORD,
    PACKED_KINDS,
    Indexed,
    posting_key,
    postings_partition,
)
from storepost.platform.postings.pages import KeyedPosting
from storepost.platform.postings.reading import Layer, PageReader, RunGone, newest_of_each
from storepost.platform.postings.rows import PostingItem, as_posting, request, send
from storepost.platform.postings.runs import ExpectLive, Runs, RunsRepository
from storepost.platform.postings.writing import PostingWrites, write_together, write_until_done
from storepost.values.ids import short_moment
from storepost.values.scope import WorkspaceScope

PAGE = 251
"""Four pages are a thousand and one: no more postings of one word are read."""


class PostingRepository:
    """The postings of a workspace's entries of one kind. It reads the row of the runs once."""

    def __init__(self, workspace: WorkspaceScope, kind: SearchKind) -> None:
        """Makes the repository of one kind in one workspace."""
        self._scope = workspace
        self._kind = kind
        self._indexed = Indexed(workspace, kind)
        self._pages = PageReader(self._indexed)
        self._known_runs: Runs | None = None

    def beginning(self, prefix: str) -> Iterator[Posting]:
        """Returns the postings of words with that prefix, by word, read a few hundred at a time."""
        return (each.posting for each in self._keyed(prefix))

    def of(self, word: str) -> Iterator[Posting]:
        """Returns the postings of exactly this word."""
        return self.beginning(f"{word}{END_OF_WORD}")

    def update_index(self, before: SearchEntry | None, after: SearchEntry | None) -> None:
        """Writes the differences between the postings of two states of an entry, as rows.

        It may be killed and repeated: each posting is put or deleted unconditionally. Only the keys
        of the old postings are used, so that a row is deleted whatever it holds.
        """
        write_together([self.differences(before, after)])

    def differences(self, before: SearchEntry | None, after: SearchEntry | None) -> PostingWrites:
        """Returns what `update_index` writes: each changed posting, None for a deleted one."""
        old, new = self._postings(before), self._postings(after)
        # An entry that is shown again has moved to another list, which a walk may have passed: all
        # its postings are written.
        unchanged = {} if before and after and before.is_hidden > after.is_hidden else old
        changed = {key: posting for key, posting in new.items() if unchanged.get(key) != posting}
        return {**changed, **{key: None for key in old if key not in new}}

    def write_all(
        self,
        entries: Iterable[tuple[Collection[Key], SearchEntry | None]],
        expect_live: ExpectLive | None = None,
    ) -> list[set[Key]]:
        """Writes all current postings of entries, and deletes the stale ones of each.

        It may be killed and repeated, as `update_index` may. Returns the written keys of each
        entry.
        """
        written, writes = list[set[Key]](), list[PostingWrites]()
        for stale, now in entries:
            new = self._postings(now)
            writes.append(new | {key: None for key in stale if key not in new})
            written.append(set(new))
        write_until_done(writes, expect_live)
        return written

    def keys(self, entry: SearchEntry | None) -> set[Key]:
        """Returns the keys of an entry's postings."""
        return set(self._postings(entry))

    def delete_entry(self, entry_id: UUID, words: Collection[str]) -> None:
        """Deletes the postings of an entry for these words, and for all words in their texts.

        The postings for these words are deleted last: by them, the repeat of a killed run finds
        what is left. Raises ValueError for a kind that may have pages.
        """
        if self._kind in PACKED_KINDS:
            raise ValueError(f"postings of {self._kind} may stand in pages")
        own = dict.fromkeys(posting_key(self._scope, self._kind, word, entry_id) for word in words)
        rows = (row for row in find_all(own).values() if isinstance(row, PostingItem))
        postings = (posting for row in rows if (posting := as_posting(row)))
        other_words = {word for posting in postings for word in posting.words}
        others = (posting_key(self._scope, self._kind, word, entry_id) for word in other_words)
        send(request(key, None, 0) for key in dict.fromkeys(others) if key not in own)
        send(request(key, None, 0) for key in own)

    def stored(self, after: str, limit: int) -> list[tuple[Key, UUID]]:
        """Returns the first postings after a sort key, by word, with their entries' ids."""
        partition = postings_partition(self._scope, self._kind)
        found = islice(self._keyed("", after, consistent=True), limit)
        return [((partition, each.sort_key), each.posting.id) for each in found]

    def row(self, posting: Posting) -> PostingItem:
        """Returns a posting's row."""
        return PostingItem(
            *posting_key(self._scope, self._kind, posting.word, posting.id),
            at=short_moment(posting.at),
            text=posting.text,
            exact=1 if posting.is_exact else None,
        )

    def _keyed(
        self, prefix: str, after: str = "", *, consistent: bool = False
    ) -> Iterator[KeyedPosting]:
        """Returns the postings of words with that prefix after a sort key, with their sort keys."""
        while True:
            runs = self._runs()
            try:
                layers = self._pages.layers(runs, prefix, after) if runs.runs else []
                rows = self._rows(prefix, after, consistent=consistent)
                for each in newest_of_each([rows, *layers]):
                    yield each
                    after = each.sort_key
            except RunGone:
                self._known_runs = None
                if self._runs() == runs:
                    raise
            else:
                return

    def _runs(self) -> Runs:
        if self._known_runs is None:
            packed = self._kind in PACKED_KINDS
            runs = RunsRepository(self._indexed).find() if packed else Runs()
            self._known_runs = runs
        return self._known_runs

    def _rows(self, prefix: str, after: str, *, consistent: bool) -> Iterator[Layer]:
        begins = PostingItem.sk.startswith(prefix) if prefix else None
        behind = PostingItem.sk > after if after else None
        rows = PostingItem.query(
            postings_partition(self._scope, self._kind),
            begins if begins is not None else behind,
            consistent_read=consistent,
            page_size=PAGE,
        )
        for row in rows:
            if row.sk > after:
                yield Layer(row.sk, int(row.sequence or 0), is_row=True, posting=as_posting(row))

    def _postings(self, entry: SearchEntry | None) -> dict[Key, Posting]:
        return {
            posting_key(self._scope, self._kind, posting.word, posting.id): posting
            for posting in (postings_of(entry) if entry else ())
        }

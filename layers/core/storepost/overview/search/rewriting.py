"""Brings postings to their rows' current state, while the rows change.

The rows are read again after each write, so that a concurrent change is not undone. Whatever
changes a row later arrives by the stream, after that.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from storepost.overview.search.indexing import expect_live
from storepost.overview.search.showing import KEYS
from storepost.overview.search.sources import entry_of
from storepost.platform.persistence.item import Key, find_all
from storepost.platform.postings.entries import SearchEntry, SearchKind
from storepost.platform.postings.repository import PostingRepository
from storepost.values.scope import WorkspaceScope

POSTINGS = 250
"""Postings that are examined together."""


def keys_of(workspace: WorkspaceScope, entries: Sequence[SearchEntry]) -> set[Key]:
    """Returns the keys of all postings of these entries."""
    found = (PostingRepository(workspace, entry.kind).keys(entry) for entry in entries)
    return set[Key]().union(*found)


def rewrite(
    workspace: WorkspaceScope, kind: SearchKind, stale: Mapping[UUID, set[Key]], *, packs: bool
) -> int:
    """Brings entries' postings to their rows' state, whichever of the stale ones exist.

    If it `packs`, many become pages, which raises NoActiveWorkspace if the workspace is gone. An
    entry whose row changed meanwhile is written again, until it hasn't changed. Returns how many
    postings the entries have now.
    """
    postings = PostingRepository(workspace, kind)
    waiting = {entry_id: set(keys) for entry_id, keys in stale.items()}
    now, written = _entries(workspace, kind, waiting), dict[UUID, int]()
    while waiting:
        entries = [(keys, now.get(each)) for each, keys in waiting.items()]
        found = postings.write_all(entries, expect_live if packs else None)
        for (entry_id, keys), new in zip(waiting.items(), found, strict=True):
            keys.update(new)
            written[entry_id] = len(new)
        then = _entries(workspace, kind, waiting)
        waiting = {each: k for each, k in waiting.items() if now.get(each) != then.get(each)}
        now = then
    return sum(written.values())


def remove_stale(
    workspace: WorkspaceScope, kind: SearchKind, after: str
) -> tuple[str | None, int, int]:
    """Deletes those of a page of postings that their rows don't have.

    Postings are read before the rows: one that the row doesn't have is older than the row. Returns
    the cursor after which the next page begins (None for no more), how many postings were examined,
    and how many of them were stale.
    """
    found = PostingRepository(workspace, kind).stored(after, POSTINGS)
    stored: dict[UUID, set[Key]] = {}
    for key, entry_id in found:
        stored.setdefault(entry_id, set()).add(key)
    now = _entries(workspace, kind, stored)
    stale = {
        entry_id: wrong
        for entry_id, keys in stored.items()
        if (wrong := keys - PostingRepository(workspace, kind).keys(now.get(entry_id)))
    }
    rewrite(workspace, kind, stale, packs=True)
    cursor = found[-1][0][1] if len(found) == POSTINGS else None
    return cursor, len(found), sum(map(len, stale.values()))


def _entries(
    workspace: WorkspaceScope, kind: SearchKind, ids: Mapping[UUID, object]
) -> dict[UUID, SearchEntry]:
    rows = find_all(KEYS[kind](workspace, each) for each in ids)
    entries = (entry_of(row) for row in rows.values())
    return {entry.id: entry for entry in entries if entry}

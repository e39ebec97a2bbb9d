"""Searching over the kinds at once."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from storepost.scope import WorkspaceScope
from storepost.search.entries import SearchKind
from storepost.search.finding import Found, Hit, Query, Rank, find
from storepost.search.repository import PostingRepository
from storepost.search.showing import Result, results_of


@dataclass(frozen=True)
class Group:
    """What was found of one kind."""

    kind: SearchKind
    total: int
    results: tuple[Result, ...]


def search(
    workspace: WorkspaceScope, q: str, kinds: Collection[SearchKind] | None, limit: int
) -> list[Group]:
    """The groups with their first results: the group with the best hit first."""
    found = dict(_found(workspace, q, kinds or tuple(SearchKind)))
    first = [(kind, hit.id) for kind, of in found.items() for hit in of.hits[:limit]]
    shown = results_of(workspace, first)
    ranked = sorted(
        found, key=lambda kind: (found[kind].hits[0].rank, list(SearchKind).index(kind))
    )
    groups = (
        Group(kind, found[kind].total, _shown(shown, kind, found[kind].hits[:limit]))
        for kind in ranked
    )
    return [group for group in groups if group.results]


def _found(
    workspace: WorkspaceScope, q: str, kinds: Collection[SearchKind]
) -> Iterator[tuple[SearchKind, Found]]:
    """What is found of each kind, where anything is."""
    query, named = Query.of(q), _id_of(q)
    by_id = results_of(workspace, [(kind, named) for kind in kinds] if named else [])
    for kind in kinds:
        if named and (kind, named) in by_id:
            yield kind, Found([Hit(named, Rank.NAMED)], 1)
            continue
        found = find(PostingRepository(workspace, kind), query)
        if found.hits:
            yield kind, found


def _shown(
    shown: dict[tuple[SearchKind, UUID], Result], kind: SearchKind, hits: "Collection[Hit]"
) -> tuple[Result, ...]:
    return tuple(shown[kind, hit.id] for hit in hits if (kind, hit.id) in shown)


def _id_of(q: str) -> UUID | None:
    try:
        return UUID(q.strip())
    except ValueError:
        return None

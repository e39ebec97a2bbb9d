"""Searches all kinds at once."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from storepost.overview.search.naming import named_by
from storepost.overview.search.showing import Result, results_of
from storepost.platform.postings.entries import SearchKind
from storepost.platform.postings.finding import (
    MAX_HITS,
    Found,
    Hit,
    Query,
    Rank,
    best_first,
    find,
)
from storepost.platform.postings.repository import PostingRepository
from storepost.values.scope import WorkspaceScope

UNLESS_NAMED = tuple(kind for kind in SearchKind if kind is not SearchKind.SUPPRESSION)
"""The kinds that are searched if none are named, as older clients expect."""


@dataclass(frozen=True)
class Group:
    """What was found of one kind."""

    kind: SearchKind
    total: int
    results: tuple[Result, ...]


def search(
    workspace: WorkspaceScope, q: str, kinds: Collection[SearchKind] | None, limit: int
) -> list[Group]:
    """Returns the groups with their first results: the group with the best hit first.

    Suppressions are searched only if `kinds` names them.
    """
    found = dict(_found(workspace, q, kinds or UNLESS_NAMED))
    first = [(kind, hit.id) for kind, of in found.items() for hit in of.hits[:limit]]
    results = results_of(workspace, first)
    ranked = sorted(
        found, key=lambda kind: (found[kind].hits[0].rank, list(SearchKind).index(kind))
    )
    groups = (
        Group(kind, found[kind].total, _results_of_hits(results, kind, found[kind].hits[:limit]))
        for kind in ranked
    )
    return [group for group in groups if group.results]


def _found(
    workspace: WorkspaceScope, q: str, kinds: Collection[SearchKind]
) -> Iterator[tuple[SearchKind, Found]]:
    """Returns the hits of each kind that has any; what the query names is first."""
    query, named = Query.of(q), named_by(workspace, q, kinds)
    results = results_of(workspace, ((kind, each) for kind, ids in named.items() for each in ids))
    for kind in kinds:
        by_name = {
            each: Hit(each, Rank.NAMED, results[kind, each].at)
            for each in named.get(kind, ())
            if (kind, each) in results
        }
        found = find(PostingRepository(workspace, kind), query)
        others = (hit for hit in found.hits if hit.id not in by_name)
        hits = sorted([*by_name.values(), *others], key=best_first)
        if hits:
            yield kind, Found(hits, min(len(hits), MAX_HITS))


def _results_of_hits(
    results: dict[tuple[SearchKind, UUID], Result], kind: SearchKind, hits: "Collection[Hit]"
) -> tuple[Result, ...]:
    return tuple(results[kind, hit.id] for hit in hits if (kind, hit.id) in results)

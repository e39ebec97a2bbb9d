"""The list of suppressions that aren't lifted, and the list of the history."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.people.consent.states import Channel
from storepost.people.profiles.erasing import addresses_of
from storepost.people.profiles.model import Profile
from storepost.people.suppressions.model import Suppression, SuppressionReason, SuppressionSource
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.trees import CHANNEL, REASON, SOURCE, SuppressionLists
from storepost.platform.persistence.counted_tree import Filter, Tree, TreeEntry, moments
from storepost.platform.postings.entries import SearchKind
from storepost.platform.postings.listing import found_by
from storepost.values.pagination import Listing, PageRequest, cut, is_among, is_within
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class SuppressionFilter:
    """The filters of the list; None doesn't filter."""

    q: str | None = None
    channels: Collection[Channel] | None = None
    reasons: Collection[SuppressionReason] | None = None
    sources: Collection[SuppressionSource] | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    lifted: bool = False
    """Whether lifted and ended suppressions are listed, instead of the others."""

    @property
    def counted(self) -> list[Filter]:
        """Returns the filters whose values the lists count."""
        pairs: tuple[tuple[object, Collection[str] | None], ...] = (
            (CHANNEL, self.channels),
            (REASON, self.reasons),
            (SOURCE, self.sources),
        )
        return [
            field.among(*values)  # type: ignore[attr-defined]
            for field, values in pairs
            if values is not None
        ]

    @property
    def advised(self) -> str:
        """Returns the query parameter that would narrow the list."""
        return "createdTo" if self.created_from else "createdFrom"

    def matches(self, suppression: Suppression) -> bool:
        """Returns whether the suppression matches all filters but `q`."""
        return (
            is_among(suppression.channel, self.channels)
            and is_among(suppression.reason, self.reasons)
            and is_among(suppression.source, self.sources)
            and (suppression.lifted_at is not None) is self.lifted
            and is_within(suppression.created_at, self.created_from, self.created_to)
        )


def get_suppression(workspace: WorkspaceScope, suppression_id: UUID) -> Suppression:
    """Returns a suppression, in force or lifted. Raises NotFound."""
    found = needed(SuppressionRepository(workspace).get(suppression_id), NotFound.of("suppression"))
    return found[0]


def suppressions_of_profile(profile: Profile) -> list[Suppression]:
    """Returns all suppressions of a profile's addresses, lifted ones too, newest first."""
    repository = SuppressionRepository(profile.workspace)
    states = repository.states_of(addresses_of(profile.identities)).values()
    known = [state for state in states if state.version is not None]
    found = [each for state in known for each in (*state.stored, *repository.past_of(state.digest))]
    return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)


def list_suppressions(
    workspace: WorkspaceScope, filters: SuppressionFilter, page: PageRequest
) -> Listing[Suppression]:
    """Returns the suppressions that match, newest first. Raises FilterTooBroad."""
    repository = SuppressionRepository(workspace)
    if filters.q is not None:
        found = {each.id for each in found_by(workspace, SearchKind.SUPPRESSION, filters.q)}
        matching = [each for each in repository.get_many(found) if filters.matches(each)]
        matching.sort(key=lambda each: (each.created_at, each.id), reverse=True)
        return cut(matching, page)
    entries = _entries(workspace, filters, page)
    return Listing(repository.get_many(entry.id for entry in entries.items), entries.total, page)


def _entries(
    workspace: WorkspaceScope, filters: SuppressionFilter, page: PageRequest
) -> Listing[TreeEntry]:
    """The page's entries: the nodes count a single filter; several filters scan entries."""
    lists, by = SuppressionLists(workspace), filters.counted
    tree: Tree = lists.lifted if filters.lifted else lists.in_force
    within = moments(filters.created_from, filters.created_to)
    if len(by) <= 1:
        return tree.page(page, descending=True, by=next(iter(by), None), within=within)

    def keep(entries: Sequence[TreeEntry]) -> Sequence[TreeEntry]:
        return entries

    return tree.scan(page, keep, advised=filters.advised, descending=True, by=by, within=within)

"""Reads proposals, with their authors and reviewers and the definitions that they would make."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.definitions.definitions.authors import Author, Authors
from storepost.definitions.definitions.model import Content, DefinitionKind
from storepost.definitions.definitions.patching import Inapplicable, Operation, patched
from storepost.definitions.definitions.repository import DefinitionRepository
from storepost.definitions.definitions.service import find_version
from storepost.definitions.proposals.model import Base, Proposal, ProposalStatus, Proposed
from storepost.definitions.proposals.problems import PatchFailed
from storepost.definitions.proposals.repository import ProposalRepository
from storepost.values.pagination import MAX_ROWS, FilterTooBroad, Listing, PageRequest, cut
from storepost.values.problems import FieldError, NotFound, needed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class ListedProposal:
    """A proposal as lists show it."""

    proposal: Proposal
    stale: bool
    author: Author
    reviewer: Author | None


@dataclass(frozen=True)
class ProposalView:
    """A proposal with its content, and the definition that it would make."""

    listed: ListedProposal
    patch: tuple[Operation, ...]
    definition: Content


@dataclass(frozen=True)
class ProposalFilter:
    """The filters of a list of proposals; empty ones and None don't filter."""

    statuses: Collection[ProposalStatus] = ()
    kinds: Collection[DefinitionKind] = ()
    definition_id: UUID | None = None
    author_id: UUID | None = None
    stale: bool | None = None

    @property
    def asks_for_all(self) -> bool:
        """Returns whether every proposal passes."""
        return not (self.statuses or self.kinds) and (
            self.definition_id is None and self.author_id is None and self.stale is None
        )

    def passes(self, proposal: Proposal) -> bool:
        """Returns whether the proposal passes the filters, apart from `stale`."""
        author = proposal.author
        return (
            (not self.statuses or proposal.status in self.statuses)
            and (not self.kinds or proposal.kind in self.kinds)
            and self.definition_id in {None, proposal.definition_id}
            and self.author_id in {None, author.person_id or author.key_id}
        )


def list_proposals(
    workspace: WorkspaceScope, filters: ProposalFilter, sort: str, page: PageRequest
) -> Listing[ListedProposal]:
    """Returns the workspace's proposals by when they were made. Raises FilterTooBroad."""
    repository, newest_first = ProposalRepository(workspace), sort.startswith("-")
    if filters.asks_for_all:
        total = repository.count()
        rows = repository.page(page, newest_first=newest_first) if page.skipped < total else []
        return Listing(_listed(workspace, rows), total, page)
    seen = list(repository.in_order(newest_first=newest_first, limit=MAX_ROWS + 1))
    if len(seen) > MAX_ROWS:
        raise FilterTooBroad("status")
    found = [proposal for proposal in seen if filters.passes(proposal)]
    if filters.stale is not None:
        current = _current_versions(workspace, found)
        found = [each for each in found if _is_stale(each, current) is filters.stale]
    listing = cut(found, page)
    return Listing(_listed(workspace, listing.items), listing.total, page)


def get_proposal(workspace: WorkspaceScope, proposal_id: UUID) -> ProposalView:
    """Returns the proposal with its content. Raises NotFound."""
    return show_proposal(workspace, find_proposal(workspace, proposal_id))


def find_proposal(workspace: WorkspaceScope, proposal_id: UUID) -> Proposal:
    """Returns the proposal without its content. Raises NotFound."""
    return needed(ProposalRepository(workspace).get(proposal_id), NotFound.of("change proposal"))


def show_proposal(workspace: WorkspaceScope, proposal: Proposal) -> ProposalView:
    """Returns the proposal with the definition that it would make, or has made."""
    proposed = ProposalRepository(workspace).proposed(proposal.id)
    base = proposal.base
    content = applied(workspace, base, proposed) if base else proposed.definition
    return proposal_view(workspace, proposal, proposed, content)


def proposal_view(
    workspace: WorkspaceScope, proposal: Proposal, proposed: Proposed, content: Content
) -> ProposalView:
    """Returns the proposal for an answer; the caller has read its content and its result."""
    return ProposalView(listed_proposal(workspace, proposal), proposed.patch, content)


def listed_proposal(workspace: WorkspaceScope, proposal: Proposal) -> ListedProposal:
    """Returns the proposal as lists show it."""
    [listed] = _listed(workspace, [proposal])
    return listed


def applied(workspace: WorkspaceScope, base: Base, proposed: Proposed) -> Content:
    """Returns the base with the patch applied. Raises NotFound and PatchFailed."""
    version = find_version(workspace, base.definition_id, base.version_id)
    try:
        return patched(version.content, proposed.patch)
    except Inapplicable as failed:
        error = FieldError(f"/patch/{failed.number}", failed.reason)
        raise PatchFailed(errors=[error]) from failed


def _listed(workspace: WorkspaceScope, proposals: Sequence[Proposal]) -> list[ListedProposal]:
    authors = Authors.of(
        requester
        for each in proposals
        for requester in (each.author, each.review.by if each.review else None)
    )
    current = _current_versions(workspace, proposals)
    return [
        ListedProposal(
            proposal=each,
            stale=_is_stale(each, current),
            author=authors.author(each.author),
            reviewer=authors.author(each.review.by) if each.review else None,
        )
        for each in proposals
    ]


def _current_versions(workspace: WorkspaceScope, proposals: Iterable[Proposal]) -> dict[UUID, UUID]:
    """Returns the current versions of the definitions that open proposals would change."""
    named = {
        each.base.definition_id
        for each in proposals
        if each.base and each.status is ProposalStatus.OPEN
    }
    return DefinitionRepository(workspace).current_versions(named)


def _is_stale(proposal: Proposal, current: dict[UUID, UUID]) -> bool:
    base = proposal.base
    return proposal.is_stale(current.get(base.definition_id) if base else None)

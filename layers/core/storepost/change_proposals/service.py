"""Proposing changes of definitions, and deciding on them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost import clock
from storepost.api_keys.repository import ApiKeyRepository
from storepost.change_proposals.model import (
    WITHDRAWN,
    Base,
    Proposal,
    ProposalStatus,
    Proposed,
    Review,
)
from storepost.change_proposals.problems import (
    BaseNotCurrent,
    NotAuthor,
    OwnProposal,
    PatchFailed,
    ProposalClosed,
)
from storepost.change_proposals.repository import ProposalRepository
from storepost.definitions.authors import Author, Authors
from storepost.definitions.checking import check, check_patch
from storepost.definitions.kinds import newest_schema_version
from storepost.definitions.model import Content, Definition, Kind, Version
from storepost.definitions.patching import Inapplicable, Operation, patched
from storepost.definitions.problems import SchemaMismatch
from storepost.definitions.repository import DefinitionRepository
from storepost.definitions.service import find_definition, find_version
from storepost.ids import derived_id, timed_id
from storepost.pagination import MOST_ROWS, FilterTooBroad, Listing, PageRequest, cut
from storepost.persistence.changes import Changes
from storepost.problems import FieldError, NotFound, Stale
from storepost.scope import WorkspaceScope
from storepost.workspaces.callers import Requester, WorkspaceCaller
from storepost.workspaces.model import MANAGERS


@dataclass(frozen=True)
class ListedProposal:
    """A proposal as lists show it."""

    proposal: Proposal
    stale: bool
    author: Author
    reviewer: Author | None


@dataclass(frozen=True)
class ShownProposal:
    """A proposal with what it says, and the definition that it would make."""

    listed: ListedProposal
    patch: tuple[Operation, ...]
    definition: Content


@dataclass(frozen=True)
class NewDefinition:
    """A definition that somebody proposes."""

    kind: Kind
    name: str
    summary: str
    definition: Content


@dataclass(frozen=True)
class NewChange:
    """A change of a definition that somebody proposes."""

    base: Base
    summary: str
    patch: tuple[Operation, ...]


@dataclass(frozen=True)
class ProposalFilter:
    """Which proposals are asked for; what is empty or None asks for all."""

    statuses: Collection[ProposalStatus] = ()
    kinds: Collection[Kind] = ()
    definition_id: UUID | None = None
    author_id: UUID | None = None
    stale: bool | None = None

    @property
    def asks_for_all(self) -> bool:
        """Whether every proposal passes."""
        return not (self.statuses or self.kinds) and (
            self.definition_id is None and self.author_id is None and self.stale is None
        )

    def passes(self, proposal: Proposal) -> bool:
        """Whether the proposal is among them, but for `stale`."""
        author = proposal.author
        return (
            (not self.statuses or proposal.status in self.statuses)
            and (not self.kinds or proposal.kind in self.kinds)
            and self.definition_id in {None, proposal.definition_id}
            and self.author_id in {None, author.person_id or author.key_id}
        )


def list_proposals(
    workspace: WorkspaceScope, wanted: ProposalFilter, sort: str, page: PageRequest
) -> Listing[ListedProposal]:
    """The workspace's proposals by when they were made. Raises FilterTooBroad."""
    repository, newest_first = ProposalRepository(workspace), sort.startswith("-")
    if wanted.asks_for_all:
        total = repository.count()
        rows = repository.page(page, newest_first=newest_first) if page.skipped < total else []
        return Listing(_listed(workspace, rows), total, page)
    seen = list(repository.in_order(newest_first=newest_first, most=MOST_ROWS + 1))
    if len(seen) > MOST_ROWS:
        raise FilterTooBroad("status")
    found = [proposal for proposal in seen if wanted.passes(proposal)]
    if wanted.stale is not None:
        current = _current_versions(workspace, found)
        found = [each for each in found if _is_stale(each, current) is wanted.stale]
    listing = cut(found, page)
    return Listing(_listed(workspace, listing.items), listing.total, page)


def get_proposal(workspace: WorkspaceScope, proposal_id: UUID) -> ShownProposal:
    """The proposal with what it says. Raises NotFound."""
    return _read(workspace, _found(workspace, proposal_id))


def propose(
    caller: WorkspaceCaller, new: NewDefinition | NewChange, changes: Changes
) -> ShownProposal:
    """Proposes a new definition or a change of one; both are tried.

    Raises SchemaMismatch, and of a change NotFound, BaseNotCurrent and PatchFailed.
    """
    if isinstance(new, NewChange):
        return _propose_change(caller, new, changes)
    schema_version = newest_schema_version(new.kind)
    check(new.kind, schema_version, new.definition, "/definition")
    proposal = _new(caller, new.kind, new.name, new.summary, None)
    proposed = Proposed(definition=new.definition)
    ProposalRepository(caller.workspace).add(changes, proposal, proposed)
    return _shown(caller.workspace, proposal, proposed, new.definition)


def approve(
    caller: WorkspaceCaller, proposal_id: UUID, note: str | None, changes: Changes
) -> ShownProposal:
    """Puts what is proposed into force. Raises OwnProposal, ProposalClosed, Stale and more."""
    workspace = caller.workspace
    proposal = _found(workspace, proposal_id)
    _expect_reviewer(caller, proposal)
    _expect_open(proposal)
    proposed = ProposalRepository(workspace).proposed(proposal_id)
    definition = _definition_of(workspace, proposal)
    content = _result(workspace, proposal, proposed)
    version = _version(proposal, definition, content)
    _put_into_force(workspace, proposal, definition, version, changes)
    result = Base(version.definition_id, version.id)
    review = Review(caller.requester, version.created_at, note, result)
    approved = proposal.decided(ProposalStatus.APPROVED, review)
    ProposalRepository(workspace).decide(changes, approved)
    return _shown(workspace, approved, proposed, content)


def reject(
    caller: WorkspaceCaller, proposal_id: UUID, note: str | None, changes: Changes
) -> ShownProposal:
    """Closes a proposal, a stale one too. Raises ProposalClosed."""
    proposal = _found(caller.workspace, proposal_id)
    _expect_open(proposal)
    review = Review(caller.requester, clock.now(), note, None)
    rejected = proposal.decided(ProposalStatus.REJECTED, review)
    ProposalRepository(caller.workspace).decide(changes, rejected)
    return _read(caller.workspace, rejected)


def withdraw(caller: WorkspaceCaller, proposal_id: UUID, changes: Changes) -> None:
    """Rejects the caller's own proposal. Raises NotAuthor, ProposalClosed."""
    proposal = _found(caller.workspace, proposal_id)
    if not _same(caller.requester, proposal.author):
        raise NotAuthor()
    _expect_open(proposal)
    review = Review(caller.requester, clock.now(), WITHDRAWN, None)
    ProposalRepository(caller.workspace).decide(
        changes, proposal.decided(ProposalStatus.REJECTED, review)
    )


def _propose_change(caller: WorkspaceCaller, new: NewChange, changes: Changes) -> ShownProposal:
    definition = find_definition(caller.workspace, new.base.definition_id)
    if definition.version_id != new.base.version_id:
        raise BaseNotCurrent()
    check_patch(new.patch)
    proposal = _new(caller, definition.kind, definition.name, new.summary, new.base)
    proposed = Proposed(patch=new.patch)
    content = _result(caller.workspace, proposal, proposed)
    ProposalRepository(caller.workspace).add(changes, proposal, proposed)
    return _shown(caller.workspace, proposal, proposed, content)


def _new(
    caller: WorkspaceCaller, kind: Kind, name: str, summary: str, base: Base | None
) -> Proposal:
    now = clock.now()
    return Proposal(
        id=timed_id(now),
        kind=kind,
        name=name,
        summary=summary,
        schema_version=newest_schema_version(kind),
        author=caller.requester,
        created_at=now,
        base=base,
        status=ProposalStatus.OPEN,
        review=None,
    )


def _result(workspace: WorkspaceScope, proposal: Proposal, proposed: Proposed) -> Content:
    """What would be in force. Raises PatchFailed and SchemaMismatch."""
    if proposal.base is None:
        check(proposal.kind, proposal.schema_version, proposed.definition, "/definition")
        return proposed.definition
    content = _applied(workspace, proposal.base, proposed)
    try:
        check(proposal.kind, proposal.schema_version, content, "")
    except SchemaMismatch as mismatch:
        errors = [
            FieldError("/patch", f"The result at `{error.path or '/'}`: {error.message}")
            for error in mismatch.errors
        ]
        raise SchemaMismatch(errors=errors) from mismatch
    return content


def _applied(workspace: WorkspaceScope, base: Base, proposed: Proposed) -> Content:
    version = find_version(workspace, base.definition_id, base.version_id)
    try:
        return patched(version.content, proposed.patch)
    except Inapplicable as failed:
        error = FieldError(f"/patch/{failed.number}", failed.reason)
        raise PatchFailed(errors=[error]) from failed


def _definition_of(workspace: WorkspaceScope, proposal: Proposal) -> Definition | None:
    """The definition that a change is about. Raises Stale where it has moved on."""
    if proposal.base is None:
        return None
    definition = find_definition(workspace, proposal.base.definition_id)
    if proposal.is_stale(definition.version_id):
        raise Stale()
    return definition


def _version(proposal: Proposal, definition: Definition | None, content: Content) -> Version:
    """The version that an approval makes; a new definition's id follows from the proposal's."""
    now = clock.now()
    return Version(
        id=timed_id(now),
        definition_id=definition.id if definition else derived_id(proposal.id, "definition"),
        schema_version=proposal.schema_version,
        content=content,
        author=proposal.author,
        proposal_id=proposal.id,
        created_at=now,
    )


def _put_into_force(
    workspace: WorkspaceScope,
    proposal: Proposal,
    definition: Definition | None,
    version: Version,
    changes: Changes,
) -> None:
    repository = DefinitionRepository(workspace)
    if definition:
        repository.advance(changes, definition, version)
        return
    new = Definition(
        id=version.definition_id,
        kind=proposal.kind,
        name=proposal.name,
        version_id=version.id,
        schema_version=version.schema_version,
        versions=1,
        created_at=version.created_at,
        updated_at=version.created_at,
    )
    repository.add(changes, new, version)


def _found(workspace: WorkspaceScope, proposal_id: UUID) -> Proposal:
    proposal = ProposalRepository(workspace).get(proposal_id)
    if proposal is None:
        raise NotFound()
    return proposal


def _expect_open(proposal: Proposal) -> None:
    if proposal.status is not ProposalStatus.OPEN:
        raise ProposalClosed()


def _expect_reviewer(caller: WorkspaceCaller, proposal: Proposal) -> None:
    """Owners and admins may approve what they proposed; for keys and plain members it is another's.

    A key stands for who made it, so that nobody approves their own by way of a key.
    """
    is_manager = caller.membership is not None and caller.membership.role in MANAGERS
    if (caller.key is None and is_manager) or not _is_own(caller, proposal):
        return
    raise OwnProposal()


def _is_own(caller: WorkspaceCaller, proposal: Proposal) -> bool:
    if _same(caller.requester, proposal.author):
        return True
    behind = proposal.author.person_id
    if proposal.author.key_id is not None:
        key = ApiKeyRepository(caller.workspace).get(proposal.author.key_id)
        behind = key.maker_id if key else None
    return behind is not None and behind == caller.person_id


def _same(one: Requester, other: Requester) -> bool:
    return (one.person_id, one.key_id) == (other.person_id, other.key_id)


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
    """The current versions of the definitions that open proposals would change."""
    named = {
        each.base.definition_id
        for each in proposals
        if each.base and each.status is ProposalStatus.OPEN
    }
    return DefinitionRepository(workspace).current_versions(named)


def _is_stale(proposal: Proposal, current: dict[UUID, UUID]) -> bool:
    base = proposal.base
    return proposal.is_stale(current.get(base.definition_id) if base else None)


def _read(workspace: WorkspaceScope, proposal: Proposal) -> ShownProposal:
    """The proposal with the definition that it would make, or has made."""
    proposed = ProposalRepository(workspace).proposed(proposal.id)
    base = proposal.base
    content = _applied(workspace, base, proposed) if base else proposed.definition
    return _shown(workspace, proposal, proposed, content)


def _shown(
    workspace: WorkspaceScope, proposal: Proposal, proposed: Proposed, content: Content
) -> ShownProposal:
    [listed] = _listed(workspace, [proposal])
    return ShownProposal(listed, proposed.patch, content)

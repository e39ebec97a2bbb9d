"""Proposes changes of definitions, and decides on them."""

from dataclasses import dataclass
from uuid import UUID

from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.workspaces.callers import Requester, WorkspaceCaller
from storepost.accounts.workspaces.model import MANAGERS
from storepost.definitions.definitions.checking import check, check_patch
from storepost.definitions.definitions.kinds import newest_schema_version
from storepost.definitions.definitions.model import Content, Definition, DefinitionKind, Version
from storepost.definitions.definitions.patching import Operation
from storepost.definitions.definitions.problems import SchemaMismatch
from storepost.definitions.definitions.repository import DefinitionRepository
from storepost.definitions.definitions.service import definition_in_body, find_definition
from storepost.definitions.proposals.model import (
    WITHDRAWN,
    Base,
    Proposal,
    ProposalStatus,
    Proposed,
    Review,
)
from storepost.definitions.proposals.problems import (
    BaseNotCurrent,
    NotAuthor,
    OwnProposal,
    ProposalClosed,
    ProposalStale,
)
from storepost.definitions.proposals.reading import (
    ProposalView,
    applied,
    find_proposal,
    proposal_view,
    show_proposal,
)
from storepost.definitions.proposals.repository import ProposalRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import derived_id, timed_id
from storepost.values.problems import FieldError, NotFound, handles
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class NewDefinition:
    """A definition that is proposed."""

    kind: DefinitionKind
    name: str
    summary: str
    definition: Content


@dataclass(frozen=True)
class NewChange:
    """A change of a definition that is proposed."""

    base: Base
    summary: str
    patch: tuple[Operation, ...]


def propose(
    caller: WorkspaceCaller, new: NewDefinition | NewChange, changes: Changes
) -> ProposalView:
    """Proposes a new definition or a change of one, and checks the result.

    Raises SchemaMismatch, and for a change ValidationFailed, BaseNotCurrent and PatchFailed.
    """
    if isinstance(new, NewChange):
        return _propose_change(caller, new, changes)
    schema_version = newest_schema_version(new.kind)
    check(new.kind, schema_version, new.definition, "/definition")
    proposal = _new(caller, new.kind, new.name, new.summary, None)
    proposed = Proposed(definition=new.definition)
    ProposalRepository(caller.workspace).add(changes, proposal, proposed)
    return proposal_view(caller.workspace, proposal, proposed, new.definition)


def approve(
    caller: WorkspaceCaller, proposal_id: UUID, note: str | None, changes: Changes
) -> ProposalView:
    """Puts a proposal into force.

    Raises NotFound, OwnProposal, ProposalClosed, ProposalStale, PatchFailed and SchemaMismatch.
    """
    workspace = caller.workspace
    proposal = find_proposal(workspace, proposal_id)
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
    return proposal_view(workspace, approved, proposed, content)


def reject(
    caller: WorkspaceCaller, proposal_id: UUID, note: str | None, changes: Changes
) -> ProposalView:
    """Closes a proposal, a stale one too. Raises NotFound and ProposalClosed."""
    proposal = find_proposal(caller.workspace, proposal_id)
    _expect_open(proposal)
    review = Review(caller.requester, clock.now(), note, None)
    rejected = proposal.decided(ProposalStatus.REJECTED, review)
    ProposalRepository(caller.workspace).decide(changes, rejected)
    return show_proposal(caller.workspace, rejected)


def withdraw(caller: WorkspaceCaller, proposal_id: UUID, changes: Changes) -> None:
    """Rejects the caller's own proposal; repeatable.

    Raises NotFound, NotAuthor and ProposalClosed.
    """
    proposal = find_proposal(caller.workspace, proposal_id)
    if not _same(caller.requester, proposal.author):
        raise NotAuthor()
    if _is_withdrawn(proposal):
        return
    _expect_open(proposal)
    review = Review(caller.requester, clock.now(), WITHDRAWN, None)
    ProposalRepository(caller.workspace).decide(
        changes, proposal.decided(ProposalStatus.REJECTED, review)
    )


# The version that it looks up is the definition's current one.
@handles(NotFound)
def _propose_change(caller: WorkspaceCaller, new: NewChange, changes: Changes) -> ProposalView:
    definition = definition_in_body(caller.workspace, new.base.definition_id)
    if definition.version_id != new.base.version_id:
        raise BaseNotCurrent()
    check_patch(new.patch)
    proposal = _new(caller, definition.kind, definition.name, new.summary, new.base)
    proposed = Proposed(patch=new.patch)
    content = _result(caller.workspace, proposal, proposed)
    ProposalRepository(caller.workspace).add(changes, proposal, proposed)
    return proposal_view(caller.workspace, proposal, proposed, content)


def _new(
    caller: WorkspaceCaller, kind: DefinitionKind, name: str, summary: str, base: Base | None
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
    """Returns the content that would be in force.

    Raises NotFound, PatchFailed and SchemaMismatch.
    """
    if proposal.base is None:
        check(proposal.kind, proposal.schema_version, proposed.definition, "/definition")
        return proposed.definition
    content = applied(workspace, proposal.base, proposed)
    try:
        check(proposal.kind, proposal.schema_version, content, "")
    except SchemaMismatch as mismatch:
        errors = [
            FieldError("/patch", f"The result at `{error.path or '/'}`: {error.message}")
            for error in mismatch.errors
        ]
        raise SchemaMismatch(errors=errors) from mismatch
    return content


def _definition_of(workspace: WorkspaceScope, proposal: Proposal) -> Definition | None:
    """Returns the definition that a change is about. Raises NotFound and ProposalStale."""
    if proposal.base is None:
        return None
    definition = find_definition(workspace, proposal.base.definition_id)
    if proposal.is_stale(definition.version_id):
        raise ProposalStale()
    return definition


def _version(proposal: Proposal, definition: Definition | None, content: Content) -> Version:
    """Returns the version of an approval; a new definition's id derives from the proposal's."""
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


def _expect_open(proposal: Proposal) -> None:
    if proposal.status is not ProposalStatus.OPEN:
        raise ProposalClosed()


def _is_withdrawn(proposal: Proposal) -> bool:
    review = proposal.review
    return review is not None and review.note == WITHDRAWN and _same(review.by, proposal.author)


def _expect_reviewer(caller: WorkspaceCaller, proposal: Proposal) -> None:
    """Demands another reviewer for proposals of keys and members; managers may approve their own.

    A key counts as the person who made it, so that nobody approves their own proposal by a key.
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

"""Rows of proposals, of their contents, and their count."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.update import Action

from storepost.accounts.workspaces.rows import RequestedBy
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.patching import JsonPatchOp, Operation
from storepost.definitions.proposals.keys import (
    PROPOSALS,
    count_key,
    proposal_key,
    proposals_partition,
    proposed_key,
)
from storepost.definitions.proposals.model import Base, Proposal, ProposalStatus, Proposed, Review
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.deflated import Deflated
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    UtcDateTimeAttribute,
    find,
    find_all,
    keys_of_page,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.reads import Repository
from storepost.values.pagination import PageRequest


class ProposalItem(Item, discriminator="change_proposal"):
    """A proposal without its content."""

    id = Identifier()
    definition_kind = UnicodeAttribute()
    name = UnicodeAttribute()
    summary = UnicodeAttribute()
    schema_version = NumberAttribute()
    author = RequestedBy()
    created_at = UtcDateTimeAttribute()
    base_definition_id = Identifier(null=True)
    base_version_id = Identifier(null=True)
    status = UnicodeAttribute()
    reviewer = RequestedBy(null=True)
    reviewed_at = UtcDateTimeAttribute(null=True)
    note = UnicodeAttribute(null=True)
    result_definition_id = Identifier(null=True)
    result_version_id = Identifier(null=True)


class ProposedItem(Item, discriminator="proposed_change"):
    """A proposal's content: `{"definition": …}` or `{"patch": […]}`."""

    content = Deflated()


class ProposalCountItem(Item, discriminator="change_proposals"):
    """How many proposals there are."""

    proposals = NumberAttribute(default=0)


class ProposalRepository(Repository):
    """A workspace's proposals."""

    def get(self, proposal_id: UUID) -> Proposal | None:
        """Returns the proposal, or None."""
        item = find(ProposalItem, proposal_key(self._scope, proposal_id))
        return _as_proposal(item) if item else None

    def proposed(self, proposal_id: UUID) -> Proposed:
        """Returns the proposal's content."""
        item = find(ProposedItem, proposed_key(self._scope, proposal_id))
        return _as_proposed(item.content) if item else Proposed()

    def count(self) -> int:
        """Returns how many proposals there are."""
        item = find(ProposalCountItem, count_key(self._scope))
        return int(item.proposals) if item else 0

    def page(self, page: PageRequest, *, newest_first: bool) -> list[Proposal]:
        """Returns a page of all proposals; empty after the last."""
        partition = proposals_partition(self._scope)
        keys = keys_of_page(
            partition, PROPOSALS, page.skipped, page.size, newest_first=newest_first
        )
        found = find_all(keys)
        rows = (row for key in keys if isinstance(row := found.get(key), ProposalItem))
        return [_as_proposal(row) for row in rows]

    def in_order(self, *, newest_first: bool, limit: int) -> Iterator[Proposal]:
        """Returns the proposals in order, at most `limit` of them."""
        partition = proposals_partition(self._scope)
        rows = ProposalItem.rows_in(partition, PROPOSALS, newest_first=newest_first, limit=limit)
        return map(_as_proposal, rows)

    def add(self, changes: Changes, proposal: Proposal, proposed: Proposed) -> None:
        """Adds a new proposal."""
        base = proposal.base
        changes.create(
            as_row(
                ProposalItem,
                proposal_key(self._scope, proposal.id),
                proposal,
                definition_kind=proposal.kind,
                base_definition_id=base.definition_id if base else None,
                base_version_id=base.version_id if base else None,
            )
        )
        content = _proposed_row(proposed)
        changes.create(ProposedItem(*proposed_key(self._scope, proposal.id), content=content))
        # An update creates the row if there is none, but doesn't set its kind.
        kind = ProposalCountItem.kind.set(ProposalCountItem)
        count = ProposalCountItem(*count_key(self._scope))
        changes.update(count, [kind, ProposalCountItem.proposals.add(1)])

    def decide(self, changes: Changes, proposal: Proposal) -> None:
        """Writes the decision, if nobody has decided yet."""
        review = proposal.review
        if review is None:
            raise ValueError("nothing was decided")
        actions: list[Action] = [
            ProposalItem.status.set(proposal.status),
            ProposalItem.reviewer.set(review.by),
            ProposalItem.reviewed_at.set(review.at),
        ]
        if review.note is not None:
            actions.append(ProposalItem.note.set(review.note))
        if review.result:
            actions.append(ProposalItem.result_definition_id.set(review.result.definition_id))
            actions.append(ProposalItem.result_version_id.set(review.result.version_id))
        row = ProposalItem(*proposal_key(self._scope, proposal.id))
        is_open = ProposalItem.status == ProposalStatus.OPEN.value
        changes.update(row, actions, is_open)


def _proposed_row(proposed: Proposed) -> dict[str, Any]:
    if proposed.patch:
        return {"patch": [operation.as_json() for operation in proposed.patch]}
    return {"definition": proposed.definition}


def _as_proposed(content: dict[str, Any]) -> Proposed:
    patch = (
        Operation(JsonPatchOp(row["op"]), row["path"], row.get("value"))
        for row in content.get("patch", ())
    )
    return Proposed(content.get("definition"), tuple(patch))


def _as_proposal(item: ProposalItem) -> Proposal:
    return as_value(
        Proposal,
        item,
        kind=DefinitionKind(item.definition_kind),
        base=_base(item.base_definition_id, item.base_version_id),
        review=_review(item),
    )


def _review(item: ProposalItem) -> Review | None:
    if item.reviewer is None or item.reviewed_at is None:
        return None
    result = _base(item.result_definition_id, item.result_version_id)
    return Review(item.reviewer, item.reviewed_at, item.note, result)


def _base(definition_id: UUID | None, version_id: UUID | None) -> Base | None:
    return Base(definition_id, version_id) if definition_id and version_id else None

"""A proposal as a value: what it would change, and how it was decided."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester
from storepost.definitions.definitions.model import Content, DefinitionKind
from storepost.definitions.definitions.patching import Operation
from storepost.values.stored_enum import StoredEnum

WITHDRAWN = "Withdrawn by its author."


class ProposalStatus(StoredEnum):
    """Whether anybody has decided.

    `open`: nobody has. `approved`: what was proposed is in force. `rejected`: it isn't, because
    somebody rejected it or its author withdrew it.
    """

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Base:
    """The definition and version for which a change was proposed."""

    definition_id: UUID
    version_id: UUID


@dataclass(frozen=True)
class Review:
    """The decision on a proposal."""

    by: Requester
    at: datetime
    note: str | None
    result: Base | None
    """The version that the approval created."""


@dataclass(frozen=True)
class Proposal:
    """A proposal without its content."""

    id: UUID
    kind: DefinitionKind
    name: str
    """The definition's name."""
    summary: str
    schema_version: int
    author: Requester
    created_at: datetime
    base: Base | None
    """None if it proposes a new definition."""
    status: ProposalStatus
    review: Review | None

    @property
    def definition_id(self) -> UUID | None:
        """Returns the definition that it is about; None as long as it proposes a new one."""
        known = self.base or (self.review.result if self.review else None)
        return known.definition_id if known else None

    def is_stale(self, current: UUID | None) -> bool:
        """Returns whether it can't be approved any more, by the definition's current version.

        A proposal that was decided isn't stale: nothing waits for it.
        """
        return (
            self.status is ProposalStatus.OPEN
            and self.base is not None
            and self.base.version_id != current
        )

    def decided(self, status: ProposalStatus, review: Review) -> "Proposal":
        """Returns the proposal as decided."""
        return replace(self, status=status, review=review)


@dataclass(frozen=True)
class Proposed:
    """A proposal's content: a whole definition, or operations on its base."""

    definition: Content = None
    patch: tuple[Operation, ...] = ()

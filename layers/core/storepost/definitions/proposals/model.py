"""A proposal as a value: what it would change, and what became of it."""

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
    """What a change was proposed to."""

    definition_id: UUID
    version_id: UUID


@dataclass(frozen=True)
class Review:
    """What was decided."""

    by: Requester
    at: datetime
    note: str | None
    result: Base | None
    """What the approval made."""


@dataclass(frozen=True)
class Proposal:
    """A proposal without what it says."""

    id: UUID
    kind: DefinitionKind
    name: str
    """The definition's."""
    summary: str
    schema_version: int
    author: Requester
    created_at: datetime
    base: Base | None
    """None where it proposes a new definition."""
    status: ProposalStatus
    review: Review | None

    @property
    def definition_id(self) -> UUID | None:
        """Returns the definition that it is about; None as long as it is a new one's."""
        known = self.base or (self.review.result if self.review else None)
        return known.definition_id if known else None

    def is_stale(self, current: UUID | None) -> bool:
        """Returns whether it can't be approved any more, by the definition's current version.

        One that was decided is not: nothing waits for it.
        """
        return (
            self.status is ProposalStatus.OPEN
            and self.base is not None
            and self.base.version_id != current
        )

    def decided(self, status: ProposalStatus, review: Review) -> "Proposal":
        """Returns the proposal once somebody decided."""
        return replace(self, status=status, review=review)


@dataclass(frozen=True)
class Proposed:
    """What a proposal says: a whole definition, or operations on its base."""

    definition: Content = None
    patch: tuple[Operation, ...] = ()

"""Change proposals on the wire."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Discriminator, Field, RootModel, StringConstraints, Tag, model_validator

from storepost.definitions.definitions.authors import Author
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.patching import JsonPatchOp, Operation
from storepost.definitions.definitions.schemas import DefinitionAuthor
from storepost.definitions.proposals.model import Base, ProposalStatus
from storepost.definitions.proposals.reading import ListedProposal, ProposalView
from storepost.definitions.proposals.service import NewChange, NewDefinition
from storepost.values.wire import Id, RequestBody, Shape, Text, Timestamp

type ProposalOrder = Literal["-createdAt", "createdAt"]

MAX_OPERATIONS = 500
MAX_NOTE = 2_000

Pointer = Annotated[str, StringConstraints(max_length=2_048, pattern=r"^(/([^~]|~[01])*)?$")]
"""A JSON Pointer (RFC 6901): empty, or `/`-separated with `~0` and `~1` for `~` and `/`."""


class JsonPatchOperation(RequestBody):
    """One operation of a patch (RFC 6902); `add` and `replace` need a value."""

    op: JsonPatchOp
    path: Pointer
    value: Any = None

    @model_validator(mode="after")
    def _has_a_value(self) -> "JsonPatchOperation":
        if (self.op is JsonPatchOp.REMOVE) == ("value" in self.model_fields_set):
            raise ValueError("`add` and `replace` have a `value`, `remove` has none")
        return self

    def operation(self) -> Operation:
        """The operation as the service applies it."""
        return Operation(self.op, self.path, self.value)


_SEGMENT = {
    "description": "Subscribed to emails, with an order in the last 90 days",
    "condition": {
        "type": "all",
        "conditions": [
            {"type": "consent", "channel": "email", "states": ["subscribed"]},
            {"type": "order", "within": {"lastDays": 90}},
        ],
    },
}


class NewDefinitionProposal(RequestBody):
    """Proposes a definition that there isn't yet."""

    kind: DefinitionKind
    name: Text
    summary: Text
    definition: Any = Field(description="What the kind's schema demands.", examples=[_SEGMENT])

    def value(self) -> NewDefinition:
        """What is proposed."""
        return NewDefinition(self.kind, self.name, self.summary, self.definition)


class DefinitionChangeProposal(RequestBody):
    """Proposes a change of a definition."""

    definition_id: Id
    base_version_id: Id
    summary: Text
    patch: Annotated[list[JsonPatchOperation], Field(min_length=1, max_length=MAX_OPERATIONS)]

    def value(self) -> NewChange:
        """What is proposed."""
        base = Base(self.definition_id, self.base_version_id)
        return NewChange(base, self.summary, tuple(each.operation() for each in self.patch))


_OF_CHANGES = frozenset({"definitionId", "baseVersionId", "patch"})


def _which(body: object) -> str:
    return "change" if isinstance(body, dict) and _OF_CHANGES & body.keys() else "new"


class NewChangeProposal(
    RootModel[
        Annotated[
            Annotated[NewDefinitionProposal, Tag("new")]
            | Annotated[DefinitionChangeProposal, Tag("change")],
            Discriminator(_which),
        ]
    ]
):
    """A new definition, or a change of one: what has a `definitionId` is a change."""


class ReviewBody(RequestBody):
    """What a reviewer says beside the decision."""

    note: (
        Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NOTE)]
        | None
    ) = None


class Reviewer(Shape):
    """Who decided: neither id nor name once that account is deleted."""

    id: UUID | None
    name: str | None

    @classmethod
    def of(cls, author: Author) -> "Reviewer":
        """The reviewer in this shape."""
        return cls(id=author.id, name=author.name)


class ChangeProposalSummary(Shape):
    """A proposal as lists show it; only an open one is ever stale."""

    id: UUID
    kind: DefinitionKind
    definition_id: UUID | None
    name: str
    summary: str
    status: ProposalStatus
    stale: bool
    author: DefinitionAuthor
    created_at: Timestamp
    reviewed_by: Reviewer | None
    reviewed_at: Timestamp | None

    @classmethod
    def of(cls, listed: ListedProposal) -> "ChangeProposalSummary":
        """The proposal in this shape."""
        return cls(**_summary(listed))


class ChangeProposal(ChangeProposalSummary):
    """A proposal with what it says; `definition` is what it would make, or has made."""

    base_version_id: UUID | None
    schema_version: int
    definition: Annotated[Any, Field(examples=[_SEGMENT])]
    patch: list[dict[str, Any]]
    result_version_id: UUID | None
    review_note: str | None

    @classmethod
    def of_view(cls, view: ProposalView) -> "ChangeProposal":
        """The proposal in this shape."""
        proposal = view.listed.proposal
        review = proposal.review
        return cls(
            **_summary(view.listed),
            base_version_id=proposal.base.version_id if proposal.base else None,
            schema_version=proposal.schema_version,
            definition=view.definition,
            patch=[operation.as_json() for operation in view.patch],
            result_version_id=review.result.version_id if review and review.result else None,
            review_note=review.note if review else None,
        )


def _summary(listed: ListedProposal) -> dict[str, Any]:
    proposal = listed.proposal
    return {
        "id": proposal.id,
        "kind": proposal.kind,
        "definition_id": proposal.definition_id,
        "name": proposal.name,
        "summary": proposal.summary,
        "status": proposal.status,
        "stale": listed.stale,
        "author": DefinitionAuthor.of(listed.author),
        "created_at": proposal.created_at,
        "reviewed_by": Reviewer.of(listed.reviewer) if listed.reviewer else None,
        "reviewed_at": proposal.review.at if proposal.review else None,
    }

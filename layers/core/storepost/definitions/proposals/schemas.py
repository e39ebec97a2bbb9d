"""Change proposals on the wire."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Discriminator, Field, RootModel, StringConstraints, Tag, model_validator

from storepost.definitions.definitions.authors import Author
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.patching import JsonPatchOp, Operation
from storepost.definitions.definitions.schemas import DefinitionAuthor
from storepost.definitions.proposals.model import Base, ProposalStatus
from storepost.definitions.proposals.reading import ListedProposal, ProposalView
from storepost.definitions.proposals.service import NewChange, NewDefinition
from storepost.values.field_errors import wrong_field
from storepost.values.wire import Id, Name, RequestBody, Shape, Text, Timestamp

MAX_OPERATIONS = 500
MAX_NOTE = 2_000

Pointer = Annotated[str, StringConstraints(max_length=2_048, pattern=r"^(/([^~]|~[01])*)?$")]
"""A JSON Pointer (RFC 6901): empty, or `/`-separated with `~0` and `~1` for `~` and `/`."""


class JsonPatchOperation(RequestBody):
    """One operation of a JSON Patch (RFC 6902)."""

    op: JsonPatchOp = Field(
        description="What to do: `add` a member or an array's element, `remove` one, or `replace` "
        "one by another."
    )
    path: Pointer = Field(
        description="Where, as a JSON Pointer (RFC 6901) into the definition, such as "
        "`/condition/conditions/0`. `-` stands for the end of an array, and the empty text for the "
        "whole definition."
    )
    value: Any = Field(
        default=None,
        description="What to put there, any JSON. Required for `add` and `replace`, and ignored "
        "for `remove`.",
    )

    @model_validator(mode="after")
    def _has_a_value(self) -> "JsonPatchOperation":
        if self.op is not JsonPatchOp.REMOVE and "value" not in self.model_fields_set:
            raise wrong_field(f"Required for `{self.op}`", "value")
        return self

    def operation(self) -> Operation:
        """Returns the operation as the service applies it."""
        value = None if self.op is JsonPatchOp.REMOVE else self.value
        return Operation(self.op, self.path, value)


ProposalSummary = Annotated[
    Text,
    Field(
        description="What the proposal is for, in a sentence for its reviewer. It isn't part of "
        "the definition."
    ),
]

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
    """A proposal of a definition that isn't there yet."""

    kind: DefinitionKind = Field(description="What is defined.")
    name: Name = Field(
        description="What people will call the definition. It can't be changed later, and needn't "
        "be unique."
    )
    summary: ProposalSummary
    definition: Any = Field(
        description="The content, as the newest schema of the kind describes it: see `GET "
        "/definition-schemas/{kind}`. At most 256 KiB as JSON, and 40 levels deep.",
        examples=[_SEGMENT],
    )

    def value(self) -> NewDefinition:
        """Returns what is proposed."""
        return NewDefinition(self.kind, self.name, self.summary, self.definition)


class DefinitionChangeProposal(RequestBody):
    """A proposal to change a definition that is in force, by a patch of its current version."""

    definition_id: Id = Field(description="The segment, template or flow that the patch is for.")
    base_version_id: Id = Field(
        description="The definition's current `versionId`, for which the patch is made. Another "
        "one is refused with `base_not_current`."
    )
    summary: ProposalSummary
    patch: list[JsonPatchOperation] = Field(
        min_length=1,
        max_length=MAX_OPERATIONS,
        description="What to change, as a JSON Patch (RFC 6902). The operations are applied in "
        "this order, all or none; the result must meet the kind's newest schema.",
    )

    def value(self) -> NewChange:
        """Returns what is proposed."""
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
    """What a reviewer says beside the decision. The body may be left out."""

    note: (
        Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NOTE)]
        | None
    ) = Field(
        default=None,
        description="Why the proposal is approved or rejected, for its author to read. It becomes "
        "`reviewNote`.",
    )


class Reviewer(Shape):
    """Who decided on a proposal: a person, or an API key."""

    id: UUID | None = Field(
        description="The person's or the key's id; null once a person's account is deleted."
    )
    name: str | None = Field(
        description="The person's name today, or the key's name when it decided; null once a "
        "person's account is deleted."
    )

    @classmethod
    def of(cls, author: Author) -> "Reviewer":
        """Returns the reviewer in this shape."""
        return cls(id=author.id, name=author.name)


class ChangeProposalSummary(Shape):
    """A proposal as lists show it."""

    id: UUID = Field(description="The id that paths of change proposals take.")
    kind: DefinitionKind = Field(description="What the definition defines.")
    definition_id: UUID | None = Field(
        description="The definition that would change, or that the approval made; null where a new "
        "one is proposed and nobody has approved it."
    )
    name: str = Field(
        description="What people call the definition, or will call it once it is approved."
    )
    summary: ProposalSummary
    status: ProposalStatus = Field(description="Whether it was decided, and how.")
    stale: bool = Field(
        description="True for an open proposal whose definition has another version by now: it "
        "can be rejected, but not approved any more."
    )
    author: DefinitionAuthor = Field(description="Who made the proposal.")
    created_at: Timestamp = Field(description="When the proposal was made.")
    reviewed_by: Reviewer | None = Field(
        description="Who approved or rejected it, or its author where they withdrew it; null while "
        "it is open."
    )
    reviewed_at: Timestamp | None = Field(
        description="When that was decided; null while the proposal is open."
    )

    @classmethod
    def of(cls, listed: ListedProposal) -> "ChangeProposalSummary":
        """Returns the proposal in this shape."""
        return cls.of_stored(listed.proposal, **_summary(listed))


class ChangeProposal(ChangeProposalSummary):
    """A proposal with the definition that it would make, or has made."""

    base_version_id: UUID | None = Field(
        description="The version that the patch was made for; null where a new definition is "
        "proposed."
    )
    schema_version: int = Field(
        description="The version of the kind's schema that the result must meet."
    )
    definition: Any = Field(
        examples=[_SEGMENT],
        description="The whole content as it would be after the approval, or is in the version "
        "that the approval made.",
    )
    patch: list[dict[str, Any]] = Field(
        description="The proposed operations as a JSON Patch (RFC 6902); empty where a new "
        "definition is proposed."
    )
    result_version_id: UUID | None = Field(
        description="The version that the approval made; null unless the proposal is approved."
    )
    review_note: str | None = Field(
        description="The reviewer's note; null where they wrote none, and while the proposal is "
        "open. For a withdrawn proposal it says so."
    )

    @classmethod
    def of_view(cls, view: ProposalView) -> "ChangeProposal":
        """Returns the proposal in this shape."""
        proposal = view.listed.proposal
        review = proposal.review
        return cls.of_stored(
            proposal,
            **_summary(view.listed),
            base_version_id=proposal.base.version_id if proposal.base else None,
            definition=view.definition,
            patch=[operation.as_json() for operation in view.patch],
            result_version_id=review.result.version_id if review and review.result else None,
            review_note=review.note if review else None,
        )


def _summary(listed: ListedProposal) -> dict[str, Any]:
    proposal = listed.proposal
    return {
        "definition_id": proposal.definition_id,
        "stale": listed.stale,
        "author": DefinitionAuthor.from_model(listed.author),
        "reviewed_by": Reviewer.of(listed.reviewer) if listed.reviewer else None,
        "reviewed_at": proposal.review.at if proposal.review else None,
    }

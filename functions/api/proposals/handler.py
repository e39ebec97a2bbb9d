"""Definitions, their schemas, and proposals to change them."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Proposer, Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.definitions.definitions import service as definitions
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.schemas import (
    Definition,
    DefinitionSchemaInfo,
    DefinitionVersion,
    JsonSchema,
)
from storepost.definitions.proposals import reading
from storepost.definitions.proposals import service as proposals
from storepost.definitions.proposals.model import ProposalStatus
from storepost.definitions.proposals.schemas import (
    ChangeProposal,
    ChangeProposalSummary,
    NewChangeProposal,
    ReviewBody,
)
from storepost.values.pagination import PageRequest, PageSize

app = create_app()

Sort = Literal["createdAt", "-createdAt"]


@app.get("/v1/definition-schemas", operation_id="definitionSchemas.list")
def list_definition_schemas(
    caller: Reader,  # noqa: ARG001 - who may call
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[DefinitionSchemaInfo]:
    """List the kinds of definitions.

    Segments, email templates and flows, each with the version of its newest schema. They are the
    same in every workspace.
    """
    listing = definitions.list_kinds(PageRequest(page, page_size))
    return Page[DefinitionSchemaInfo].of(listing, DefinitionSchemaInfo.from_model)


@app.get("/v1/definition-schemas/<kind>", operation_id="definitionSchemas.get")
def get_definition_schema(
    kind: Annotated[
        str,
        Path(description="The kind whose schema is read: `segment`, `email_template` or `flow`."),
    ],
    caller: Reader,  # noqa: ARG001 - who may call
    schema_version: Annotated[
        int | None,
        Query(
            ge=1, description="Which version of the schema; the newest one where it is left out."
        ),
    ] = None,
) -> JsonSchema:
    """Get a kind's JSON Schema.

    What a definition of this kind may contain. Read it before you propose one.
    """
    return JsonSchema(definitions.get_schema(kind, schema_version))


@app.get("/v1/definitions", operation_id="definitions.list")
def list_definitions(
    caller: Reader,
    kind: Annotated[
        list[DefinitionKind] | None,
        Query(description="Only definitions of this kind."),
    ] = None,
    q: Search | None = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Definition]:
    """List definitions.

    The workspace's segments, email templates and flows, each as it is in force, the newest first.
    `q` looks at names. Definitions come into force and change by approved proposals alone.
    """
    request = PageRequest(page, page_size)
    listing = definitions.list_definitions(caller.workspace, kind, q, request)
    return Page[Definition].of(listing, Definition.of)


@app.get("/v1/definitions/<id>", operation_id="definitions.get")
def get_definition(
    id: Annotated[UUID, Path(description="The definition that is read.")], caller: Reader
) -> Definition:
    """Get a definition.

    The definition as it is in force. Use its `versionId` to propose a change.
    """
    return Definition.of(definitions.get_definition(caller.workspace, id))


@app.get("/v1/definitions/<id>/versions", operation_id="definitions.listVersions")
def list_versions(
    id: Annotated[UUID, Path(description="The definition whose versions are listed.")],
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[DefinitionVersion]:
    """List a definition's versions.

    All versions that were ever in force, the newest first, each with its content and who proposed
    it.
    """
    listing = definitions.list_versions(caller.workspace, id, PageRequest(page, page_size))
    return Page[DefinitionVersion].of(listing, DefinitionVersion.of)


@app.get("/v1/definitions/<id>/versions/<versionId>", operation_id="definitions.getVersion")
def get_version(
    id: Annotated[UUID, Path(description="The definition that the version is of.")],
    version_id: Annotated[
        UUID, Path(description="The version that is read, as lists of versions name it.")
    ],
    caller: Reader,
) -> DefinitionVersion:
    """Get a version of a definition.

    One version with its content and who proposed it. It never changes.
    """
    return DefinitionVersion.of(definitions.get_version(caller.workspace, id, version_id))


@app.get("/v1/change-proposals", operation_id="changeProposals.list")
def list_proposals(
    caller: Reader,
    status: Annotated[
        list[ProposalStatus] | None, Query(description="Only proposals of this status.")
    ] = None,
    kind: Annotated[
        list[DefinitionKind] | None,
        Query(description="Only proposals about definitions of this kind."),
    ] = None,
    definition_id: Annotated[
        UUID | None,
        Query(
            description="Only proposals that would change this definition, changed it or made it."
        ),
    ] = None,
    stale: Annotated[
        bool | None,
        Query(
            description="`true` for open proposals whose definition has another version by now, "
            "`false` for all others."
        ),
    ] = None,
    author: Annotated[
        UUID | None,
        Query(description="Only proposals of this person or API key, by the person's or key's id."),
    ] = None,
    sort: Annotated[
        Sort, Query(description="By when the proposals were made; `-` puts the newest first.")
    ] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ChangeProposalSummary]:
    """List change proposals.

    The workspace's proposals, open and decided ones, the newest first. Filters look through 20,000
    proposals at most.
    """
    filters = reading.ProposalFilter(
        frozenset(status or ()), frozenset(kind or ()), definition_id, author, stale
    )
    request = PageRequest(page, page_size)
    listing = reading.list_proposals(caller.workspace, filters, sort, request)
    return Page[ChangeProposalSummary].of(listing, ChangeProposalSummary.of)


@app.post("/v1/change-proposals", operation_id="changeProposals.create", status_code=201)
def create_proposal(caller: Proposer, writes: Writes, body: NewChangeProposal) -> ChangeProposal:
    """Propose a change.

    Proposes a new definition, or a change of one as a JSON Patch; a body with `definitionId` is a
    change. It is checked against the kind's schema at once, so that a broken one never reaches a
    reviewer. Nothing is in force until somebody approves it, and nobody is emailed.
    """
    return ChangeProposal.of_view(proposals.propose(caller, body.root.value(), writes))


@app.get("/v1/change-proposals/<id>", operation_id="changeProposals.get")
def get_proposal(
    id: Annotated[UUID, Path(description="The proposal that is read.")], caller: Reader
) -> ChangeProposal:
    """Get a change proposal.

    The proposal with its patch and with the whole definition that it would make, or has made.
    """
    return ChangeProposal.of_view(reading.get_proposal(caller.workspace, id))


@app.post("/v1/change-proposals/<id>/approve", operation_id="changeProposals.approve")
def approve_proposal(
    id: Annotated[UUID, Path(description="The open proposal that is approved.")],
    caller: Writer,
    writes: Writes,
    body: ReviewBody | None = None,
) -> ChangeProposal:
    """Approve a change proposal.

    Puts what is proposed into force at once, as a new version of its definition, or as a new
    definition. It is checked once more; one whose definition has changed since is refused with
    `proposal_stale`. An owner or admin who is signed in may approve their own proposal; everybody
    else needs another person. An API key counts as the person who made it. It can't be undone, but
    another proposal can change it again.
    """
    note = body.note if body else None
    return ChangeProposal.of_view(proposals.approve(caller, id, note, writes))


@app.post("/v1/change-proposals/<id>/reject", operation_id="changeProposals.reject")
def reject_proposal(
    id: Annotated[UUID, Path(description="The open proposal that is rejected.")],
    caller: Writer,
    writes: Writes,
    body: ReviewBody | None = None,
) -> ChangeProposal:
    """Reject a change proposal.

    Closes an open proposal, a stale one too; nothing else changes. It stays readable, and can't be
    opened again.
    """
    note = body.note if body else None
    return ChangeProposal.of_view(proposals.reject(caller, id, note, writes))


@app.delete(
    "/v1/change-proposals/<id>",
    operation_id="changeProposals.withdraw",
    status_code=204,
    response_description="The proposal is withdrawn.",
)
def withdraw_proposal(
    id: Annotated[UUID, Path(description="The caller's own open proposal that is withdrawn.")],
    caller: Proposer,
    writes: Writes,
) -> None:
    """Withdraw a change proposal.

    Takes the caller's own open proposal back: it is `rejected`, with a note that says so, and stays
    readable.
    """
    proposals.withdraw(caller, id, writes)


lambda_handler = app.handler()

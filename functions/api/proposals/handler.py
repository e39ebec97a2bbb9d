"""Definitions, their schemas, and proposals to change them."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

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
    ProposalOrder,
    ReviewBody,
)
from storepost.values.pagination import PageRequest, PageSize

VersionId = Annotated[UUID, Path(alias="versionId")]

app = create_app()


@app.get("/v1/definition-schemas", operation_id="definitionSchemas.list")
def list_definition_schemas(
    caller: Reader,  # noqa: ARG001 - who may call
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[DefinitionSchemaInfo]:
    """The kinds of definitions, each with its newest schema's version."""
    listing = definitions.list_kinds(PageRequest(page, page_size))
    return Page[DefinitionSchemaInfo].of(listing, DefinitionSchemaInfo.of)


@app.get("/v1/definition-schemas/<kind>", operation_id="definitionSchemas.get")
def get_definition_schema(
    kind: str,
    caller: Reader,  # noqa: ARG001 - who may call
    schema_version: Annotated[int | None, Query(alias="schemaVersion", ge=1)] = None,
) -> JsonSchema:
    """A kind's JSON Schema, the newest unless another is asked for."""
    return JsonSchema(definitions.get_schema(kind, schema_version))


@app.get("/v1/definitions", operation_id="definitions.list")
def list_definitions(
    caller: Reader,
    kind: Annotated[list[DefinitionKind] | None, Query()] = None,
    q: Search | None = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Definition]:
    """The workspace's definitions with what is in force, newest first."""
    request = PageRequest(page, page_size)
    listing = definitions.list_definitions(caller.workspace, kind, q, request)
    return Page[Definition].of(listing, Definition.of)


@app.get("/v1/definitions/<id>", operation_id="definitions.get")
def get_definition(id: UUID, caller: Reader) -> Definition:
    """One definition with what is in force."""
    return Definition.of(definitions.get_definition(caller.workspace, id))


@app.get("/v1/definitions/<id>/versions", operation_id="definitions.versions")
def list_versions(
    id: UUID, caller: Reader, page: PageNumber = 1, page_size: Size = PageSize.TWENTY_FIVE
) -> Page[DefinitionVersion]:
    """The definition's versions, newest first."""
    listing = definitions.list_versions(caller.workspace, id, PageRequest(page, page_size))
    return Page[DefinitionVersion].of(listing, DefinitionVersion.of)


@app.get("/v1/definitions/<id>/versions/<versionId>", operation_id="definitions.version")
def get_version(id: UUID, version_id: VersionId, caller: Reader) -> DefinitionVersion:
    """One version, which never changes."""
    return DefinitionVersion.of(definitions.get_version(caller.workspace, id, version_id))


@app.get("/v1/change-proposals", operation_id="changeProposals.list")
def list_proposals(
    caller: Reader,
    status: Annotated[list[ProposalStatus] | None, Query()] = None,
    kind: Annotated[list[DefinitionKind] | None, Query()] = None,
    definition_id: Annotated[UUID | None, Query(alias="definitionId")] = None,
    stale: Annotated[bool | None, Query()] = None,
    author: Annotated[UUID | None, Query(description="A person's or a key's id.")] = None,
    sort: Annotated[ProposalOrder, Query()] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ChangeProposalSummary]:
    """The workspace's proposals, newest first unless sorted otherwise."""
    filters = reading.ProposalFilter(
        frozenset(status or ()), frozenset(kind or ()), definition_id, author, stale
    )
    request = PageRequest(page, page_size)
    listing = reading.list_proposals(caller.workspace, filters, sort, request)
    return Page[ChangeProposalSummary].of(listing, ChangeProposalSummary.of)


@app.post("/v1/change-proposals", operation_id="changeProposals.create", status_code=201)
def create_proposal(
    caller: Proposer, writes: Writes, body: Annotated[NewChangeProposal, Body()]
) -> ChangeProposal:
    """Proposes a new definition, or a change of one; a patch is tried at once."""
    return ChangeProposal.of_view(proposals.propose(caller, body.root.value(), writes))


@app.get("/v1/change-proposals/<id>", operation_id="changeProposals.get")
def get_proposal(id: UUID, caller: Reader) -> ChangeProposal:
    """One proposal with what it says."""
    return ChangeProposal.of_view(reading.get_proposal(caller.workspace, id))


@app.post("/v1/change-proposals/<id>/approve", operation_id="changeProposals.approve")
def approve_proposal(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[ReviewBody | None, Body()] = None
) -> ChangeProposal:
    """Puts what is proposed into force."""
    note = body.note if body else None
    return ChangeProposal.of_view(proposals.approve(caller, id, note, writes))


@app.post("/v1/change-proposals/<id>/reject", operation_id="changeProposals.reject")
def reject_proposal(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[ReviewBody | None, Body()] = None
) -> ChangeProposal:
    """Closes a proposal without a change; a stale one too."""
    note = body.note if body else None
    return ChangeProposal.of_view(proposals.reject(caller, id, note, writes))


@app.delete("/v1/change-proposals/<id>", operation_id="changeProposals.withdraw", status_code=204)
def withdraw_proposal(id: UUID, caller: Proposer, writes: Writes) -> None:
    """Takes the caller's own proposal back: it is rejected, with a note that says so."""
    proposals.withdraw(caller, id, writes)


lambda_handler = app.handler()

"""Reads definitions and their versions; only proposals change them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from storepost.definitions.definitions.authors import Author, Authors
from storepost.definitions.definitions.kinds import KINDS, KindInfo, schema_of
from storepost.definitions.definitions.model import Definition, DefinitionKind, Version
from storepost.definitions.definitions.repository import DefinitionRepository
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.problems import NotFound, handles, needed, unknown_id
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


@dataclass(frozen=True)
class InForce:
    """A definition with its current version."""

    definition: Definition
    version: Version


@dataclass(frozen=True)
class VersionView:
    """A version of a definition with its author."""

    definition: Definition
    version: Version
    author: Author


def list_kinds(page: PageRequest) -> Listing[KindInfo]:
    """Returns the kinds of definitions."""
    return cut(KINDS, page)


def get_schema(kind: str, schema_version: int | None) -> dict[str, Any]:
    """Returns a kind's JSON Schema, the newest if no version is named. Raises NotFound."""
    known = next((info for info in KINDS if info.kind == kind), None)
    return needed(
        schema_of(known.kind, schema_version or known.schema_version) if known else None,
        NotFound("No definition schema of this kind and version exists."),
    )


def list_definitions(
    workspace: WorkspaceScope,
    kinds: Collection[DefinitionKind] | None,
    q: str | None,
    page: PageRequest,
) -> Listing[InForce]:
    """Returns the workspace's definitions, newest first."""
    repository = DefinitionRepository(workspace)
    found = [
        each
        for each in repository.all()
        if (not kinds or each.kind in kinds) and (q is None or matches(q, each.name))
    ]
    found.sort(key=lambda each: (each.created_at, each.id), reverse=True)
    listing = cut(found, page)
    versions = repository.current(listing.items)
    current = [InForce(*pair) for pair in zip(listing.items, versions, strict=True)]
    return Listing(current, listing.total, page)


def get_definition(workspace: WorkspaceScope, definition_id: UUID) -> InForce:
    """Returns the definition with its current version. Raises NotFound."""
    definition = find_definition(workspace, definition_id)
    return InForce(definition, find_version(workspace, definition_id, definition.version_id))


def list_versions(
    workspace: WorkspaceScope, definition_id: UUID, page: PageRequest
) -> Listing[VersionView]:
    """Returns the definition's versions, newest first. Raises NotFound."""
    definition = find_definition(workspace, definition_id)
    if page.skipped >= definition.versions:
        return Listing([], definition.versions, page)
    versions = DefinitionRepository(workspace).versions(definition_id, page)
    authors = Authors.of(version.author for version in versions)
    views = [VersionView(definition, each, authors.author(each.author)) for each in versions]
    return Listing(views, definition.versions, page)


def get_version(workspace: WorkspaceScope, definition_id: UUID, version_id: UUID) -> VersionView:
    """Returns one version of a definition. Raises NotFound."""
    definition = find_definition(workspace, definition_id)
    version = find_version(workspace, definition_id, version_id)
    return VersionView(definition, version, Authors.of([version.author]).author(version.author))


def find_definition(workspace: WorkspaceScope, definition_id: UUID) -> Definition:
    """Returns the definition without its content. Raises NotFound."""
    return needed(DefinitionRepository(workspace).get(definition_id), NotFound.of("definition"))


@handles(NotFound)
def definition_in_body(workspace: WorkspaceScope, definition_id: UUID) -> Definition:
    """Returns the definition in a body's `definitionId`. Raises ValidationFailed."""
    try:
        return find_definition(workspace, definition_id)
    except NotFound as error:
        raise unknown_id("/definitionId", error) from error


def find_version(workspace: WorkspaceScope, definition_id: UUID, version_id: UUID) -> Version:
    """Returns a version with its content. Raises NotFound."""
    return needed(
        DefinitionRepository(workspace).version(definition_id, version_id),
        NotFound("No version with this id exists of this definition."),
    )

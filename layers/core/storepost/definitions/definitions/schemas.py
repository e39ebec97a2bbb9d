"""Definitions on the wire."""

from typing import Any
from uuid import UUID

from pydantic import ConfigDict, RootModel

from storepost.definitions.definitions.authors import Author, AuthorType
from storepost.definitions.definitions.kinds import KindInfo
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.service import InForce, VersionView
from storepost.values.wire import Shape, Timestamp


class DefinitionSchemaInfo(Shape):
    """A kind of definitions, and its newest schema's version."""

    kind: DefinitionKind
    resource: str
    label: str
    schema_version: int

    @classmethod
    def of(cls, info: KindInfo) -> "DefinitionSchemaInfo":
        """The kind in this shape."""
        return cls(
            kind=info.kind,
            resource=info.resource,
            label=info.label,
            schema_version=info.schema_version,
        )


class JsonSchema(RootModel[dict[str, Any]]):
    """A JSON Schema (2020-12)."""

    model_config = ConfigDict(defer_build=True)


class DefinitionAuthor(Shape):
    """Who proposed it: neither id nor name once that account is deleted."""

    type: AuthorType
    id: UUID | None
    name: str | None

    @classmethod
    def of(cls, author: Author) -> "DefinitionAuthor":
        """The author in this shape."""
        return cls(type=author.type, id=author.id, name=author.name)


class Definition(Shape):
    """A definition with what is in force."""

    id: UUID
    kind: DefinitionKind
    name: str
    version_id: UUID
    schema_version: int
    definition: Any
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, current: InForce) -> "Definition":
        """The definition in this shape."""
        return cls(
            id=current.definition.id,
            kind=current.definition.kind,
            name=current.definition.name,
            version_id=current.version.id,
            schema_version=current.version.schema_version,
            definition=current.version.content,
            created_at=current.definition.created_at,
            updated_at=current.definition.updated_at,
        )


class DefinitionVersion(Shape):
    """A state of a definition, which never changes: both times are when it came into force."""

    id: UUID
    kind: DefinitionKind
    name: str
    version_id: UUID
    schema_version: int
    definition: Any
    created_at: Timestamp
    updated_at: Timestamp
    author: DefinitionAuthor
    proposal_id: UUID

    @classmethod
    def of(cls, view: VersionView) -> "DefinitionVersion":
        """The version in this shape."""
        return cls(
            id=view.definition.id,
            kind=view.definition.kind,
            name=view.definition.name,
            version_id=view.version.id,
            schema_version=view.version.schema_version,
            definition=view.version.content,
            created_at=view.version.created_at,
            updated_at=view.version.created_at,
            author=DefinitionAuthor.of(view.author),
            proposal_id=view.version.proposal_id,
        )

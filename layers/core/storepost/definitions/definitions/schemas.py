"""Definitions on the wire."""

from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field, RootModel

from storepost.definitions.definitions.authors import AuthorType
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.service import InForce, VersionView
from storepost.values.wire import Shape, Timestamp


class DefinitionSchemaInfo(Shape):
    """A kind of definitions, and its newest schema's version."""

    kind: DefinitionKind = Field(
        description="The kind's name, as definitions and proposals use it."
    )
    resource: str = Field(
        description="What definitions of the kind are together, such as `segments`."
    )
    label: str = Field(description="The kind's name for people, such as `Email template`.")
    schema_version: int = Field(
        description="The newest version of the kind's schema, counted from 1. New definitions and "
        "proposals must meet it."
    )


class JsonSchema(RootModel[dict[str, Any]]):
    """A JSON Schema (2020-12), which says what a definition of the kind may contain."""

    model_config = ConfigDict(defer_build=True)


class DefinitionAuthor(Shape):
    """Who proposed it: a person, or an API key."""

    type: AuthorType = Field(description="Whether a person or an API key proposed it.")
    id: UUID | None = Field(
        description="The person's or the key's id; null once a person's account is deleted."
    )
    name: str | None = Field(
        description="The person's name today, or the key's name when it proposed this; null once "
        "a person's account is deleted."
    )


class Definition(Shape):
    """A definition of a segment, an email template or a flow, as it is in force now."""

    id: UUID = Field(description="The definition's id, the same for all of its versions.")
    kind: DefinitionKind = Field(description="What is defined.")
    name: str = Field(
        description="What people call the definition. It is set when it is proposed and stays."
    )
    version_id: UUID = Field(
        description="The version in force. A proposal to change the definition names it as its "
        "`baseVersionId`."
    )
    schema_version: int = Field(
        description="The version of the kind's schema that the content meets."
    )
    definition: Any = Field(
        description="The content, as the kind's schema describes it: see `GET "
        "/definition-schemas/{kind}`."
    )
    created_at: Timestamp = Field(description="When the first version came into force.")
    updated_at: Timestamp = Field(description="When the version in force did.")

    @classmethod
    def of(cls, current: InForce) -> "Definition":
        """Returns the definition in this shape."""
        return cls.from_model(
            current.definition,
            version_id=current.version.id,
            schema_version=current.version.schema_version,
            definition=current.version.content,
        )


class DefinitionVersion(Shape):
    """One version of a definition, which never changes."""

    id: UUID = Field(description="The definition's id, the same for all of its versions.")
    kind: DefinitionKind = Field(description="What is defined.")
    name: str = Field(description="What people call the definition.")
    version_id: UUID = Field(
        description="The id that distinguishes the version from the definition's others."
    )
    schema_version: int = Field(
        description="The version of the kind's schema that the content meets."
    )
    definition: Any = Field(
        description="What the version says, as the kind's schema of `schemaVersion` describes it."
    )
    created_at: Timestamp = Field(description="When the version came into force.")
    updated_at: Timestamp = Field(
        description="The same moment as `createdAt`, since a version never changes."
    )
    author: DefinitionAuthor = Field(description="Who proposed the version.")
    proposal_id: UUID = Field(description="The proposal whose approval made the version.")

    @classmethod
    def of(cls, view: VersionView) -> "DefinitionVersion":
        """Returns the version in this shape."""
        return cls.from_model(
            view.definition,
            version_id=view.version.id,
            schema_version=view.version.schema_version,
            definition=view.version.content,
            created_at=view.version.created_at,
            updated_at=view.version.created_at,
            author=DefinitionAuthor.from_model(view.author),
            proposal_id=view.version.proposal_id,
        )

"""Workspaces on the wire."""

from typing import Annotated
from uuid import UUID

from pydantic import StrictBool, StringConstraints

from storepost.accounts.workspaces.model import Role, Workspace
from storepost.accounts.workspaces.repository import Standing
from storepost.values.wire import NotNull, RequestBody, Shape

WorkspaceName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)
]


class NewWorkspace(RequestBody):
    """What a workspace begins with."""

    name: WorkspaceName


class WorkspaceUpdate(RequestBody):
    """What its owner may change; what is left out stays."""

    name: Annotated[WorkspaceName | None, NotNull()] = None
    require_two_factor: Annotated[StrictBool | None, NotNull()] = None


class CreatedWorkspace(Shape):
    """A workspace that was just made."""

    id: UUID
    name: str
    slug: str

    @classmethod
    def of(cls, workspace: Workspace) -> "CreatedWorkspace":
        """The workspace in this shape."""
        return cls(id=workspace.id, name=workspace.name, slug=workspace.slug)


class AvailableSlug(Shape):
    """The slug that a new workspace would get."""

    slug: str


class WorkspaceSummary(Shape):
    """A workspace as one of its members sees it."""

    id: UUID
    name: str
    slug: str
    role: Role
    store_count: int
    require_two_factor: bool

    @classmethod
    def of(cls, standing: Standing) -> "WorkspaceSummary":
        """The standing in this shape."""
        workspace = standing.workspace
        return cls(
            id=workspace.id,
            name=workspace.name,
            slug=workspace.slug,
            role=standing.membership.role,
            store_count=workspace.store_count,
            require_two_factor=workspace.require_two_factor,
        )

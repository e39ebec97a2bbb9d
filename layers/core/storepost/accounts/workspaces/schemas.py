"""Workspaces on the wire."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StrictBool, StringConstraints

from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import Standing
from storepost.values.wire import SEEN, NotNull, RequestBody, Shape

WorkspaceName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), SEEN
]


class NewWorkspace(RequestBody):
    """What a workspace that is to be created is called."""

    name: WorkspaceName = Field(
        description="What the workspace is called: members see it, and emails to "
        "shoppers that ask whether to unsubscribe name it."
    )


class WorkspaceUpdate(RequestBody):
    """What its owner can change of a workspace. What is left out stays as it is."""

    name: Annotated[WorkspaceName | None, NotNull()] = Field(
        default=None, description="What the workspace is called from now on. The slug stays."
    )
    require_two_factor: Annotated[StrictBool | None, NotNull()] = Field(
        default=None,
        description="Whether every member must have two-factor authentication on to "
        "work in this workspace. Before you turn this on, your own account "
        "needs it.",
    )


class CreatedWorkspace(Shape):
    """A workspace that the caller just created and owns."""

    id: UUID = Field(
        description="The workspace's id, which `PUT /me/workspace` takes to work in it."
    )
    name: str = Field(description="What the workspace is called.")
    slug: str = Field(
        description="The workspace's part in web addresses: made from the name, "
        "unique, and never changed."
    )


class AvailableSlug(Shape):
    """The slug that a new workspace of that name would get now."""

    slug: str = Field(
        description="The workspace's part in web addresses. Nothing is reserved: "
        "another workspace may take it first."
    )


class WorkspaceSummary(Shape):
    """A workspace as one of its members sees it."""

    id: UUID = Field(description="The workspace's id, which `PUT /me/workspace` takes.")
    name: str = Field(description="What the workspace is called; it isn't unique.")
    slug: str = Field(
        description="The workspace's part in web addresses: unique, and never changed."
    )
    role: Role = Field(
        description="What the person is there: its `owner`, an `admin` or a `member`."
    )
    store_count: int = Field(
        description="How many stores are connected to the workspace; disconnected ones don't count."
    )
    require_two_factor: bool = Field(
        description="Whether the workspace can only be used by members with two-factor "
        "authentication on."
    )

    @classmethod
    def of(cls, standing: Standing) -> "WorkspaceSummary":
        """Returns the standing in this shape."""
        workspace = standing.workspace
        return cls.from_model(workspace, role=standing.membership.role)

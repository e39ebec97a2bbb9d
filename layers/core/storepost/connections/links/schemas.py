"""Connect links on the wire."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, RootModel, StringConstraints

from storepost.accounts.workspaces.model import Workspace
from storepost.accounts.workspaces.schemas import WorkspaceSummary
from storepost.connections.links.model import Choice, ToNewWorkspace, ToWorkspace
from storepost.connections.links.model import ConnectLink as Link
from storepost.connections.links.service import Choices
from storepost.stores.stores.model import Platform
from storepost.values.wire import Id, RequestBody, Shape


class LinkedStore(Shape):
    """The store that a link is about, as its platform knows it."""

    external_id: str
    name: str

    @classmethod
    def of(cls, link: Link) -> "LinkedStore":
        """The link's store in this shape."""
        return cls(external_id=link.shop, name=link.details.name)


class ConnectLinkPreview(Shape):
    """What the holder of a link may connect."""

    store: LinkedStore
    platform: Platform

    @classmethod
    def of(cls, link: Link) -> "ConnectLinkPreview":
        """The link in this shape."""
        return cls(store=LinkedStore.of(link), platform=Platform.SHOPIFY)


class NamedWorkspace(Shape):
    """A workspace by its name."""

    id: UUID
    name: str

    @classmethod
    def of(cls, workspace: Workspace) -> "NamedWorkspace":
        """The workspace in this shape."""
        return cls(id=workspace.id, name=workspace.name)


class ConnectLink(Shape):
    """A link as the signed-in person sees it."""

    store: LinkedStore
    my_workspaces: list[WorkspaceSummary]
    requested_workspace_ids: list[UUID]
    previous_workspace: NamedWorkspace | None
    two_factor_workspaces: list[NamedWorkspace]

    @classmethod
    def of(cls, link: Link, choices: Choices) -> "ConnectLink":
        """The link and its choices in this shape."""
        previous = choices.previous
        return cls(
            store=LinkedStore.of(link),
            my_workspaces=[WorkspaceSummary.of(standing) for standing in choices.mine],
            requested_workspace_ids=choices.requested,
            previous_workspace=NamedWorkspace.of(previous) if previous else None,
            two_factor_workspaces=[NamedWorkspace.of(w) for w in choices.behind_two_factor],
        )


class ConnectToWorkspace(RequestBody):
    """Into a workspace that there is."""

    action: Literal["connect"]
    workspace_id: Id

    def value(self) -> Choice:
        """Returns the value that the service works with."""
        return ToWorkspace(self.workspace_id)


class ConnectToNewWorkspace(RequestBody):
    """Into a workspace that is made for it."""

    action: Literal["connect_new"]
    workspace_name: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)
    ]

    def value(self) -> Choice:
        """Returns the value that the service works with."""
        return ToNewWorkspace(self.workspace_name)


class ConnectChoice(
    RootModel[Annotated[ConnectToWorkspace | ConnectToNewWorkspace, Field(discriminator="action")]]
):
    """Where the store is connected to."""


class ConnectResult(Shape):
    """The workspace that the store is connected to now."""

    workspace_id: UUID
    slug: str

    @classmethod
    def of(cls, workspace: Workspace) -> "ConnectResult":
        """The workspace in this shape."""
        return cls(workspace_id=workspace.id, slug=workspace.slug)

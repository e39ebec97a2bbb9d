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
from storepost.values.wire import SEEN, Id, RequestBody, Shape


class LinkedStore(Shape):
    """The store that a connect link is about, as its platform knows it."""

    external_id: str = Field(description="The shop's address, such as `birch-loom.myshopify.com`.")
    name: str = Field(description="The shop's name in Shopify.")

    @classmethod
    def of(cls, link: Link) -> "LinkedStore":
        """Returns the link's store in this shape."""
        return cls(external_id=link.shop, name=link.details.name)


class ConnectLinkPreview(Shape):
    """What the holder of a connect link may connect."""

    store: LinkedStore = Field(description="The store that approved the app.")
    platform: Platform = Field(description="What the store runs on; `shopify` alone so far.")

    @classmethod
    def of(cls, link: Link) -> "ConnectLinkPreview":
        """Returns the link in this shape."""
        return cls(store=LinkedStore.of(link), platform=Platform.SHOPIFY)


class NamedWorkspace(Shape):
    """A workspace by its id and name."""

    id: UUID = Field(description="The workspace's id, which the choice takes as `workspaceId`.")
    name: str = Field(description="What the workspace is called; it isn't unique.")

    @classmethod
    def of(cls, workspace: Workspace) -> "NamedWorkspace":
        """Returns the workspace in this shape."""
        return cls(id=workspace.id, name=workspace.name)


class ConnectLink(Shape):
    """A connect link as the signed-in person sees it: the store, and where it can go."""

    store: LinkedStore = Field(description="The store that approved the app.")
    my_workspaces: list[WorkspaceSummary] = Field(
        description="The workspaces that the store can be connected to: those where "
        "the person is owner or admin."
    )
    requested_workspace_ids: list[UUID] = Field(
        description="Those of them that requested this shop by `POST /connections`: suggest one of "
        "these first."
    )
    previous_workspace: NamedWorkspace | None = Field(
        description="The workspace that the shop is connected to now, and which it "
        "would leave. Null where there is none, or the person isn't a "
        "member of it."
    )
    two_factor_workspaces: list[NamedWorkspace] = Field(
        description="Those of them that require two-factor authentication while the "
        "person has it off: they can't be chosen until it is on."
    )

    @classmethod
    def of(cls, link: Link, choices: Choices) -> "ConnectLink":
        """Returns the link and its choices in this shape."""
        previous = choices.previous
        return cls(
            store=LinkedStore.of(link),
            my_workspaces=[WorkspaceSummary.of(standing) for standing in choices.managed],
            requested_workspace_ids=choices.requested,
            previous_workspace=NamedWorkspace.of(previous) if previous else None,
            two_factor_workspaces=[NamedWorkspace.of(w) for w in choices.behind_two_factor],
        )


class ConnectToWorkspace(RequestBody):
    """Connects the store to a workspace that exists."""

    action: Literal["connect"] = Field(
        description="Always `connect`, which distinguishes this choice from the other one."
    )
    workspace_id: Id = Field(description="One of `myWorkspaces` of the link, by its id.")

    def value(self) -> Choice:
        """Returns the value that the service works with."""
        return ToWorkspace(self.workspace_id)


class ConnectToNewWorkspace(RequestBody):
    """Connects the store to a workspace that is created for it."""

    action: Literal["connect_new"] = Field(
        description="Always `connect_new`, which distinguishes this choice from the other one."
    )
    workspace_name: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), SEEN
    ] = Field(
        description="What the new workspace is called; the signed-in person becomes its owner."
    )

    def value(self) -> Choice:
        """Returns the value that the service works with."""
        return ToNewWorkspace(self.workspace_name)


class ConnectChoice(
    RootModel[Annotated[ConnectToWorkspace | ConnectToNewWorkspace, Field(discriminator="action")]]
):
    """Where the store is connected to: an existing workspace or a new one, distinguished by
    `action`.
    """


class ConnectResult(Shape):
    """The workspace that the store is connected to now."""

    workspace_id: UUID = Field(
        description="The workspace's id, which `PUT /me/workspace` takes to work in it."
    )
    slug: str = Field(description="The workspace's part in web addresses, to go on to.")

    @classmethod
    def of(cls, workspace: Workspace) -> "ConnectResult":
        """Returns the workspace in this shape."""
        return cls(workspace_id=workspace.id, slug=workspace.slug)

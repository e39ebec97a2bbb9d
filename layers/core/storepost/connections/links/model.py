"""A connect link as a value."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from storepost.shopify.details import ShopDetails

VALID_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class ConnectLink:
    """A link for choosing, once, the workspace that a shop is connected to.

    Its id authorises the choice: it was shown only to the person who approved the app in the shop.
    """

    id: UUID
    shop: str
    details: ShopDetails
    """The shop's details at the approval."""
    scopes: tuple[str, ...]
    ends_at: datetime
    used_at: datetime | None = None

    def has_ended(self, now: datetime) -> bool:
        """Returns whether its hour is over."""
        return now >= self.ends_at


@dataclass(frozen=True)
class ToWorkspace:
    """The choice of an existing workspace."""

    workspace_id: UUID


@dataclass(frozen=True)
class ToNewWorkspace:
    """The choice of a new workspace, which is created for it."""

    name: str


type Choice = ToWorkspace | ToNewWorkspace

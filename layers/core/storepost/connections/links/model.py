"""A connect link as a value."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from storepost.shopify.details import ShopDetails

VALID_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class ConnectLink:
    """That somebody may choose, once, which workspace a shop is connected to.

    Whoever holds its id may: it was shown to the person who approved the app in the shop, and to
    nobody else.
    """

    id: UUID
    shop: str
    details: ShopDetails
    """What the shop said of itself when it approved."""
    scopes: tuple[str, ...]
    ends_at: datetime
    used_at: datetime | None = None

    def has_ended(self, now: datetime) -> bool:
        """Returns whether its hour is over."""
        return now >= self.ends_at


@dataclass(frozen=True)
class ToWorkspace:
    """The choice of a workspace that there is."""

    workspace_id: UUID


@dataclass(frozen=True)
class ToNewWorkspace:
    """The choice of a workspace that is made for it."""

    name: str


type Choice = ToWorkspace | ToNewWorkspace

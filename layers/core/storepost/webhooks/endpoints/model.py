"""A webhook endpoint as a value: where events are posted, which ones, and how it is doing."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from storepost.stores.stores.signing_secrets import SealedSecrets
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum
from storepost.webhooks.events.matching import matches, type_for
from storepost.webhooks.events.model import WebhookEvent

MAX_ENDPOINTS = 20
"""How many endpoints a workspace may have (docs/interface.md)."""
MAX_EVENTS = 100
"""How many event types, groups and `*` one endpoint may name."""
REPORTED_AFTER = timedelta(days=1)
"""How long an endpoint fails without a success until the workspace's owner is notified."""
DISABLED_AFTER = timedelta(days=5)
"""How long an endpoint fails without a success until it is disabled."""


class EndpointStatus(StoredEnum):
    """Whether an endpoint is sent events. `enabled`: it is. `disabled`: it isn't, and
    `disabledReason` says why.
    """

    ENABLED = "enabled"
    DISABLED = "disabled"


class DisabledReason(StoredEnum):
    """Why an endpoint is disabled. `manual`: somebody disabled it. `failing`: it accepted nothing
    for 5 days. `gone`: it answered 410.
    """

    MANUAL = "manual"
    FAILING = "failing"
    GONE = "gone"


@dataclass(frozen=True)
class EndpointHealth:
    """What an endpoint's latest attempts show."""

    last_success_at: datetime | None = None
    """To the minute."""
    failing_since: datetime | None = None
    """The first failed attempt after the last success; None while the endpoint works."""
    reported_at: datetime | None = None
    """When the workspace's owner was last notified that it fails."""

    @property
    def is_reported(self) -> bool:
        """Returns whether the owner knows of these failures."""
        since, at = self.failing_since, self.reported_at
        return since is not None and at is not None and at >= since


@dataclass(frozen=True)
class WebhookEndpoint:
    """An integrator's address, and the events that are posted there."""

    id: UUID
    workspace: WorkspaceScope
    url: str
    description: str | None
    events: tuple[str, ...]
    include_imports: bool
    disabled_reason: DisabledReason | None
    """None while it is enabled."""
    maker_id: UUID | None
    created_at: datetime
    secrets: SealedSecrets
    health: EndpointHealth = EndpointHealth()
    version: int | None = field(default=None, compare=False)
    """The version of its row; None before it has one."""

    @property
    def status(self) -> EndpointStatus:
        """Returns whether it is sent events."""
        return EndpointStatus.ENABLED if self.is_enabled else EndpointStatus.DISABLED

    @property
    def is_enabled(self) -> bool:
        """Returns whether it is sent events."""
        return self.disabled_reason is None

    def event_for(self, event: WebhookEvent) -> WebhookEvent | None:
        """Returns the event with the type to which the endpoint subscribes; None if it has none."""
        is_included = self.include_imports or event.always or not event.imported
        type = type_for(self.events, event) if self.is_enabled and is_included else None
        return replace(event, type=type, also=()) if type else None

    def is_subscribed_to(self, types: Iterable[str]) -> bool:
        """Returns whether the endpoint is sent events of one of the types."""
        return any(matches(self.events, each) for each in types)

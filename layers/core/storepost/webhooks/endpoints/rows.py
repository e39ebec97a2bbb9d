"""Rows of webhook endpoints, and their keys."""

from uuid import UUID

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute
from storepost.platform.persistence.records import Json
from storepost.stores.stores.signing_secrets import SigningItem
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

PREFIX = "webhook_endpoint#"


class WebhookEndpointItem(SigningItem, discriminator="webhook_endpoint"):
    """An endpoint, with its sealed secrets."""

    id = Identifier()
    url = UnicodeAttribute()
    description = UnicodeAttribute(null=True)
    events = Json()
    include_imports = BooleanAttribute(default=False)
    disabled_reason = UnicodeAttribute(null=True)
    maker_id = Identifier(null=True)
    created_at = UtcDateTimeAttribute()
    last_success_at = UtcDateTimeAttribute(null=True)
    failing_since = UtcDateTimeAttribute(null=True)
    reported_at = UtcDateTimeAttribute(null=True)


class EndpointCountItem(Item, discriminator="webhook_endpoint_count"):
    """How many endpoints a workspace has, disabled ones too. The stream's reader reads it first."""

    endpoints = NumberAttribute(default=0)


def endpoint_key(workspace: WorkspaceScope, endpoint_id: UUID) -> Key:
    """Returns the key of an endpoint's row."""
    return (workspace.key, f"{PREFIX}{short(endpoint_id)}")


def count_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the row that counts a workspace's endpoints."""
    return (workspace.key, "webhook_endpoints")

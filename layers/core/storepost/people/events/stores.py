"""The stores that events name."""

from collections.abc import Mapping
from uuid import UUID

from storepost.people.events.model import IncomingEvent
from storepost.people.profiles.model import Identity
from storepost.stores.stores.model import Platform
from storepost.stores.stores.repository import StoreRepository
from storepost.values.problems import FieldError, ValidationFailed
from storepost.values.scope import WorkspaceScope


def unknown_stores(incoming: IncomingEvent, known: Mapping[UUID, Platform]) -> list[FieldError]:
    """Returns what is wrong with the stores that an event names, of those that are known."""
    errors, whose = list[FieldError](), incoming.person
    if incoming.store_id is not None and incoming.store_id not in known:
        errors.append(FieldError("/storeId", "No store with this id exists in this workspace"))
    named = whose.store_id if isinstance(whose, Identity) else None
    if named is not None and known.get(named) is not Platform.SHOPIFY:
        errors.append(FieldError("/profile/storeId", "Must be a Shopify store of the workspace"))
    return errors


def platforms_of(workspace: WorkspaceScope, store_ids: set[UUID]) -> dict[UUID, Platform]:
    """Returns those of the stores that the workspace has or had, with what they run on."""
    stores = StoreRepository(workspace).named(store_ids) if store_ids else []
    return {store.id: store.platform for store in stores}


def check_stores(workspace: WorkspaceScope, incoming: IncomingEvent) -> None:
    """Raises ValidationFailed where an event names a store that the workspace doesn't have."""
    errors = unknown_stores(incoming, platforms_of(workspace, set(incoming.stores)))
    if errors:
        raise ValidationFailed(errors=errors)

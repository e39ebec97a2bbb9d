"""The stores of events, and phone numbers in a store's national format."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from storepost.people.events.model import IncomingEvent
from storepost.people.profiles.model import Identity, IdentityType
from storepost.stores.stores.model import Platform, Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import phones
from storepost.values.problems import FieldError, ValidationFailed
from storepost.values.scope import WorkspaceScope


def unknown_stores(incoming: IncomingEvent, known: Mapping[UUID, Store]) -> list[FieldError]:
    """Returns the errors for stores that an event names and that aren't `known`."""
    errors, person = list[FieldError](), incoming.person
    if incoming.store_id is not None and incoming.store_id not in known:
        errors.append(FieldError("/storeId", "No store with this id exists in this workspace"))
    named = person.store_id if isinstance(person, Identity) else None
    shop = known.get(named) if named is not None else None
    if named is not None and (shop is None or shop.platform is not Platform.SHOPIFY):
        errors.append(FieldError("/profile/storeId", "Must be a Shopify store of the workspace"))
    return errors


def stores_of(workspace: WorkspaceScope, store_ids: set[UUID]) -> dict[UUID, Store]:
    """Returns those of the stores that the workspace has or had."""
    stores = StoreRepository(workspace).named(store_ids) if store_ids else []
    return {store.id: store for store in stores}


def read_in_store(incoming: IncomingEvent, known: Mapping[UUID, Store]) -> IncomingEvent:
    """Returns the event with its phone number in E.164, read in its store's country's format.

    Raises ValueError where that isn't a number there, or the event has no store.
    """
    person = incoming.person
    if not isinstance(person, Identity) or person.type is not IdentityType.PHONE:
        return incoming
    store = known.get(incoming.store_id) if incoming.store_id is not None else None
    number = phones.normalised(person.value, store.country if store else None)
    return replace(incoming, person=replace(person, value=number))


def checked(workspace: WorkspaceScope, incoming: IncomingEvent) -> IncomingEvent:
    """Returns the event with its store's reading of the phone number.

    Raises ValidationFailed where it names a store that the workspace doesn't have, or a phone
    number that can't be read.
    """
    known = stores_of(workspace, set(incoming.stores))
    errors = unknown_stores(incoming, known)
    if errors:
        raise ValidationFailed(errors=errors)
    try:
        return read_in_store(incoming, known)
    except ValueError as error:
        raise ValidationFailed(errors=[FieldError("/profile/phone", str(error))]) from error

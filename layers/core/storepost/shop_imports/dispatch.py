"""A message of the imports' queue: the store says what there is to go on with."""

import json
from uuid import UUID

from storepost.messaging.remaining import Remaining
from storepost.scope import WorkspaceScope
from storepost.shop_imports.running import pull
from storepost.store_batches.running import go_on as go_on_with_batches
from storepost.stores.repository import StoreRepository


def go_on(message: str, tries: int, remaining: Remaining) -> None:
    """Goes on with the store that a message names: a shop's pulls, or a custom store's batches."""
    named = {name: UUID(value) for name, value in json.loads(message).items()}
    store = StoreRepository(WorkspaceScope(named["workspaceId"])).get(named["storeId"])
    if store is None or store.is_custom:
        go_on_with_batches(message, tries, remaining)
    else:
        pull(store, tries, remaining)

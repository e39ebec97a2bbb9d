"""A message of the imports' queue: the store says what there is to go on with."""

import json
from uuid import UUID

from storepost.platform.messaging.remaining import Remaining
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.batches.running import resume as go_on_with_batches
from storepost.sync.pulls.running import pull
from storepost.values.scope import WorkspaceScope


def resume(message: str, tries: int, remaining: Remaining) -> None:
    """Goes on with the store that a message names: a shop's pulls, or a custom store's batches."""
    named = {name: UUID(value) for name, value in json.loads(message).items()}
    store = StoreRepository(WorkspaceScope(named["workspaceId"])).get(named["storeId"])
    if store is None or store.is_custom:
        go_on_with_batches(message, tries, remaining)
    else:
        pull(store, tries, remaining)

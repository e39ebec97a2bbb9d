"""The connected store of a shop that is pulled."""

from dataclasses import replace
from datetime import timedelta

from benchmarks.data import large_shop
from storepost.platform.persistence.changes import Changes
from storepost.shopify.grants import keep_grant
from storepost.shopify.oauth import Tokens
from storepost.stores.imports.service import queue_first_imports
from storepost.stores.stores.model import Platform, Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock

SHOP = "birch-loom.myshopify.com"


def connect(name: str) -> Store:
    """Connects a shop in a new workspace, with its first imports queued."""
    opened = large_shop.shop(name)
    large_shop.open_shop(opened)
    repository, changes = StoreRepository(opened.workspace), Changes()
    stored = repository.get(opened.stores[0])
    if stored is None:
        raise RuntimeError("there is no such store")
    store = _as_shop(stored)
    repository.save(changes, store)
    until = clock.now() + timedelta(days=1)
    keep_grant(changes, SHOP, Tokens("access", until, "refresh", until, ("read_orders",)), None)
    queue_first_imports(changes, store.workspace, store.id)
    changes.commit()
    return store


def _as_shop(store: Store) -> Store:
    return replace(store, platform=Platform.SHOPIFY, external_id=SHOP)

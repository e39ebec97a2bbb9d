"""Reads stores and their imports, and those of feeds for the messages of events."""

from collections.abc import Mapping
from uuid import UUID

from storepost.feeds.feeds.import_schemas import FeedImport
from storepost.feeds.feeds.listing import found_import
from storepost.stores.imports.listing import get_import
from storepost.stores.imports.schemas import StoreImport
from storepost.stores.stores.finding import found_store
from storepost.stores.stores.listing import listed_store
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.schemas import StoreSummary
from storepost.values.scope import WorkspaceScope
from storepost.values.wire import Shape
from storepost.webhooks.events.resources.reader import Ids, Reader


def _store(scope: WorkspaceScope, store_id: UUID, _ids: Ids) -> Shape:
    return StoreSummary.of(listed_store(found_store(StoreRepository(scope), store_id)))


def _store_import(scope: WorkspaceScope, import_id: UUID, ids: Ids) -> Shape:
    return StoreImport.of(get_import(scope, UUID(ids["storeId"]), import_id))


def _feed_import(scope: WorkspaceScope, import_id: UUID, ids: Ids) -> Shape:
    return FeedImport.of(found_import(scope, UUID(ids["feedId"]), import_id))


READERS: Mapping[str, Reader] = {
    "store": _store,
    "store_import": _store_import,
    "feed_import": _feed_import,
}
"""The reader of each kind of resource."""

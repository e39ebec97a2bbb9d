"""A workspace with stores and a key, for benchmarks to call the API with."""

import json
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from storepost import clock
from storepost.api_keys.model import ApiKey, Secret
from storepost.api_keys.repository import ApiKeyRepository
from storepost.identity.model import KeyScope
from storepost.identity.tokens import digest, new_api_key, shown_prefix
from storepost.ids import new_id
from storepost.persistence.changes import Changes
from storepost.scope import WorkspaceScope
from storepost.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.stores.repository import StoreRepository
from storepost.workspaces.model import Workspace
from storepost.workspaces.repository import WorkspaceRepository


@dataclass(frozen=True)
class Shop:
    """The workspace, its stores, and a key of scope `write`."""

    workspace: WorkspaceScope
    stores: tuple[UUID, ...]
    key: str

    def note(self, file: Path) -> None:
        """Writes down what `noted` reads."""
        ids = {"workspace": str(self.workspace.id), "stores": list(map(str, self.stores))}
        file.write_text(json.dumps({**ids, "key": self.key}), "utf-8")


def noted(file: Path) -> Shop:
    """The shop that was written down."""
    found = json.loads(file.read_text("utf-8"))
    workspace = WorkspaceScope(UUID(found["workspace"]))
    return Shop(workspace, tuple(map(UUID, found["stores"])), found["key"])


def new_shop(stores: int) -> Shop:
    """A workspace with so many stores, of which nothing is written yet."""
    ids = tuple(new_id() for _ in range(stores))
    return Shop(WorkspaceScope(new_id()), ids, new_api_key())


def open_shop(shop: Shop) -> None:
    """Writes the workspace, its custom stores and its key."""
    changes, scope = Changes(), shop.workspace
    workspace = Workspace(
        id=scope.id,
        name="Shop",
        slug=f"shop-{scope.id.hex[:8]}",
        require_two_factor=False,
        store_count=len(shop.stores),
    )
    WorkspaceRepository(scope).add(changes, workspace)
    ApiKeyRepository(scope).add(changes, _key(scope, shop.key))
    for store_id in shop.stores:
        StoreRepository(scope).save(changes, _store(scope, store_id))
    changes.commit()


def _key(workspace: WorkspaceScope, secret: str) -> ApiKey:
    return ApiKey(
        id=new_id(),
        workspace_id=workspace.id,
        name="Benchmark",
        scope=KeyScope.WRITE,
        prefix=shown_prefix(secret),
        maker_id=None,
        created_at=clock.now(),
        used_before=None,
        rotated_at=None,
        revoked_at=None,
        secrets=(Secret(digest(secret), None),),
    )


def _store(workspace: WorkspaceScope, store_id: UUID) -> Store:
    return Store(
        id=store_id,
        workspace=workspace,
        platform=Platform.CUSTOM,
        name="Birch & Loom",
        external_id=store_id.hex,
        currency="EUR",
        primary_locale="en-GB",
        status=StoreStatus.ACTIVE,
        connection_status=ConnectionStatus.CONNECTED,
        takes_consent=True,
        admin_url="https://admin.example.com/",
        storefront_url="https://shop.example.com/",
        contact_email="hello@shop.example.com",
        connected_at=clock.now(),
        locales=(),
    )

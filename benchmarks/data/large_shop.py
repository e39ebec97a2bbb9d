"""The workspace whose lists benchmarks load: its stores, and an API key."""

from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

from storepost.accounts.api_keys.model import ApiKey, Secret
from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.tokens import digest, new_api_key, prefix_of_key
from storepost.accounts.workspaces.model import Workspace
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import derived_id, new_id
from storepost.values.scope import WorkspaceScope

OTHER_STORES = 2
"""The number of stores beside the one with nearly all orders."""


@dataclass(frozen=True)
class Shop:
    """A workspace and its stores; the same name has the same ids."""

    workspace: WorkspaceScope
    stores: tuple[UUID, ...]


def shop(name: str) -> Shop:
    """The shop of that name."""
    scope = WorkspaceScope(uuid5(NAMESPACE_URL, f"https://{name}.example.com/"))
    stores = (derived_id(scope.id, "store", str(number)) for number in range(1 + OTHER_STORES))
    return Shop(scope, tuple(stores))


def open_shop(shop: Shop) -> str:
    """Writes the workspace and its custom stores; returns a key of scope `write`."""
    changes, scope, secret = Changes(), shop.workspace, new_api_key()
    workspace = Workspace(
        id=scope.id,
        name="Shop",
        slug=f"shop-{scope.id.hex[:8]}",
        require_two_factor=False,
        store_count=len(shop.stores),
    )
    WorkspaceRepository(scope).add(changes, workspace)
    ApiKeyRepository(scope).add(changes, _key(scope, secret))
    for store_id in shop.stores:
        StoreRepository(scope).save(changes, _store(scope, store_id))
    changes.commit()
    return secret


def _key(workspace: WorkspaceScope, secret: str) -> ApiKey:
    return ApiKey(
        id=new_id(),
        workspace_id=workspace.id,
        name="Benchmark",
        scope=KeyScope.WRITE,
        prefix=prefix_of_key(secret),
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

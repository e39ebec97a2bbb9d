"""Where the stores of a workspace went: who they belong to now sends on what it began."""

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.shopify.claims import find_claim
from storepost.stores.stores.model import Platform
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope


def moved_to(workspace: WorkspaceScope) -> tuple[WorkspaceScope, ...]:
    """Returns the other workspaces that shops of this one are connected to now, each once."""
    away = (
        store
        for store in StoreRepository(workspace).all()
        if store.platform is Platform.SHOPIFY and not store.is_active
    )
    claims = (find_claim(store.external_id) for store in away)
    found = dict.fromkeys(claim.workspace for claim in claims if claim)
    found.pop(workspace, None)
    return tuple(each for each in found if WorkspaceRepository(each).get())

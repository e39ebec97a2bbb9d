"""Stores of shops as tests of connections write them."""

from dataclasses import replace
from typing import Any

import pytest

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes
from storepost.shopify import app as shopify_app
from storepost.stores.stores.model import (
    ConnectionStatus,
    Platform,
    Store,
    StoreLocale,
    StoreStatus,
)
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from storepost.values.settings import ServiceSettings, settings
from tests.harness.world import CANARY
from tests.shopify.shops import SHOP

NEW = {"type": "shopify", "shop": SHOP}
KEY = f"shopify:{SHOP}"


def count(workspace: WorkspaceScope) -> int:
    """How many active stores the workspace counts."""
    found = WorkspaceRepository(workspace).get()
    assert found is not None
    return found.store_count


def configure(monkeypatch: pytest.MonkeyPatch, **overrides: Any) -> None:
    """Sets other settings of the app than the run's own."""
    other: ServiceSettings = replace(settings(), **overrides)
    monkeypatch.setattr(shopify_app, "settings", lambda: other)


def a_store(workspace: WorkspaceScope) -> Store:
    """A store of the shop, connected."""
    return Store(
        id=new_id(),
        workspace=workspace,
        platform=Platform.SHOPIFY,
        name=f"Shop {CANARY}",
        external_id=SHOP,
        currency="EUR",
        primary_locale="en",
        status=StoreStatus.ACTIVE,
        connection_status=ConnectionStatus.CONNECTED,
        takes_consent=True,
        admin_url="https://admin.example.com/",
        storefront_url=None,
        contact_email=None,
        connected_at=clock.now(),
        locales=(StoreLocale("en", "English", True, "US", "EUR", None),),
    )


def put_store(workspace: WorkspaceScope, **overrides: Any) -> None:
    """Writes a store of the shop with these values."""
    store, changes = replace(a_store(workspace), **overrides), Changes()
    StoreRepository(workspace).claim(changes, store)
    StoreRepository(workspace).save(changes, store)
    changes.commit()

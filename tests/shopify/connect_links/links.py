"""Expected values in tests of connect links."""

from typing import Any

from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone
from tests.shopify.shops import SHOP

STORE = {"externalId": SHOP, "name": f"Shop {CANARY}"}
NEW = {"action": "connect_new", "workspaceName": f"  New {CANARY}  "}


def summary(someone: Someone, workspace: WorkspaceScope) -> dict[str, Any]:
    """The workspace as `GET /me` shows it."""
    listed = someone.call("GET", "/me").json["workspaces"]
    [found] = [row for row in listed if row["id"] == str(workspace.id)]
    return dict(found)


SCOPES = {"customersOrders": "customers_orders", "products": "products"}


def first_import(body: Any, name: str) -> dict[str, Any]:
    """The import that connecting a shop starts, without a request."""
    return {
        "id": body[name]["id"],
        "scope": SCOPES[name],
        "status": "queued",
        "stage": None,
        "requestedBy": None,
        "imported": {"customers": 0, "orders": 0, "products": 0},
        "error": None,
        "queuedAt": body[name]["queuedAt"],
        "startedAt": None,
        "completedAt": None,
    }

"""Olive has a second shop, on Shopify: she installs the app there and chooses the workspace."""

import base64
import hashlib
import hmac
import json
from unittest import mock
from urllib.parse import parse_qsl, urlsplit

from local.shopify import discounts
from local.shopify.app import APP
from local.shopify.oauth import approve
from openapi.story.steps import OLIVE, Step
from openapi.story.story_run import Chapter, Meanwhile, StoryRun

SHOP = "birch-loom.myshopify.com"
CONNECTION = {"key": f"shopify:{SHOP}"}
LINK = {"id": "{link_id}"}


CUSTOMER = {
    "id": 706405506930370084,
    "email": "dara.byrne@example.com",
    "created_at": "2026-01-05T10:00:00Z",
    "updated_at": "2026-02-05T10:00:00Z",
    "first_name": "Dara",
    "last_name": "Byrne",
    "state": "disabled",
    "verified_email": True,
    "currency": "EUR",
    "phone": None,
    "addresses": [],
    "admin_graphql_api_id": "gid://shopify/Customer/706405506930370084",
}


def _signed(body: object) -> dict[str, str]:
    """Returns the headers with which Shopify sends a webhook."""
    digest = hmac.digest(APP.secret.encode(), json.dumps(body).encode(), hashlib.sha256)
    return {
        "x-shopify-topic": "customers/update",
        "x-shopify-shop-domain": SHOP,
        "x-shopify-hmac-sha256": base64.b64encode(digest).decode(),
        "x-shopify-triggered-at": "2026-03-14T11:50:00.000Z",
        "x-shopify-webhook-id": "webhook-1",
    }


def _approve(story: StoryRun) -> None:
    """Olive approves in her shop the scopes that the app requests."""
    shopify, install_path = story.run.shopify, story.values["install"]["path"]
    query = dict(parse_qsl(urlsplit(install_path).query))
    address = approve(shopify.app, shopify.shops[SHOP], query)
    callback = dict(parse_qsl(urlsplit(address).query))
    story.values["callback"] = callback
    for name in ("code", "state", "hmac"):
        story.masks.add_token(name, callback[name])


def _refuse_codes(story: StoryRun) -> None:
    """The shop refuses each code from now on."""
    fault = {"message": "Discounts are locked in this shop.", "code": "INVALID"}
    refusal = mock.patch.object(discounts, "_fault", return_value=fault)
    story.outside.enter_context(refusal)


def _take_codes(story: StoryRun) -> None:
    """The shop accepts codes again."""
    story.outside.close()


def _land(story: StoryRun) -> None:
    """Her browser is redirected to the page on which she chooses the workspace."""
    story.values["link_id"] = urlsplit(story.values["location"]).fragment


CHAPTER: Chapter = [
    Step("connections.create", OLIVE, body={"type": "shopify", "shop": SHOP}, keep="install"),
    Step("connections.get", path=CONNECTION),
    Meanwhile(_approve),
    Step("connections.shopifyCallback", None, query="{callback}"),
    Meanwhile(_land),
    Step("connectLinks.preview", None, path=LINK),
    Step("connectLinks.get", OLIVE, path=LINK),
    Step(
        "connectLinks.connect",
        OLIVE,
        path=LINK,
        body={"action": "connect", "workspaceId": "{workspace.id}"},
        keep="connected",
    ),
    Step(
        "connections.list",
        query={"type": "shopify", "state": "connected", "page": 1, "pageSize": 25},
    ),
    Step("stores.list", query={"platform": "shopify"}, keep="shops"),
    Step("stores.createImport", path={"id": "{shops.items.0.id}"}, body={"scope": "products"}),
    Meanwhile(_refuse_codes),
    Step(
        "coupons.create",
        body={
            "storeId": "{shops.items.0.id}",
            "name": "Welcome",
            "kind": "bulk",
            "quantity": 1,
            "prefix": "HELLO-",
            "valueType": "amount",
            "value": 500,
            "validity": {"type": "none"},
            "reissue": "after_use_or_expiry",
        },
        keep="welcome",
    ),
    Step("coupons.listCodes", path={"id": "{welcome.id}"}, keep="failed"),
    Meanwhile(_take_codes),
    Step("couponCodes.retry", path={"id": "{failed.items.0.id}"}),
    Step("webhooks.shopify", None, body=CUSTOMER, headers=_signed(CUSTOMER)),
]

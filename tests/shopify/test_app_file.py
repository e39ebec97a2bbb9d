"""`shopify.app.toml`: the app's settings at Shopify, compared with what the app does."""

import tomllib
from typing import Any

import pytest

from local.template import ROOT, parameter_defaults
from storepost.shopify.shops import API_VERSION
from storepost.sync.webhooks.privacy import PRIVACY_TOPICS
from storepost.sync.webhooks.topics import SHAPES
from storepost.sync.webhooks.worker import STORE_TOPICS

HOST = "https://api.example.com/v1"


@pytest.fixture(scope="module")
def app_file() -> dict[str, Any]:
    """The file."""
    return tomllib.loads((ROOT / "shopify.app.toml").read_text())


def test_webhook_topics_match_handlers(app_file: dict[str, Any]) -> None:
    webhooks = app_file["webhooks"]
    topics = [t for each in webhooks["subscriptions"] for t in each.get("topics", [])]
    by_law = [t for each in webhooks["subscriptions"] for t in each.get("compliance_topics", [])]
    assert sorted(topics) == sorted(STORE_TOPICS)
    assert sorted(by_law) == sorted(PRIVACY_TOPICS)
    assert {*STORE_TOPICS, *PRIVACY_TOPICS} == SHAPES.keys()
    assert {each["uri"] for each in webhooks["subscriptions"]} == {f"{HOST}/webhooks/shopify"}


def test_webhook_api_version_matches_client(app_file: dict[str, Any]) -> None:
    assert app_file["webhooks"]["api_version"] == API_VERSION


def test_scopes_match_template_default(app_file: dict[str, Any]) -> None:
    assert app_file["access_scopes"]["scopes"] == parameter_defaults()["ShopifyScopes"]


def test_redirect_url_matches_callback(app_file: dict[str, Any]) -> None:
    assert app_file["auth"]["redirect_urls"] == [f"{HOST}/connections/shopify/callback"]

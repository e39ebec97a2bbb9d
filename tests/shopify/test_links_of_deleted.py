"""A deleted workspace's unsubscribe links: they work for the workspaces that have its shops now."""

from typing import Any

import pytest

from storepost.shopify.claims import FormerShopItem, former_shop_key
from tests.harness.world import BASE_URL, World
from tests.lifecycle.erasures.scenario import ANN
from tests.lifecycle.workspaces.full_workspace import Home
from tests.people.matching.scenario import Scenario
from tests.people.unsubscribing.following import BROWSER, BY_PAGE, ONE_CLICK, opened, posted
from tests.people.unsubscribing.test_page import Page
from tests.shopify.shops import OTHER, SHOP, Shopify


@pytest.fixture
def home(world: World, shopify: Shopify) -> Home:
    """A workspace with a shop."""
    made = Home(world)
    shopify.connect(made.owner, made.workspace)
    return made


def link_of(home: Home) -> str:
    """The path of a link for a subscriber."""
    person = home.upsert(email=ANN)["id"]
    assert home.consent(person, "subscribed").status == 200
    answer = home.call("POST", f"/profiles/{person}/unsubscribe-links", {})
    assert answer.status == 201
    return str(answer.json["url"]).removeprefix(BASE_URL)


def successor(world: World, shopify: Shopify) -> Scenario:
    """Another workspace that has the shop now, and the same person as a subscriber."""
    there = Scenario(world)
    shopify.connect(there.owner, there.workspace)
    assert there.consent(there.upsert(email=ANN)["id"], "subscribed").status == 200
    return there


def consent(there: Scenario) -> str:
    """The consent that the profile shows."""
    return str(there.find_profile(email=ANN)["emailMarketingConsent"])


@pytest.mark.parametrize("moves", ["before", "after"])
@pytest.mark.parametrize("is_removed", [False, True])
def test_link_unsubscribes_in_workspace_that_has_the_shop(
    home: Home, shopify: Shopify, moves: str, is_removed: bool
) -> None:
    path, world = link_of(home), home.world
    there = successor(world, shopify) if moves == "before" else None
    assert home.delete().status == 202
    if is_removed:
        home.is_removed()
    else:
        home.remove()
    there = there or successor(world, shopify)
    page = Page(opened(there, path))
    assert "a•••@example.com" in page.text
    assert posted(there, path, ONE_CLICK).status == 200
    assert consent(there) == "unsubscribed"
    person = there.find_profile(email=ANN)["id"]
    history: list[dict[str, Any]] = there.get(f"/profiles/{person}/consent")["items"]
    assert [(each["state"], each["source"]) for each in history] == [
        ("unsubscribed", "one_click"),
        ("subscribed", "manual"),
    ]
    assert posted(there, path, BY_PAGE).status == 200
    assert len(there.get(f"/profiles/{person}/consent")["items"]) == 2


def test_only_former_shop_rows_remain(home: Home, shopify: Shopify) -> None:
    shopify.connect(home.owner, home.workspace, OTHER)
    home.delete()
    home.is_removed()
    home.remove()
    rows = home.world.rows(home.workspace.key)
    assert sorted((row.pk, row.sk) for row in rows) == sorted(
        former_shop_key(home.workspace, shop) for shop in (SHOP, OTHER)
    )
    assert {type(row) for row in rows} == {FormerShopItem}


def test_link_of_unconnected_shop_is_gone(home: Home) -> None:
    path = link_of(home)
    home.delete()
    home.is_removed()
    assert posted(home, path, ONE_CLICK).problem() == (410, "gone")
    answer = posted(home, path, BY_PAGE, accept=BROWSER)
    assert (answer.status, Page(answer).all("form")) == (410, [])


def test_link_of_unknown_address_is_gone(home: Home, shopify: Shopify) -> None:
    path = link_of(home)
    home.delete()
    home.is_removed()
    there = successor(home.world, shopify)
    person = there.find_profile(email=ANN)["id"]
    assert there.call("DELETE", f"/profiles/{person}").status == 204
    assert posted(there, path, ONE_CLICK).problem() == (410, "gone")

"""A no holds everywhere: a shop's boxes, and links in emails that a shop sent elsewhere."""

import pytest

from storepost.consent.states import ConsentState
from tests.consent.imports import profile_of, upserted
from tests.consent.shop import Shop
from tests.people.town import ANN
from tests.shopify.hooks import LATER, Hooks, consents, customer_body
from tests.shopify.shops import Shopify
from tests.shopify.test_hooks_of_people import EMAIL_TOPIC, email_consent
from tests.world import BASE_URL, Someone, World


class TestBoxes:
    """What a shop says that gave `subscribed` last."""

    @pytest.mark.parametrize("at", [LATER, None], ids=["dated", "undated"])
    @pytest.mark.parametrize(
        ("state", "becomes"),
        [
            ("not_subscribed", ConsentState.UNSUBSCRIBED),
            ("redacted", ConsentState.UNSUBSCRIBED),
            ("invalid", ConsentState.SUBSCRIBED),
        ],
    )
    def test_by_webhook(
        self, hooks: Hooks, state: str, becomes: ConsentState, at: str | None
    ) -> None:
        hooks.tell("customers/create", customer_body(**consents("subscribed")))
        hooks.tell(EMAIL_TOPIC, email_consent(state, at))
        assert hooks.profile().email_consent is becomes
        assert hooks.customer().email_consent is ConsentState.NOT_SUBSCRIBED


class TestLinksOfAMovedShop:
    """A link speaks for its workspace, and for those that have its stores now."""

    def link(self, shop: Shop, email: str) -> str:
        """The path of a link for somebody new who is subscribed."""
        person = upserted(shop, email=email)["id"]
        path, token = f"/profiles/{person}", shop.owner.token
        body = {"state": "subscribed"}
        said = shop.world.call("PUT", f"{path}/consent/email", token=token, json_body=body)
        assert said.status == 200
        made = shop.world.call("POST", f"{path}/unsubscribe-links", token=token)
        return str(made.json["url"]).removeprefix(BASE_URL)

    def follow(self, world: World, path: str) -> int:
        """What the one click is answered."""
        form = {"content-type": "application/x-www-form-urlencoded"}
        return world.call("POST", path, headers=form, body=b"List-Unsubscribe=One-Click").status

    @pytest.fixture
    def moved(self, world: World, shopify: Shopify, owner: Someone) -> tuple[Shop, Shop]:
        """Where a shop was, and where it is."""
        before = Shop(world, owner, world.workspace(owner))
        shopify.connect(owner, before.workspace)
        stranger = world.person()
        after = Shop(world, stranger, world.workspace(stranger))
        shopify.connect(stranger, after.workspace)
        return before, after

    @pytest.mark.parametrize("is_known", [True, False])
    def test_unsubscribes_in_both(
        self, world: World, moved: tuple[Shop, Shop], is_known: bool
    ) -> None:
        before, after = moved
        path = self.link(before, ANN)
        if is_known:
            self.link(after, ANN)
        assert self.follow(world, path) == 200
        assert profile_of(before, ANN)["emailMarketingConsent"] == "unsubscribed"
        assert profile_of(after, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_whoever_was_erased_where_it_was(self, world: World, moved: tuple[Shop, Shop]) -> None:
        before, after = moved
        path = self.link(before, ANN)
        self.link(after, ANN)
        person = profile_of(before, ANN)["id"]
        world.call("DELETE", f"/profiles/{person}", token=before.owner.token)
        assert world.call("GET", path).status == 200
        assert self.follow(world, path) == 200
        assert profile_of(after, ANN)["emailMarketingConsent"] == "unsubscribed"

    def test_not_the_other_way(self, world: World, moved: tuple[Shop, Shop]) -> None:
        """Whoever has a shop now says nothing for who had it before."""
        before, after = moved
        self.link(before, ANN)
        assert self.follow(world, self.link(after, ANN)) == 200
        assert profile_of(before, ANN)["emailMarketingConsent"] == "subscribed"

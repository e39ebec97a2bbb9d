"""`Location`: what a request made, or set going, can be read there."""

import re

import pytest

from storepost.api.http.locations import LOCATIONS
from storepost.values.scope import WorkspaceScope
from tests.coupons.coupon_store import Shop
from tests.harness.answers import operations
from tests.harness.world import BASE_URL, Answer, Someone, World
from tests.orders.sample import order

NO_ADDRESS = {
    # Read in a list alone, or told once and never again.
    *("events.create", "optInRequests.create", "unsubscribeLinks.create"),
    # They answer nothing that has an id.
    *("auth.signUp", "auth.resendSignUp", "auth.forgotPassword", "me.changeEmail"),
    *("workspaces.delete", "writeBacks.retry", "webhookEndpoints.replay"),
}


def test_every_creating_operation_has_a_location_or_is_listed() -> None:
    making = {o["operationId"] for _, _, o in operations() if {"201", "202"} & set(o["responses"])}
    assert making == set(LOCATIONS) | NO_ADDRESS


@pytest.mark.parametrize(("operation", "template"), LOCATIONS.items())
def test_every_location_is_a_readable_path(operation: str, template: str) -> None:
    readable = {re.sub("{.*?}", "{}", path) for path, method, _ in operations() if method == "GET"}
    assert re.sub("{.*?}", "{}", template.partition("?")[0]) in readable


class TestLocation:
    """Followed, it answers what was made."""

    def get_location(self, by: Someone, answer: Answer) -> Answer:
        location = answer.header("location")
        assert location is not None
        assert location.startswith(BASE_URL)
        found = by.call("GET", location.removeprefix(BASE_URL))
        assert found.status == 200
        return found

    def test_of_an_api_key(self, owner: Someone, workspace: WorkspaceScope) -> None:
        made = owner.call("POST", "/api-keys", {"name": "Till", "scope": "read"})
        assert made.status == 201
        found = self.get_location(owner, made)
        assert found.json["id"] == made.json["apiKey"]["id"]

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/locales", {"code": "de"}),
            ("/invitations", {"email": "gus@guests.example.net", "role": "member"}),
        ],
    )
    def test_of_a_locale_and_an_invitation(
        self, owner: Someone, workspace: WorkspaceScope, path: str, body: dict[str, str]
    ) -> None:
        made = owner.call("POST", path, body)
        assert made.status == 201
        assert self.get_location(owner, made).json == made.json

    def test_of_a_workspace(self, owner: Someone) -> None:
        made = owner.call("POST", "/workspaces", {"name": "Teas"})
        assert made.status == 201
        found = self.get_location(owner, made).json
        assert {name: found[name] for name in made.json} == made.json

    def test_of_an_assigned_coupon_code(self, world: World) -> None:
        shop = Shop(world)
        coupon, person = shop.pool(1), shop.person()
        made = shop.assign(coupon, person)
        assert made.status == 201
        assert self.get_location(shop.owner, made).json == made.json
        repeated = shop.assign(coupon, person)
        assert (repeated.status, repeated.header("location")) == (200, None)

    def test_of_an_order(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        path = f"/stores/{world.store(owner)}/orders/1001"
        made = owner.call("PUT", path, order())
        assert made.status == 201
        assert self.get_location(owner, made).json == made.json
        again = owner.call("PUT", path, order())
        assert again.status == 200
        assert again.header("location") is None

    def test_of_a_batch(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        path = f"/stores/{world.store(owner)}/batches"
        body = {"orders": [{"externalId": "1", **order()}]}
        made = owner.call("POST", path, body, key="once")
        assert made.status == 202
        assert self.get_location(owner, made).json["id"] == made.json["id"]
        again = owner.call("POST", path, body, key="once")
        assert again.header("idempotency-replayed") == "true"
        assert again.header("location") == made.header("location")

    def test_of_a_connection(self, owner: Someone, workspace: WorkspaceScope) -> None:
        made = owner.call("POST", "/connections", {"type": "shopify", "shop": "ann.myshopify.com"})
        assert made.status == 201
        assert self.get_location(owner, made).json["key"] == made.json["key"]

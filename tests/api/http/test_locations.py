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

    def get_location(self, world: World, by: Someone, answer: Answer) -> Answer:
        location = answer.header("location")
        assert location is not None
        assert location.startswith(BASE_URL)
        found = world.call("GET", location.removeprefix(BASE_URL), token=by.token)
        assert found.status == 200
        return found

    def test_of_an_api_key(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        body = {"name": "Till", "scope": "read"}
        made = world.call("POST", "/api-keys", token=owner.token, json_body=body)
        assert made.status == 201
        found = self.get_location(world, owner, made)
        assert found.json["id"] == made.json["apiKey"]["id"]

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/locales", {"code": "de"}),
            ("/invitations", {"email": "gus@guests.example.net", "role": "member"}),
        ],
    )
    def test_of_a_locale_and_an_invitation(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        path: str,
        body: dict[str, str],
    ) -> None:
        made = world.call("POST", path, token=owner.token, json_body=body)
        assert made.status == 201
        assert self.get_location(world, owner, made).json == made.json

    def test_of_a_workspace(self, world: World, owner: Someone) -> None:
        made = world.call("POST", "/workspaces", token=owner.token, json_body={"name": "Teas"})
        assert made.status == 201
        found = self.get_location(world, owner, made).json
        assert {name: found[name] for name in made.json} == made.json

    def test_of_an_assigned_coupon_code(self, world: World) -> None:
        shop = Shop(world)
        coupon, person = shop.pool(1), shop.person()
        made = shop.assign(coupon, person)
        assert made.status == 201
        assert self.get_location(world, shop.owner, made).json == made.json
        repeated = shop.assign(coupon, person)
        assert (repeated.status, repeated.header("location")) == (200, None)

    def test_of_an_order(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        path = f"/stores/{world.store(owner)}/orders/1001"
        made = world.call("PUT", path, token=owner.token, json_body=order())
        assert made.status == 201
        assert self.get_location(world, owner, made).json == made.json
        again = world.call("PUT", path, token=owner.token, json_body=order())
        assert again.status == 200
        assert again.header("location") is None

    def test_of_a_batch(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        path = f"/stores/{world.store(owner)}/batches"
        body = {"orders": [{"externalId": "1", **order()}]}
        made = world.call("POST", path, token=owner.token, json_body=body, key="once")
        assert made.status == 202
        assert self.get_location(world, owner, made).json["id"] == made.json["id"]
        again = world.call("POST", path, token=owner.token, json_body=body, key="once")
        assert again.header("idempotency-replayed") == "true"
        assert again.header("location") == made.header("location")

    def test_of_a_connection(self, world: World, owner: Someone, workspace: WorkspaceScope) -> None:
        body = {"type": "shopify", "shop": "ann.myshopify.com"}
        made = world.call("POST", "/connections", token=owner.token, json_body=body)
        assert made.status == 201
        assert self.get_location(world, owner, made).json["key"] == made.json["key"]

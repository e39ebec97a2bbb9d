"""What can be written can be read at the same path, or this file says why it can't."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.values.scope import WorkspaceScope
from tests.catalog.products.sample import product, put
from tests.coupons.coupon_store import Shop
from tests.harness.answers import operations
from tests.harness.world import Answer, Someone, World

WRITE_ONLY = {
    # Read as a whole: the lists of sessions and of identities.
    "/sessions/{id}",
    "/profiles/{id}/identities/{identityId}",
}


def test_every_writable_path_is_readable_or_listed() -> None:
    methods: dict[str, set[str]] = {}
    for path, method, _ in operations():
        methods.setdefault(path, set()).add(method)
    changed = {path for path, has in methods.items() if has & {"PUT", "PATCH", "DELETE"}}
    assert {path for path in changed if "GET" not in methods[path]} == WRITE_ONLY


def read(world: World, by: Someone | str, path: str) -> Answer:
    """What a caller reads there."""
    return world.call("GET", path, token=by if isinstance(by, str) else by.token)


def found(world: World, by: Someone | str, path: str) -> dict[str, Any]:
    """The resource that is there."""
    answer = read(world, by, path)
    assert answer.status == 200, answer.body
    body: dict[str, Any] = answer.json
    return body


@pytest.fixture
def stranger(world: World) -> Someone:
    """The owner of another workspace."""
    return world.owner()


class TestLocale:
    """GET /locales/{id}."""

    def test_returns_the_created_locale(
        self, world: World, owner: Someone, workspace: WorkspaceScope, stranger: Someone
    ) -> None:
        made = owner.call("POST", "/locales", {"code": "de-AT", "label": "Austrian"}).json
        path = f"/locales/{made['id']}"
        reader = world.api_key(workspace, KeyScope.READ, owner)
        assert found(world, owner, path) == made
        assert found(world, reader, path) == made
        assert read(world, stranger, path).problem() == (404, "not_found")
        assert read(world, owner, f"/locales/{uuid4()}").problem() == (404, "not_found")


class TestMember:
    """GET /members/{id}."""

    def test_same_as_in_the_list(
        self, world: World, owner: Someone, workspace: WorkspaceScope, stranger: Someone
    ) -> None:
        member = world.member(workspace, Role.ADMIN)
        listed = found(world, owner, "/members")["items"]
        assert {each["userId"] for each in listed} == {str(owner.id), str(member.id)}
        for each in listed:
            path = f"/members/{each['id']}"
            assert found(world, member, path)["userId"] == each["userId"]
            shown = found(world, owner, path)
            assert {**shown, "lastActiveAt": None} == {**each, "lastActiveAt": None}
            assert read(world, stranger, path).problem() == (404, "not_found")

    def test_user_id_is_not_a_member_id(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        assert read(world, owner, f"/members/{owner.id}").problem() == (404, "not_found")


class TestInvitation:
    """GET /invitations/{id}."""

    def invited(self, world: World, owner: Someone, token: str | None = None) -> dict[str, Any]:
        body = {"email": "gus@guests.example.net", "role": "member"}
        answer = world.call("POST", "/invitations", token=token or owner.token, json_body=body)
        assert answer.status == 201, answer.body
        made: dict[str, Any] = answer.json
        return made

    def test_open_and_expired_invitations_are_found(
        self, world: World, owner: Someone, workspace: WorkspaceScope, stranger: Someone
    ) -> None:
        made = self.invited(world, owner)
        path = f"/invitations/{made['id']}"
        assert found(world, owner, path) == made
        assert read(world, stranger, path).problem() == (404, "not_found")
        assert world.call("GET", path).problem() == (401, "unauthenticated")
        world.advance(days=8)
        assert found(world, owner, path) == {**made, "expired": True}

    def test_closed_invitation_is_not_found(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        path = f"/invitations/{self.invited(world, owner)['id']}"
        assert owner.call("DELETE", path).status == 204
        assert read(world, owner, path).problem() == (404, "not_found")

    def test_invitation_of_revoked_key_is_not_found(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        key = world.api_key(workspace, KeyScope.WRITE, owner)
        path = f"/invitations/{self.invited(world, owner, key)['id']}"
        assert read(world, owner, path).status == 200
        revoke = f"/api-keys/{world.key_of(key).id}/revoke"
        assert owner.call("POST", revoke).status < 300
        assert read(world, owner, path).problem() == (404, "not_found")


class TestWorkspace:
    """GET /workspaces/{id}."""

    def test_own_workspaces_are_the_same_as_in_get_me(
        self, world: World, owner: Someone, workspace: WorkspaceScope, stranger: Someone
    ) -> None:
        other = world.workspace(owner, "Another")
        member = world.member(workspace, Role.MEMBER)
        shown = {each["id"]: each for each in found(world, owner, "/me")["workspaces"]}
        assert set(shown) == {str(workspace.id), str(other.id)}
        for identifier, each in shown.items():
            assert found(world, owner, f"/workspaces/{identifier}") == each
        path = f"/workspaces/{workspace.id}"
        assert found(world, member, path)["role"] == "member"
        for outsider in (stranger, world.person()):
            assert read(world, outsider, path).problem() == (404, "not_found")

    def test_two_factor_is_required_if_the_workspace_requires_it(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace, Role.MEMBER)
        world.require_two_factor(workspace)
        path = f"/workspaces/{workspace.id}"
        assert read(world, member, path).problem() == (403, "two_factor_required")

    def test_available_slug_route_is_not_shadowed(
        self, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        answer = owner.call("GET", "/workspaces/available-slug", query={"name": "Fresh"})
        assert (answer.status, answer.json) == (200, {"slug": "fresh"})


class TestCouponCode:
    """GET /coupon-codes/{id}."""

    def test_same_as_in_the_list(self, world: World, stranger: Someone) -> None:
        shop = Shop(world)
        coupon = shop.pool(2)
        assigned = shop.assigned(coupon, shop.person())
        listed = shop.codes(coupon)
        assert {each["id"]: each for each in listed}[assigned["id"]]["status"] == "assigned"
        for each in listed:
            path = f"/coupon-codes/{each['id']}"
            assert shop.get(path) == each
            assert read(world, stranger, path).problem() == (404, "not_found")

    def test_deleted_code_is_not_found(self, world: World) -> None:
        shop = Shop(world)
        [code] = shop.codes(shop.pool(1))
        path = f"/coupon-codes/{code['id']}"
        assert shop.call("DELETE", path).status == 204
        assert read(world, shop.owner, path).problem() == (404, "not_found")


ADDRESSES = {"email": "ann@shoppers.example.net", "sms": "+14155550123"}


class TestConsent:
    """GET /profiles/{id}/consent/email and /sms."""

    def profile(self, owner: Someone, **body: str) -> str:
        answer = owner.call("POST", "/profiles", body)
        assert answer.status == 201, answer.body
        return str(answer.json["id"])

    @pytest.mark.parametrize("channel", ["email", "sms"])
    def test_returns_effective_consent_and_its_change(
        self,
        world: World,
        owner: Someone,
        workspace: WorkspaceScope,
        stranger: Someone,
        channel: str,
    ) -> None:
        email, phone = ADDRESSES["email"], ADDRESSES["sms"]
        path = f"/profiles/{self.profile(owner, email=email, phone=phone)}/consent/{channel}"
        unsaid = {"channel": channel, "address": ADDRESSES[channel]}
        assert found(world, owner, path) == {
            **unsaid,
            "state": "not_subscribed",
            "asOf": None,
            "change": None,
        }
        moment = "2026-01-02T03:04:05.678Z"
        change = owner.call("PUT", path, {"state": "subscribed", "occurredAt": moment}).json
        reader = world.api_key(workspace, KeyScope.READ, owner)
        for caller in (owner.token, reader):
            assert found(world, caller, path) == {
                **unsaid,
                "state": "subscribed",
                "asOf": moment,
                "change": change,
            }
        assert read(world, stranger, path).problem() == (404, "not_found")

    def test_superseded_change_is_not_returned(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        profile = self.profile(owner, email=ADDRESSES["email"])
        path = f"/profiles/{profile}/consent/email"
        statements = [
            ("unsubscribed", "2026-01-03T00:00:00.000Z"),
            ("subscribed", "2026-01-01T00:00:00.000Z"),
        ]
        for state, moment in statements:
            assert owner.call("PUT", path, {"state": state, "occurredAt": moment}).status == 200
        shown = found(world, owner, path)
        assert (shown["state"], shown["asOf"]) == statements[0]
        assert shown["change"]["state"] == "unsubscribed"

    @pytest.mark.parametrize("channel", ["email", "sms"])
    def test_profile_without_address_is_not_subscribed(
        self, world: World, owner: Someone, workspace: WorkspaceScope, channel: str
    ) -> None:
        path = f"/profiles/{self.profile(owner, anonymousId='visitor-1')}/consent/{channel}"
        assert found(world, owner, path) == {
            "channel": channel,
            "address": None,
            "state": "not_subscribed",
            "asOf": None,
            "change": None,
        }


class TestPriorityChanges:
    """GET /stores/{id}/product-priority/changes."""

    def test_changes_of_the_store_newest_first(
        self, world: World, owner: Someone, workspace: WorkspaceScope, stranger: Someone
    ) -> None:
        store, other = world.store(owner, name="One"), world.store(owner, name="Two")
        put(owner, store, "p-1", product())
        path = f"/stores/{store}/product-priority/changes"
        assert found(world, owner, path) == {"items": [], "total": 0, "page": 1, "pageSize": 25}
        made = [self.applied(world, owner, path) for _ in range(2)]
        discarded = owner.call("POST", path, self.rules(world, owner, path)).json
        world.deliver()
        gone = f"/product-priority-changes/{discarded['id']}"
        assert owner.call("DELETE", gone).status == 204
        listing = found(world, owner, path)
        shown = [found(world, owner, f"/product-priority-changes/{each}") for each in made]
        assert listing == {"items": shown[::-1], "total": 2, "page": 1, "pageSize": 25}
        assert found(world, owner, f"/stores/{other}/product-priority/changes")["total"] == 0
        assert read(world, stranger, path).problem() == (404, "not_found")

    def rules(self, world: World, owner: Someone, path: str) -> dict[str, Any]:
        priority = found(world, owner, path.removesuffix("/changes"))
        return {"order": [each["id"] for each in priority["sources"]], "fields": {}}

    def applied(self, world: World, owner: Someone, path: str) -> str:
        """A change that was made and applied: its id."""
        body = self.rules(world, owner, path)
        made = owner.call("POST", path, body)
        assert made.status == 202, made.body
        world.deliver()
        apply = f"/product-priority-changes/{made.json['id']}/apply"
        assert owner.call("POST", apply).status == 202
        world.deliver()
        world.advance(seconds=1)
        return str(UUID(made.json["id"]))

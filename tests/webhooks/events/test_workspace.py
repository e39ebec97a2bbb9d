"""Events of proposals, members and API keys: each type by the operation that causes it."""

from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.workspaces.model import Role
from tests.definitions.proposals.proposal_scenario import SEGMENT
from tests.webhooks.events.shop import Shop, of


def only(shop: Shop) -> Any:
    """The only event since the last call."""
    [event] = shop.events()
    return event


def listed(shop: Shop, path: str, identifier: str) -> dict[str, Any]:
    """What a list shows of one of its rows."""
    [found] = [each for each in shop.get(path)["items"] if each["id"] == identifier]
    assert isinstance(found, dict)
    return found


class TestProposals:
    def propose(self, shop: Shop) -> str:
        body = {"kind": "segment", "name": "Recent", "summary": "Try it", "definition": SEGMENT}
        return str(shop.call("POST", "/change-proposals", body).json["id"])

    def test_opened(self, shop: Shop) -> None:
        proposal = self.propose(shop)
        event = only(shop)
        assert event.type == "change_proposal.opened"
        assert of(event) == ("change_proposal", UUID(proposal))
        assert shop.data(event) == listed(shop, "/change-proposals", proposal)

    @pytest.mark.parametrize(
        ("method", "act", "expected"),
        [
            ("POST", "/approve", "approved"),
            ("POST", "/reject", "rejected"),
            ("DELETE", "", "rejected"),
        ],
        ids=["approved", "rejected", "withdrawn"],
    )
    def test_approved_rejected_or_withdrawn(
        self, shop: Shop, method: str, act: str, expected: str
    ) -> None:
        proposal = self.propose(shop)
        shop.delivered()
        shop.call(method, f"/change-proposals/{proposal}{act}")
        event = only(shop)
        assert event.type == f"change_proposal.{expected}"
        assert shop.data(event) == listed(shop, "/change-proposals", proposal)


class TestMembers:
    @pytest.fixture
    def membership(self, shop: Shop) -> dict[str, Any]:
        someone = shop.world.member(shop.workspace, Role.MEMBER)
        [found] = [m for m in shop.get("/members")["items"] if m["userId"] == str(someone.id)]
        return dict(found)

    def test_joined(self, shop: Shop, membership: dict[str, Any]) -> None:
        event = only(shop)
        assert (event.type, of(event)) == ("member.joined", ("member", UUID(membership["id"])))
        assert shop.data(event) == listed(shop, "/members", membership["id"])

    def test_role_changed(self, shop: Shop, membership: dict[str, Any]) -> None:
        shop.delivered()
        shop.call("PATCH", f"/members/{membership['id']}", {"role": "admin"})
        event = only(shop)
        assert event.type == "member.role_changed"
        assert shop.data(event) == listed(shop, "/members", membership["id"])

    def test_ownership_transfer_causes_two_events(
        self, shop: Shop, membership: dict[str, Any]
    ) -> None:
        shop.delivered()
        shop.call("POST", f"/members/{membership['id']}/transfer-ownership")
        assert shop.types() == ["member.role_changed"] * 2

    def test_removed(self, shop: Shop, membership: dict[str, Any]) -> None:
        shop.delivered()
        shop.call("DELETE", f"/members/{membership['id']}")
        event = only(shop)
        assert event.type == "member.removed"
        assert shop.data(event) == {"id": membership["id"], "userId": membership["userId"]}

    def test_request_of_a_member_causes_no_event(self, shop: Shop) -> None:
        someone = shop.world.member(shop.workspace, Role.MEMBER)
        shop.delivered()
        shop.world.advance(minutes=2)
        someone.call("GET", "/members")
        assert shop.types() == []


class TestApiKeys:
    def create(self, shop: Shop) -> str:
        answer = shop.call("POST", "/api-keys", {"name": "Server", "scope": "write"})
        return str(answer.json["apiKey"]["id"])

    def test_created(self, shop: Shop) -> None:
        key = self.create(shop)
        event = shop.only("api_key.created")
        assert of(event) == ("api_key", UUID(key))
        assert shop.data(event) == listed(shop, "/api-keys", key)

    @pytest.mark.parametrize(("act", "expected"), [("rotate", "rotated"), ("revoke", "revoked")])
    def test_rotated_or_revoked(self, shop: Shop, act: str, expected: str) -> None:
        key = self.create(shop)
        shop.delivered()
        shop.call("POST", f"/api-keys/{key}/{act}")
        event = only(shop)
        assert event.type == f"api_key.{expected}"
        assert shop.data(event) == listed(shop, "/api-keys", key)
        assert "stp_" not in str(shop.data(event)).replace(shop.data(event)["prefix"], "")

    def test_renaming_causes_no_event(self, shop: Shop) -> None:
        key = self.create(shop)
        shop.delivered()
        shop.call("PATCH", f"/api-keys/{key}", {"name": "Other"})
        assert shop.types() == []

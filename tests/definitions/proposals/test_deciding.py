"""Change proposals: approving, rejecting and withdrawing them."""

import pytest

from tests.definitions.proposals.proposal_scenario import (
    PROPOSE,
    READ,
    REPLACED,
    WRITE,
    Desk,
    JustNow,
)
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import crashes
from tests.harness.world import Answer

LEASE_SECONDS = 60
"""Longer than any function of the API may run."""


class TestApprove:
    """POST /change-proposals/{id}/approve."""

    def test_complete_response(self, desk: Desk) -> None:
        proposal = desk.propose()
        desk.world.advance(minutes=5)
        path = f"/change-proposals/{proposal['id']}"
        answer = desk.send(desk.owner.token, "POST", f"{path}/approve", {"note": " Good. "})
        assert answer.status == 200
        approved = answer.json
        assert approved == {
            **proposal,
            "status": "approved",
            "definitionId": approved["definitionId"],
            "resultVersionId": approved["resultVersionId"],
            "reviewedBy": {"id": str(desk.owner.id), "name": desk.owner.name},
            "reviewedAt": JustNow(),
            "reviewNote": "Good.",
        }
        assert desk.get(path) == approved
        definition = desk.get(f"/definitions/{approved['definitionId']}")
        assert definition["versionId"] == approved["resultVersionId"]

    def test_bad_input(self, desk: Desk) -> None:
        path = f"/change-proposals/{desk.propose()['id']}/approve"
        for body in ({"note": ""}, {"note": "x" * 2001}):
            assert desk.send(desk.owner.token, "POST", path, body).error_paths() == ["/note"]

    def test_allowed_reviewers(self, desk: Desk) -> None:
        """Owners and admins who are signed in approve their own; keys and plain members don't."""
        keys, member = desk.keys, desk.member.token

        def tried(proposer: str, reviewer: str) -> tuple[int, str | None]:
            path = f"/change-proposals/{desk.propose(proposer)['id']}/approve"
            answer = desk.send(reviewer, "POST", path)
            return answer.status, None if answer.status == 200 else answer.problem()[1]

        assert tried(keys[PROPOSE], keys[PROPOSE]) == (403, "scope")
        for proposer, reviewer in (
            (keys[WRITE], keys[WRITE]),
            (member, member),
            (member, keys[WRITE]),  # made by that member
            (keys[PROPOSE], member),
            (keys[PROPOSE], keys[WRITE]),
        ):
            assert tried(proposer, reviewer) == (403, "own_proposal")
        stranger = desk.world.member(desk.workspace)
        for proposer, reviewer in (
            (desk.owner.token, desk.owner.token),
            (desk.admin.token, desk.admin.token),
            (desk.admin.token, member),
            (keys[WRITE], stranger.token),
            (stranger.token, keys[WRITE]),
            (desk.world.api_key(desk.workspace, WRITE), keys[WRITE]),
        ):
            assert tried(proposer, reviewer) == (200, None)

    def test_stale_proposal_can_only_be_rejected(self, desk: Desk) -> None:
        definition = desk.define()
        first, second = (desk.change(definition, REPLACED) for _ in range(2))
        desk.approve(first)
        path = f"/change-proposals/{second['id']}"
        assert desk.get(path)["stale"] is True
        answer = desk.send(desk.owner.token, "POST", f"{path}/approve")
        assert answer.problem() == (409, "proposal_stale")
        assert "propose the change again" in answer.json["detail"]
        assert desk.send(desk.owner.token, "POST", f"{path}/reject").status == 200
        assert desk.get(path)["stale"] is False  # nothing waits for it any more

    def test_closed_proposal_is_refused(self, desk: Desk) -> None:
        proposal = desk.propose()
        desk.approve(proposal)
        for name in ("approve", "reject"):
            path = f"/change-proposals/{proposal['id']}/{name}"
            assert desk.send(desk.owner.token, "POST", path).problem() == (409, "proposal_closed")

    def test_concurrently_rejected_proposal_is_closed(self, desk: Desk) -> None:
        definition = desk.define()
        path = f"/change-proposals/{desk.change(definition, REPLACED)['id']}"

        def reject() -> None:
            assert desk.send(desk.admin.token, "POST", f"{path}/reject").status == 200

        with before_the_commit(reject):
            answer = desk.send(desk.owner.token, "POST", f"{path}/approve")
        assert answer.problem() == (409, "proposal_closed")
        assert desk.get(f"/definitions/{definition['id']}/versions")["total"] == 1
        assert desk.get(path)["status"] == "rejected"

    def test_concurrently_approved_version_makes_it_stale(self, desk: Desk) -> None:
        definition = desk.define()
        first, second = (desk.change(definition, REPLACED) for _ in range(2))
        with before_the_commit(lambda: desk.approve(first)):
            path = f"/change-proposals/{second['id']}/approve"
            answer = desk.send(desk.owner.token, "POST", path)
        assert answer.problem() == (409, "proposal_stale")
        versions = desk.get(f"/definitions/{definition['id']}/versions")["items"]
        assert versions[0]["proposalId"] == first["id"]
        assert len(versions) == 2

    def test_killed_at_any_call_then_completed_by_retry(self, desk: Desk) -> None:
        definition = desk.define()
        path = f"/change-proposals/{desk.change(definition, REPLACED)['id']}/approve"

        def approve() -> Answer:
            return desk.send(desk.owner.token, "POST", path, key="once")

        found = crashes(desk.world, approve)
        assert len(found.positions) > 10
        for _ in found:
            desk.world.advance(seconds=LEASE_SECONDS)
            answer = approve()
            assert answer.status == 200
            versions = desk.get(f"/definitions/{definition['id']}/versions")
            assert versions["total"] == len(versions["items"]) == 2
            assert versions["items"][0]["versionId"] == answer.json["resultVersionId"]


class TestReject:
    """POST /change-proposals/{id}/reject."""

    def test_complete_response(self, desk: Desk) -> None:
        proposal = desk.propose()
        path = f"/change-proposals/{proposal['id']}"
        key = desk.world.key_of(desk.keys[WRITE])
        answer = desk.send(desk.keys[WRITE], "POST", f"{path}/reject", {"note": "Too broad"})
        assert answer.status == 200
        assert answer.json == {
            **proposal,
            "status": "rejected",
            "reviewedBy": {"id": str(key.id), "name": key.name},
            "reviewedAt": JustNow(),
            "reviewNote": "Too broad",
        }
        assert desk.get(path) == answer.json
        assert desk.get("/definitions")["total"] == 0


class TestWithdraw:
    """DELETE /change-proposals/{id}."""

    def test_by_the_author(self, desk: Desk) -> None:
        proposal = desk.propose()
        path = f"/change-proposals/{proposal['id']}"
        key = desk.world.key_of(desk.keys[PROPOSE])
        assert desk.send(desk.keys[PROPOSE], "DELETE", path).status == 204
        assert desk.get(path) == {
            **proposal,
            "status": "rejected",
            "reviewedBy": {"id": str(key.id), "name": key.name},
            "reviewedAt": JustNow(),
            "reviewNote": "Withdrawn by its author.",
        }
        withdrawn = desk.get(path)
        desk.world.advance(days=40)
        assert desk.send(desk.keys[PROPOSE], "DELETE", path).status == 204
        assert desk.get(path) == withdrawn

    @pytest.mark.parametrize("decision", ["approve", "reject"])
    def test_reviewed_proposal_is_closed(self, desk: Desk, decision: str) -> None:
        path = f"/change-proposals/{desk.propose()['id']}"
        body = {"note": "Withdrawn by its author."}
        assert desk.send(desk.owner.token, "POST", f"{path}/{decision}", body).status == 200
        for _ in range(2):
            answer = desk.send(desk.keys[PROPOSE], "DELETE", path)
            assert answer.problem() == (409, "proposal_closed")

    def test_other_callers_are_refused(self, desk: Desk) -> None:
        path = f"/change-proposals/{desk.propose()['id']}"
        for token in (desk.owner.token, desk.keys[WRITE]):
            assert desk.send(token, "DELETE", path).problem() == (403, "not_author")
        assert desk.send(desk.keys[READ], "DELETE", path).problem() == (403, "scope")

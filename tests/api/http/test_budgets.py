"""Budgets of requests and request ids, through the gateway, with a clock that the test moves."""

import io
import json
import re
from collections.abc import Iterator
from unittest import mock

import pytest
from pynamodb.exceptions import UpdateError

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.platform.budgets import spending
from storepost.values.logs import logger
from storepost.values.scope import WorkspaceScope
from tests.api.http.test_order import ID, WITH_CALLER, named
from tests.harness.budgeting import budgeted, clock_at_rest, new_container
from tests.harness.world import Answer, Someone, World

POLICY = re.compile(r'"(\w+)";q=(\d+);w=(\d+)')
LIMIT = re.compile(r'"(\w+)";r=(\d+);t=(\d+)')


@pytest.fixture(autouse=True)
def _budgets() -> Iterator[None]:
    """The template's."""
    with clock_at_rest(), budgeted():
        yield


@pytest.fixture
def key(world: World, owner: Someone, workspace: WorkspaceScope) -> str:
    """A key that reads."""
    return world.api_key(workspace, KeyScope.READ, owner)


def policies(answer: Answer) -> dict[str, tuple[int, int]]:
    """The quota and the window of each policy that the answer tells of."""
    parts = (answer.header("ratelimit-policy") or "").split(", ")
    found = [POLICY.fullmatch(part) for part in parts]
    return {match[1]: (int(match[2]), int(match[3])) for match in found if match}


def limits(answer: Answer) -> dict[str, tuple[int, int]]:
    """What is left by each policy, and the seconds until there is more."""
    found = [LIMIT.fullmatch(part) for part in (answer.header("ratelimit") or "").split(", ")]
    return {match[1]: (int(match[2]), int(match[3])) for match in found if match}


def ask(world: World, token: str, path: str = "/members") -> Answer:
    """A request that needs few resources."""
    return world.call("GET", path, token=token)


def use_up(world: World, token: str) -> Answer:
    """Sends requests until one is refused."""
    return next(a for a in (ask(world, token) for _ in range(300)) if a.status == 429)


class TestHeaders:
    """Headers of every answer to a caller."""

    def test_responses_to_api_key_show_remaining_requests(self, world: World, key: str) -> None:
        answer = ask(world, key)
        assert policies(answer) == {"key": (100, 2), "workspace": (200, 2)}
        assert limits(answer) == {"key": (99, 1), "workspace": (199, 1)}
        answer = ask(world, key)
        assert answer.header("ratelimit") == '"key";r=98;t=1, "workspace";r=198;t=1'
        world.advance(seconds=0.02)
        assert limits(ask(world, key)) == {"key": (98, 1), "workspace": (199, 1)}

    def test_responses_to_member_show_remaining_requests(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        answer = ask(world, owner.token)
        assert policies(answer) == {"person": (100, 2), "workspace": (200, 2)}
        assert limits(answer) == {"person": (99, 1), "workspace": (199, 1)}

    def test_personal_operation_does_not_count_for_the_workspace(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        assert limits(ask(world, owner.token, "/me")) == {"person": (99, 1)}

    def test_former_member_does_not_use_the_workspace_budget(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        member = world.member(workspace, Role.MEMBER)
        answer = member.call("POST", "/members/leave")
        assert answer.status == 204
        answer = ask(world, member.token)
        assert answer.problem() == (409, "no_active_workspace")
        assert set(limits(answer)) == {"person"}

    @named(WITH_CALLER)
    def test_error_responses_have_rate_limit_headers(
        self, owner: Someone, workspace: WorkspaceScope, method: str, path: str
    ) -> None:
        """Every operation with a caller, called with nothing right but the token."""
        target = "/".join(ID if part.lower().endswith("id") else part for part in path.split("/"))
        answer = owner.call(method, target, body=b"{" if method != "GET" else b"")
        assert {"person"} <= set(limits(answer)) <= {"person", "workspace"}
        assert set(policies(answer)) == set(limits(answer))

    def test_unauthenticated_responses_have_no_rate_limit_headers(self, world: World) -> None:
        for answer in (ask(world, "stp_unknown"), world.call("GET", "/health")):
            assert answer.header("ratelimit") is None
            assert answer.header("ratelimit-policy") is None

    def test_budgets_can_be_turned_off(self, world: World, key: str) -> None:
        with budgeted(CallerRequestsPerSecond="0"):
            assert set(limits(ask(world, key))) == {"workspace"}
        with budgeted(CallerRequestsPerSecond="0", WorkspaceRequestsPerSecond="0"):
            assert ask(world, key).header("ratelimit") is None


class TestRequestId:
    """The request's id, as the gateway has it."""

    def test_every_response_has_a_unique_request_id(self, world: World, key: str) -> None:
        answers = [
            ask(world, key),
            ask(world, "stp_unknown"),
            world.call("GET", "/health"),
            world.call("GET", "/nowhere"),
            world.call("PATCH", "/health"),
            world.call("POST", "/auth/sign-in", body=b"{"),
        ]
        ids = {answer.header("request-id") for answer in answers}
        assert len(ids) == len(answers)
        assert None not in ids

    def test_problem_document_has_no_request_id(self, world: World, key: str) -> None:
        answer = ask(world, key, f"/members/{ID}/nothing")
        assert answer.problem() == (404, "not_found")
        assert answer.header("request-id")

    def test_every_log_line_has_the_request_id(
        self, world: World, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written = io.StringIO()
        monkeypatch.setattr(logger.registered_handler, "stream", written)
        with mock.patch("storepost.api.http.callers.find_token", side_effect=ValueError):
            answer = ask(world, key)
        assert answer.status == 500
        logger.info("after")
        *lines, after = [json.loads(line) for line in written.getvalue().splitlines()]
        assert [line["message"] for line in lines] == ["unexpected error", "request"]
        assert {line["requestId"] for line in lines} == {answer.header("request-id")}
        assert "requestId" not in after

    def test_replayed_response_has_a_new_request_id(
        self, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        def create() -> Answer:
            return owner.call("POST", "/api-keys", {"name": "Till", "scope": "read"}, key="once")

        first, again = create(), create()
        assert again.header("idempotency-replayed") == "true"
        assert first.header("request-id") != again.header("request-id")
        assert limits(first)["person"] == (99, 1)
        assert limits(again)["person"] == (98, 1), "a replay counts, and tells what is left now"


class TestRefusal:
    """429 `rate_limited`."""

    def test_requests_beyond_burst_and_rate_are_refused(self, world: World, key: str) -> None:
        assert {ask(world, key).status for _ in range(100)} == {200}
        refused = ask(world, key)
        assert refused.problem() == (429, "rate_limited")
        assert refused.header("retry-after") == "1"
        assert limits(refused)["key"] == (0, 1)
        assert "50 requests a second" in refused.json["detail"]
        world.advance(seconds=1)
        assert [ask(world, key).status for _ in range(51)] == [200] * 50 + [429]

    def test_api_keys_of_a_workspace_share_one_budget(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        keys = [world.api_key(workspace, KeyScope.READ, owner) for _ in range(4)]
        statuses = [ask(world, keys[n % 4]).status for n in range(201)]
        assert statuses == [200] * 200 + [429]
        refused = ask(world, owner.token)
        assert refused.problem() == (429, "rate_limited"), "people count for it as keys do"
        assert limits(refused)["workspace"] == (0, 1)
        assert "workspace" in refused.json["detail"]
        assert ask(world, owner.token, "/me").status == 200

    def test_sessions_of_a_person_share_one_budget(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        other, _ = world.sign_in(owner.id, workspace)
        use_up(world, owner.token)
        assert ask(world, other, "/me").problem() == (429, "rate_limited")

    def test_checked_before_the_scope(
        self, world: World, key: str, workspace: WorkspaceScope
    ) -> None:
        """A flood of requests of the wrong scope is limited, too."""
        answers = [world.call("POST", "/locales", token=key, body=b"{") for _ in range(101)]
        assert [answer.status for answer in answers] == [403] * 100 + [429]

    def test_checked_after_authentication(self, world: World) -> None:
        assert {ask(world, "stp_unknown").status for _ in range(250)} == {401}

    def test_replays_are_counted(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        def create() -> Answer:
            return owner.call("POST", "/api-keys", {"name": "Till", "scope": "read"}, key="once")

        assert [create().status for _ in range(101)] == [201] * 100 + [429]
        world.advance(seconds=1)
        assert create().header("idempotency-replayed") == "true", "a refusal isn't kept"

    def test_refused_write_can_be_retried_with_the_same_key(
        self, world: World, owner: Someone, workspace: WorkspaceScope
    ) -> None:
        def create() -> Answer:
            return owner.call("POST", "/api-keys", {"name": "Till", "scope": "read"}, key="once")

        use_up(world, owner.token)
        assert create().problem() == (429, "rate_limited")
        world.advance(seconds=1)
        answer = create()
        assert answer.status == 201
        assert answer.header("idempotency-replayed") is None


class TestContainers:
    """Several containers, which know of each other's requests only through the table."""

    def test_containers_share_the_count(self, world: World, key: str) -> None:
        """Four containers get forty requests each: 160, of which the burst has room for 100."""
        passed = 0
        for _ in range(4):
            with new_container():
                passed += sum(ask(world, key).status == 200 for _ in range(40))
        assert 100 <= passed <= 140

    def test_requests_pass_if_the_table_is_throttled(self, world: World, key: str) -> None:
        with mock.patch.object(spending, "count", side_effect=UpdateError("throttled")):
            assert {ask(world, key).status for _ in range(250)} == {200}

    def test_busy_tenant_does_not_affect_a_quiet_one(self, world: World, key: str) -> None:
        """One tenant at ten times its budget beside one at a tenth, for three seconds."""
        quiet_owner = world.person()
        quiet = world.api_key(world.workspace(quiet_owner), KeyScope.READ, quiet_owner)
        alone = self._seconds_of(world, quiet)
        beside = self._seconds_of(world, quiet, key)
        assert beside == alone
        assert {status for status, _ in alone} == {200}

    def _seconds_of(
        self, world: World, quiet: str, busy: str | None = None
    ) -> list[tuple[int, bytes]]:
        answers = []
        for _ in range(15):
            world.advance(seconds=0.2)
            if busy:
                loud = [ask(world, busy).status for _ in range(100)]
                assert set(loud) <= {200, 429}
            answer = ask(world, quiet)
            answers.append((answer.status, answer.body))
        return answers

"""Sessions, an operation a class."""

from uuid import UUID

import pytest

from storepost.accounts.identity import sessions
from storepost.values import clock
from storepost.values.ids import short
from tests.harness.world import Someone, World


def session_rows(world: World, someone: Someone) -> set[str]:
    """The sort keys of the person's session pointers."""
    rows = world.rows(f"person#{short(someone.id)}")
    return {row.sk for row in rows if row.sk.startswith("session#")}


def pointers(*session_ids: UUID) -> set[str]:
    """The sort keys of those sessions' pointers."""
    return {f"session#{short(session_id)}" for session_id in session_ids}


class TestList:
    """GET /sessions."""

    def test_own_sessions_most_recently_active_first(self, world: World) -> None:
        world.person()
        signed_in = clock.to_text(clock.now())[:16]
        someone = world.person()
        world.advance(minutes=5)
        _, second = world.sign_in(someone.id)
        world.advance(minutes=5)
        answer = someone.call("GET", "/sessions")
        assert answer.status == 200
        first_row, second_row = answer.json["items"]
        assert answer.json == {
            "items": [
                {
                    "id": str(someone.session_id),
                    "browser": "Firefox",
                    "os": "Linux",
                    "ipAddress": "203.0.113.7",
                    "signedInAt": first_row["signedInAt"],
                    "lastActiveAt": first_row["lastActiveAt"],
                    "current": True,
                },
                {
                    "id": str(second),
                    "browser": "Firefox",
                    "os": "Linux",
                    "ipAddress": "203.0.113.7",
                    "signedInAt": second_row["signedInAt"],
                    "lastActiveAt": second_row["signedInAt"],
                    "current": False,
                },
            ],
            "total": 2,
            "page": 1,
            "pageSize": 25,
        }
        assert first_row["signedInAt"][:16] >= signed_in
        passed = clock.from_text(first_row["lastActiveAt"]) - clock.from_text(
            first_row["signedInAt"]
        )
        assert passed.total_seconds() >= 600

    def test_pages(self, world: World) -> None:
        someone = world.person()
        made = [someone.session_id]
        for _ in range(11):
            world.advance(seconds=1)
            made.append(world.sign_in(someone.id)[1])
        answer = someone.call("GET", "/sessions", query={"page": 2, "pageSize": 10})
        assert [UUID(row["id"]) for row in answer.json["items"]] == [made[1], made[0]]
        assert answer.json["total"] == 12
        beyond = someone.call("GET", "/sessions", query={"page": 3})
        assert (beyond.status, beyond.json["items"], beyond.json["total"]) == (200, [], 12)

    def test_expired_sessions_are_not_listed(self, world: World) -> None:
        someone = world.person()
        world.advance(days=29)
        token, session_id = world.sign_in(someone.id)
        world.advance(days=1)
        assert someone.call("GET", "/sessions").status == 401
        answer = world.call("GET", "/sessions", token=token)
        assert [row["id"] for row in answer.json["items"]] == [str(session_id)]
        assert answer.json["total"] == 1

    def test_session_ends_after_ninety_days(self, world: World) -> None:
        someone = world.person()
        for _ in range(4):
            world.advance(days=22)
            assert someone.call("GET", "/sessions").status == 200
        world.advance(days=2)
        assert someone.call("GET", "/sessions").problem() == (401, "unauthenticated")


class TestDelete:
    """DELETE /sessions/{id}."""

    def test_expired_session_is_not_found(self, world: World) -> None:
        someone = world.person()
        world.advance(days=30)
        token, _ = world.sign_in(someone.id)
        answer = world.call("DELETE", f"/sessions/{someone.session_id}", token=token)
        assert answer.problem() == (404, "not_found")

    def test_signs_out_immediately(self, world: World) -> None:
        someone = world.person()
        token, session_id = world.sign_in(someone.id)
        answer = someone.call("DELETE", f"/sessions/{session_id}")
        assert (answer.status, answer.body) == (204, b"")
        assert world.call("GET", "/me", token=token).problem() == (401, "unauthenticated")
        assert someone.call("GET", "/me").status == 200
        assert session_rows(world, someone) == pointers(someone.session_id)
        again = someone.call("DELETE", f"/sessions/{session_id}")
        assert (again.status, again.body) == (204, b"")
        other = world.person()
        answer = other.call("DELETE", f"/sessions/{session_id}")
        assert answer.problem() == (404, "not_found")

    def test_own_session(self, world: World) -> None:
        someone = world.person()
        assert someone.call("DELETE", f"/sessions/{someone.session_id}").status == 204
        assert someone.call("GET", "/me").status == 401
        assert session_rows(world, someone) == set()
        again = someone.call("DELETE", f"/sessions/{someone.session_id}")
        assert again.problem() == (401, "unauthenticated")


class TestDeleteOthers:
    """POST /sessions/sign-out-others."""

    path = "/sessions/sign-out-others"

    def test_ends_every_session_but_the_callers(self, world: World) -> None:
        someone, other = world.person(), world.person()
        tokens = [world.sign_in(someone.id)[0] for _ in range(3)]
        answer = someone.call("POST", self.path)
        assert (answer.status, answer.body) == (204, b"")
        for token in tokens:
            assert world.call("GET", "/me", token=token).problem() == (401, "unauthenticated")
        sessions = someone.call("GET", "/sessions").json
        assert [row["id"] for row in sessions["items"]] == [str(someone.session_id)]
        assert session_rows(world, someone) == pointers(someone.session_id)
        assert other.call("GET", "/me").status == 200

    def test_more_sessions_than_one_transaction(self, world: World) -> None:
        someone = world.person()
        tokens = [world.sign_in(someone.id)[0] for _ in range(60)]
        assert someone.call("POST", self.path).status == 204
        assert {world.call("GET", "/me", token=token).status for token in tokens} == {401}
        assert session_rows(world, someone) == pointers(someone.session_id)

    def test_sessions_end_even_if_their_rows_remain(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone = world.person()
        token, session_id = world.sign_in(someone.id)
        monkeypatch.setattr(sessions, "delete_session", None)  # as if it was killed there
        assert someone.call("POST", self.path).status == 204
        assert world.call("GET", "/me", token=token).problem() == (401, "unauthenticated")
        listed = someone.call("GET", "/sessions").json
        assert [row["id"] for row in listed["items"]] == [str(someone.session_id)]
        assert someone.call("DELETE", f"/sessions/{session_id}").problem() == (404, "not_found")

    def test_without_other_sessions(self, world: World) -> None:
        someone = world.person()
        for _ in range(3):
            assert someone.call("POST", self.path).status == 204
        token, _ = world.sign_in(someone.id)
        assert world.call("GET", "/me", token=token).status == 200

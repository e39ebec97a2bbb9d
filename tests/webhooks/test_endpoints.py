"""Webhook endpoints, an operation a class."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from storepost.values.scope import WorkspaceScope
from storepost.webhooks.endpoints.model import MAX_ENDPOINTS
from storepost.webhooks.endpoints.repository import EndpointRepository, by_workspace
from tests.harness.call_interruption import counted
from tests.harness.crash_points import KEY, crashes, until_answered
from tests.harness.receiver import Receiver
from tests.webhooks.receiving import HOOK, URL, Hooks, is_signed_with

ALL = [
    ("GET", "", None),
    ("POST", "", {"url": URL, "events": ["*"]}),
    ("GET", "/{id}", None),
    ("PATCH", "/{id}", {"events": ["order.*"]}),
    ("DELETE", "/{id}", None),
    ("POST", "/{id}/rotate-secret", None),
    ("POST", "/{id}/test", None),
    ("GET", "/{id}/deliveries", None),
    ("GET", "/{id}/deliveries/{id}", None),
    ("POST", "/{id}/deliveries/{id}/retry", None),
    ("POST", "/{id}/replay", {"createdFrom": "2026-01-01T00:00:00Z"}),
]


class TestCreate:
    """POST /webhook-endpoints."""

    def test_whole_response_and_no_plain_secret_in_storage(self, hooks: Hooks) -> None:
        made = hooks.made(["order.*", "webhook.test"], description="The warehouse")
        endpoint, secret = made["endpoint"], made["secret"]
        assert endpoint == {
            "id": endpoint["id"],
            "url": URL,
            "description": "The warehouse",
            "events": ["order.*", "webhook.test"],
            "includeImports": False,
            "status": "enabled",
            "disabledReason": None,
            "createdBy": hooks.owner.name,
            "createdAt": endpoint["createdAt"],
            "lastSuccessAt": None,
            "failingSince": None,
        }
        assert hooks.shown(endpoint["id"]) == endpoint
        assert secret.startswith("whsec_")
        rows = [row.to_dynamodb_dict() for row in hooks.world.rows()]
        assert secret.removeprefix("whsec_") not in str(rows)

    @pytest.mark.parametrize(
        "url",
        [
            "http://example.com/",
            "https://127.0.0.1/",
            "https://169.254.169.254/",
            "https://x.local/",
        ],
    )
    def test_private_or_http_url_is_refused(self, hooks: Hooks, url: str) -> None:
        answer = hooks.call("POST", json_body={"url": url, "events": ["*"]})
        assert answer.problem() == (422, "url_not_allowed")
        assert [each["path"] for each in answer.json["errors"]] == ["/url"]

    def test_unknown_event_types_are_refused_by_path(self, hooks: Hooks) -> None:
        events = ["order.created", "order.lost", "shop.*", "*.created"]
        answer = hooks.call("POST", json_body={"url": URL, "events": events})
        assert answer.problem() == (422, "unknown_event_type")
        paths = [each["path"] for each in answer.json["errors"]]
        assert paths == ["/events/1", "/events/2", "/events/3"]

    @pytest.mark.parametrize("events", [[], ["*"] * 101])
    def test_validation_error_unless_1_to_100_events(self, hooks: Hooks, events: list[str]) -> None:
        answer = hooks.call("POST", json_body={"url": URL, "events": events})
        assert answer.error_paths() == ["/events"]

    @pytest.mark.parametrize("value", [1, "true"])
    def test_include_imports_is_a_boolean_alone(self, hooks: Hooks, value: object) -> None:
        body = {"url": URL, "events": ["*"], "includeImports": value}
        change = {"includeImports": value}
        for answer in (
            hooks.call("POST", json_body=body),
            hooks.call("PATCH", f"/{hooks.endpoint()}", json_body=change),
        ):
            assert answer.error_paths() == ["/includeImports"]

    def test_limit_of_twenty_endpoints_per_workspace(self, hooks: Hooks) -> None:
        made = [hooks.endpoint() for _ in range(MAX_ENDPOINTS)]
        answer = hooks.call("POST", json_body={"url": URL, "events": ["*"]})
        assert answer.problem() == (409, "endpoint_limit")
        assert hooks.call("DELETE", f"/{made[0]}").status == 204
        hooks.endpoint()

    def test_killed_at_any_call_creates_one_endpoint(self, hooks: Hooks) -> None:
        world, body = hooks.world, {"url": URL, "events": ["*"]}

        def send() -> Any:
            return hooks.call("POST", json_body=body, key=KEY)

        for positions in crashes(world, send):
            answer = until_answered(world, send)
            assert answer.status == 201, (positions, answer.body)
            assert len(EndpointRepository(hooks.workspace).all()) == 1
            assert list(by_workspace([hooks.workspace])) == [hooks.workspace]


class TestManyWorkspaces:
    """Workspaces with endpoints share no row, which could grow or be contended."""

    def test_create_and_delete_write_only_rows_of_the_workspace(self, hooks: Hooks) -> None:
        before = {row.key: row.to_dynamodb_dict() for row in hooks.world.rows()}
        hooks.call("DELETE", f"/{hooks.endpoint()}")
        hooks.endpoint()
        after = {row.key: row.to_dynamodb_dict() for row in hooks.world.rows()}
        written = {key[0] for key in after.keys() | before if before.get(key) != after.get(key)}
        assert written, "the endpoint has a row"
        assert all(each.startswith(hooks.workspace.key) for each in written), written

    def test_endpoints_of_many_workspaces_are_found_by_one_batch_read(self, hooks: Hooks) -> None:
        owners = [hooks.world.person() for _ in range(4)]
        others = [hooks.world.workspace(each) for each in owners]
        endpoint = hooks.endpoint()
        gone = Hooks(hooks.world, owners[0], others[0])
        gone.call("DELETE", f"/{gone.endpoint()}")
        found: dict[WorkspaceScope, list[str]] = {}

        def read() -> None:
            endpoints = by_workspace([*others, hooks.workspace])
            found.update({each: [str(e.id) for e in some] for each, some in endpoints.items()})

        assert counted(read) == ["BatchGetItem", "Query"]
        assert found == {hooks.workspace: [endpoint]}


class TestList:
    """GET /webhook-endpoints."""

    def test_newest_first_with_filters(self, hooks: Hooks) -> None:
        first = hooks.endpoint(["order.*"])
        hooks.world.advance(seconds=1)
        second = hooks.endpoint(["*"])
        hooks.world.advance(seconds=1)
        third = hooks.endpoint(["product.created"], description="x")
        hooks.call("PATCH", f"/{third}", json_body={"status": "disabled"})

        def found(**query: object) -> list[str]:
            answer = hooks.call("GET", query=query)
            assert answer.status == 200, answer.body
            assert answer.json["total"] == len(answer.json["items"])
            return [each["id"] for each in answer.json["items"]]

        assert found() == [third, second, first]
        assert found(status="enabled") == [second, first]
        assert found(status="disabled") == [third]
        assert found(event="order.created") == [second, first]
        assert found(event="product.created,order.created") == [third, second, first]
        assert found(event="product.created", status="disabled") == [third]

    def test_unknown_event_type_is_refused(self, hooks: Hooks) -> None:
        answer = hooks.call("GET", query={"event": "order.lost"})
        assert answer.problem() == (422, "unknown_event_type")
        assert [each["path"] for each in answer.json["errors"]] == ["query.event"]


class TestUpdate:
    """PATCH /webhook-endpoints/{id}."""

    def test_omitted_fields_are_unchanged(self, hooks: Hooks) -> None:
        made = hooks.made(["order.*"], description="A")["endpoint"]
        body = {"events": ["product.*", "product.*"], "includeImports": True}
        answer = hooks.call("PATCH", f"/{made['id']}", json_body=body)
        expected = {**made, "events": ["product.*"], "includeImports": True}
        assert (answer.status, answer.json) == (200, expected)
        assert hooks.shown(made["id"]) == expected
        cleared = hooks.call("PATCH", f"/{made['id']}", json_body={"description": None})
        assert cleared.json == {**expected, "description": None}

    def test_disabled_and_reenabled(self, hooks: Hooks) -> None:
        endpoint = hooks.endpoint()
        disabled = hooks.call("PATCH", f"/{endpoint}", json_body={"status": "disabled"}).json
        assert (disabled["status"], disabled["disabledReason"]) == ("disabled", "manual")
        enabled = hooks.call("PATCH", f"/{endpoint}", json_body={"status": "enabled"}).json
        assert (enabled["status"], enabled["disabledReason"]) == ("enabled", None)

    def test_problems(self, hooks: Hooks) -> None:
        endpoint = hooks.endpoint()
        url = hooks.call("PATCH", f"/{endpoint}", json_body={"url": "https://10.0.0.1/"})
        assert url.problem() == (422, "url_not_allowed")
        events = hooks.call("PATCH", f"/{endpoint}", json_body={"events": ["nothing"]})
        assert events.problem() == (422, "unknown_event_type")
        assert hooks.call("PATCH", f"/{uuid4()}", json_body={}).problem() == (404, "not_found")


class TestDelete:
    """DELETE /webhook-endpoints/{id}."""

    def test_repeated_deletion_is_204(self, hooks: Hooks) -> None:
        endpoint = hooks.endpoint()
        assert hooks.call("DELETE", f"/{endpoint}").status == 204
        assert hooks.call("GET", f"/{endpoint}").problem() == (404, "not_found")
        assert hooks.call("DELETE", f"/{endpoint}").status == 204

    def test_pending_deliveries_are_not_sent(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.call("DELETE", f"/{endpoint}")
        hooks.world.deliver()
        assert receiver.received == []


class TestRotate:
    """POST /webhook-endpoints/{id}/rotate-secret."""

    def test_both_secrets_sign_for_24_hours(self, hooks: Hooks, receiver: Receiver) -> None:
        made = hooks.made()
        endpoint, old = made["endpoint"]["id"], made["secret"]
        answer = hooks.call("POST", f"/{endpoint}/rotate-secret")
        new = answer.json["secret"]
        assert (answer.status, answer.json["endpoint"]) == (200, made["endpoint"])
        assert new != old

        def accepted_by(secret: str) -> bool:
            receiver.received.clear()
            hooks.tested(endpoint)
            hooks.world.deliver()
            [sent] = receiver.received
            return is_signed_with(secret, sent)

        assert (accepted_by(old), accepted_by(new)) == (True, True)
        hooks.world.advance(seconds=(timedelta(hours=24) - timedelta(minutes=1)).total_seconds())
        assert (accepted_by(old), accepted_by(new)) == (True, True)
        hooks.world.advance(minutes=1)
        assert (accepted_by(old), accepted_by(new)) == (False, True)

    def test_each_secret_signs_for_24_hours_after_its_own_rotation(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        """A rotation that is sent twice takes nothing from the receiver."""
        made = hooks.made()
        endpoint, secrets = made["endpoint"]["id"], [made["secret"]]
        for _ in range(2):
            secrets.append(hooks.call("POST", f"/{endpoint}/rotate-secret").json["secret"])
            hooks.world.advance(hours=1)

        def accepted_by() -> list[bool]:
            receiver.received.clear()
            hooks.tested(endpoint)
            hooks.world.deliver()
            [sent] = receiver.received
            signed = [is_signed_with(each, sent) for each in secrets]
            assert len(sent.headers["webhook-signature"].split(" ")) == sum(signed)
            return signed

        assert accepted_by() == [True, True, True]
        hooks.world.advance(hours=22)
        assert accepted_by() == [False, True, True]
        hooks.world.advance(hours=1)
        assert accepted_by() == [False, False, True]

    def test_sixth_secret_ends_the_first(self, hooks: Hooks, receiver: Receiver) -> None:
        made = hooks.made()
        endpoint, secrets = made["endpoint"]["id"], [made["secret"]]
        for _ in range(5):
            secrets.append(hooks.call("POST", f"/{endpoint}/rotate-secret").json["secret"])
        hooks.tested(endpoint)
        hooks.world.deliver()
        [sent] = receiver.received
        assert [is_signed_with(each, sent) for each in secrets] == [False, *5 * [True]]


assert HOOK in URL

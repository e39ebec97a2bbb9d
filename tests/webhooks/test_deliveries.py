"""Deliveries: the first attempt, later ones, and the results."""

from datetime import timedelta

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from storepost.platform.attempts.waits import WAITS
from storepost.values import clock
from storepost.webhooks.deliveries.queueing import enqueue_deliveries
from tests.harness.receiver import Receiver
from tests.webhooks.receiving import URL, Hooks


class TestSendTest:
    """POST /webhook-endpoints/{id}/test."""

    def test_test_message_is_signed_delivered_and_logged(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        made = hooks.made(["order.created"])
        endpoint = made["endpoint"]["id"]
        delivery = hooks.tested(endpoint)
        assert delivery == {
            "id": delivery["id"],
            "type": "webhook.test",
            "resource": None,
            "status": "pending",
            "attempts": [],
            "nextAttemptAt": delivery["createdAt"],
            "createdAt": delivery["createdAt"],
            "replayOf": None,
        }
        assert hooks.delivery(endpoint, delivery["id"]) == delivery
        hooks.world.deliver()
        [sent] = receiver.received
        assert (sent.url, sent.timeout, sent.id) == (URL, 10.0, delivery["id"])
        assert sent.headers["content-type"] == "application/json"
        assert Webhook(made["secret"]).verify(sent.body.decode(), sent.headers) == sent.json
        assert sent.json["type"] == "webhook.test"
        assert sent.json["timestamp"] == delivery["createdAt"]
        with pytest.raises(WebhookVerificationError):
            Webhook(made["secret"]).verify(sent.body.decode() + " ", sent.headers)
        [attempt] = hooks.delivery(endpoint, delivery["id"])["attempts"]
        assert hooks.deliveries(endpoint) == [
            {**delivery, "status": "delivered", "attempts": [attempt], "nextAttemptAt": None}
        ]
        assert (attempt["status"], attempt["error"]) == (204, None)
        assert attempt["durationMs"] >= 0

    def test_unknown_event_type_is_refused(self, hooks: Hooks) -> None:
        answer = hooks.call("POST", f"/{hooks.endpoint()}/test", json_body={"type": "order.*"})
        assert answer.problem() == (422, "unknown_event_type")
        assert [each["path"] for each in answer.json["errors"]] == ["/type"]

    def test_disabled_endpoint_is_refused(self, hooks: Hooks) -> None:
        endpoint = hooks.endpoint()
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "disabled"})
        assert hooks.call("POST", f"/{endpoint}/test").problem() == (409, "endpoint_disabled")


class TestAttempts:
    """The times of the next attempt, and of the last one."""

    def test_ten_attempts_at_the_documented_intervals(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        receiver.always = 500
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        for made, wait in enumerate(WAITS, start=1):
            shown = hooks.delivery(endpoint, delivery)
            assert (shown["status"], len(shown["attempts"])) == ("pending", made)
            due = clock.from_text(shown["nextAttemptAt"])
            last = clock.from_text(shown["attempts"][-1]["at"])
            assert wait <= due - last <= wait * 1.1 + timedelta(seconds=1)
            hooks.advance(due - clock.now() - timedelta(seconds=1.5))
            assert len(receiver.received) == made
            hooks.advance(timedelta(seconds=1.6))
            assert len(receiver.received) == made + 1
        shown = hooks.delivery(endpoint, delivery)
        assert (shown["status"], len(shown["attempts"])) == ("failed", 10)
        assert shown["nextAttemptAt"] is None
        assert set(receiver.ids) == {delivery}
        hooks.advance(timedelta(days=2))
        assert len(receiver.received) == 10

    @pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 429, 500, 503])
    def test_response_other_than_2xx_is_retried(
        self, hooks: Hooks, receiver: Receiver, status: int
    ) -> None:
        receiver.answers = [status]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        [attempt] = hooks.delivery(endpoint, delivery)["attempts"]
        assert attempt["status"] == status
        assert f"status {status}" in attempt["error"]
        hooks.advance(timedelta(seconds=6))
        assert hooks.delivery(endpoint, delivery)["status"] == "delivered"


class TestEvents:
    """The messages that the stream's reader queues."""

    def test_event_is_sent_to_each_matching_endpoint(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        mine = [hooks.endpoint(["order.*"]), hooks.endpoint(["*"])]
        other = hooks.endpoint(["product.*"])
        event = hooks.event()
        enqueue_deliveries([(hooks.workspace, event)])
        hooks.world.deliver()
        assert len(receiver.received) == 2
        assert len(set(receiver.ids)) == 2
        for endpoint in mine:
            [row] = hooks.deliveries(endpoint)
            assert (row["status"], row["type"]) == ("delivered", "order.created")
            assert event.resource
            assert row["resource"] == {"kind": "order", "id": str(event.resource.id)}
            assert row["createdAt"] == clock.to_text(event.occurred_at)
        assert hooks.deliveries(other) == []

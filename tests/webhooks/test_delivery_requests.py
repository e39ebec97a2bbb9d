"""Requests about deliveries: the list, one more attempt, a replay of failed ones."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.platform.attempts.model import Attempt
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.webhooks.deliveries import listing
from storepost.webhooks.deliveries.model import (
    Delivery,
    DeliveryStatus,
    delivery_id,
    first_delivery,
)
from storepost.webhooks.deliveries.queueing import enqueue_deliveries
from storepost.webhooks.deliveries.repository import DeliveryRepository
from storepost.webhooks.events.model import WebhookEvent
from tests.harness.crash_points import KEY
from tests.harness.receiver import Receiver
from tests.webhooks.receiving import Hooks

STATUSES = (DeliveryStatus.DELIVERED, DeliveryStatus.FAILED)


def stored(hooks: Hooks, endpoint: str, count: int) -> list[Delivery]:
    """Deliveries of an hour each, newest first, of two types and two statuses in turn."""
    made, now = [], clock.now()
    for number in range(count):
        event = WebhookEvent(
            ("order.created", "product.created")[number % 2],
            new_id(),
            now - timedelta(hours=number),
            None,
        )
        delivery = first_delivery(
            hooks.workspace,
            UUID(endpoint),
            event,
            status=STATUSES[number // 2 % 2],
            attempts=(Attempt(event.occurred_at, 204, None, 12),),
            number=1,
            next_attempt_at=None,
        )
        changes = Changes()
        DeliveryRepository(hooks.workspace).create(changes, delivery)
        changes.commit()
        made.append(delivery)
    return made


class TestList:
    """GET /webhook-endpoints/{id}/deliveries."""

    def test_pagination_filters_and_totals(self, hooks: Hooks) -> None:
        endpoint, other = hooks.endpoint(), hooks.endpoint()
        made = stored(hooks, endpoint, 30)
        stored(hooks, other, 3)

        def ids(**query: object) -> tuple[list[str], int]:
            answer = hooks.call("GET", f"/{endpoint}/deliveries", query=query)
            assert answer.status == 200, answer.body
            return [each["id"] for each in answer.json["items"]], answer.json["total"]

        whole = [str(each.id) for each in made]
        assert ids() == (whole[:25], 30)
        assert ids(page=2) == (whole[25:], 30)
        assert ids(page=9) == ([], 30)
        orders = [str(e.id) for e in made if e.event.type == "order.created"]
        assert ids(type="order.created", pageSize=10) == (orders[:10], 15)
        failed = [str(e.id) for e in made if e.status is DeliveryStatus.FAILED]
        assert ids(status="failed") == (failed, len(failed))
        both = [i for i in failed if i in orders]
        assert ids(status="failed", type="order.created") == (both, len(both))
        since, until = made[20].created_at, made[10].created_at
        within = whole[11:21]
        assert ids(createdFrom=clock.to_text(since), createdTo=clock.to_text(until)) == (within, 10)

    @pytest.mark.parametrize("name", ["createdFrom", "createdTo"])
    @pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z"])
    def test_created_filters_before_1970(self, hooks: Hooks, name: str, moment: str) -> None:
        """No id of a delivery begins with one."""
        endpoint = hooks.endpoint()
        stored(hooks, endpoint, 1)
        answer = hooks.call("GET", f"/{endpoint}/deliveries", query={name: moment})
        assert answer.status == 200, answer.body
        assert answer.json["total"] == (1 if name == "createdFrom" else 0)

    def test_expires_after_thirty_days(self, hooks: Hooks) -> None:
        endpoint = hooks.endpoint()
        [made] = stored(hooks, endpoint, 1)
        path = f"/{endpoint}/deliveries/{made.id}"
        hooks.world.advance(days=29, hours=23)
        assert hooks.call("GET", path).status == 200
        assert len(hooks.deliveries(endpoint)) == 1
        hooks.world.advance(hours=1)
        assert hooks.call("GET", path).problem() == (404, "not_found")
        assert hooks.deliveries(endpoint) == []

    def test_too_many_rows_is_filter_too_broad(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        endpoint = hooks.endpoint()
        made = stored(hooks, endpoint, 4)
        monkeypatch.setattr(listing, "MAX_ROWS", 3)
        answer = hooks.call("GET", f"/{endpoint}/deliveries")
        assert answer.problem() == (422, "filter_too_broad")
        assert [each["path"] for each in answer.json["errors"]] == ["query.createdFrom"]
        since = clock.to_text(made[2].created_at)
        assert len(hooks.deliveries(endpoint, createdFrom=since)) == 3

    def test_unknown_event_type_is_refused(self, hooks: Hooks) -> None:
        answer = hooks.call("GET", f"/{hooks.endpoint()}/deliveries", query={"type": "x.y"})
        assert answer.problem() == (422, "unknown_event_type")


class TestRetry:
    """POST /webhook-endpoints/{id}/deliveries/{deliveryId}/retry."""

    def retried(self, hooks: Hooks, endpoint: str, delivery: str) -> dict[str, object]:
        answer = hooks.call("POST", f"/{endpoint}/deliveries/{delivery}/retry")
        assert answer.status == 202, answer.body
        hooks.world.deliver()
        return dict(answer.json)

    def test_failed_delivery_gets_one_attempt(self, hooks: Hooks, receiver: Receiver) -> None:
        receiver.answers = [410, 500, 204]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        retried = self.retried(hooks, endpoint, delivery)
        assert retried["status"] == "pending"
        shown = hooks.delivery(endpoint, delivery)
        assert (shown["status"], shown["nextAttemptAt"]) == ("failed", None)
        assert len(shown["attempts"]) == 2
        assert hooks.shown(endpoint)["disabledReason"] == "gone", "it is allowed on a disabled one"
        hooks.advance(timedelta(days=1))
        assert len(receiver.received) == 2
        self.retried(hooks, endpoint, delivery)
        assert hooks.delivery(endpoint, delivery)["status"] == "delivered"
        assert set(receiver.ids) == {delivery}

    def test_pending_delivery_is_attempted_now(self, hooks: Hooks, receiver: Receiver) -> None:
        receiver.answers = [500, 500]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        self.retried(hooks, endpoint, delivery)
        shown = hooks.delivery(endpoint, delivery)
        assert (shown["status"], len(shown["attempts"])) == ("pending", 2)
        hooks.advance(timedelta(minutes=6))
        shown = hooks.delivery(endpoint, delivery)
        assert (shown["status"], len(shown["attempts"])) == ("delivered", 3)
        hooks.advance(timedelta(days=1))
        assert len(receiver.received) == 3, "the message of the attempt that was brought forward"

    def test_delivered_delivery_is_sent_again(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        self.retried(hooks, endpoint, delivery)
        assert receiver.ids == [delivery, delivery]
        assert len(hooks.delivery(endpoint, delivery)["attempts"]) == 2


class TestReplay:
    """POST /webhook-endpoints/{id}/replay."""

    def failed(self, hooks: Hooks, receiver: Receiver, endpoint: str) -> list[str]:
        """Failed deliveries of an endpoint that was disabled before their next attempt."""
        receiver.always = 500
        for kind in ("order.created", "product.created", "order.created"):
            enqueue_deliveries([(hooks.workspace, hooks.event(kind))])
            hooks.world.deliver()
            hooks.world.advance(seconds=1)
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "disabled"})
        hooks.advance(timedelta(seconds=10))
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "enabled"})
        rows = hooks.deliveries(endpoint)
        assert [each["status"] for each in rows] == ["failed"] * 3
        receiver.always = 204
        receiver.received.clear()
        return [each["id"] for each in rows]

    def test_too_many_rows_is_filter_too_broad(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        endpoint = hooks.endpoint()
        stored(hooks, endpoint, 4)
        monkeypatch.setattr(listing, "MAX_ROWS", 3)
        body = {"createdFrom": "2020-01-01T00:00:00Z"}
        answer = hooks.call("POST", f"/{endpoint}/replay", json_body=body)
        assert answer.problem() == (422, "filter_too_broad")
        assert [each["path"] for each in answer.json["errors"]] == ["/createdTo"]

    def test_from_after_to_is_refused(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        self.failed(hooks, receiver, endpoint)
        earlier, later = (clock.to_text(clock.now() + timedelta(days=n)) for n in (-1, 1))
        body = {"createdFrom": later, "createdTo": earlier}
        answer = hooks.call("POST", f"/{endpoint}/replay", json_body=body)
        assert answer.error_paths() == ["/createdTo"]
        assert answer.json["errors"][0]["message"] == "Must not be before `createdFrom`"
        hooks.world.deliver()
        assert receiver.received == []
        assert [each["status"] for each in hooks.deliveries(endpoint)] == ["failed"] * 3
        empty = hooks.call(
            "POST", f"/{endpoint}/replay", json_body={"createdFrom": later, "createdTo": later}
        )
        assert (empty.status, empty.json) == (202, {"queued": 0})

    def replayed(self, hooks: Hooks, endpoint: str, **body: object) -> int:
        sent = {"createdFrom": "2020-01-01T00:00:00Z", **body}
        answer = hooks.call("POST", f"/{endpoint}/replay", json_body=sent)
        assert answer.status == 202, answer.body
        hooks.world.deliver()
        return int(answer.json["queued"])

    def test_each_is_sent_once_with_a_new_id(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        failed = self.failed(hooks, receiver, endpoint)
        hooks.world.advance(seconds=1)
        assert self.replayed(hooks, endpoint) == 3
        new = hooks.deliveries(endpoint)[:3]
        assert {each["replayOf"] for each in new} == set(failed)
        assert {each["status"] for each in new} == {"delivered"}
        assert sorted(receiver.ids) == sorted(each["id"] for each in new)
        assert self.replayed(hooks, endpoint) == 0
        assert len(receiver.received) == 3

    def test_filtered_by_type_and_time(self, hooks: Hooks, receiver: Receiver) -> None:
        endpoint = hooks.endpoint()
        failed = self.failed(hooks, receiver, endpoint)
        hooks.world.advance(seconds=1)
        oldest = hooks.delivery(endpoint, failed[-1])["createdAt"]
        until = clock.to_text(clock.from_text(oldest) + timedelta(milliseconds=1))
        assert self.replayed(hooks, endpoint, types=["product.created"], createdTo=until) == 0
        assert self.replayed(hooks, endpoint, types=["order.created"], createdTo=until) == 1
        assert self.replayed(hooks, endpoint, types=["product.created"]) == 1
        assert [each.json["type"] for each in receiver.received] == [
            "order.created",
            "product.created",
        ]

    def test_problems(self, hooks: Hooks) -> None:
        endpoint = hooks.endpoint()
        body = {"createdFrom": "2020-01-01T00:00:00Z", "types": ["order.created", "order.lost"]}
        unknown = hooks.call("POST", f"/{endpoint}/replay", json_body=body)
        assert unknown.problem() == (422, "unknown_event_type")
        assert [each["path"] for each in unknown.json["errors"]] == ["/types/1"]
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "disabled"})
        body = {"createdFrom": "2020-01-01T00:00:00Z"}
        disabled = hooks.call("POST", f"/{endpoint}/replay", json_body=body, key=KEY)
        assert disabled.problem() == (409, "endpoint_disabled")


class TestIds:
    """The id of an event's delivery to an endpoint."""

    @given(
        st.uuids(),
        st.uuids(),
        st.datetimes(datetime(1971, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - Hypothesis adds the zone
    )
    def test_is_deterministic_and_sorts_by_time(
        self, endpoint: UUID, event: UUID, moment: datetime
    ) -> None:
        at = clock.to_milliseconds(moment)
        happened = WebhookEvent("order.created", event, at, None)
        later = WebhookEvent("order.created", event, at + timedelta(milliseconds=1), None)
        assert delivery_id(endpoint, happened) == delivery_id(endpoint, happened)
        assert delivery_id(endpoint, happened) < delivery_id(endpoint, later)
        assert delivery_id(event, happened) != delivery_id(endpoint, happened) or event == endpoint

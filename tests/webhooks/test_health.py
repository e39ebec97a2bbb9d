"""An endpoint's health: failing, reported to its owner, disabled, and enabled again."""

from datetime import timedelta

import pytest

from storepost.platform.attempts.posting import TIMEOUT_SECONDS
from storepost.platform.attempts.waits import WAITS
from storepost.platform.fetching import Failure, FetchFailed, guard
from storepost.values import clock
from storepost.webhooks.deliveries.queueing import enqueue_deliveries
from tests.harness.receiver import Receiver
from tests.platform.fetching.servers import OK, saying, serving
from tests.webhooks.receiving import HOOK, RETRIES, URL, Hooks

TITLES = ("fails", "disabled")


def subjects(hooks: Hooks) -> list[str]:
    """The subjects of the emails that the owner got, oldest first."""
    emails = hooks.world.emails()
    assert {each.to for each in emails} <= {hooks.owner.email}
    return [each.subject for each in emails]


class TestFailing:
    """An endpoint that refuses everything."""

    def test_failing_since_the_first_failure_until_a_success(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        receiver.answers = [503, FetchFailed(Failure.TIMED_OUT)]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        first, *_ = hooks.delivery(endpoint, delivery)["attempts"]
        since = hooks.shown(endpoint)["failingSince"]
        assert since >= first["at"]
        hooks.advance(timedelta(seconds=6))
        second = hooks.delivery(endpoint, delivery)["attempts"][1]
        assert (second["status"], second["error"]) == (
            None,
            "The endpoint didn't answer: no complete answer came in time.",
        )
        assert hooks.shown(endpoint)["failingSince"] == since
        hooks.advance(timedelta(minutes=6))
        shown = hooks.shown(endpoint)
        assert (shown["failingSince"], shown["lastSuccessAt"] is not None) == (None, True)

    def test_owner_is_emailed_after_a_day_and_on_disabling_after_five(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        receiver.always = 500
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.world.deliver()
        hooks.advance(timedelta(hours=23, minutes=58))
        assert subjects(hooks) == []
        hooks.advance(timedelta(minutes=3))
        host = URL.split("/")[2]
        assert subjects(hooks) == [f"A webhook endpoint at {host} fails"]
        hooks.advance(timedelta(days=3, hours=23, minutes=50))
        assert hooks.shown(endpoint)["status"] == "enabled"
        hooks.advance(timedelta(minutes=12))
        shown = hooks.shown(endpoint)
        assert (shown["status"], shown["disabledReason"]) == ("disabled", "failing")
        assert subjects(hooks)[1:] == [f"We disabled a webhook endpoint at {host}"]
        hooks.advance(timedelta(days=9))
        assert len(subjects(hooks)) == 2
        assert all("canary" not in each.text for each in hooks.world.emails())

    def test_recovered_endpoint_stays_enabled_without_emails(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        receiver.answers = [500]
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.world.deliver()
        hooks.advance(timedelta(seconds=6))
        for _ in range(6):
            hooks.advance(timedelta(days=1))
        assert (subjects(hooks), hooks.shown(endpoint)["status"]) == ([], "enabled")

    def test_later_failure_starts_a_new_failing_period(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        receiver.answers = [500]
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.world.deliver()
        hooks.advance(timedelta(seconds=6))
        hooks.advance(timedelta(hours=20))
        receiver.always = 500
        hooks.tested(endpoint)
        hooks.world.deliver()
        hooks.advance(timedelta(hours=5))
        assert subjects(hooks) == []
        hooks.advance(timedelta(hours=20))
        assert len(subjects(hooks)) == 1

    def test_changed_url_resets_the_failing_period(self, hooks: Hooks, receiver: Receiver) -> None:
        receiver.always = 500
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.world.deliver()
        for wait in WAITS:
            hooks.advance(wait * 1.1 + timedelta(seconds=1))
        assert len(receiver.received) == 10
        hooks.advance(timedelta(days=1))
        assert len(subjects(hooks)) == 1
        mended = {"url": f"http://{HOOK}/mended"}
        assert hooks.call("PATCH", f"/{endpoint}", json_body={"events": ["*"]}).status == 200
        assert hooks.shown(endpoint)["failingSince"] is not None
        assert hooks.call("PATCH", f"/{endpoint}", json_body=mended).status == 200
        assert hooks.shown(endpoint)["failingSince"] is None
        for _ in range(3):
            hooks.advance(timedelta(days=1))
        assert (len(subjects(hooks)), hooks.shown(endpoint)["status"]) == (1, "enabled")
        hooks.tested(endpoint)
        hooks.world.deliver()
        assert hooks.shown(endpoint)["failingSince"] > hooks.shown(endpoint)["createdAt"]
        hooks.advance(timedelta(days=1, minutes=1))
        assert len(subjects(hooks)) == 2

    def test_status_410_disables_immediately(self, hooks: Hooks, receiver: Receiver) -> None:
        receiver.always = 410
        endpoint = hooks.endpoint()
        first, second = hooks.tested(endpoint)["id"], hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        shown = hooks.shown(endpoint)
        assert (shown["status"], shown["disabledReason"]) == ("disabled", "gone")
        assert len(subjects(hooks)) == 1
        assert len(receiver.received) == 1
        for delivery in (first, second):
            shown = hooks.delivery(endpoint, delivery)
            assert (shown["status"], shown["nextAttemptAt"]) == ("failed", None)

    def test_reenabled_endpoint_gets_only_later_events(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        receiver.answers = [410]
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.world.deliver()
        enqueue_deliveries([(hooks.workspace, hooks.event())])
        hooks.world.deliver()
        assert len(receiver.received) == 1, "what happens meanwhile isn't sent"
        hooks.call("PATCH", f"/{endpoint}", json_body={"status": "enabled"})
        enqueue_deliveries([(hooks.workspace, hooks.event())])
        hooks.world.deliver()
        assert len(receiver.received) == 2

    def test_event_for_a_failing_endpoint_is_queued_for_retry(
        self, hooks: Hooks, receiver: Receiver
    ) -> None:
        receiver.always = 500
        endpoint = hooks.endpoint()
        hooks.tested(endpoint)
        hooks.world.deliver()
        enqueue_deliveries([(hooks.workspace, hooks.event())])
        from local.events.pumps import pump_queue  # noqa: PLC0415 - beside its only use

        assert pump_queue("WebhookDeliveryQueue") == 1
        assert len(receiver.received) == 1
        assert hooks.world.queue_depth(RETRIES) >= 1
        hooks.world.deliver()
        assert len(receiver.received) == 2


class TestRetryAfter:
    """An answer's `Retry-After`."""

    @pytest.mark.parametrize(
        ("retry_after", "waits"),
        [
            ("120", timedelta(minutes=2)),
            ("1", timedelta(seconds=5)),
            ("999999999999", timedelta(hours=24)),
            ("soon", timedelta(seconds=5)),
            ("-5", timedelta(seconds=5)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", timedelta(seconds=5)),
            ("²", timedelta(seconds=5)),
            (f"Wed, 21 Oct {10**20} 07:28:00 GMT", timedelta(seconds=5)),
            (f"Wed, 21 Oct 2035 07:28:00 +{10**20}", timedelta(seconds=5)),
        ],
    )
    def test_seconds_extend_the_wait_up_to_24_h_unless_invalid(
        self, hooks: Hooks, receiver: Receiver, retry_after: str, waits: timedelta
    ) -> None:
        receiver.answers = [(503, {"retry-after": retry_after})]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        shown = hooks.delivery(endpoint, delivery)
        wait = clock.from_text(shown["nextAttemptAt"]) - clock.from_text(shown["attempts"][0]["at"])
        assert waits <= wait <= waits * 1.1 + timedelta(seconds=1)

    def test_http_date_is_respected(self, hooks: Hooks, receiver: Receiver) -> None:
        at = clock.now() + timedelta(hours=3)
        receiver.answers = [(429, {"retry-after": at.strftime("%a, %d %b %Y %H:%M:%S GMT")})]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        shown = hooks.delivery(endpoint, delivery)
        assert abs(clock.from_text(shown["nextAttemptAt"]) - at) <= timedelta(seconds=1)


class TestGuard:
    """The guard checks the address at each attempt, and the connection is made to that address."""

    def test_dns_rebinding_to_private_address_is_refused(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        addresses = {"hooks.example.com": "93.184.216.34"}
        connected: list[str] = []

        def reach(address: object, *_: object) -> None:
            connected.append(str(address))
            raise OSError("nobody is there")

        monkeypatch.setattr(guard, "resolve", lambda host, _port: [addresses[host]])
        monkeypatch.setattr("storepost.platform.fetching.client._reach", reach)
        endpoint = hooks.endpoint(url="https://hooks.example.com/")
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        assert connected == ["93.184.216.34"]
        for number, address in enumerate(("169.254.169.254", "127.0.0.1", "10.0.0.7"), start=2):
            addresses["hooks.example.com"] = address
            due = hooks.delivery(endpoint, delivery)["nextAttemptAt"]
            hooks.advance(clock.from_text(due) - clock.now() + timedelta(seconds=1))
            shown = hooks.delivery(endpoint, delivery)
            assert len(shown["attempts"]) == number
            assert "isn't public" in shown["attempts"][-1]["error"]
        assert connected == ["93.184.216.34"]

    def test_redirect_is_recorded_and_not_followed(self, hooks: Hooks, receiver: Receiver) -> None:
        receiver.answers = [(307, {"location": "http://169.254.169.254/"})]
        endpoint = hooks.endpoint()
        delivery = hooks.tested(endpoint)["id"]
        hooks.world.deliver()
        assert [each.url for each in receiver.received] == [URL]
        [attempt] = hooks.delivery(endpoint, delivery)["attempts"]
        assert attempt["status"] == 307

    def test_redirect_after_url_change_is_not_followed(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The guard would allow the other address: the redirect itself isn't followed."""
        with serving(OK) as elsewhere:
            gone = f"Location: http://127.0.0.1:{elsewhere.port}/\r\nContent-Length: 0\r\n\r\n"
            failing = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
            redirect = f"HTTP/1.1 307 There\r\n{gone}".encode()
            with serving(saying(failing)) as first, serving(saying(redirect)) as second:
                hosts = [f"127.0.0.1:{each.port}" for each in (elsewhere, first, second)]
                monkeypatch.setenv("FEED_ALLOW_HOSTS", ",".join(hosts))
                endpoint = hooks.endpoint(url=f"http://{hosts[1]}/")
                delivery = hooks.tested(endpoint)["id"]
                hooks.world.deliver()
                hooks.call("PATCH", f"/{endpoint}", json_body={"url": f"http://{hosts[2]}/"})
                hooks.advance(timedelta(seconds=6))
                shown = hooks.delivery(endpoint, delivery)
            assert [each["status"] for each in shown["attempts"]] == [500, 307]
            assert second.requests
            assert not elsewhere.requests

    def test_response_body_is_not_stored(self, hooks: Hooks, receiver: Receiver) -> None:
        receiver.always = 500
        hooks.tested(hooks.endpoint())
        hooks.world.deliver()
        rows = [row.to_dynamodb_dict() for row in hooks.world.rows()]
        assert "their secrets" not in str(rows)


assert TIMEOUT_SECONDS == 10

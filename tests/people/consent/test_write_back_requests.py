"""The request of a write-back, and its signature."""

import base64
import hashlib
import hmac
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from storepost.platform.attempts.signing import signed_headers
from storepost.values import clock
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY, World
from tests.people.consent.listening_store import EMAIL, HOOK, URL, Shop
from tests.people.consent.past_statements import SUBSCRIBED
from tests.platform.fetching.servers import OK, serving


class TestRequest:
    """The request to the store."""

    def test_complete_request(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        long_ago = clock.to_text(clock.now() - timedelta(days=400))
        change = shop.change(profile, "unsubscribed", occurredAt=long_ago)
        shop.world.deliver()
        [received] = listener.received
        assert received.url == URL
        assert received.timeout == 10
        assert received.headers["content-type"] == "application/json"
        assert received.headers["webhook-id"] == f"{change['id']}.{store_id}"
        assert received.json == {
            "type": "consent.changed",
            "timestamp": change["recordedAt"],
            "data": {
                "changeId": change["id"],
                "channel": "email",
                "state": "unsubscribed",
                "address": EMAIL,
                "occurredAt": long_ago,
                "source": "manual",
                "customers": [{"externalId": f"c-{CANARY}"}],
            },
        }

    def test_success_is_recorded(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        before = clock.now()
        shop.world.deliver()
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert before <= clock.from_text(write_back["doneAt"]) <= clock.now()
        assert write_back == {
            "store": {"id": str(store_id), "name": f"Store {CANARY}"},
            "status": "written",
            "skipReason": None,
            "error": None,
            "doneAt": write_back["doneAt"],
        }
        assert shop.store_consent(store_id) is SUBSCRIBED
        address = shop.owner.call("GET", f"/stores/{store_id}/write-back").json
        assert address == {
            "url": URL,
            "lastSucceededAt": write_back["doneAt"],
            "lastError": None,
        }
        assert shop.queued() == []
        assert shop.world.queue_depth("WriteBackQueue") == 0

    def test_over_a_real_connection(
        self, shop: Shop, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving(OK) as server:
            monkeypatch.setenv("FEED_ALLOW_HOSTS", f"127.0.0.1:{server.port}")
            store_id = shop.store(listens=False)
            answer = shop.owner.call(
                "PUT",
                f"/stores/{store_id}/write-back",
                {"url": f"http://127.0.0.1:{server.port}/hook?a=b"},
            )
            profile = shop.person(store_id)
            change = shop.change(profile, "subscribed")
            world.deliver()
            assert server.lines[0] == "POST /hook?a=b HTTP/1.1"
            names = ("webhook-id", "webhook-timestamp", "webhook-signature")
            headers = {name: server.header(name)[0] for name in names}
            message = Webhook(answer.json["secret"]).verify(server.body, headers)
            assert message["data"]["changeId"] == change["id"]
        assert shop.outcome(profile, change, store_id) == "written"

    def test_redirect_is_not_followed(
        self, shop: Shop, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving(OK) as elsewhere:
            location = f"http://127.0.0.1:{elsewhere.port}/"
            redirect = f"HTTP/1.1 307 Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
            with serving(lambda connection: connection.sendall(redirect.encode())) as server:
                hosts = f"127.0.0.1:{server.port},127.0.0.1:{elsewhere.port},{HOOK}"
                monkeypatch.setenv("FEED_ALLOW_HOSTS", hosts)
                store_id = shop.store()
                shop.owner.call(
                    "PUT",
                    f"/stores/{store_id}/write-back",
                    {"url": f"http://127.0.0.1:{server.port}/"},
                )
                profile = shop.person(store_id)
                change = shop.change(profile, "subscribed")
                world.deliver()
            assert elsewhere.requests == []
        [write_back] = shop.read(profile, change)["writeBacks"]
        assert write_back["status"] == "failed"
        assert write_back["error"] == (
            "The store answered with status 307. Redirects aren't followed."
        )


class TestSignature:
    """Standard Webhooks, by its own library."""

    def test_reference_library_verifies_signature(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store(listens=False)
        secret = shop.secret(store_id)
        shop.change(shop.person(store_id), "subscribed")
        shop.world.deliver()
        [received] = listener.received
        assert Webhook(secret).verify(received.body, received.headers) == received.json
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(received.body + b" ", received.headers)

    def test_old_and_new_secret_sign_for_a_day(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store(listens=False)
        old = shop.secret(store_id)
        rotated = shop.owner.call("POST", f"/stores/{store_id}/write-back/rotate")
        new = rotated.json["secret"]
        profile = shop.person(store_id)
        shop.change(profile, "subscribed")
        shop.world.deliver()
        [during] = listener.received
        assert [part[:3] for part in during.headers["webhook-signature"].split(" ")] == ["v1,"] * 2
        assert new != old
        for secret in (old, new):
            assert Webhook(secret).verify(during.body, during.headers) == during.json
        shop.world.advance(hours=24)
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        after = listener.received[-1]
        headers = {**after.headers, "webhook-timestamp": after.headers["webhook-timestamp"]}
        assert after.state == "unsubscribed"
        assert signs(new, after.body, headers)
        assert not signs(old, after.body, headers)

    @settings(max_examples=50, deadline=None)
    @given(st.binary(min_size=24, max_size=64), st.text(max_size=40), st.binary(max_size=200))
    def test_any_body(self, key: bytes, identifier: str, body: bytes) -> None:
        secret = "whsec_" + base64.b64encode(key).decode()
        headers = signed_headers(identifier, clock.now(), body, [secret])
        assert signs(secret, body, headers)


def signs(secret: str, body: bytes, headers: dict[str, str]) -> bool:
    """Whether one of the signatures is the secret's, reckoned from the standard's own words.

    The reference refuses what is more than five minutes from its own clock, so it can't judge what
    is sent a day ahead.
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return expected in headers["webhook-signature"].split(" ")

"""Requests whose function dies at any of its calls to AWS, and late runs."""

from collections.abc import Callable
from functools import partial

import pytest

from storepost.accounts.invitations.repository import InvitationRepository
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import Profile
from storepost.platform.messaging.outbox import PARTITION, OutboxItem
from storepost.platform.messaging.relay import relay
from storepost.values.scope import WorkspaceScope
from tests.harness.call_interruption import before_the_commit
from tests.harness.crash_points import KEY, LEASE_SECONDS, crashes, until_answered
from tests.harness.receiver import Receiver
from tests.harness.world import CANARY, Answer, Someone, World
from tests.people.consent.listening_store import HOOK, Shop, open_shop


@pytest.fixture(autouse=True)
def _loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores may listen on the loopback."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)


class TestConsentChange:
    """PUT /profiles/{id}/consent/email: one change, one write-back."""

    def ready(self, world: World) -> tuple[Shop, Profile, Callable[[], Answer]]:
        """A customer of a store, and the request, always with the same key."""
        shop = open_shop(world)
        profile = shop.person(shop.store())
        path = f"/profiles/{profile.id}/consent/email"
        body = {"state": "subscribed", "evidence": {"text": "I want news by email."}}
        send = partial(world.call, "PUT", path, token=shop.owner.token, json_body=body, key=KEY)
        return shop, profile, send

    def one_effect(self, shop: Shop, profile: Profile, answer: Answer, listener: Receiver) -> None:
        shop.world.deliver()
        path = f"/profiles/{profile.id}/consent"
        listed = shop.owner.call("GET", path).json
        assert [row["id"] for row in listed["items"]] == [answer.json["id"]]
        proven = shop.owner.call("GET", f"{path}/evidence").json
        assert [row["changeId"] for row in proven["items"]] == [answer.json["id"]]
        assert shop.profile(profile.id).email_consent is ConsentState.SUBSCRIBED
        [store_id] = profile.store_ids
        assert shop.outcome(profile, answer.json, store_id) == "written"
        webhook_ids = [each.headers["webhook-id"] for each in listener.received]
        assert webhook_ids == [f"{answer.json['id']}.{store_id}"]
        assert shop.world.rows(PARTITION) == []
        listener.received.clear()

    def test_killed_at_any_call(self, world: World, listener: Receiver) -> None:
        shop, profile, send = self.ready(world)
        found = crashes(world, send, outside=[listener.received])
        assert len(found.positions) > 10
        for positions in found:
            answer = until_answered(world, send)
            assert answer.status == 200, (positions, answer.body)
            replay = send()
            assert (replay.status, replay.body) == (200, answer.body)
            assert replay.header("idempotency-replayed") == "true"
            self.one_effect(shop, profile, answer, listener)

    def test_delayed_first_run_returns_response_of_second(
        self, world: World, listener: Receiver
    ) -> None:
        shop, profile, send = self.ready(world)
        second: list[Answer] = []

        def another_run() -> None:
            world.advance(seconds=LEASE_SECONDS)
            second.append(send())

        with before_the_commit(another_run):
            first = send()
        assert second[0].status == 200
        assert (first.status, first.body) == (200, second[0].body)
        self.one_effect(shop, profile, first, listener)

    def test_concurrent_changes_are_serialized(self, world: World, listener: Receiver) -> None:
        """The later one is decided on the result of the earlier one."""
        shop, profile, send = self.ready(world)
        between: list[dict[str, object]] = []
        with before_the_commit(lambda: between.append(shop.change(profile, "unsubscribed"))):
            answer = send()
        assert answer.json["state"] == "subscribed"
        assert answer.json["occurredAt"] > str(between[0]["occurredAt"])
        listed = shop.owner.call("GET", f"/profiles/{profile.id}/consent").json
        assert {row["id"] for row in listed["items"]} == {answer.json["id"], between[0]["id"]}
        assert shop.profile(profile.id).email_consent is ConsentState.SUBSCRIBED
        world.deliver()
        assert listener.states == ["subscribed"]


def outbox_row(world: World) -> OutboxItem:
    """The one row of the outbox."""
    [row] = [row for row in world.rows(PARTITION) if isinstance(row, OutboxItem)]
    return row


class TestInvitation:
    """POST /invitations: one invitation, one email."""

    GUEST = f"guest.{CANARY}@example.com"

    def sending(self, owner: Someone) -> Callable[[], Answer]:
        """The request, always with the same key."""
        body = {"email": self.GUEST, "role": "member"}
        return lambda: owner.call("POST", "/invitations", body, key=KEY)

    def owner(self, world: World) -> tuple[Someone, WorkspaceScope]:
        owner = world.person("Olive Owner")
        return owner, world.workspace(owner)

    def one_effect(self, world: World, workspace: WorkspaceScope) -> None:
        assert len(InvitationRepository(workspace).all_open()) == 1
        assert [email.to for email in world.emails()] == [self.GUEST]
        assert world.rows(PARTITION) == []

    def test_killed_at_any_call(self, world: World) -> None:
        owner, workspace = self.owner(world)
        send = self.sending(owner)
        found = crashes(world, send)
        assert len(found.positions) > 10
        for positions in found:
            answer = until_answered(world, send)
            assert answer.status == 201, (positions, answer.body)
            replay = send()
            assert (replay.status, replay.body) == (201, answer.body)
            assert replay.header("idempotency-replayed") == "true"
            self.one_effect(world, workspace)

    def test_delayed_first_run_returns_response_of_second(self, world: World) -> None:
        owner, workspace = self.owner(world)
        send = self.sending(owner)
        second: list[Answer] = []

        def another_run() -> None:
            world.advance(seconds=LEASE_SECONDS)
            second.append(send())

        with before_the_commit(another_run):
            first = send()
        assert second[0].status == 201
        assert (first.status, first.body) == (201, second[0].body)
        self.one_effect(world, workspace)

    def test_relay_killed_at_any_call(self, world: World) -> None:
        owner, workspace = self.owner(world)
        assert self.sending(owner)().status == 201
        for _ in crashes(world, partial(relay, outbox_row(world)), deliver=False):
            world.advance(minutes=3)
            world.sweep()
            self.one_effect(world, workspace)

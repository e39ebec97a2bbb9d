"""Requests whose function dies at any of its calls to AWS, and runs that come too late."""

from collections.abc import Callable
from functools import partial

import pytest

from storepost.consent.states import ConsentState
from storepost.invitations.repository import InvitationRepository
from storepost.messaging.outbox import PARTITION, OutboxItem
from storepost.messaging.relay import relay
from storepost.persistence.sealing import forget_keys
from storepost.profiles.model import Profile
from storepost.scope import WorkspaceScope
from tests.consent.shop import HOOK, Listener, Shop, open_shop
from tests.kills import before_the_commit, everywhere, killed_at
from tests.world import CANARY, Answer, Someone, World

KEY = "one-and-the-same"
LEASE_SECONDS = 60
"""Longer than any function of the API may run."""


@pytest.fixture(autouse=True)
def _loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores may listen on the loopback."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)


def until_answered(world: World, send: Callable[[], Answer]) -> Answer:
    """What the caller gets in the end who goes on trying with the same key."""
    for _ in range(3):
        answer = send()
        if answer.status != 409:
            return answer
        assert answer.problem() == (409, "idempotency_in_progress")
        world.advance(seconds=LEASE_SECONDS)
    raise AssertionError("the claim was never given back")


class TestConsentChange:
    """PUT /profiles/{id}/consent/email: one change, one write-back."""

    def ready(self, world: World) -> tuple[Shop, Profile, Callable[[], Answer]]:
        """A person whom a store knows, and the request, always with the same key."""
        shop = open_shop(world)
        profile = shop.person(shop.store())
        path, body = f"/profiles/{profile.id}/consent/email", {"state": "subscribed"}
        send = partial(world.call, "PUT", path, token=shop.owner.token, json_body=body, key=KEY)
        forget_keys()  # as a function has none that has just started
        return shop, profile, send

    def one_effect(self, shop: Shop, profile: Profile, answer: Answer, listener: Listener) -> None:
        shop.world.deliver()
        path = f"/profiles/{profile.id}/consent"
        listed = shop.world.call("GET", path, token=shop.owner.token).json
        assert [row["id"] for row in listed["items"]] == [answer.json["id"]]
        assert shop.profile(profile.id).email_consent is ConsentState.SUBSCRIBED
        [store_id] = profile.store_ids
        assert shop.outcome(profile, answer.json, store_id) == "written"
        told = [each.headers["webhook-id"] for each in listener.received]
        assert told == [f"{answer.json['id']}.{store_id}"]
        assert shop.world.rows(PARTITION) == []
        listener.received.clear()

    def test_killed_anywhere(self, world: World, listener: Listener) -> None:
        shop, profile, send = self.ready(world)
        begin_anew = world.kept()
        places = everywhere(send)
        assert len(places) > 10
        for number, moment in places:
            begin_anew()
            forget_keys()
            assert killed_at(number, moment, send), (number, moment)
            answer = until_answered(world, send)
            assert answer.status == 200, (number, moment, answer.body)
            replay = send()
            assert (replay.status, replay.body) == (200, answer.body)
            assert replay.header("idempotency-replayed") == "true"
            self.one_effect(shop, profile, answer, listener)

    def test_a_late_first_run_answers_what_the_second_did(
        self, world: World, listener: Listener
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

    def test_the_relay_killed_anywhere(self, world: World, listener: Listener) -> None:
        shop, profile, send = self.ready(world)
        begin_anew = world.kept()
        send()
        for number, moment in everywhere(partial(relay, outbox_row(world))):
            begin_anew()
            forget_keys()
            answer = send()
            row = outbox_row(world)
            world.lose_stream()
            assert killed_at(number, moment, partial(relay, row))
            world.advance(minutes=3)
            world.sweep()
            self.one_effect(shop, profile, answer, listener)

    def test_two_at_once_are_one_after_the_other(self, world: World, listener: Listener) -> None:
        """The later one is decided on what the earlier one left."""
        shop, profile, send = self.ready(world)
        between: list[dict[str, object]] = []
        with before_the_commit(lambda: between.append(shop.change(profile, "unsubscribed"))):
            answer = send()
        assert answer.json["state"] == "subscribed"
        assert answer.json["occurredAt"] > str(between[0]["occurredAt"])
        path = f"/profiles/{profile.id}/consent"
        listed = world.call("GET", path, token=shop.owner.token).json
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

    def sending(self, world: World, owner: Someone) -> Callable[[], Answer]:
        """The request, always with the same key."""
        body = {"email": self.GUEST, "role": "member"}
        return lambda: world.call(
            "POST", "/invitations", token=owner.token, json_body=body, key=KEY
        )

    def owner(self, world: World) -> tuple[Someone, WorkspaceScope]:
        owner = world.person("Olive Owner")
        return owner, world.workspace(owner)

    def one_effect(self, world: World, workspace: WorkspaceScope) -> None:
        assert len(InvitationRepository(workspace).all_open()) == 1
        assert [email.to for email in world.emails()] == [self.GUEST]
        assert world.rows(PARTITION) == []

    def test_killed_anywhere(self, world: World) -> None:
        owner, workspace = self.owner(world)
        send, begin_anew = self.sending(world, owner), world.kept()
        forget_keys()
        places = everywhere(send)
        assert len(places) > 10
        for number, moment in places:
            begin_anew()
            forget_keys()
            assert killed_at(number, moment, send), (number, moment)
            answer = until_answered(world, send)
            assert answer.status == 201, (number, moment, answer.body)
            replay = send()
            assert (replay.status, replay.body) == (201, answer.body)
            assert replay.header("idempotency-replayed") == "true"
            self.one_effect(world, workspace)

    def test_a_late_first_run_answers_what_the_second_did(self, world: World) -> None:
        owner, workspace = self.owner(world)
        send = self.sending(world, owner)
        second: list[Answer] = []

        def another_run() -> None:
            world.advance(seconds=LEASE_SECONDS)
            second.append(send())

        with before_the_commit(another_run):
            first = send()
        assert second[0].status == 201
        assert (first.status, first.body) == (201, second[0].body)
        self.one_effect(world, workspace)

    def test_the_relay_killed_anywhere(self, world: World) -> None:
        owner, workspace = self.owner(world)
        send, begin_anew = self.sending(world, owner), world.kept()
        assert send().status == 201
        for number, moment in everywhere(partial(relay, outbox_row(world))):
            begin_anew()
            forget_keys()
            assert send().status == 201
            row = outbox_row(world)
            world.lose_stream()
            assert killed_at(number, moment, partial(relay, row))
            world.advance(minutes=3)
            world.sweep()
            self.one_effect(world, workspace)

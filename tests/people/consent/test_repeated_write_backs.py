"""Messages of write-backs that come twice, late, out of order, or after a run that was killed."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import Profile
from storepost.platform.persistence.sealing import clear_key_cache
from tests.harness.call_interruption import Killed, Side, another_container, around_calls
from tests.harness.crash_points import crashes
from tests.harness.later_attempts import make_all
from tests.harness.receiver import Answers, Receiver
from tests.harness.world import CANARY, World
from tests.people.consent.listening_store import HOOK, Shop, hand_over, open_shop
from tests.people.consent.past_statements import SUBSCRIBED, UNSUBSCRIBED, gave


@dataclass(frozen=True)
class Known:
    """A customer of a store, made once for all the examples of a test."""

    shop: Shop
    profile: Profile
    begin: Callable[[], None]
    """Brings back how they were at first."""


@pytest.fixture
def known(shop: Shop) -> Known:
    """A customer of a store that listens."""
    profile = shop.person(shop.store())
    return Known(shop, profile, shop.world.checkpoint())


class TestRepeatedMessages:
    """Messages that come twice, out of order, late, or after a run that was killed."""

    def test_same_message_three_times_sends_once(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        for _ in range(3):
            assert hand_over(message)
        assert len(listener.received) == 1
        assert shop.outcome(profile, change, store_id) == "written"

    def test_message_for_unknown_change_is_dropped(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        shop.change(shop.person(store_id), "subscribed")
        [message] = shop.queued()
        assert hand_over({**message, "profileId": str(UUID(int=7))})
        assert listener.received == []

    def test_killed_between_sending_and_recording(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        listener.answers = [Killed()]
        with pytest.raises(Killed):
            hand_over(message)
        assert shop.outcome(profile, change, store_id) == "pending"
        assert hand_over(message, 2)
        assert shop.outcome(profile, change, store_id) == "written"
        assert len({each.headers["webhook-id"] for each in listener.received}) == 1

    def test_change_reverted_after_killed_send_is_sent(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The store gave `subscribed`, but was sent another state: it must be sent this again."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        shop.change(profile, "unsubscribed")
        [first] = shop.queued()
        listener.answers = [Killed()]
        with pytest.raises(Killed):
            hand_over(first)
        shop.change(profile, "subscribed")
        second = shop.queued()[-1]
        assert hand_over(first, 2)
        assert hand_over(second)
        assert listener.states == ["unsubscribed", "subscribed"]
        assert shop.store_consent(store_id) is SUBSCRIBED

    def test_killed_at_any_call(
        self, world: World, listener: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", HOOK)

        shop = open_shop(world)
        profile = shop.person(shop.store())
        [store_id] = profile.store_ids
        body, message = changed(shop, profile)
        work = partial(hand_over, message)
        found = crashes(world, work, outside=[listener.received], deliver=False)
        assert len(found.positions) > 10
        for _ in found:
            assert hand_over(message, 2)
            assert shop.outcome(profile, body, store_id) == "written"
            assert shop.store_consent(store_id) is SUBSCRIBED
            assert 1 <= len(listener.received) <= 2
            assert len({each.headers["webhook-id"] for each in listener.received}) == 1

    def test_change_reverted_after_kill_at_any_call(self, shop: Shop, listener: Receiver) -> None:
        """The killed run may have sent and noted anything: what it sent is taken back."""
        profile = shop.person(shop.store())
        [store_id] = profile.store_ids
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        shop.change(profile, "unsubscribed")
        [first] = shop.queued()
        work = partial(hand_over, first)
        found = crashes(shop.world, work, outside=[listener.received], deliver=False)
        assert len(found.positions) > 10
        for positions in found:
            shop.change(profile, "subscribed")
            second = shop.queued()[-1]
            assert hand_over(first, 2)
            assert hand_over(second)
            assert listener.states[-1:] in ([], ["subscribed"]), positions
            assert shop.store_consent(store_id) is SUBSCRIBED

    def test_change_reverted_after_refusal_is_sent(self, shop: Shop, listener: Receiver) -> None:
        """A store may have accepted a write-back that it answered with an error."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        shop.change(profile, "unsubscribed")
        listener.answers = [400]
        shop.world.deliver()
        change = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert listener.states == ["unsubscribed", "subscribed"]
        assert shop.outcome(profile, change, store_id) == "written"

    def test_confirmed_store_state_is_not_sent_again(self, shop: Shop, listener: Receiver) -> None:
        """An older statement of the store is in the history only, but its state is known."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        last = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert listener.states == ["unsubscribed"]
        assert shop.outcome(profile, last, store_id) == "already_current"

    def test_change_reverted_before_sending_is_still_sent(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The worker doesn't know that, so the store is sent the state that it has."""
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.customer(profile, store_id, email_consent=SUBSCRIBED)
        first = shop.change(profile, "unsubscribed")
        last = shop.change(profile, "subscribed")
        shop.world.deliver()
        assert shop.outcome(profile, first, store_id) == "superseded"
        assert listener.states == ["subscribed"]
        assert shop.outcome(profile, last, store_id) == "written"

    def test_later_store_is_current_by_own_statement(self, shop: Shop, listener: Receiver) -> None:
        """The store was sent none of the earlier changes."""
        profile = shop.person()
        for state in ("subscribed", "unsubscribed", "subscribed"):
            shop.change(profile, state)
        store_id = shop.store()
        known = shop.known_to(profile, store_id)
        gave(shop, known, store_id, UNSUBSCRIBED)
        shop.world.deliver()
        [change, *_] = shop.owner.call("GET", f"/profiles/{profile.id}/consent").json["items"]
        assert shop.outcome(known, change, store_id) == "already_current"
        assert listener.received == []

    def test_written_state_is_not_recorded_for_changed_address(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """The write-back's note is about the address that the customer had."""
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            if listener.received and operation == "UpdateItem" and moment is Side.BEFORE:
                with another_container():
                    shop.customer(profile, store_id, email=f"other.{CANARY}@example.com")

        with around_calls(meanwhile):
            assert hand_over(message)
        assert shop.outcome(profile, change, store_id) == "written"
        assert shop.store_consent(store_id) is ConsentState.NOT_SUBSCRIBED

    def test_two_stores_record_outcomes_concurrently(self, shop: Shop, listener: Receiver) -> None:
        stores = [shop.store(), shop.store()]
        profile = shop.person(*stores)
        change = shop.change(profile, "subscribed")
        first, second = shop.queued()
        waiting = [second]

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            is_received = len(listener.received) == 1
            if is_received and operation == "UpdateItem" and moment is Side.BEFORE and waiting:
                assert hand_over(waiting.pop())

        with around_calls(meanwhile):
            assert hand_over(first)
        assert waiting == []
        assert [shop.outcome(profile, change, store_id) for store_id in stores] == ["written"] * 2
        assert len(listener.received) == 2

    def test_concurrent_store_value_is_not_overwritten(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        change = shop.change(profile, "subscribed")
        [message] = shop.queued()
        waiting = [UNSUBSCRIBED]

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            is_received = len(listener.received) == 1
            if is_received and operation == "UpdateItem" and moment is Side.BEFORE and waiting:
                with another_container():
                    gave(shop, profile, store_id, waiting.pop())

        with around_calls(meanwhile):
            assert hand_over(message)
        assert waiting == []
        assert shop.outcome(profile, change, store_id) == "written"
        assert shop.store_consent(store_id) is UNSUBSCRIBED
        shop.change(profile, "subscribed")
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        assert listener.states[-1] == "unsubscribed"

    def test_written_state_sent_back_records_nothing(self, shop: Shop, listener: Receiver) -> None:
        store_id = shop.store()
        profile = shop.person(store_id)
        shop.change(profile, "unsubscribed")
        shop.world.deliver()
        gave(shop, profile, store_id, UNSUBSCRIBED)
        listed = shop.owner.call("GET", f"/profiles/{profile.id}/consent").json
        assert listed["total"] == 1

    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(data=st.data())
    def test_messages_in_any_order_end_with_newest_state(
        self, known: Known, listener: Receiver, data: st.DataObject
    ) -> None:
        known.begin()
        shop, profile, queue = known.shop, known.profile, Queue(listener)
        [store_id] = profile.store_ids
        first_state = data.draw(st.sampled_from(list(ConsentState)))
        shop.customer(profile, store_id, email_consent=first_state)
        states = data.draw(st.permutations(["subscribed", "unsubscribed"])) * 2
        messages: list[dict[str, str]] = []
        for state in states[: data.draw(st.integers(1, 4))]:
            shop.change(profile, state)
            messages = shop.queued()
            early = st.tuples(st.sampled_from(messages), st.sampled_from(Ending))
            for message, ending in data.draw(st.lists(early, max_size=3)):
                queue.hand_over(message, ending)
        for message in data.draw(st.permutations(messages * 3)):
            queue.hand_over(message, Ending.FINE)
        queue.later()
        newest = shop.profile(profile.id).email_consent
        assert (queue.states or [first_state])[-1] == newest
        assert shop.store_consent(store_id) is newest


def changed(shop: Shop, profile: Profile) -> tuple[dict[str, Any], dict[str, str]]:
    """A change of the person's consent, and the message that it queued for the one store."""
    body = shop.change(profile, "subscribed")
    [message] = shop.queued()
    clear_key_cache()  # a function that has just started has none
    return body, message


class Ending(StrEnum):
    """How a run ends."""

    FINE = "fine"
    KILLED_ONCE_TOLD = "killed"
    BUSY = "busy"


class Queue:
    """Hands messages to the worker, and records what the store took."""

    def __init__(self, listener: Receiver) -> None:
        self.states: list[str] = []
        self._listener = listener

    def hand_over(self, message: dict[str, str], ending: Ending) -> None:
        """Runs the worker once."""
        answers: dict[Ending, list[Answers]]
        answers = {Ending.KILLED_ONCE_TOLD: [Killed()], Ending.BUSY: [503]}
        self._listener.received.clear()
        self._listener.answers = answers.get(ending, [])
        with suppress(Killed):
            hand_over(message)
        if ending is not Ending.BUSY:
            self.states += self._listener.states

    def later(self) -> None:
        """Makes the attempts that still wait."""
        self._listener.received.clear()
        self._listener.answers = []
        make_all()
        self.states += self._listener.states

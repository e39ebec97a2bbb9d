"""A change that holds again is written back once more, with a new id."""

from datetime import timedelta

import pytest

from storepost.people.consent.model import ConsentChange
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import Profile
from tests.harness.call_interruption import Killed, Side, another_container, around_calls
from tests.harness.later_attempts import advance
from tests.harness.receiver import Receiver
from tests.people.consent.listening_store import Shop, hand_over
from tests.people.consent.past_statements import NO_ANSWER, SUBSCRIBED, UNSUBSCRIBED, past_statement


class TestRestoredChange:
    """A change that holds again: an undated subscription, once `pending` overrides a refusal."""

    @pytest.fixture
    def person(self, shop: Shop) -> Profile:
        """A customer of a store that listens."""
        return shop.person(shop.store())

    def subscribed(self, shop: Shop, person: Profile) -> None:
        past_statement(shop, person, SUBSCRIBED, 10, dated=False)

    def unsubscribed(self, shop: Shop, person: Profile) -> None:
        past_statement(shop, person, UNSUBSCRIBED, 5)

    def lifted(self, shop: Shop, person: Profile) -> None:
        """Makes the first of the changes hold again."""
        past_statement(shop, person, ConsentState.PENDING, 7)

    def holds_again(self, shop: Shop, person: Profile) -> dict[str, str]:
        """The message that sends the store the first change again, after both were sent."""
        for change in (self.subscribed, self.unsubscribed):
            change(shop, person)
            shop.world.deliver()
        self.lifted(shop, person)
        *_, message = shop.queued()
        return message

    def first(self, shop: Shop, person: Profile) -> ConsentChange:
        """The change that holds again, as it is now."""
        *_, change = ConsentRepository(shop.workspace).history(person.id)
        assert change.state is SUBSCRIBED
        return change

    def test_restored_change_has_new_webhook_id(
        self, shop: Shop, person: Profile, listener: Receiver
    ) -> None:
        """A receiver that drops known ids accepts it; all of its attempts have one id."""
        message = self.holds_again(shop, person)
        listener.answers = [503, 400]
        assert hand_over(message)
        advance(timedelta(seconds=6))
        change, [store_id] = self.first(shop, person), person.store_ids
        assert [each.status for each in change.write_backs] == ["failed"]
        path = f"/profiles/{person.id}/consent/{change.id}/write-backs/{store_id}/retry"
        assert shop.owner.call("POST", path).status == 200
        shop.world.deliver()
        assert listener.states == ["subscribed", "unsubscribed", *["subscribed"] * 3]
        first, second, *again = (each.headers["webhook-id"] for each in listener.received)
        assert first == f"{change.id}.{store_id}"
        assert again == [f"{change.id}.2.{store_id}"] * 3
        assert second not in {first, *again}
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]

    def test_earlier_outcome_does_not_prevent_second_delivery(
        self, shop: Shop, person: Profile, listener: Receiver
    ) -> None:
        """The store accepted the change in between, but its answers were lost."""
        self.subscribed(shop, person)
        shop.world.deliver()
        self.unsubscribed(shop, person)
        *_, message = shop.queued()
        listener.answers = [NO_ANSWER, 400]
        assert hand_over(message)
        advance(timedelta(seconds=6))
        self.lifted(shop, person)
        shop.world.deliver()
        assert listener.states == ["subscribed", "unsubscribed", "unsubscribed", "subscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]
        assert shop.store_consent(person.store_ids[0]) is SUBSCRIBED

    def test_killed_between_recording_store_state_and_outcome(
        self, shop: Shop, person: Profile, listener: Receiver
    ) -> None:
        message = self.holds_again(shop, person)

        def kill_at_the_mark(_number: int, operation: str, moment: Side) -> None:
            if operation == "UpdateItem" and moment is Side.AFTER:
                raise Killed

        with pytest.raises(Killed), around_calls(kill_at_the_mark):
            hand_over(message)
        assert shop.store_consent(person.store_ids[0]) is SUBSCRIBED
        assert [each.status for each in self.first(shop, person).write_backs] == ["pending"]
        assert hand_over(message, 2)
        assert listener.states == ["subscribed", "unsubscribed", "subscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]

    def test_delayed_first_run_does_not_complete_second_delivery(
        self, shop: Shop, person: Profile, listener: Receiver
    ) -> None:
        """While it waited for its answer, another run sent the change, and later a refusal."""
        self.subscribed(shop, person)
        [message] = shop.queued()
        waiting = [message]

        def meanwhile(_number: int, operation: str, moment: Side) -> None:
            if listener.received and operation == "UpdateItem" and moment is Side.BEFORE:
                while waiting:
                    with another_container():
                        assert hand_over(waiting.pop())
                        self.unsubscribed(shop, person)
                        assert hand_over(shop.queued()[-1])
                        self.lifted(shop, person)

        with around_calls(meanwhile):
            assert hand_over(message)
        assert listener.states == ["subscribed", "subscribed", "unsubscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["pending"]
        shop.world.deliver()
        assert listener.states[3:] == ["subscribed"]
        assert [each.status for each in self.first(shop, person).write_backs] == ["written"]
        assert shop.store_consent(person.store_ids[0]) is SUBSCRIBED

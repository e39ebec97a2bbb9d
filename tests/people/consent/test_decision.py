"""Which assertion holds: the same one in every order of arrival."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.people.consent.decision import AddressConsent, Assertion, ChangeRef, Decision, decide
from storepost.people.consent.states import ConsentState

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SUBSCRIBED, PENDING = ConsentState.SUBSCRIBED, ConsentState.PENDING
UNSUBSCRIBED = ConsentState.UNSUBSCRIBED
ORDER = [SUBSCRIBED, PENDING, UNSUBSCRIBED]
"""What wins at the same moment, the winner last (docs/semantics.md, section 2.2)."""


def at(minute: int) -> datetime:
    """A minute of the hour of these tests."""
    return NOON + timedelta(minutes=minute)


def ref() -> ChangeRef:
    """A reference to a change."""
    return ChangeRef(uuid4(), uuid4())


def arrived(*assertions: Assertion) -> list[Decision]:
    """The decision about each of the assertions, in order."""
    decisions: list[Decision] = []
    consent = AddressConsent()
    for assertion in assertions:
        decisions.append(decide(consent, assertion, ref()))
        consent = decisions[-1].after
    return decisions


few_minutes = st.integers(0, 4).map(at)
dated = st.builds(Assertion, st.sampled_from(ORDER), few_minutes)
questions = st.builds(Assertion, st.just(PENDING), few_minutes, awaits_answer=st.just(True))
any_kind = st.one_of(
    st.builds(Assertion, st.sampled_from(ORDER), few_minutes, st.booleans()), questions
)


class TestDated:
    """Assertions with a time of their own."""

    @settings(max_examples=2000, deadline=None)
    @given(st.lists(dated, min_size=1, max_size=8), st.data())
    def test_greatest_statement_holds_in_any_order(
        self, assertions: list[Assertion], data: st.DataObject
    ) -> None:
        greatest = max(assertions, key=lambda a: (a.occurred_at, ORDER.index(a.state)))
        shuffled = data.draw(st.permutations([*assertions, *assertions[:2]]))
        after = arrived(*shuffled)[-1].after
        assert (after.state, after.as_of) == (greatest.state, greatest.occurred_at)

    @settings(max_examples=1000, deadline=None)
    @given(st.lists(dated, min_size=1, max_size=8))
    def test_recorded_and_superseded_follow_the_rule(self, assertions: list[Assertion]) -> None:
        consent = AddressConsent()
        for assertion in assertions:
            change = ref()
            decision = decide(consent, assertion, change)
            key = (assertion.occurred_at, ORDER.index(assertion.state))
            wins = consent.as_of is None or key > (consent.as_of, ORDER.index(consent.state))
            assert decision.recorded == (assertion.state is not consent.state)
            assert decision.superseded == (decision.recorded and not wins)
            effective = decision.after.holds
            assert effective is not None
            if decision.recorded and wins:
                assert effective.change == change
            else:
                assert consent.holds is not None
                assert effective.change == consent.holds.change
            consent = decision.after

    def test_same_state_raises_as_of_without_new_change(self) -> None:
        first, second = arrived(Assertion(UNSUBSCRIBED, at(1)), Assertion(UNSUBSCRIBED, at(3)))
        assert not second.recorded
        assert second.after.as_of == at(3)
        assert first.after.holds is not None
        assert second.after.holds is not None
        assert second.after.holds.change == first.after.holds.change
        _, _, between = arrived(
            Assertion(UNSUBSCRIBED, at(1)),
            Assertion(UNSUBSCRIBED, at(3)),
            Assertion(SUBSCRIBED, at(2)),
        )
        assert between.superseded
        assert between.after.state is UNSUBSCRIBED

    def test_older_same_state_does_not_lower_as_of(self) -> None:
        _, second = arrived(Assertion(PENDING, at(3)), Assertion(PENDING, at(1)))
        assert not second.recorded
        assert second.after.as_of == at(3)

    @pytest.mark.parametrize("state", ORDER)
    def test_first_statement_holds(self, state: ConsentState) -> None:
        [decision] = arrived(Assertion(state, at(0)))
        assert decision.recorded
        assert not decision.superseded
        assert decision.after.state is state

    def test_not_subscribed_asserts_nothing(self) -> None:
        with pytest.raises(ValueError, match="asserts nothing"):
            Assertion(ConsentState.NOT_SUBSCRIBED, at(0))


class TestUndated:
    """`subscribed` that a store gives without a consent time."""

    @settings(max_examples=2000, deadline=None)
    @given(st.lists(any_kind, min_size=1, max_size=7), st.data())
    def test_every_order_ends_in_the_same_state(
        self, assertions: list[Assertion], data: st.DataObject
    ) -> None:
        first = arrived(*assertions)[-1].after
        shuffled = data.draw(st.permutations([*assertions, *assertions[:2]]))
        other = arrived(*shuffled)[-1].after
        assert (other.state, other.as_of) == (first.state, first.as_of)

    @settings(max_examples=1000, deadline=None)
    @given(st.lists(any_kind, min_size=1, max_size=7))
    def test_undated_subscription_never_overrides_unsubscription(
        self, assertions: list[Assertion]
    ) -> None:
        consent = AddressConsent()
        for assertion in assertions:
            after = decide(consent, assertion, ref()).after
            if consent.state is UNSUBSCRIBED and assertion.state is SUBSCRIBED:
                assert after.state is UNSUBSCRIBED or assertion.dated
            consent = after

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_undated_subscription_after_unanswered_opt_in_request_is_superseded(
        self, order: tuple[int, ...]
    ) -> None:
        stated = [
            Assertion(UNSUBSCRIBED, at(1)),
            Assertion(PENDING, at(2), awaits_answer=True),
            Assertion(SUBSCRIBED, at(3), dated=False),
        ]
        *_, last = arrived(*(stated[number] for number in order))
        assert (last.after.state, last.after.as_of) == (PENDING, at(2))

    def test_undated_subscription_overrides_opt_in_request_without_unsubscription(self) -> None:
        *_, last = arrived(
            Assertion(PENDING, at(1), awaits_answer=True),
            Assertion(SUBSCRIBED, at(2), dated=False),
        )
        assert last.after.state is SUBSCRIBED

    def test_undated_subscription_after_unsubscription_is_superseded(self) -> None:
        _, late = arrived(Assertion(UNSUBSCRIBED, at(1)), Assertion(SUBSCRIBED, at(2), dated=False))
        assert late.recorded
        assert late.superseded
        assert (late.after.state, late.after.as_of) == (UNSUBSCRIBED, at(1))

    def test_late_arriving_older_unsubscription_holds(self) -> None:
        _, late = arrived(Assertion(SUBSCRIBED, at(2), dated=False), Assertion(UNSUBSCRIBED, at(1)))
        assert not late.superseded
        assert (late.after.state, late.after.as_of) == (UNSUBSCRIBED, at(1))

    def test_undated_subscription_overrides_earlier_pending(self) -> None:
        _, second = arrived(
            Assertion(PENDING, at(1), dated=False), Assertion(SUBSCRIBED, at(2), dated=False)
        )
        assert not second.superseded
        assert second.after.state is SUBSCRIBED

    def test_older_undated_subscription_is_superseded_by_pending(self) -> None:
        _, second = arrived(Assertion(PENDING, at(2)), Assertion(SUBSCRIBED, at(1), dated=False))
        assert second.superseded
        assert second.after.state is PENDING

    def test_later_dated_subscription_overrides_unsubscription(self) -> None:
        *_, last = arrived(
            Assertion(UNSUBSCRIBED, at(1)),
            Assertion(SUBSCRIBED, at(2), dated=False),
            Assertion(SUBSCRIBED, at(3)),
        )
        assert not last.superseded
        assert (last.after.state, last.after.as_of) == (SUBSCRIBED, at(3))


class TestMissingOccurredAt:
    """`occurredAt` is left out: now, and at least 1 ms after all that is known."""

    def test_now_if_no_statement_is_later(self) -> None:
        assert AddressConsent().moment_left_out(at(0)) == at(0)
        [first] = arrived(Assertion(SUBSCRIBED, at(0)))
        assert first.after.moment_left_out(at(1)) == at(1)

    def test_one_millisecond_after_statement_of_same_time(self) -> None:
        [first] = arrived(Assertion(SUBSCRIBED, at(1)))
        assert first.after.moment_left_out(at(1)) == at(1) + timedelta(milliseconds=1)

    @settings(max_examples=500, deadline=None)
    @given(st.lists(any_kind, min_size=1, max_size=6), st.sampled_from(ORDER))
    def test_statement_without_time_always_holds(
        self, assertions: list[Assertion], state: ConsentState
    ) -> None:
        consent = arrived(*assertions)[-1].after
        moment = consent.moment_left_out(at(0))
        assert decide(consent, Assertion(state, moment), ref()).after.state is state


class TestWrittenBack:
    """Stores are sent the changes that aren't superseded."""

    @settings(max_examples=2000, deadline=None)
    @given(st.lists(any_kind, min_size=1, max_size=8))
    def test_last_sent_change_is_the_effective_state(self, assertions: list[Assertion]) -> None:
        """Also if an unsubscription is overridden that had superseded a subscription."""
        consent, states, sent = AddressConsent(), dict[ChangeRef, ConsentState](), list[ChangeRef]()
        for assertion in assertions:
            change = ref()
            decision = decide(consent, assertion, change)
            states[change] = assertion.state
            if decision.recorded and not decision.superseded:
                sent.append(change)
            if decision.restored:
                sent.append(decision.restored)
            consent = decision.after
            assert consent.holds is not None
            assert (sent[-1], states[sent[-1]]) == (consent.holds.change, consent.state)

    def test_pending_restores_superseded_undated_subscription(self) -> None:
        """It overrides the refusal, so the superseded statement holds, and is sent."""
        refused = Assertion(UNSUBSCRIBED, at(5))
        in_vain = Assertion(SUBSCRIBED, at(10), dated=False)
        _, second, third = arrived(refused, in_vain, Assertion(PENDING, at(7)))
        assert (third.recorded, third.superseded, third.after.state) == (True, True, SUBSCRIBED)
        assert second.after.undated is not None
        assert third.restored == second.after.undated.change

    def test_dated_subscription_takes_as_of_of_later_undated_one(self) -> None:
        refused = Assertion(UNSUBSCRIBED, at(5))
        in_vain = Assertion(SUBSCRIBED, at(10), dated=False)
        late = Assertion(SUBSCRIBED, at(7))
        first, second, third = arrived(refused, in_vain, late)
        assert [each.superseded for each in (first, second, third)] == [False, True, False]
        assert (third.after.state, third.after.as_of) == (SUBSCRIBED, at(10))

"""What a store's record asserts, with the statements about an address in every order of arrival."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storepost.people.consent.from_stores import StoreConsent, assert_from_store
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    ConsentOrigin,
    ConsentSource,
    Subject,
)
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import StatementOutcome
from storepost.people.consent.states import Channel, ConsentState
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import ConnectionStatus, Platform, Store, StoreStatus
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World
from tests.people.consent.asserting import assert_consent
from tests.people.consent.listening_store import EMAIL, PHONE

SUBSCRIBED, PENDING = ConsentState.SUBSCRIBED, ConsentState.PENDING
UNSUBSCRIBED, NOTHING = ConsentState.UNSUBSCRIBED, ConsentState.NOT_SUBSCRIBED
ORDER = [SUBSCRIBED, PENDING, UNSUBSCRIBED]


@dataclass
class Somebody:
    """A person of a workspace, and a customer of one store."""

    store: Store
    subject: Subject

    def pushed(
        self,
        after: StoreConsent,
        *,
        before: StoreConsent | None = None,
        updated_at: datetime | None = None,
        channel: Channel = Channel.EMAIL,
    ) -> StatementOutcome | None:
        """The outcome of a push of the customer."""
        changes = Changes()
        outcome = assert_from_store(
            changes,
            self.subject,
            channel,
            before=before,
            after=after,
            updated_at=updated_at or clock.now(),
            origin=ConsentOrigin(ConsentSource.API, self.store.id),
        )
        changes.commit()
        return outcome

    def asserted(
        self, state: ConsentState, at: datetime, *, dated: bool = True
    ) -> StatementOutcome:
        """The outcome of another statement about the email address."""
        changes = Changes()
        address = Address(Channel.EMAIL, EMAIL)
        origin = ConsentOrigin(ConsentSource.IMPORT)
        outcome = assert_consent(
            changes, self.subject, address, state, origin, occurred_at=at, dated=dated
        )
        changes.commit()
        return outcome

    def history(self) -> list[ConsentChange]:
        """The person's changes, oldest first."""
        repository = ConsentRepository(self.subject.workspace)
        return list(repository.history(self.subject.profile_id))[::-1]

    def state(self, channel: Channel = Channel.EMAIL) -> ConsentState:
        """The address's state."""
        value = EMAIL if channel is Channel.EMAIL else PHONE
        repository = ConsentRepository(self.subject.workspace)
        return repository.consent_of(Address(channel, value)).state


@pytest.fixture
def somebody(world: World) -> Somebody:
    """A customer of one store."""
    return somebody_new()


def somebody_new() -> Somebody:
    """A person in a workspace of their own."""
    workspace = WorkspaceScope(uuid4())
    store = Store(
        id=new_id(),
        workspace=workspace,
        platform=Platform.CUSTOM,
        name="Store",
        external_id="s",
        currency="EUR",
        primary_locale="de",
        status=StoreStatus.ACTIVE,
        connection_status=ConnectionStatus.CONNECTED,
        takes_consent=False,
        admin_url="https://admin.example.com/",
        storefront_url=None,
        contact_email=None,
        connected_at=clock.now(),
        locales=(),
    )
    return Somebody(store, Subject(workspace, uuid4(), (store.id,)))


class TestNewValues:
    """Only what differs from what this store gave last asserts anything."""

    @pytest.mark.parametrize("state", ORDER)
    def test_new_customer(self, somebody: Somebody, state: ConsentState) -> None:
        moment = clock.now() - timedelta(days=3)
        outcome = somebody.pushed(StoreConsent(EMAIL, state, moment))
        assert outcome is not None
        assert outcome.state is state
        [change] = somebody.history()
        assert outcome.recorded == change
        assert (change.state, change.occurred_at, change.address) == (state, moment, EMAIL)
        assert change.origin == ConsentOrigin(ConsentSource.API, somebody.store.id)
        assert [each.store_id for each in change.write_backs] == [somebody.store.id]

    @pytest.mark.parametrize("before", [None, PENDING, UNSUBSCRIBED])
    def test_not_subscribed_asserts_nothing(
        self, somebody: Somebody, before: ConsentState | None
    ) -> None:
        gave = StoreConsent(EMAIL, before) if before else None
        assert somebody.pushed(StoreConsent(EMAIL, NOTHING, clock.now()), before=gave) is None
        assert somebody.history() == []
        assert somebody.state() is NOTHING

    def test_not_subscribed_never_moves_as_of(self, somebody: Somebody) -> None:
        moment = clock.now() - timedelta(days=3)
        somebody.pushed(StoreConsent(EMAIL, SUBSCRIBED, moment))
        somebody.pushed(
            StoreConsent(EMAIL, NOTHING, clock.now()), before=StoreConsent(EMAIL, PENDING)
        )
        assert somebody.asserted(UNSUBSCRIBED, moment + timedelta(days=1)).state is UNSUBSCRIBED

    def test_customer_without_address_asserts_nothing(self, somebody: Somebody) -> None:
        assert somebody.pushed(StoreConsent(None, SUBSCRIBED, clock.now())) is None

    @pytest.mark.parametrize("state", ORDER)
    def test_repeated_value_asserts_nothing(self, somebody: Somebody, state: ConsentState) -> None:
        moment = clock.now()
        gave = StoreConsent(EMAIL, state, moment)
        for at in (None, moment, moment - timedelta(days=1)):
            assert somebody.pushed(StoreConsent(EMAIL, state, at), before=gave) is None
        assert somebody.history() == []

    @pytest.mark.parametrize("state", ORDER)
    @pytest.mark.parametrize("days", [3, None])
    def test_same_state_with_later_consent_time_is_asserted(
        self, somebody: Somebody, state: ConsentState, days: int | None
    ) -> None:
        gave = StoreConsent(EMAIL, state, clock.now() - timedelta(days=days) if days else None)
        assert somebody.pushed(StoreConsent(EMAIL, state, clock.now()), before=gave) is not None
        assert somebody.state() is state

    def test_same_state_for_new_address_is_asserted(self, somebody: Somebody) -> None:
        gave = StoreConsent("before@example.com", SUBSCRIBED)
        assert (
            somebody.pushed(StoreConsent(EMAIL, SUBSCRIBED, clock.now()), before=gave) is not None
        )
        assert somebody.state() is SUBSCRIBED

    def test_phone_number_is_asserted_for_sms(self, somebody: Somebody) -> None:
        somebody.pushed(StoreConsent(PHONE, SUBSCRIBED, clock.now()), channel=Channel.SMS)
        assert somebody.state(Channel.SMS) is SUBSCRIBED
        assert somebody.state() is NOTHING
        assert [change.channel for change in somebody.history()] == [Channel.SMS]

    def test_origin_without_store_is_an_error(self, somebody: Somebody) -> None:
        with pytest.raises(ValueError, match="no store"):
            assert_from_store(
                Changes(),
                somebody.subject,
                Channel.EMAIL,
                before=None,
                after=StoreConsent(EMAIL, SUBSCRIBED),
                updated_at=clock.now(),
                origin=ConsentOrigin(ConsentSource.API),
            )


class TestOccurredAt:
    """`occurredAt` of what a store gives."""

    def test_record_time_without_consent_time(self, somebody: Somebody) -> None:
        updated = clock.now() - timedelta(days=2)
        somebody.pushed(StoreConsent(EMAIL, PENDING), updated_at=updated)
        [change] = somebody.history()
        assert change.occurred_at == updated

    def test_consent_time_before_record_time(self, somebody: Somebody) -> None:
        moment = clock.now() - timedelta(days=9)
        somebody.pushed(StoreConsent(EMAIL, PENDING, moment), updated_at=clock.now())
        [change] = somebody.history()
        assert change.occurred_at == moment

    @pytest.mark.parametrize("dated", [True, False])
    def test_future_time_counts_as_now(self, somebody: Somebody, dated: bool) -> None:
        later, before = clock.now() + timedelta(days=1), clock.now()
        somebody.pushed(StoreConsent(EMAIL, PENDING, later if dated else None), updated_at=later)
        [change] = somebody.history()
        assert before <= change.occurred_at <= clock.now()

    def test_undated_subscription_does_not_override_unsubscription(
        self, somebody: Somebody
    ) -> None:
        somebody.asserted(UNSUBSCRIBED, clock.now() - timedelta(days=30))
        outcome = somebody.pushed(
            StoreConsent(EMAIL, SUBSCRIBED), before=StoreConsent(EMAIL, UNSUBSCRIBED)
        )
        assert outcome is not None
        assert outcome.state is UNSUBSCRIBED
        first, second = somebody.history()
        assert outcome.holds.change_id == first.id
        assert [each.skip_reason for each in second.write_backs] == ["superseded"]

    def test_later_dated_subscription_overrides_unsubscription(self, somebody: Somebody) -> None:
        somebody.asserted(UNSUBSCRIBED, clock.now() - timedelta(days=30))
        somebody.pushed(
            StoreConsent(EMAIL, SUBSCRIBED, clock.now()), before=StoreConsent(EMAIL, UNSUBSCRIBED)
        )
        assert somebody.state() is SUBSCRIBED

    def test_undated_subscription_overrides_pending(self, somebody: Somebody) -> None:
        somebody.pushed(StoreConsent(EMAIL, PENDING), updated_at=clock.now() - timedelta(days=1))
        somebody.pushed(StoreConsent(EMAIL, SUBSCRIBED), before=StoreConsent(EMAIL, PENDING))
        assert somebody.state() is SUBSCRIBED


@dataclass(frozen=True)
class ConsentStatement:
    """A statement about the address, by its minute of an hour long ago."""

    state: ConsentState
    minute: int
    dated: bool = True

    @property
    def at(self) -> datetime:
        """The statement's moment."""
        return datetime(2026, 1, 1, 12, self.minute, tzinfo=UTC)


words = st.builds(ConsentStatement, st.sampled_from(ORDER), st.integers(0, 4))
any_words = st.builds(ConsentStatement, st.sampled_from(ORDER), st.integers(0, 4), st.booleans())


def asserted_in_turn(arrivals: list[ConsentStatement]) -> tuple[Somebody, ConsentState]:
    """A person about whom these statements arrived, and the last outcome's state."""
    somebody, state = somebody_new(), NOTHING
    for word in arrivals:
        state = somebody.asserted(word.state, word.at, dated=word.dated).state
    return somebody, state


class TestAnyOrder:
    """With real rows, the result is the same in every order of arrival."""

    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(arrivals=st.lists(words, min_size=1, max_size=6), data=st.data())
    def test_greatest_statement_holds(
        self, world: World, arrivals: list[ConsentStatement], data: st.DataObject
    ) -> None:
        world.close()
        greatest = max(arrivals, key=lambda word: (word.at, ORDER.index(word.state)))
        shuffled = data.draw(st.permutations([*arrivals, *arrivals[:2]]))
        somebody, state = asserted_in_turn(shuffled)
        assert state is greatest.state
        assert somebody.state() is greatest.state
        consent = ConsentRepository(somebody.subject.workspace).consent_of(
            Address(Channel.EMAIL, EMAIL)
        )
        assert consent.as_of == greatest.at
        # A change of the history shows what holds.
        assert consent.holds is not None
        shown = {change.id: change for change in somebody.history()}
        assert shown[consent.holds.change.change_id].state is greatest.state

    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(arrivals=st.lists(any_words, min_size=2, max_size=5), data=st.data())
    def test_undated_statements_end_in_same_state(
        self, world: World, arrivals: list[ConsentStatement], data: st.DataObject
    ) -> None:
        world.close()
        shuffled = data.draw(st.permutations(arrivals))
        assert asserted_in_turn(arrivals)[1] is asserted_in_turn(shuffled)[1]

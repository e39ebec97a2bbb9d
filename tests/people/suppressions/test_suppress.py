"""Suppressing an address, as the service's own workers do."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest

from local.events import pumps
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.deliverability.expiring import expire_due_suppressions
from storepost.people.deliverability.service import suppress, suppression_of, suppressions_of
from storepost.people.profiles.listing import ProfileFilter, list_profiles
from storepost.people.suppressions.model import Suppression, SuppressionReason, SuppressionSource
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.rows import SuppressedAddressItem, SuppressionItem
from storepost.values import clock
from storepost.values.pagination import PageRequest
from tests.harness.engines import engine
from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    put_customer,
    received,
    send_write_backs,
)
from tests.people.consent.imports import ANN, BEN, history_of, profile_of, upserted
from tests.people.consent.listening_store import PHONE, Shop

BOUNCE, COMPLAINT = SuppressionReason.HARD_BOUNCE, SuppressionReason.COMPLAINT
MANUAL, INVALID = SuppressionReason.MANUAL, SuppressionReason.INVALID


def bounced(shop: Shop, address: str = ANN, **overrides: object) -> tuple[Suppression, bool]:
    """A suppression for SES's event of a hard bounce."""
    return suppressed(shop, address, BOUNCE, **overrides)


def suppressed(
    shop: Shop, address: str, reason: SuppressionReason, **overrides: object
) -> tuple[Suppression, bool]:
    """A suppression of now, from SES unless another source is given."""
    source = SuppressionSource(str(overrides.pop("source", "ses")))
    channel = Channel.SMS if address.startswith("+") else Channel.EMAIL
    overrides.setdefault("at", clock.now())
    return suppress(shop.workspace, channel, address, reason, source, **overrides)  # type: ignore[arg-type]


def reason_of(shop: Shop, address: str) -> str | None:
    """Why an address is suppressed now."""
    channel = Channel.SMS if address.startswith("+") else Channel.EMAIL
    found = suppression_of(shop.workspace, channel, address)
    return found.reason.value if found else None


class TestSuppress:
    """The state of an address once it is suppressed."""

    def test_stored_fields(self, shop: Shop) -> None:
        at = clock.now() - timedelta(minutes=3)
        made, is_new = bounced(shop, note="550 no such user", by="SES", at=at)
        assert is_new
        assert made == suppression_of(shop.workspace, Channel.EMAIL, ANN)
        assert (made.channel, made.address, made.reason) == (Channel.EMAIL, ANN, BOUNCE)
        assert (made.source, made.created_at) == (SuppressionSource.SES, at)
        assert (made.note, made.by) == ("550 no such user", "SES")
        assert (made.ends_at, made.lifted_at, made.lifted_by) == (None, None, None)
        assert SuppressionRepository(shop.workspace).get(made.id) == (
            made,
            SuppressionRepository(shop.workspace).state_of(Address(Channel.EMAIL, ANN)).digest,
        )

    def test_future_time_counts_as_now(self, shop: Shop) -> None:
        made, _ = bounced(shop, at=clock.now() + timedelta(days=1))
        assert made.created_at <= clock.now()

    @pytest.mark.parametrize("address", [ANN, PHONE])
    def test_repeated_suppression_changes_nothing(self, shop: Shop, address: str) -> None:
        upserted(shop, email=ANN, phone=PHONE)
        made, _ = bounced(shop, address, note="the first")
        before = engine().stored()
        assert bounced(shop, address, note="the second") == (made, False)
        assert engine().stored() == before

    def test_other_addresses_are_not_suppressed(self, shop: Shop) -> None:
        bounced(shop, ANN)
        addresses = [(Channel.EMAIL, ANN), (Channel.EMAIL, BEN), (Channel.SMS, PHONE)]
        found = suppressions_of(shop.workspace, addresses)
        assert [each is not None for each in found.values()] == [True, False, False]

    def test_address_in_other_workspace_is_not_suppressed(self, shop: Shop) -> None:
        bounced(shop, ANN)
        other = shop.world.workspace(shop.world.person())
        assert suppression_of(other, Channel.EMAIL, ANN) is None

    def test_reasons_are_independent_and_strongest_is_shown(self, shop: Shop) -> None:
        shown = []
        for reason in (MANUAL, INVALID, BOUNCE, COMPLAINT):
            assert suppressed(shop, ANN, reason)[1]
            shown.append(reason_of(shop, ANN))
        assert shown == ["manual", "invalid", "hard_bounce", "complaint"]
        for reason in (MANUAL, INVALID, BOUNCE, COMPLAINT):
            assert not suppressed(shop, ANN, reason)[1]

    def test_keys_contain_no_address(self, shop: Shop) -> None:
        """A key can't be changed by an erasure, so it has the keyed hash only."""
        made, _ = bounced(shop, ANN)
        rows = shop.world.rows(shop.workspace.partition("suppress"))
        assert {SuppressionItem, SuppressedAddressItem} < {type(row) for row in rows}
        assert not any(ANN in f"{row.pk}{row.sk}" for row in rows)
        assert made.address == ANN


class TestEnd:
    """A suppression that ends by itself."""

    def test_suppression_expires_at_end(self, shop: Shop) -> None:
        bounced(shop, ends_at=clock.now() + timedelta(days=180))
        shop.world.advance(days=179)
        assert reason_of(shop, ANN) == "hard_bounce"
        shop.world.advance(days=1)
        assert reason_of(shop, ANN) is None

    def test_later_end_replaces_earlier(self, shop: Shop) -> None:
        end = clock.now() + timedelta(days=180)
        made, _ = bounced(shop, ends_at=end)
        later, is_new = bounced(shop, ends_at=end + timedelta(days=1))
        assert (is_new, later.id, later.ends_at) == (False, made.id, end + timedelta(days=1))
        assert bounced(shop, ends_at=end) == (later, False)
        lasting, is_new = bounced(shop)
        assert (is_new, lasting.id, lasting.ends_at) == (False, made.id, None)
        assert bounced(shop, ends_at=end) == (lasting, False)
        assert SuppressionRepository(shop.workspace).get(made.id) is not None

    def test_suppression_after_end_is_new(self, shop: Shop) -> None:
        end = clock.now() + timedelta(days=180)
        made, _ = bounced(shop, ends_at=end)
        shop.world.advance(days=181)
        again, is_new = bounced(shop)
        assert is_new
        assert again.id != made.id
        repository = SuppressionRepository(shop.workspace)
        ended = repository.get(made.id)
        assert ended is not None
        assert (ended[0].lifted_at, ended[0].lifted_by) == (end, None)
        assert repository.past_of(ended[1]) == [ended[0]]


class TestComplaint:
    """A person who complains is unsubscribed, too."""

    def test_holder_is_unsubscribed_and_change_is_written_back(
        self, shop: Shop, listener: Receiver
    ) -> None:
        put_customer(shop, shop.store(), "a", 5, email=ANN)
        change_consent(shop, ANN, "subscribed", 10)
        send_write_backs(shop)
        listener.received.clear()
        at = clock.now()
        suppressed(shop, ANN, COMPLAINT, at=at)
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "a")]
        person = profile_of(shop, ANN)
        assert person["emailMarketingConsent"] == "unsubscribed"
        change = history_of(shop, person)[0]
        assert (change["state"], change["source"]) == ("unsubscribed", "import")
        assert change["proof"]["reference"] == "complaint"
        assert change["occurredAt"] == clock.to_text(at)

    def test_address_that_is_not_shown_is_unsubscribed(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        shop.owner.call("PATCH", f"/profiles/{person['id']}", {"email": BEN})
        suppressed(shop, ANN, COMPLAINT)
        assert [each["address"] for each in history_of(shop, person)] == [ANN]

    def test_second_complaint_adds_nothing_to_history(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        suppressed(shop, ANN, COMPLAINT)
        before = engine().stored()
        suppressed(shop, ANN, COMPLAINT)
        assert engine().stored() == before
        assert len(history_of(shop, person)) == 1

    def test_unclaimed_address_creates_no_profile(self, shop: Shop) -> None:
        suppressed(shop, ANN, COMPLAINT)
        assert shop.owner.call("GET", "/profiles").json["total"] == 0

    @pytest.mark.parametrize("reason", [BOUNCE, INVALID, MANUAL])
    def test_other_reasons_do_not_change_consent(
        self, shop: Shop, reason: SuppressionReason
    ) -> None:
        upserted(shop, email=ANN)
        change_consent(shop, ANN, "subscribed", 10)
        suppressed(shop, ANN, reason)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "subscribed"


class TestProfileMark:
    """A profile records whether its shown address is suppressed."""

    def test_suppressed_shown_address_is_marked(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN, phone=PHONE)
        assert marks(shop, person) == set()
        bounced(shop, ANN)
        assert marks(shop, person) == {"email"}
        bounced(shop, PHONE)
        assert marks(shop, person) == {"email", "sms"}

    @pytest.mark.parametrize("is_claim_reserved", [True, False])
    def test_later_profile_with_suppressed_address_is_marked(
        self, shop: Shop, *, is_claim_reserved: bool
    ) -> None:
        bounced(shop, ANN)
        if not is_claim_reserved:  # the claim that was held back ended
            shop.world.advance(days=2)
        assert marks(shop, upserted(shop, email=ANN)) == {"email"}

    def test_mark_follows_shown_address(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        show(shop, person, BEN)
        bounced(shop, ANN)
        assert marks(shop, person) == set()
        show(shop, person, ANN)
        assert marks(shop, person) == {"email"}
        show(shop, person, BEN)
        assert marks(shop, person) == set()

    def test_merge_adds_mark_with_address(self, shop: Shop) -> None:
        person = upserted(shop, phone=PHONE)
        other = upserted(shop, email=ANN)
        bounced(shop, ANN)
        shop.owner.call("POST", f"/profiles/{person['id']}/merge", {"profileId": other["id"]})
        assert marks(shop, person) == {"email"}


class TestRaces:
    """A profile begins or stops to show an address at the same time: in either order both agree."""

    def test_suppression_during_profile_creation_marks_profile(self, shop: Shop) -> None:
        with shop.world.meanwhile(lambda _: bounced(shop)):
            person = upserted(shop, email=ANN)
        assert marks(shop, person) == {"email"}

    def test_profile_creation_during_suppression_marks_profile(self, shop: Shop) -> None:
        with shop.world.meanwhile(lambda _: upserted(shop, email=ANN)):
            bounced(shop)
        assert marks(shop, profile_of(shop, ANN)) == {"email"}

    @pytest.mark.parametrize("suppressed_first", [True, False])
    def test_address_shown_again_concurrently_is_marked(
        self, shop: Shop, *, suppressed_first: bool
    ) -> None:
        person = upserted(shop, email=ANN)
        show(shop, person, BEN)
        works: list[Callable[[], object]] = [
            partial(bounced, shop),
            partial(show, shop, person, ANN),
        ]
        first, second = works if suppressed_first else works[::-1]
        with shop.world.meanwhile(lambda _: first()):
            second()
        assert marks(shop, person) == {"email"}

    def test_concurrent_suppressions_create_one(self, shop: Shop) -> None:
        with shop.world.meanwhile(lambda _: bounced(shop)):
            assert not bounced(shop)[1]
        assert SuppressionRepository(shop.workspace).lists.in_force.counts()["n"] == 1


def marks(shop: Shop, person: dict[str, object]) -> set[str]:
    """The channels whose shown address a profile has marked as suppressed."""
    return {channel.value for channel in shop.profile(UUID(str(person["id"]))).suppressed}


def show(shop: Shop, person: dict[str, object], email: str) -> None:
    """Makes a profile show another address."""
    answer = shop.owner.call("PATCH", f"/profiles/{person['id']}", {"email": email})
    assert answer.status == 200, answer.body


class TestSchedule:
    """Each hour ended suppressions are moved to the history."""

    def test_ended_suppressions_move_to_history(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        change_consent(shop, ANN, "subscribed", 10)
        end = clock.now() + timedelta(days=180)
        made, _ = bounced(shop, ends_at=end)
        bounced(shop, BEN)
        assert pumps.run_schedule("suppression_ends") == {"ended": 0}
        shop.world.advance(days=180)
        assert not is_listed(shop, person)
        assert pumps.run_schedule("suppression_ends") == {"ended": 1}
        assert is_listed(shop, person)
        assert pumps.run_schedule("suppression_ends") == {"ended": 0}
        repository = SuppressionRepository(shop.workspace)
        ended = repository.get(made.id)
        assert ended is not None
        assert (ended[0].lifted_at, ended[0].lifted_by) == (end, None)
        assert (repository.lists.in_force.counts()["n"], repository.lists.lifted.counts()["n"]) == (
            1,
            1,
        )
        assert shop.world.rows("due#suppressions") == []

    def test_extended_suppressions_stay_in_force(self, shop: Shop) -> None:
        end = clock.now() + timedelta(days=180)
        for address in (ANN, BEN):
            bounced(shop, address, ends_at=end)
        bounced(shop, ANN)
        bounced(shop, BEN, ends_at=end + timedelta(days=1))
        shop.world.advance(days=180)
        assert pumps.run_schedule("suppression_ends") == {"ended": 0}
        assert reason_of(shop, ANN) == reason_of(shop, BEN) == "hard_bounce"
        shop.world.advance(days=1)
        assert pumps.run_schedule("suppression_ends") == {"ended": 1}
        assert (reason_of(shop, ANN), reason_of(shop, BEN)) == ("hard_bounce", None)
        assert shop.world.rows("due#suppressions") == []

    def test_other_reasons_remain_in_force(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        bounced(shop, ends_at=clock.now() + timedelta(days=180))
        suppressed(shop, ANN, MANUAL)
        shop.world.advance(days=180)
        assert pumps.run_schedule("suppression_ends") == {"ended": 1}
        assert marks(shop, person) == {"email"}
        assert reason_of(shop, ANN) == "manual"

    def test_address_suppressed_again_concurrently_stays_suppressed(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        bounced(shop, ends_at=clock.now() + timedelta(days=180))
        shop.world.advance(days=180)
        with shop.world.meanwhile(lambda _: bounced(shop)):
            assert expire_due_suppressions() == 0
        assert marks(shop, person) == {"email"}
        assert reason_of(shop, ANN) == "hard_bounce"
        assert shop.world.rows("due#suppressions") == []


def is_listed(shop: Shop, person: dict[str, object]) -> bool:
    """Whether the list of who may get marketing by email has the profile, and no other."""
    filters = ProfileFilter(reachable=[Channel.EMAIL])
    found = list_profiles(shop.workspace, filters, "-firstSeenAt", PageRequest())
    ids = [str(each.id) for each in found.items]
    assert found.total == len(ids)
    return ids == [person["id"]]

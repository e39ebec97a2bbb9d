"""What an erasure keeps of suppressions: the keyed hash, which still suppresses the address."""

from uuid import UUID

import pytest

from storepost.people.deliverability.erasing import erase_suppressions
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.suppressions.model import SuppressionReason
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.values import clock
from tests.people.consent.imports import ANN, BEN, upserted
from tests.people.consent.listening_store import Shop
from tests.people.suppressions.suppression_requests import create, lift, listed
from tests.people.suppressions.test_suppress import bounced, marks, reason_of, show, suppressed


def erase(shop: Shop, person: dict[str, object], *, deliver: bool = True) -> None:
    """Erases a person, and lets the worker complete it."""
    assert shop.owner.call("DELETE", f"/profiles/{person['id']}").status == 204
    if deliver:
        shop.world.deliver()


def stored_in_clear(shop: Shop) -> list[str]:
    """Rows of suppressions that hold an address or a note."""
    rows = shop.world.rows(shop.workspace.partition("suppress"))
    texts = [str(row.to_dynamodb_dict()) for row in rows]
    return [text for text in texts if "@" in text or "noted" in text]


class TestErasure:
    """DELETE /profiles/{id}."""

    def test_address_and_note_are_deleted_but_suppression_remains(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        made, _ = bounced(shop, note="noted by hand")
        suppressed(shop, ANN, SuppressionReason.COMPLAINT, note="noted again")
        assert stored_in_clear(shop)
        erase(shop, person)
        assert stored_in_clear(shop) == []
        assert reason_of(shop, ANN) == "complaint"
        stored = SuppressionRepository(shop.workspace).get(made.id)
        assert stored is not None
        assert (stored[0].address, stored[0].note, stored[0].reason) == (None, None, made.reason)

    def test_ended_suppressions_are_erased_too(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        bounced(shop, note="noted", ends_at=clock.now())
        bounced(shop, note="noted again")
        erase(shop, person)
        assert stored_in_clear(shop) == []

    def test_every_address_of_the_person_is_erased(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        show(shop, person, BEN)
        bounced(shop, ANN)
        bounced(shop, BEN)
        erase(shop, person)
        assert stored_in_clear(shop) == []
        assert {reason_of(shop, ANN), reason_of(shop, BEN)} == {"hard_bounce"}

    def test_new_profile_with_erased_address_is_suppressed(self, shop: Shop) -> None:
        person = upserted(shop, email=ANN)
        made, _ = bounced(shop)
        erase(shop, person)
        again = upserted(shop, email=ANN)
        assert again["id"] != person["id"]
        assert marks(shop, again) == {"email"}
        known = SuppressionRepository(shop.workspace).get(made.id)
        assert known is not None
        assert known[0].address == ANN

    @pytest.mark.parametrize("shown", [True, False])
    def test_address_claimed_before_worker_runs_is_not_erased(
        self, shop: Shop, *, shown: bool
    ) -> None:
        """Another profile gets the address between the erasure and its worker."""
        person = upserted(shop, email=ANN)
        made, _ = bounced(shop)
        erase(shop, person, deliver=False)
        again = upserted(shop, email=ANN)
        if not shown:
            show(shop, again, BEN)
        shop.world.deliver()
        known = SuppressionRepository(shop.workspace).get(made.id)
        assert known is not None
        assert known[0].address == ANN
        assert marks(shop, again) == ({"email"} if shown else set())

    def test_notes_are_deleted_though_address_is_claimed_before_worker_runs(
        self, shop: Shop
    ) -> None:
        """Notes about the erased person aren't the new one's; one that is made since stays."""
        person = upserted(shop, email=ANN)
        lift(shop, create(shop, ANN, "hard_bounce", note="noted first"), "noted as it was lifted")
        kept = create(shop, ANN, note="noted about the erased person")
        erase(shop, person, deliver=False)
        again = upserted(shop, email=ANN)
        shop.world.advance(minutes=1)
        since = create(shop, ANN, "complaint", note="noted since")
        shop.world.deliver()
        notes = {row["id"]: (row["note"], row["address"]) for row in listed(shop)}
        assert notes == {kept["id"]: (None, ANN), since["id"]: ("noted since", ANN)}
        words = ("noted first", "noted as it was lifted", "noted about")
        assert not [text for text in stored_in_clear(shop) if any(w in text for w in words)]
        assert marks(shop, again) == {"email"}

    def test_late_bounce_for_erased_address_does_not_store_address(self, shop: Shop) -> None:
        erase(shop, upserted(shop, email=ANN))
        made, _ = bounced(shop)
        assert made.address is None
        assert stored_in_clear(shop) == []
        assert reason_of(shop, ANN) == "hard_bounce"
        assert bounced(shop) == (made, False)

    def test_suppressing_erased_address_again_restores_address(self, shop: Shop) -> None:
        erase(shop, upserted(shop, email=ANN))
        made, _ = bounced(shop)
        known, is_new = bounced(shop, source="api")
        assert (is_new, known.id, known.address) == (False, made.id, ANN)

    def test_address_claimed_concurrently_with_worker_is_not_erased(self, shop: Shop) -> None:
        """In either order the profile has the mark, and the suppression has its address again."""
        person = upserted(shop, email=ANN)
        made, _ = bounced(shop)
        erase(shop, person, deliver=False)
        erasure = ProfileRepository(shop.workspace).erasure_of(UUID(str(person["id"])))
        assert erasure is not None
        with shop.world.meanwhile(lambda _: erase_suppressions(erasure)):
            again = upserted(shop, email=ANN)
        assert marks(shop, again) == {"email"}
        known = SuppressionRepository(shop.workspace).get(made.id)
        assert known is not None
        assert known[0].address == ANN
        assert shop.profile(UUID(str(again["id"]))).email == ANN

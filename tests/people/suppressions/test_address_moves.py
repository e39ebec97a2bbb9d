"""An address of one person that another has by the time the first one is erased."""

import pytest

from tests.people.consent.imports import ANN, BEN, profile_of, upserted
from tests.people.consent.listening_store import Shop
from tests.people.suppressions.suppression_requests import (
    Json,
    call,
    consent,
    create,
    lift,
    listed,
    reachability,
    reachable,
    row,
)
from tests.people.suppressions.test_erasures import erase


def after_move(shop: Shop, state: str) -> tuple[Json, Json]:
    """A person with a statement about an address that another person has now; both."""
    first = upserted(shop, email=ANN)
    call(shop, "PATCH", f"/profiles/{first['id']}", {"phone": "+436601234501"})
    consent(shop, first, state)
    identities = call(shop, "GET", f"/profiles/{first['id']}/identities").json["items"]
    [email] = [each["id"] for each in identities if each["type"] == "email"]
    assert call(shop, "DELETE", f"/profiles/{first['id']}/identities/{email}").status == 204
    return first, upserted(shop, email=ANN)


class TestErasedFormerHolder:
    """The first person's statements are erased with them, and the second shows that at once."""

    @pytest.mark.parametrize("state", ["subscribed", "unsubscribed"])
    def test_new_holder_is_not_subscribed_after_erasure(self, shop: Shop, state: str) -> None:
        first, second = after_move(shop, state)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == state
        assert reachable(shop, "email") == ({second["id"]} if state == "subscribed" else set())
        erase(shop, first)
        assert profile_of(shop, ANN)["emailMarketingConsent"] == "not_subscribed"
        assert reachability(shop, second)["email"]["why"] == ["not_subscribed"]
        assert reachable(shop, "email") == set()

    def test_later_statement_of_new_holder_survives_erasure(self, shop: Shop) -> None:
        first, second = after_move(shop, "unsubscribed")
        shop.world.advance(minutes=1)
        consent(shop, second, "subscribed")
        erase(shop, first)
        assert reachable(shop, "email") == {second["id"]}

    def test_suppression_stays_with_address(self, shop: Shop) -> None:
        first, second = after_move(shop, "subscribed")
        made = create(shop, ANN)
        other = create(shop, BEN)
        erase(shop, first)
        assert reachability(shop, second)["email"]["suppression"] == made
        assert other["address"] == BEN


class TestComplaintAboutUnclaimedAddress:
    """It unsubscribes there too: once it is lifted, the address's next person isn't subscribed."""

    def taken_off(self, shop: Shop) -> Json:
        """A subscriber whose address was removed, so that nobody has it."""
        first = upserted(shop, email=ANN)
        call(shop, "PATCH", f"/profiles/{first['id']}", {"phone": "+436601234501"})
        consent(shop, first, "subscribed")
        identities = call(shop, "GET", f"/profiles/{first['id']}/identities").json["items"]
        [email] = [each["id"] for each in identities if each["type"] == "email"]
        assert call(shop, "DELETE", f"/profiles/{first['id']}/identities/{email}").status == 204
        return first

    @pytest.mark.parametrize("way", ["one", "import"])
    def test_new_holder_is_unsubscribed_after_lift(self, shop: Shop, way: str) -> None:
        first = self.taken_off(shop)
        if way == "one":
            create(shop, ANN, "complaint")
        else:
            rows = [row(ANN, "complaint"), row("+436601234501", "complaint")]
            answer = call(shop, "POST", "/suppressions/import", {"suppressions": rows})
            assert answer.json["created"] == 2
        [made] = [each for each in listed(shop) if each["address"] == ANN]
        assert lift(shop, made, "they asked for it").status == 204
        second = upserted(shop, email=ANN)
        assert reachability(shop, second)["email"]["why"] == ["unsubscribed"]
        history = call(shop, "GET", f"/profiles/{first['id']}/consent").json["items"]
        [change] = [
            each for each in history if each["address"] == ANN and each["state"] != "subscribed"
        ]
        assert (change["state"], change["source"]) == ("unsubscribed", "import")
        assert change["proof"]["reference"] == "complaint"

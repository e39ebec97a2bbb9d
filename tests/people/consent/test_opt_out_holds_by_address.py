"""An opt-out holds if an address changes owners, or several customers have it."""

import pytest

from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import (
    change_consent,
    put_customer,
    received,
    send_write_backs,
    state_of,
    stated_by,
    subscribed,
)
from tests.people.consent.imports import ANN, BEN, profile_of
from tests.people.consent.listening_store import Shop


class TestNewAddressOfCustomer:
    """A yes from before an address's opt-out doesn't count for the customer's next address."""

    @pytest.mark.parametrize("consent_at", [5, None], ids=["before", "undated"])
    def test_consent_from_before_opt_out_does_not_count(
        self, shop: Shop, consent_at: int | None
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        put_customer(shop, store, "c", 20, email=BEN, **subscribed(consent_at))
        assert state_of(shop, BEN) == "not_subscribed"
        put_customer(shop, store, "c", 21, email=f"new.{BEN}", **subscribed(consent_at))
        assert state_of(shop, f"new.{BEN}") == "not_subscribed"

    def test_consent_after_opt_out_counts(self, shop: Shop) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        put_customer(shop, store, "c", 20, email=BEN, **subscribed(11))
        assert state_of(shop, BEN) == "subscribed"

    def test_later_consent_counts_where_store_accepted_opt_out(
        self, shop: Shop, listener: Receiver
    ) -> None:
        """What the store accepted for the former address, it can't send back for the new one."""
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "c")]
        put_customer(shop, store, "c", 20, email=BEN, **subscribed(5))
        assert state_of(shop, BEN) == "not_subscribed"
        put_customer(shop, store, "c", 30, email=BEN, **subscribed(30))
        assert state_of(shop, BEN) == "subscribed"


class TestTwoCustomersWithOneAddress:
    """The store that has the address gets the write-back, whatever profile its customer is of."""

    def test_each_store_gets_opt_out(self, shop: Shop, listener: Receiver) -> None:
        one, other = shop.store(), shop.store()
        put_customer(shop, one, "c", 5, **subscribed(5))
        put_customer(shop, other, "o", 5, email=BEN, **subscribed(5))
        put_customer(shop, other, "o", 6, **subscribed(5))
        assert profile_of(shop, ANN)["id"] != profile_of(shop, BEN)["id"]
        send_write_backs(shop)
        listener.received.clear()
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        assert sorted(received(listener)) == [("unsubscribed", "c"), ("unsubscribed", "o")]
        assert (stated_by(shop, one, "c"), stated_by(shop, other, "o")) == ("unsubscribed",) * 2

    def test_store_whose_customer_changed_address_gets_no_opt_out(
        self, shop: Shop, listener: Receiver
    ) -> None:
        one, other = shop.store(), shop.store()
        put_customer(shop, one, "c", 5, **subscribed(5))
        put_customer(shop, other, "o", 5, email=BEN, **subscribed(5))
        put_customer(shop, other, "o", 6, **subscribed(5))
        put_customer(shop, other, "o", 7, email=BEN, **subscribed(5))
        send_write_backs(shop)
        listener.received.clear()
        change_consent(shop, ANN, "unsubscribed", 10)
        send_write_backs(shop)
        assert received(listener) == [("unsubscribed", "c")]

    def test_other_customer_of_same_store_gets_opt_out(
        self, shop: Shop, listener: Receiver
    ) -> None:
        store = shop.store()
        put_customer(shop, store, "c", 5, **subscribed(5))
        put_customer(shop, store, "o", 5, **subscribed(5))
        listener.received.clear()
        put_customer(
            shop, store, "c", 20, **{**subscribed(15), "emailMarketingConsent": "unsubscribed"}
        )
        send_write_backs(shop)
        assert ("unsubscribed", "o") in received(listener)
        assert stated_by(shop, store, "o") == "unsubscribed"

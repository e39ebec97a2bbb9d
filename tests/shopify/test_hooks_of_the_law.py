"""The three topics of the law, which come after the app was removed, too."""

import pytest

from storepost import clock
from storepost.consent.states import ConsentState
from storepost.webhooks import privacy
from storepost.webhooks.messages import Webhook
from tests.shopify.hooks import (
    CUSTOMER,
    EMAIL,
    ORDER,
    PHONE,
    Hooks,
    consents,
    customer_body,
    order_body,
)
from tests.shopify.shops import SHOP, Shopify
from tests.world import Someone

PERSON = {"id": CUSTOMER, "email": EMAIL, "phone": PHONE}
ASKED = {"shop_id": 954889, "shop_domain": SHOP, "customer": PERSON}


@pytest.fixture
def known(hooks: Hooks) -> Hooks:
    """A customer with an order."""
    hooks.tell("customers/create", customer_body(**consents("subscribed", "subscribed")))
    hooks.tell("orders/create", order_body())
    return hooks


def remove_app(hooks: Hooks) -> None:
    hooks.tell("app/uninstalled", {"id": 1})
    hooks.world.advance(hours=48)


class TestDataRequest:
    """customers/data_request."""

    @pytest.mark.parametrize("is_removed", [False, True])
    def test_the_owner_is_told(self, known: Hooks, owner: Someone, is_removed: bool) -> None:
        if is_removed:
            remove_app(known)
        known.tell("customers/data_request", {**ASKED, "orders_requested": [ORDER]})
        email = known.world.emails()[-1]
        assert email.to == owner.email
        assert str(CUSTOMER) in email.text
        assert str(known.customer().profile_id) in email.text
        assert EMAIL not in email.text + email.html

    def test_of_somebody_unknown(self, hooks: Hooks) -> None:
        before = len(hooks.world.emails())
        hooks.tell("customers/data_request", ASKED)
        assert len(hooks.world.emails()) == before


class TestCustomerRedact:
    """customers/redact."""

    @pytest.mark.parametrize("is_removed", [False, True])
    def test_what_was_told_of_the_person_goes(self, known: Hooks, is_removed: bool) -> None:
        if is_removed:
            remove_app(known)
        for _ in range(2):
            known.tell("customers/redact", {**ASKED, "orders_to_redact": [ORDER, 5, None]})
        customer, profile, order = known.customer(), known.profile(), known.order()
        words = (customer.first_name, customer.last_name, customer.email, customer.phone)
        assert words == (None, None, None, None)
        assert customer.email_consent is ConsentState.NOT_SUBSCRIBED
        assert customer.deleted_at is not None
        assert (profile.name, profile.email, profile.phone) == (None, None, None)
        assert profile.email_consent is ConsentState.NOT_SUBSCRIBED
        assert order is not None
        assert (order.profile_id, order.customer_external_id) == (None, None)
        assert (profile.orders, dict(profile.spent)) == (0, {})

    def test_what_another_store_told_stays(self, known: Hooks, owner: Someone) -> None:
        store = known.world.store(owner)
        body = {
            "email": EMAIL,
            "firstName": "Bob",
            "externalCreatedAt": "2026-01-01T00:00:00Z",
            "externalUpdatedAt": "2026-01-01T00:00:00Z",
        }
        path = f"/stores/{store}/customers/7"
        answer = known.world.call("PUT", path, token=owner.token, json_body=body)
        assert answer.status == 201
        known.tell("customers/redact", ASKED)
        profile = known.profile()
        assert (profile.first_name, profile.last_name) == ("Bob", None)
        assert (profile.email, profile.phone) == (EMAIL, None)

    def test_a_late_update_brings_nothing_back(self, known: Hooks) -> None:
        known.tell("customers/redact", ASKED)
        known.tell("customers/update", customer_body(**consents("subscribed")))
        assert known.customer().email is None

    def test_of_somebody_unknown(self, hooks: Hooks) -> None:
        hooks.tell("customers/redact", {**ASKED, "orders_to_redact": [ORDER]})
        assert hooks.find_customer() is None


class TestShopRedact:
    """shop/redact."""

    BODY = f'{{"shop_id": 954889, "shop_domain": "{SHOP}"}}'.encode()

    def test_all_that_it_brought_goes(self, known: Hooks, owner: Someone) -> None:
        for number in range(30):
            known.tell("orders/create", order_body(id=number + 1))
        remove_app(known)
        known.tell("shop/redact", self.BODY)
        assert known.customer().email is None
        assert (known.profile().name, known.profile().orders) == (None, 0)
        assert known.world.call("GET", "/orders", token=owner.token).json["total"] == 0

    def test_not_of_one_that_was_connected_again(
        self, known: Hooks, shopify: Shopify, owner: Someone
    ) -> None:
        remove_app(known)
        shopify.connect(owner, known.workspace)
        known.tell("shop/redact", self.BODY)
        assert known.customer().email == EMAIL
        assert known.order() is not None

    def test_out_of_time_it_goes_on(self, known: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
        remove_app(known)
        with monkeypatch.context() as patched:
            patched.setattr(privacy, "MARGIN_MILLISECONDS", 10**9)
            with pytest.raises(privacy.NotDone):
                privacy.shop_redacted(_webhook(self.BODY), lambda: 10**6)
            assert known.order() is not None
        privacy.shop_redacted(_webhook(self.BODY), lambda: 10**6)
        assert known.order() is None


def _webhook(raw: bytes) -> Webhook:
    return Webhook(SHOP, "shop/redact", clock.now(), raw)

"""A shop that hasn't accepted an opt-out is sent it after it had the person redacted, too."""

import pytest

from local.shopify.customers import Consent, ShopCustomer
from storepost.people.consent.missed_write_backs import MissedWriteBackItem
from storepost.people.consent.owed_opt_outs import OwedOptOutItem
from storepost.sync.records.reading import moment_of
from storepost.sync.webhooks import redacting
from tests.harness.world import Someone
from tests.people.consent.customers_of_stores import change_consent
from tests.people.consent.listening_store import Shop
from tests.shopify.hooks import (
    CUSTOMER,
    EMAIL,
    PHONE,
    UPDATED,
    Hooks,
    consents,
    customer_body,
)
from tests.shopify.privacy_requests import REDACT, profiles, put_elsewhere
from tests.shopify.shops import SHOP, Shopify
from tests.shopify.test_forged_hooks import REDACTION


@pytest.fixture
def buyer(hooks: Hooks, shopify: Shopify) -> ShopCustomer:
    """A customer whom the shop has as subscribed."""
    at = moment_of(UPDATED)
    assert at is not None
    made = ShopCustomer(CUSTOMER, EMAIL, PHONE, updated_at=at)
    made.email_consent = Consent("SUBSCRIBED", at)
    shopify.shop(SHOP).customers.append(made)
    hooks.notify("customers/create", customer_body(**consents("subscribed")))
    return made


def unsubscribe(hooks: Hooks, owner: Someone) -> None:
    """The person opts out, and nothing of that is delivered yet."""
    change_consent(Shop(hooks.world, owner, hooks.workspace), EMAIL, "unsubscribed")


def owed_rows(hooks: Hooks) -> list[object]:
    """The rows of write-backs that the store hasn't accepted."""
    kinds = (OwedOptOutItem, MissedWriteBackItem)
    return [row for row in hooks.world.rows() if isinstance(row, kinds)]


def in_clear(hooks: Hooks) -> list[str]:
    """The rows that have the person's email address."""
    rows = hooks.world.rows(hooks.workspace.key)
    return [f"{row.pk} {row.sk}" for row in rows if EMAIL in repr(vars(row))]


@pytest.mark.parametrize("is_known_to_others", [True, False])
@pytest.mark.parametrize("at_once", [1, redacting.MAX_ROWS])
def test_opt_out_is_written_after_reconnection(
    hooks: Hooks,
    owner: Someone,
    shopify: Shopify,
    buyer: ShopCustomer,
    monkeypatch: pytest.MonkeyPatch,
    is_known_to_others: bool,
    at_once: int,
) -> None:
    monkeypatch.setattr(redacting, "MAX_ROWS", at_once)
    if is_known_to_others:
        put_elsewhere(hooks, owner, email=None, phone=PHONE)
    hooks.remove_app()
    unsubscribe(hooks, owner)
    hooks.world.deliver()
    hooks.world.advance(hours=48)
    hooks.notify("shop/redact", REDACTION)
    assert in_clear(hooks) == []
    phones = [each["phone"] for each in profiles(hooks, owner)]
    assert (PHONE in phones) == is_known_to_others
    assert buyer.email_consent.marketing_state == "SUBSCRIBED"
    shopify.connect(owner, hooks.workspace)
    hooks.world.deliver()
    assert buyer.email_consent.marketing_state == "UNSUBSCRIBED"
    assert owed_rows(hooks) == []


@pytest.mark.parametrize("is_known_to_others", [True, False])
def test_queued_opt_out_is_written_after_redaction(
    hooks: Hooks, owner: Someone, buyer: ShopCustomer, is_known_to_others: bool
) -> None:
    if is_known_to_others:
        put_elsewhere(hooks, owner, email=None, phone=PHONE)
    unsubscribe(hooks, owner)
    hooks.notify("customers/redact", REDACT)
    assert in_clear(hooks) == []
    assert buyer.email_consent.marketing_state == "UNSUBSCRIBED"
    assert owed_rows(hooks) == []

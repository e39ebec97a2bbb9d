"""Only changes of consent that hold are sent: a receiver that applies them has the right state."""

from collections.abc import Callable
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest

from tests.harness.receiver import Receiver
from tests.people.consent.customers_of_stores import change_consent, erase, put_customer
from tests.people.consent.imports import (
    ANN,
    BEN,
    PROOF,
    at,
    counts,
    history_of,
    profile_of,
    row,
    upserted,
)
from tests.people.consent.listening_store import Shop
from tests.webhooks.receiving import Hooks

NO, YES, PENDING = "unsubscribed", "subscribed", "pending"


@pytest.fixture
def shop(hooks: Hooks) -> Shop:
    """A workspace whose endpoint gets each change of consent, also those of imports."""
    hooks.made(["consent.changed"], includeImports=True)
    return Shop(hooks.world, hooks.owner, hooks.workspace)


def told(shop: Shop, receiver: Receiver) -> list[dict[str, Any]]:
    """The messages so far; one commit's are delivered before the next commit."""
    shop.world.deliver()
    return [each.json for each in receiver.received]


def states(shop: Shop, receiver: Receiver) -> list[str]:
    """The states that they have."""
    return [each["data"]["state"] for each in told(shop, receiver)]


def state(shop: Shop) -> str:
    """The state of Ann's address."""
    return str(profile_of(shop, ANN)["emailMarketingConsent"])


class TestSuperseded:
    @pytest.mark.parametrize("has_store", [True, False])
    def test_older_subscription_after_unsubscription_is_not_sent(
        self, shop: Shop, receiver: Receiver, *, has_store: bool
    ) -> None:
        if has_store:
            put_customer(shop, shop.store(listens=False), "c-1")
        change_consent(shop, ANN, NO, 10)
        assert change_consent(shop, ANN, YES, 5)["state"] == NO
        assert [each["state"] for each in history_of(shop, profile_of(shop, ANN))] == [YES, NO]
        assert states(shop, receiver) == [NO]

    def test_undated_subscription_of_a_store_is_not_sent(
        self, shop: Shop, receiver: Receiver
    ) -> None:
        change_consent(shop, ANN, NO, 10)
        put_customer(shop, shop.store(listens=False), "c-1", 20, emailMarketingConsent=YES)
        assert state(shop) == NO
        assert len(history_of(shop, profile_of(shop, ANN))) == 2
        assert states(shop, receiver) == [NO]

    def test_older_unsubscription_is_not_sent(self, shop: Shop, receiver: Receiver) -> None:
        change_consent(shop, ANN, YES, 10)
        change_consent(shop, ANN, NO, 5)
        assert state(shop) == YES
        assert states(shop, receiver) == [YES]

    def test_superseded_change_is_not_sent_by_later_work(
        self, shop: Shop, receiver: Receiver
    ) -> None:
        """Neither its write-backs nor a merge nor the erasure send it after all."""
        store = UUID(shop.world.store(shop.owner))
        put_customer(shop, store, "c-1")
        change_consent(shop, ANN, NO, 10)
        change_consent(shop, ANN, YES, 5)
        ben = upserted(shop, email=BEN)
        path = f"/profiles/{ben['id']}/merge"
        body = {"profileId": profile_of(shop, ANN)["id"]}
        merged = shop.owner.call("POST", path, body)
        assert merged.status == 200
        assert states(shop, receiver) == [NO]
        shop.owner.call("POST", f"/stores/{store}/disconnect")
        shop.world.deliver()
        erase(shop, ANN)
        assert states(shop, receiver) == [NO]

    def test_change_dated_before_an_erasure_is_not_sent(
        self, shop: Shop, receiver: Receiver
    ) -> None:
        """It is recorded in the history only, as a request needs an answer."""
        upserted(shop, email=ANN)
        erase(shop, ANN)
        shop.world.deliver()
        change_consent(shop, ANN, YES, 5)
        assert state(shop) == "not_subscribed"
        assert states(shop, receiver) == []


class TestOneTransaction:
    """Of several statements about one address in a transaction, the one that holds is sent."""

    @pytest.mark.parametrize(
        ("rows", "holds"),
        [
            ([(YES, 1), (NO, 2)], NO),
            ([(NO, 2), (YES, 1)], NO),
            ([(NO, 1), (YES, 2)], YES),
            ([(YES, 1), (NO, 2), (YES, 3)], YES),
            ([(NO, 3), (YES, 1), (NO, 2)], NO),
        ],
    )
    def test_only_the_effective_change_is_sent(
        self, shop: Shop, receiver: Receiver, rows: list[tuple[str, int]], holds: str
    ) -> None:
        counts(shop, *(row(ANN, state, minutes, proof=PROOF) for state, minutes in rows))
        assert state(shop) == holds
        [message] = told(shop, receiver)
        assert message["data"]["state"] == holds
        assert message["data"]["occurredAt"] == at(max(minutes for _, minutes in rows))

    def test_no_message_if_the_earlier_state_prevails(self, shop: Shop, receiver: Receiver) -> None:
        change_consent(shop, ANN, NO, 10)
        counts(shop, *(row(ANN, each, n, proof=PROOF) for n, each in enumerate([YES, NO, YES])))
        assert state(shop) == NO
        assert states(shop, receiver) == [NO]


STATEMENTS: dict[str, Callable[[Shop, UUID], object]] = {
    "a no": lambda shop, _: change_consent(shop, ANN, NO, 5),
    "a yes": lambda shop, _: change_consent(shop, ANN, YES, 6),
    "pending": lambda shop, store: put_customer(
        shop,
        store,
        "c-1",
        7,
        emailMarketingConsent=PENDING,
        emailMarketingConsentUpdatedAt=at(7),
    ),
    "an undated yes": lambda shop, _: counts(shop, row(ANN, YES, 10)),
}
"""By requests, each of another minute."""


@pytest.mark.parametrize("order", list(permutations(STATEMENTS)), ids=", ".join)
def test_applying_messages_in_order_gives_the_stored_state(
    shop: Shop, receiver: Receiver, order: tuple[str, ...]
) -> None:
    """After each statement, also if it makes an earlier subscription hold again."""
    store = shop.store(listens=False)
    put_customer(shop, store, "c-1")
    for name in order:
        STATEMENTS[name](shop, store)
        *_, latest = states(shop, receiver)
        assert latest == state(shop), name


def test_reinstated_subscription_is_sent_again(shop: Shop, receiver: Receiver) -> None:
    """It is a message of its own."""
    store = shop.store(listens=False)
    for name in ("an undated yes", "a no", "pending"):
        STATEMENTS[name](shop, store)
        messages = told(shop, receiver)
    first, _, again = messages
    assert states(shop, receiver) == [YES, NO, YES]
    assert first["data"]["id"] == again["data"]["id"]
    assert len({each.id for each in receiver.received}) == 3

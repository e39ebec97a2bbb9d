"""More addresses than one erasure's transaction covers: no store misses an opt-out of any."""

from functools import partial

import pytest

from storepost.lifecycle.erasures import service
from storepost.lifecycle.erasures.erasing import erase as remove
from storepost.lifecycle.erasures.messages import ProfileErasureMessage
from tests.harness.crash_points import crashes
from tests.harness.receiver import Receiver
from tests.harness.runs import run_worker
from tests.people.consent.customers_of_stores import (
    change_consent,
    disconnect,
    erase,
    owed_rows,
    put_customer,
    received,
    reconnect,
    send_write_backs,
    subscribed,
)
from tests.people.consent.imports import ANN, BEN, profile_of, upserted
from tests.people.consent.listening_store import Shop


@pytest.fixture(autouse=True)
def _takes_the_shown_address_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_ADDRESSES", 1)


def with_a_no(shop: Shop) -> tuple[object, str]:
    """A store that must still be sent Ben's opt-out, and Ann, who has the address too."""
    store = shop.store()
    put_customer(shop, store, "b", 5, email=BEN, **subscribed(5))
    send_write_backs(shop)
    ann, ben = upserted(shop, email=ANN)["id"], profile_of(shop, BEN)["id"]
    change_consent(shop, BEN, "unsubscribed", 10)
    assert shop.owner.call("POST", f"/profiles/{ann}/merge", {"profileId": ben}).status == 200
    return store, str(ann)


def in_clear(shop: Shop) -> list[str]:
    """The rows that have the address in clear."""
    rows = shop.world.rows(shop.workspace.key)
    return [f"{row.pk} {row.sk}" for row in rows if BEN in repr(vars(row))]


@pytest.mark.parametrize("is_sent", [True, False], ids=["while it is removed", "afterwards"])
def test_opt_out_message_after_erasure_is_sent_without_address(
    shop: Shop, listener: Receiver, is_sent: bool
) -> None:
    with_a_no(shop)
    erase(shop)
    if is_sent:
        send_write_backs(shop)
        assert listener.received == []
    shop.world.deliver()
    assert received(listener) == [("unsubscribed", "b")]
    assert listener.received[0].json["data"]["address"] is None
    assert (owed_rows(shop), in_clear(shop)) == ([], [])


def test_disconnected_store_gets_opt_out_when_reconnected(shop: Shop, listener: Receiver) -> None:
    store, _ = with_a_no(shop)
    disconnect(shop, store)  # type: ignore[arg-type]
    send_write_backs(shop)
    erase(shop)
    shop.world.deliver()
    assert (listener.received, len(owed_rows(shop)), in_clear(shop)) == ([], 1, [])
    reconnect(shop, store)  # type: ignore[arg-type]
    shop.world.deliver()
    assert received(listener) == [("unsubscribed", "b")]
    assert owed_rows(shop) == []


def test_accepted_opt_out_is_not_stored(shop: Shop, listener: Receiver) -> None:
    with_a_no(shop)
    send_write_backs(shop)
    listener.received.clear()
    erase(shop)
    shop.world.deliver()
    assert (listener.received, owed_rows(shop)) == ([], [])


def test_killed_at_any_call(shop: Shop, listener: Receiver) -> None:
    _, ann = with_a_no(shop)
    erase(shop)
    message = ProfileErasureMessage(shop.workspace.id, type(shop.workspace.id)(ann))
    work = partial(run_worker, remove, message)
    for positions in crashes(shop.world, work, deliver=False):
        listener.received.clear()
        work()
        shop.world.deliver()
        assert received(listener) == [("unsubscribed", "b")], positions
        assert (owed_rows(shop), in_clear(shop)) == ([], []), positions

"""Customers as stores put them, changes by requests, and the messages that stores receive."""

from typing import Any
from uuid import UUID

from local.events.pumps import pump_queue
from storepost.people.consent.owed_opt_outs import OwedOptOutItem
from storepost.people.profiles.keys import claim_key
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.rows import IdentityItem
from storepost.platform.messaging.outbox import PARTITION, OutboxItem, Queue
from storepost.platform.messaging.relay import relay
from tests.harness.receiver import Receiver
from tests.harness.world import Answer
from tests.people.consent.imports import ANN, at, profile_of, upserted
from tests.people.consent.listening_store import Shop

QUEUE = "WriteBackQueue"


def put_customer(
    shop: Shop, store: UUID, external_id: str, minutes: float = 0, **fields: object
) -> Answer:
    """Puts a store's customer, updated at a minute of last year."""
    moments = {"externalCreatedAt": at(0), "externalUpdatedAt": at(minutes)}  # type: ignore[arg-type]
    path = f"/stores/{store}/customers/{external_id}"
    answer = shop.owner.call("PUT", path, {**moments, "email": ANN, **fields})
    assert answer.status in {200, 201}, answer.body
    return answer


def subscribed(minutes: int | None = None, **more: object) -> dict[str, object]:
    """A store's fields of a subscribed customer, dated at a minute or undated."""
    dated = {} if minutes is None else {"emailMarketingConsentUpdatedAt": at(minutes)}
    return {"emailMarketingConsent": "subscribed", **dated, **more}


def change_consent(
    shop: Shop, email: str, state: str, minutes: int | None = None
) -> dict[str, Any]:
    """A request's change of an address, on the profile that has it."""
    when = {} if minutes is None else {"occurredAt": at(minutes)}
    path = f"/profiles/{upserted(shop, email=email)['id']}/consent/email"
    answer = shop.owner.call("PUT", path, {"state": state, **when})
    assert answer.status == 200, answer.body
    return dict(answer.json)


def send_write_backs(shop: Shop) -> int:
    """Hands the worker its messages until none is left; how many there were."""
    done = 0
    while handled := _relayed(shop) and pump_queue(QUEUE):
        done += handled
    assert shop.world.queue_depth(QUEUE) == 0
    return done


def _relayed(shop: Shop) -> bool:
    """Sends what is due, also messages with a delay; a sweep would do so later."""
    shop.world.relay()
    for each in shop.world.rows(PARTITION):
        if isinstance(each, OutboxItem) and each.queue == Queue.WRITE_BACKS and each.is_due:
            relay(each)
    return True


def state_of(shop: Shop, email: str = ANN) -> str:
    """The state that the address's profile shows."""
    return str(profile_of(shop, email)["emailMarketingConsent"])


def stated_by(shop: Shop, store: UUID, external_id: str) -> str:
    """The state that counts as given by a store."""
    found = shop.owner.call(
        "GET", "/profiles", query={"storeId": str(store), "externalId": external_id}
    )
    [person] = found.json["items"]
    rows = shop.owner.call("GET", f"/profiles/{person['id']}/customers").json["items"]
    [one] = [each for each in rows if each["externalId"] == external_id]
    return str(one["emailMarketingConsent"])


def received(listener: Receiver) -> list[tuple[str, str]]:
    """The messages to stores: the state, and the customer."""
    data = [each.json["data"] for each in listener.received]
    return [(one["state"], c["externalId"]) for one in data for c in one["customers"]]


def free(shop: Shop, email: str) -> None:
    """Removes an address from its profile, so that nobody has it."""
    identity = Identity(IdentityType.EMAIL, email)
    IdentityItem(*claim_key(shop.workspace, identity)).delete()


def erase(shop: Shop, email: str = ANN) -> None:
    """Erases the person who has the address."""
    path = f"/profiles/{profile_of(shop, email)['id']}"
    assert shop.owner.call("DELETE", path).status == 204


def owed_rows(shop: Shop) -> list[OwedOptOutItem]:
    """The owed opt-outs of people who were erased."""
    return [row for row in shop.world.rows() if isinstance(row, OwedOptOutItem)]


def disconnect(shop: Shop, store: UUID) -> None:
    """Disconnects the store."""
    assert shop.owner.call("POST", f"/stores/{store}/disconnect").status == 200


def reconnect(shop: Shop, store: UUID) -> None:
    """Connects the store again."""
    known = shop.owner.call("GET", f"/stores/{store}").json
    names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
    body = {name: known[name] for name in names}
    answer = shop.owner.call("POST", "/stores", body)
    assert (answer.status, answer.json["id"]) == (200, str(store))

"""A load's effect on the plain model of a workspace's people: its records, one after another."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.people.profiles.keys import claim_key
from storepost.people.profiles.model import Identity
from storepost.people.profiles.rows import IdentityItem
from storepost.platform.persistence.item import find
from storepost.values.scope import WorkspaceScope
from tests.people.matching.model import Model
from tests.people.matching.model_records import Channel, ConsentStatement, Person, Refused
from tests.people.matching.rules import CUSTOMER, EMAIL, PHONE, owners, people_of

type Body = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """A record of a batch."""

    kind: str
    """`customers` or `orders`."""
    external_id: str
    body: Body

    def identities(self, store: str) -> list[Identity]:
        """The identities that it names, the strongest first."""
        named = self.body if self.kind == "customers" else self.body["buyer"]
        external_id = self.external_id if self.kind == "customers" else named.get("externalId")
        found = [(CUSTOMER, external_id), (EMAIL, named.get("email")), (PHONE, named.get("phone"))]
        return [
            Identity(kind, value, UUID(store) if kind is CUSTOMER else None)
            for kind, value in found
            if value
        ]


@dataclass
class Batch:
    """A batch some of whose records aren't in the model yet."""

    import_id: str
    store: str
    records: list[Record]
    done: int = 0


@dataclass(frozen=True)
class Statement:
    """A row of an import of consent."""

    channel: Channel
    address: str
    state: str
    at: datetime
    is_proven: bool


def write(
    model: Model, workspace: WorkspaceScope, store: str, record: Record, now: datetime
) -> None:
    """Applies a batch's record to the model: the same as its PUT, or nothing."""

    def new() -> str:
        """The profile that has the strongest of the identities: a new one has it in any case."""
        return holder_of(workspace, record.identities(store)[0])

    with suppress(Refused):  # it is older than the stored one
        if record.kind == "customers":
            model.put_customer((store, record.external_id), record.body, now, new)
        else:
            model.put_order((store, record.external_id), record.body, new)


def merge_named(model: Model, store: str, record: Record, most: int) -> None:
    """Merges so many of the people whom a record names into one of them, before the record.

    Each merge is a transaction of its own. Raises LookupError if the record names fewer people.
    """
    who = people_of(model.owned(), model.deleted(), record.identities(store))
    if len(who) <= most:
        raise LookupError(record.external_id)
    survivor, *others = sorted(map(model.find, who), key=model._preference)
    for other in others[:most]:
        model._become(survivor, other, (record.external_id, "custom"))


def state(model: Model, workspace: WorkspaceScope, row: Statement, now: datetime) -> None:
    """Applies a row of an import of consent to the model."""
    kind = EMAIL if row.channel == "email" else PHONE
    identity = Identity(kind, row.address)
    dated = row.is_proven and row.at <= now
    yields = row.state == "subscribed" and not dated
    statement = ConsentStatement(min(row.at, now), row.state, yields, dated=dated)
    if model.is_too_late(row.channel, row.address, statement):
        return
    found = owners(model.owned(), [identity])
    if not found:
        person = Person(holder_of(workspace, identity), now, now)
        person.takes(identity, now)
        model.people[person.id] = person
        found = {person.id}
    [owner] = found
    model.say(model.people[owner], row.channel, row.address, statement, None)


def holder_of(workspace: WorkspaceScope, identity: Identity) -> str:
    """The id of the profile that has an identity, as it is stored.

    Raises LookupError if none has it: the new person's write came in another order.
    """
    claim = find(IdentityItem, claim_key(workspace, identity))
    if claim is None:
        raise LookupError(identity.value)
    return str(claim.profile_id)

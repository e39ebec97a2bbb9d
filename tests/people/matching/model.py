"""A plain model of a workspace's people: dictionaries, and rules.

The rules are those of docs/semantics.md, sections 1 to 3. It knows no rows, transactions or
workers: a merge is done at once, counts are computed anew, and an address's state is looked up from
all statements ever made of it.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.people.profiles.model import Identity
from tests.people.matching.model_records import (
    CHANNELS,
    MILLISECOND,
    Change,
    Channel,
    ConsentStatement,
    Customer,
    Key,
    Locale,
    Order,
    Person,
    Refused,
)
from tests.people.matching.rules import ANONYMOUS, CUSTOMER, EMAIL, PHONE, is_one, owners, people_of


class Model:
    """All that the interface should show."""

    def __init__(self, stores: dict[str, str]) -> None:
        """`stores` are the stores' primary locales by id."""
        self.stores, self.inactive = stores, set[str]()
        self.people: dict[str, Person] = {}
        self.survivors: dict[str, str] = {}
        self.customers: dict[Key, Customer] = {}
        self.orders: dict[Key, Order] = {}
        self.words: dict[tuple[str, str], list[ConsentStatement]] = {}
        self.gone = list[str]()
        """The ids of people who were erased, and those that led to them."""
        self.unowned = set[Key]()
        """Customers of people who were erased: a worker may still be to remove them."""
        self.erased = dict[tuple[str, str], datetime]()
        """When the person of a channel's address was erased: only later words subscribe it."""
        self.had = dict[tuple[str, str], set[str]]()
        """The stores that ever had a channel's address: those that may be told of it."""

    # Reads

    def find(self, profile_id: str) -> Person:
        """The person of an id, also after merges."""
        return self.people[self.survivors.get(profile_id, profile_id)]

    def owned(self) -> dict[str, list[Identity]]:
        """Every person's identities."""
        return {each.id: list(each.seen) for each in self.people.values()}

    def deleted(self) -> set[Identity]:
        """The ids of customers that their stores deleted."""
        return {
            Identity(CUSTOMER, external_id, UUID(store))
            for (store, external_id), customer in self.customers.items()
            if customer.deleted
        }

    def customers_of(self, person: Person) -> list[Key]:
        """The person's customers."""
        return [key for key, each in self.customers.items() if each.owner == person.id]

    def orders_of(self, person: Person) -> list[Key]:
        """The person's orders."""
        return [
            key for key, each in self.orders.items() if each.owner == person.id and not each.deleted
        ]

    def stores_of(self, person: Person) -> set[str]:
        """The stores that know the person."""
        return {store for store, _ in (*self.customers_of(person), *self.orders_of(person))}

    def state(self, channel: Channel, address: str | None) -> str:
        """The state of an address: that of the statement that holds."""
        effective = self.effective(channel, address)
        return effective.state if effective else "not_subscribed"

    def effective(self, channel: Channel, address: str | None) -> ConsentStatement | None:
        """The statement that holds."""
        words = self.words.get((channel, address or ""), [])
        dated = max((w for w in words if not w.yields), key=lambda w: w.order, default=None)
        soft = max((w for w in words if w.yields), key=lambda w: w.order, default=None)
        if soft and (dated is None or (dated.state != "unsubscribed" and soft.order > dated.order)):
            return soft
        return dated

    # Operations

    def put_customer(
        self, key: Key, body: dict[str, Any], now: datetime, new: Callable[[], str]
    ) -> None:
        """A store puts a customer; `new` returns the id of a profile that it must have created."""
        store, external_id = key
        self._demand_active(store)
        stored, updated = self.customers.get(key), body["updated"]
        if stored and (updated < stored.updated or (stored.deleted and updated == stored.updated)):
            raise Refused("stale_update")
        own = Identity(CUSTOMER, external_id, UUID(store))
        identities = [own, *_addresses(body)]
        moments = (body["created"], updated)
        person = self._arrives(identities, moments, (external_id, "custom"), new)
        person.at(*moments)
        for each in self._free_or_own(person, identities):
            person.takes(each, *(moments if each == own else (updated,)))
        self._update_shown(person, stored.body if stored else {}, body)
        self._hears(person, store, body)
        body = _without_old_consent(stored, body) if stored else body
        before = (stored.body, stored.states) if stored else ({}, {})
        refused = self._refused(stored, body)
        states = {c: _last_state(c, body, *before) for c in CHANNELS}
        since = {c: _since(c, body, stored) for c in CHANNELS}
        self.unowned.discard(key)
        self.customers[key] = Customer(person.id, *moments, body, states, since, refused)
        self._note_had(store, body)
        for channel in CHANNELS:
            is_back = stored is not None and stored.deleted
            former = None if is_back else stored
            self._store_says(store, person, channel, body, former, now)

    def _hears(self, person: Person, store: str, body: dict[str, Any]) -> None:
        if body.get("locale"):
            source = ("customer", store, "hard", body["updated"])
            person.hears(Locale(body["locale"], source))

    def _note_had(self, store: str, body: dict[str, Any]) -> None:
        for channel, name in CHANNELS.items():
            if body.get(name):
                self.had.setdefault((channel, body[name]), set()).add(store)

    def _refused(self, stored: Customer | None, body: dict[str, Any]) -> dict[Channel, datetime]:
        """When the addresses that a customer had before were unsubscribed."""
        found = dict(stored.refused) if stored else {}
        for channel, name in CHANNELS.items():
            former = stored.body.get(name) if stored else None
            word = self.effective(channel, former) if former != body.get(name) else None
            if word and word.state == "unsubscribed":
                found[channel] = max(word.at, found.get(channel, word.at))
        return found

    def delete(self, what: str, key: Key) -> None:
        """A store deletes a customer or an order."""
        if what == "customers":
            self.delete_customer(key)
        else:
            self.delete_order(key)

    def delete_customer(self, key: Key) -> None:
        """A store deletes a customer."""
        self._demand_active(key[0])
        if key not in self.customers:
            raise Refused("not_found")
        self.customers[key].deleted = True

    def put_order(self, key: Key, body: dict[str, Any], new: Callable[[], str]) -> None:
        """A store puts an order."""
        store, external_id = key
        self._demand_active(store)
        stored, updated, placed = self.orders.get(key), body["updated"], body["placed"]
        if stored and (updated < stored.updated or (stored.deleted and updated == stored.updated)):
            raise Refused("stale_update")
        buyer, owner = body["buyer"], None
        is_erased = bool(stored and stored.is_erased)
        identities = _addresses(buyer) if not is_erased else []
        if buyer.get("externalId") and not is_erased:
            identities.append(Identity(CUSTOMER, buyer["externalId"], UUID(store)))
        if identities:
            person = self._arrives(identities, (placed, placed), (external_id, "custom"), new)
            owner = person.id
            if not (person.first_name or person.last_name):
                person.first_name = buyer.get("firstName")
            person.at(placed)
            signal = "hard" if body["locale"] else "soft"
            source = ("order", store, signal, placed)
            person.hears(Locale(body["locale"] or self.stores[store], source))
            for each in self._free_or_own(person, identities):
                person.takes(each, placed)
        self.orders[key] = Order(owner, placed, updated, body["spent"], is_erased=is_erased)

    def delete_order(self, key: Key) -> None:
        """A store deletes an order."""
        self._demand_active(key[0])
        if key not in self.orders or self.orders[key].deleted:
            raise Refused("not_found")
        self.orders[key].deleted = True

    def upsert(self, body: dict[str, Any], now: datetime, new: Callable[[], str]) -> None:
        """A request upserts a profile."""
        identities = _addresses(body)
        if body.get("anonymousId"):
            identities.append(Identity(ANONYMOUS, body["anonymousId"]))
        if not is_one(self.owned(), self.deleted(), identities):
            raise Refused("identity_conflict")
        person = self._arrives(identities, (now, now), (None, "api"), new)
        person.at(now)
        for each in identities:
            person.takes(each, now)
        self._show(person, {name: value for name, value in body.items() if value})

    def update(self, profile_id: str, body: dict[str, Any], now: datetime) -> None:
        """A request changes the shown fields of a profile."""
        person, identities = self.find(profile_id), _addresses(body)
        if owners(self.owned(), identities) - {person.id}:
            raise Refused("identity_conflict")
        for each in identities:
            if each not in person.seen:
                person.takes(each, now)
        self._show(person, body)

    def merge(self, into: str, other: str) -> None:
        """A request merges two profiles."""
        survivor, merged = self.find(into), self.find(other)
        if survivor is merged:
            raise Refused("same_profile")
        self._become(survivor, merged, (None, "api"))

    def erase(self, profile_id: str, now: datetime) -> None:
        """A request erases a person: orders stay without the buyer, the rest is removed."""
        person = self.find(profile_id)
        del self.people[person.id]
        former = [old for old, into in self.survivors.items() if into == person.id]
        self.survivors = {old: into for old, into in self.survivors.items() if into != person.id}
        self.gone += [person.id, *former]
        self.unowned |= set(self.customers_of(person))
        for key in self.customers_of(person):
            del self.customers[key]
        for order in self.orders.values():
            if order.owner == person.id:
                order.owner, order.is_erased = None, True
        channels = {EMAIL: "email", PHONE: "sms"}
        for each in person.seen:
            if each.type in channels:
                address = (channels[each.type], each.value)
                self.words.pop(address, None)
                self.erased[address] = now

    def change_consent(
        self, profile_id: str, channel: Channel, state: str, at: datetime | None, now: datetime
    ) -> None:
        """A request changes the consent of the address that is shown."""
        person = self.find(profile_id)
        address = person.email if channel == "email" else person.phone
        if address is None:
            raise Refused("no_email" if channel == "email" else "no_phone")
        known = [word.at + MILLISECOND for word in self.words.get((channel, address), [])]
        if (channel, address) in self.erased:
            known.append(self.erased[channel, address] + MILLISECOND)
        word = ConsentStatement(at or max([now, *known]), state, yields=False)
        self.say(person, channel, address, word, None)

    # Rules

    def _demand_active(self, store: str) -> None:
        if store in self.inactive:
            raise Refused("store_disconnected")

    def _arrives(
        self,
        identities: list[Identity],
        moments: tuple[datetime, datetime],
        cause: tuple[str | None, str],
        new: Callable[[], str],
    ) -> Person:
        """The arrival's person: its owners are merged, and without an owner a person is created."""
        owners_found = people_of(self.owned(), self.deleted(), identities)
        if not owners_found:
            person = Person(new(), min(moments), max(moments))
            assert person.id not in {*self.people, *self.survivors}, "nobody new was made"
            self.people[person.id] = person
            return person
        survivor, *others = sorted(map(self.find, owners_found), key=self._preference)
        for other in others:
            self._become(survivor, other, cause)
        return survivor

    def _preference(self, person: Person) -> tuple[bool, bool, datetime, str]:
        """Semantics, section 1.5: a customer, an email, seen earlier, the smaller id."""
        is_customer = bool(self.customers_of(person))
        return (not is_customer, person.email is None, person.first_seen, person.id)

    def _become(self, survivor: Person, merged: Person, cause: tuple[str | None, str]) -> None:
        """Merges one person into another."""
        for name in ("first_name", "last_name", "email", "phone"):
            setattr(survivor, name, getattr(survivor, name) or getattr(merged, name))
        if merged.locale and (survivor.locale is None or survivor.locale.yields_to(merged.locale)):
            survivor.locale = merged.locale
        survivor.at(merged.first_seen, merged.last_seen)
        survivor.seen |= merged.seen
        survivor.history += merged.history
        reference, source = cause
        survivor.merged += [*merged.merged, (merged.id, source, reference)]
        for customer in self.customers.values():
            customer.owner = survivor.id if customer.owner == merged.id else customer.owner
        for order in self.orders.values():
            order.owner = survivor.id if order.owner == merged.id else order.owner
        del self.people[merged.id]
        self.survivors[merged.id] = survivor.id
        self.survivors |= {
            old: survivor.id for old, at in self.survivors.items() if at == merged.id
        }

    def _free_or_own(self, person: Person, identities: list[Identity]) -> list[Identity]:
        return [each for each in identities if owners(self.owned(), [each]) <= {person.id}]

    def _update_shown(
        self, person: Person, former: dict[str, Any], current: dict[str, Any]
    ) -> None:
        """A customer's fields fill empty ones, and replace those that it gave before."""
        fields = {"first_name": "firstName", "email": "email", "phone": "phone"}
        for name, key in fields.items():
            shown, new = getattr(person, name), current.get(key)
            kind = {"email": EMAIL, "phone": PHONE}.get(name)
            if kind and Identity(kind, new or "") not in person.seen:
                new = None
            if shown is None or shown == former.get(key):
                setattr(person, name, new or (shown if kind else None))

    def _show(self, person: Person, body: dict[str, Any]) -> None:
        fields = {"firstName": "first_name", "email": "email", "phone": "phone"}
        for name in fields.keys() & body.keys():
            setattr(person, fields[name], body[name])
        if "locale" in body:
            person.locale = Locale(body["locale"], None) if body["locale"] else None

    def _store_says(
        self,
        store: str,
        person: Person,
        channel: Channel,
        body: dict[str, Any],
        before: Customer | None,
        now: datetime,
    ) -> None:
        """A store's new value is a statement about the address, whoever has it.

        The same state with a later consent time is a new value.
        """
        address, state = body.get(CHANNELS[channel]), body.get(f"{channel}State")
        if address is None or state is None:
            return
        same = before if before and before.body.get(CHANNELS[channel]) == address else None
        at = body.get(f"{channel}At")
        if state == "not_subscribed":
            if same is None or same.states[channel] != "subscribed":
                return
            state = "unsubscribed"
        elif same and same.states[channel] == state and not _is_later(at, same.since[channel]):
            return
        kind = EMAIL if channel == "email" else PHONE
        [owner] = owners(self.owned(), [Identity(kind, address)]) or {person.id}
        yields = at is None and state == "subscribed"
        word = ConsentStatement(
            min(at or body["updated"], now), state, yields, dated=at is not None
        )
        customers = (each for each in self.customers.values() if each.body is body)
        since = next(customers).refused.get(channel)
        self.say(self.people[owner], channel, address, word, store, since)

    def is_too_late(
        self, channel: Channel, address: str, word: ConsentStatement, since: datetime | None = None
    ) -> bool:
        """Whether it would subscribe by a statement from before an opt-out or an erasure."""
        over = [each for each in (since, self.erased.get((channel, address))) if each]
        subscribes = word.state != "unsubscribed" and bool(over)
        return subscribes and (not word.dated or word.at <= max(over))

    def say(
        self,
        owner: Person,
        channel: Channel,
        address: str,
        word: ConsentStatement,
        store: str | None,
        since: datetime | None = None,
    ) -> None:
        """Adds a statement to the history, unless its state holds or a store's is too late."""
        is_late = self.is_too_late(channel, address, word, since)
        if is_late and store is not None:
            return
        is_new = (
            self.effective(channel, address) is None or self.state(channel, address) != word.state
        )
        if not is_late:
            self.words.setdefault((channel, address), []).append(word)
        if is_new:
            write_back_stores = frozenset(store for store, _ in self.customers_of(owner))
            name = CHANNELS[channel]
            has_it = {k[0] for k, c in self.customers.items() if c.body.get(name) == address}
            write_back_stores |= has_it
            owner.history.append(
                Change(channel, address, word.state, word.at, store, write_back_stores)
            )


def _addresses(body: dict[str, Any]) -> list[Identity]:
    kinds = {"email": EMAIL, "phone": PHONE}
    return [Identity(kind, body[name]) for name, kind in kinds.items() if body.get(name)]


def _without_old_consent(stored: Customer, body: dict[str, Any]) -> dict[str, Any]:
    """A record older than the consent that the store gave for the address states nothing.

    Only a newer record's `subscribed` counts, after the store's `unsubscribed`.
    """
    sent = dict(body)
    for channel, since in stored.since.items():
        at = max(body["updated"], body.get(f"{channel}At") or body["updated"])
        same = stored.body.get(CHANNELS[channel]) == body.get(CHANNELS[channel])
        states = (stored.states[channel], body.get(f"{channel}State"))
        counts = states == ("unsubscribed", "subscribed") and body["updated"] > stored.updated
        if since and at < since and same and not counts:
            sent[f"{channel}State"] = None
    return sent


def _is_later(at: datetime | None, since: datetime | None) -> bool:
    """Whether a consent time is later than what was given last, or the first one."""
    return at is not None and (since is None or since < at)


def _since(channel: Channel, body: dict[str, Any], stored: Customer | None) -> datetime | None:
    if body.get(f"{channel}State") is not None:
        at: datetime | None = body.get(f"{channel}At")
        return at
    same = stored and stored.body.get(CHANNELS[channel]) == body.get(CHANNELS[channel])
    return stored.since[channel] if stored and same else None


def _last_state(
    channel: Channel, body: dict[str, Any], former: dict[str, Any], states: dict[Channel, str]
) -> str:
    """The state that counts as given: if left out, the last one given for the same address."""
    state: str | None = body.get(f"{channel}State")
    if state is not None:
        return state
    address = CHANNELS[channel]
    if former and former.get(address) == body.get(address):
        return states[channel]
    return "not_subscribed"

"""Rows of consent: the state of each address, and the changes of each profile.

A change stands in its profile's partition under an id that sorts by its recording, and holds its
write-backs, each under its store's short id: the stores' messages change theirs at the same time
without losing one another's.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from heapq import merge
from typing import Any
from uuid import UUID

from pynamodb.attributes import (
    JSONAttribute,
    MapAttribute,
    UnicodeAttribute,
)
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.people.consent.decision import (
    AddressConsent,
    ChangeRef,
    CustomerRef,
    EffectiveConsent,
)
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    ConsentOrigin,
    ConsentSource,
    Proof,
    SkipReason,
    WriteBack,
    WriteBackStatus,
)
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent.write_back_index import (
    index_change,
    index_new_change,
    unindex_change,
)
from storepost.platform.attempts.model import attempt_json, attempt_of
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    amend,
    find_in,
)
from storepost.platform.persistence.reads import Reads
from storepost.platform.persistence.records import Record, Records
from storepost.platform.persistence.sealing import Purpose, keyed_hash
from storepost.platform.persistence.write_marks import MarkedItem
from storepost.values import clock
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope

_EFFECTIVE = ("state", "as_of", "profile_id", "change_id")
_CUSTOMER = ("store_id", "external_id")


class ConsentAddressItem(VersionedItem, discriminator="consent_address"):
    """An address's state."""

    dated = Record(*_EFFECTIVE, null=True)
    undated = Record(*_EFFECTIVE, null=True)
    erased_at = UtcDateTimeAttribute(null=True)
    other_customers = Records(*_CUSTOMER, named_by=_CUSTOMER, null=True)
    confirmed_at = UtcDateTimeAttribute(null=True)
    unsubscribed_at = UtcDateTimeAttribute(null=True)
    last_statement = UnicodeAttribute(null=True)


class ConsentChangeItem(MarkedItem, discriminator="consent_change"):
    """A recorded change with its write-backs."""

    id = Identifier()
    profile_id = Identifier()
    channel = UnicodeAttribute()
    state = UnicodeAttribute()
    source = UnicodeAttribute()
    store_id = Identifier(null=True)
    proof = JSONAttribute()
    by = UnicodeAttribute(null=True)
    address = UnicodeAttribute(null=True)
    occurred_at = UtcDateTimeAttribute()
    recorded_at = UtcDateTimeAttribute()
    write_backs: MapAttribute[str, Any] = MapAttribute()  # type: ignore[no-untyped-call]
    """By the stores' short ids: status, skip_reason, error, done_at, is_certain, pending_since,
    telling, resends."""
    follows = Record("profile_id", "change_id", null=True)
    """The change that held before, by short ids."""


def address_key(workspace: WorkspaceScope, address: Address) -> Key:
    """Returns the key of an address's state; the value comes last, as it may hold any character."""
    return (workspace.partition("address", address.channel, address.value), "state")


class ErasedAddressItem(Item, discriminator="erased_address"):
    """Records that somebody who had an address was erased; the address can't be read from it."""

    at = UtcDateTimeAttribute()
    """When: the last time, where it was several."""


def erased_partitions(workspace: WorkspaceScope) -> list[str]:
    """Returns where a workspace's erased addresses stand: several partitions,
    as each import reads them.
    """
    return [workspace.partition("erased", digit) for digit in "0123456789abcdef"]


def erased_key(workspace: WorkspaceScope, address: Address) -> Key:
    """Returns the key of the row that says that an address's person was erased."""
    digest = keyed_hash(
        f"{address.channel}\x1f{address.value}", Purpose.ERASED_ADDRESS, workspace.key
    )
    return (workspace.partition("erased", digest[0]), f"address#{digest}")


def change_key(workspace: WorkspaceScope, change: ChangeRef) -> Key:
    """Returns the key of a change: in its profile's partition."""
    return (workspace.partition("profile", short(change.profile_id)), _change_sort(change))


def _change_sort(change: ChangeRef) -> str:
    return f"consent#{short(change.change_id)}"


class ConsentRepository:
    """A workspace's addresses and changes."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Of one workspace; `reads` is a unit of work's own."""
        self._scope = workspace
        self._reads = reads or Reads()
        self._read: dict[Address, ConsentAddressItem] = {}
        self._erased: dict[Address, datetime | None] = {}

    def consent_of(self, address: Address) -> AddressConsent:
        """Returns what holds of an address, and what else was asserted."""
        item = self._reads.find(ConsentAddressItem, address_key(self._scope, address))
        return self._as_consent(address, item)

    def consents_of(self, addresses: Iterable[Address]) -> dict[Address, AddressConsent]:
        """Returns the consent of each of the addresses, a hundred a call."""
        keys = {address: address_key(self._scope, address) for address in addresses}
        rows = self._reads.find_all(keys.values())
        found = ((each, find_in(rows, ConsentAddressItem, key)) for each, key in keys.items())
        return {address: self._as_consent(address, item) for address, item in found}

    def save_consent(self, changes: Changes, address: Address, consent: AddressConsent) -> None:
        """Writes an address's state, if nobody changed it since it was read here."""
        item = self._read.get(address) or ConsentAddressItem(*address_key(self._scope, address))
        item.dated, item.undated = _effective_row(consent.dated), _effective_row(consent.undated)
        item.erased_at = consent.erased_at
        item.confirmed_at, item.unsubscribed_at = consent.confirmed_at, consent.unsubscribed_at
        item.last_statement = consent.last_statement
        others = sorted(consent.other_customers)
        item.other_customers = [[str(c.store_id), c.external_id] for c in others] or None
        changes.save(item)
        saved_states(changes, self._scope)[address] = consent.state

    def is_saved(self, changes: Changes, address: Address) -> bool:
        """Returns whether a unit of work writes an address's state."""
        return changes.has(ConsentAddressItem(*address_key(self._scope, address)))

    def expect_consent(self, changes: Changes, address: Address) -> None:
        """Demands that nobody changes an address's state that was read here; else a lost race."""
        item = self._read.get(address)
        unread = ConsentAddressItem(*address_key(self._scope, address))
        if item is None:
            changes.expect(unread, ConsentAddressItem.pk.does_not_exist())
        else:
            changes.expect(unread, ConsentAddressItem.version == item.version)

    def _as_consent(self, address: Address, item: ConsentAddressItem | None) -> AddressConsent:
        if item is None:
            return AddressConsent()
        self._read[address] = item
        others = (CustomerRef(UUID(store), value) for store, value in item.other_customers or ())
        dated, undated = _as_effective(item.dated), _as_effective(item.undated)
        return AddressConsent(
            dated,
            undated,
            item.erased_at,
            frozenset(others),
            item.confirmed_at,
            item.unsubscribed_at,
            item.last_statement,
        )

    def with_erasure(self, address: Address, consent: AddressConsent) -> AddressConsent:
        """Returns the consent, of an address without any with when its person was erased.

        It is asked before each assertion, and only there: either way nothing holds.
        """
        if address in self._read:
            return consent
        if address not in self._erased:
            row = self._reads.find(ErasedAddressItem, erased_key(self._scope, address))
            self._erased[address] = row.at if row else None
        return replace(consent, erased_at=self._erased[address])

    def look_for_erasures(self, addresses: Iterable[Address]) -> None:
        """Reads what `with_erasure` needs of many addresses, a hundred a call."""
        unread = [address for address in addresses if address not in self._read]
        keys = {address: erased_key(self._scope, address) for address in unread}
        rows = self._reads.find_all(keys.values())
        found = ((each, find_in(rows, ErasedAddressItem, key)) for each, key in keys.items())
        self._erased |= {address: row.at if row else None for address, row in found}

    def erase(
        self, changes: Changes, address: Address, whose: Collection[CustomerRef] = frozenset()
    ) -> None:
        """Erases an address's consent; its keyed hash and the moment stay.

        What was read here is the last that anybody says: else a lost race. `whose` are the erased
        person's own customers; where other people's have the address, the row stays for these.
        """
        now = clock.now()
        changes.save(ErasedAddressItem(*erased_key(self._scope, address), at=now))
        item = self._read.get(address)
        if item is None:
            return
        others = self._as_consent(address, item).other_customers - frozenset(whose)
        if others:
            erased = AddressConsent(erased_at=now, other_customers=others)
            self.save_consent(changes, address, erased)
        else:
            changes.delete(item)

    def erase_history(
        self,
        changes: Changes,
        address: Address,
        consent: AddressConsent,
        histories: Collection[UUID],
        whose: Collection[CustomerRef] = frozenset(),
    ) -> AddressConsent:
        """Erases what changes of these profiles say of an address; returns what is left.

        `consent` was read here. Where nothing else is said, its keyed hash is what is left: that of
        the erasure itself, where that came first. What yielded to an unsubscription goes with it.
        """
        dated, undated = _not_of(histories, consent.dated), _not_of(histories, consent.undated)
        if dated is None and consent.state is ConsentState.UNSUBSCRIBED:
            undated = None
        is_changed = (dated, undated) != (consent.dated, consent.undated)
        after = replace(consent, dated=dated, undated=undated)
        if dated or undated:
            if is_changed:
                self.save_consent(changes, address, after)
        elif is_changed or self.with_erasure(address, consent).erased_at is None:
            self.erase(changes, address, whose)
        return after

    def delete(self, changes: Changes, change: ConsentChange) -> None:
        """Deletes a change from its profile's history."""
        ref = ChangeRef(change.profile_id, change.id)
        changes.delete(ConsentChangeItem(*change_key(self._scope, ref)))
        unindex_change(changes, self._scope, change)

    def add(self, changes: Changes, change: ConsentChange) -> None:
        """Adds a new change; the same unit of work saves its profile, which counts it."""
        origin = change.origin
        added_to(changes, change.profile_id).append(change.id)
        index_new_change(changes, self._scope, change)
        changes.create(
            ConsentChangeItem(
                *change_key(self._scope, ChangeRef(change.profile_id, change.id)),
                id=change.id,
                profile_id=change.profile_id,
                channel=change.channel,
                state=change.state,
                source=origin.source,
                store_id=origin.store_id,
                proof=proof_row(origin.proof),
                by=origin.by,
                address=change.address,
                occurred_at=change.occurred_at,
                recorded_at=change.recorded_at,
                write_backs={short(each.store_id): _row(each) for each in change.write_backs},
                follows=_follows_row(change.follows),
            )
        )

    def get(self, change: ChangeRef) -> ConsentChange | None:
        """Returns the change, or None."""
        item = self._reads.find(ConsentChangeItem, change_key(self._scope, change))
        return as_change(item) if item else None

    def get_many(self, changes: Iterable[ChangeRef]) -> dict[ChangeRef, ConsentChange]:
        """Returns those of the changes that exist, a hundred a call."""
        keys = {change: change_key(self._scope, change) for change in changes}
        rows = self._reads.find_all(keys.values())
        found = ((ref, find_in(rows, ConsentChangeItem, key)) for ref, key in keys.items())
        return {ref: as_change(row) for ref, row in found if row}

    def get_in(self, profile_ids: Iterable[UUID], change_id: UUID) -> ConsentChange | None:
        """Returns the change of that id in the history of one of the profiles, or None."""
        refs = (ChangeRef(profile_id, change_id) for profile_id in profile_ids)
        rows = self._reads.find_all(change_key(self._scope, ref) for ref in refs).values()
        return next((as_change(row) for row in rows if isinstance(row, ConsentChangeItem)), None)

    def history(self, profile_id: UUID, most: int | None = None) -> Iterator[ConsentChange]:
        """Returns the profile's own changes, most recently recorded first, or so many of them."""
        pk = self._scope.partition("profile", short(profile_id))
        rows = ConsentChangeItem.query(
            pk,
            ConsentChangeItem.sk.startswith("consent#"),
            consistent_read=True,
            scan_index_forward=False,
            limit=most,
        )
        return (as_change(row) for row in rows)

    def histories(
        self, profile_ids: Iterable[UUID], most: int | None = None
    ) -> Iterator[ConsentChange]:
        """Returns the changes of several profiles together; so many of each."""
        histories = (self.history(profile_id, most) for profile_id in profile_ids)
        return merge(*histories, key=lambda change: change.id, reverse=True)

    def mark(
        self, changes: Changes, change: ConsentChange, after: WriteBack, before: WriteBackStatus
    ) -> None:
        """Writes what became of one store's write-back, if its status still is what it was."""
        key = change_key(self._scope, ChangeRef(change.profile_id, change.id))
        unchanged = _path(after, "status") == before.value
        changes.update(ConsentChangeItem(*key), [_path(after).set(_row(after))], unchanged)

    def expect_status(self, changes: Changes, change: ConsentChange, known: WriteBack) -> None:
        """Demands that a store's write-back still has the status that was read."""
        key = change_key(self._scope, ChangeRef(change.profile_id, change.id))
        changes.expect(ConsentChangeItem(*key), _path(known, "status") == known.status.value)

    def restart(
        self,
        changes: Changes,
        change: ConsentChange,
        write_backs: Iterable[WriteBack],
        follows: ChangeRef | None,
    ) -> None:
        """Writes these write-backs of a change that holds again, and which one held meanwhile."""
        row = ConsentChangeItem(*change_key(self._scope, ChangeRef(change.profile_id, change.id)))
        now, write_backs = clock.now(), tuple(write_backs)
        self._index(changes, change, write_backs)
        pending = [replace(each, pending_since=now) for each in write_backs]
        begun: list[Action] = [_path(each).set(_row(each)) for each in pending]
        begun.append(ConsentChangeItem.follows.set(_follows_row(follows)))
        changes.update(row, begun, ConsentChangeItem.pk.exists())

    def begin_one(
        self, changes: Changes, change: ConsentChange, after: WriteBack, before: WriteBack | None
    ) -> None:
        """Writes one store's write-back of a change, if nobody began another one meanwhile."""
        row = ConsentChangeItem(*change_key(self._scope, ChangeRef(change.profile_id, change.id)))
        unchanged = _is_same_delivery(before) if before else _path(after).does_not_exist()
        is_there = ConsentChangeItem.pk.exists()
        pending = replace(after, pending_since=clock.now())
        changes.update(row, [_path(pending).set(_row(pending))], is_there & unchanged)
        self._index(changes, change, (after,))

    def _index(self, changes: Changes, change: ConsentChange, begun: Iterable[WriteBack]) -> None:
        """Writes the change's row of the index anew where more stores are told than before.

        Whoever begins a write-back saves the address too: so no two do at once.
        """
        known = {each.store_id for each in change.write_backs}
        stores = known | {each.store_id for each in begun}
        if stores != known:
            index_change(changes, self._scope, change, stores)

    def finish(self, change: ConsentChange, after: WriteBack) -> bool:
        """Writes what became of a pending write-back; False where it isn't pending any more.

        Also False where another delivery has begun since the change was read.
        """
        row = ConsentChangeItem(*change_key(self._scope, ChangeRef(change.profile_id, change.id)))
        return amend(row, [_path(after).set(_row(after))], _is_pending(after))

    def note_attempt(self, change: ConsentChange, before: WriteBack, after: WriteBack) -> bool:
        """Writes a failed attempt that another one follows; False where another run has done so.

        Also False where it isn't pending any more, or another delivery has begun.
        """
        row = ConsentChangeItem(*change_key(self._scope, ChangeRef(change.profile_id, change.id)))
        return amend(
            row, [_path(after).set(_row(after))], _is_pending(before) & _is_unattempted(before)
        )

    def finish_with(self, changes: Changes, change: ConsentChange, after: WriteBack) -> None:
        """Adds what became of a pending write-back; a lost race where it isn't pending any more."""
        row = ConsentChangeItem(*change_key(self._scope, ChangeRef(change.profile_id, change.id)))
        changes.update(row, [_path(after).set(_row(after))], _is_pending(after))


def _is_unattempted(before: WriteBack) -> Condition:
    """Whether the row has these attempts alone."""
    number = _path(before, "tried")
    if not before.attempts:
        none: Condition = number.does_not_exist()
        return none
    same: Condition = number == str(len(before.attempts))
    return same


def _path(write_back: WriteBack, *more: str) -> Path:
    return Path(["write_backs", short(write_back.store_id), *more])


def _is_same_delivery(write_back: WriteBack) -> Condition:
    """Whether the row has this delivery to the store, whatever became of it."""
    count = _path(write_back, "telling")
    if write_back.delivery_count == 1:
        first: Condition = _path(write_back).exists() & count.does_not_exist()
        return first
    same: Condition = count == str(write_back.delivery_count)
    return same


def _is_pending(write_back: WriteBack) -> Condition:
    pending: Condition = _path(write_back, "status") == WriteBackStatus.PENDING.value
    is_pending: Condition = pending & _is_same_delivery(write_back)
    return is_pending


def saved_states(changes: Changes, workspace: WorkspaceScope) -> dict[Address, ConsentState]:
    """Returns the states of the addresses that a unit of work has saved so far."""
    return changes.shared(("consent_states", workspace), dict[Address, ConsentState])


def added_to(changes: Changes, profile_id: UUID) -> list[UUID]:
    """Returns the changes that a unit of work has added to a profile's history so far."""
    return changes.shared(("consent_changes", profile_id), list[UUID])


def _not_of(
    profile_ids: Collection[UUID], effective: EffectiveConsent | None
) -> EffectiveConsent | None:
    return None if effective is None or effective.change.profile_id in profile_ids else effective


def _as_effective(row: list[str] | None) -> EffectiveConsent | None:
    if row is None:
        return None
    state, as_of, profile_id, change_id = row
    change = ChangeRef(UUID(profile_id), UUID(change_id))
    return EffectiveConsent(ConsentState(state), clock.from_text(as_of), change)


def _effective_row(effective: EffectiveConsent | None) -> list[str] | None:
    if effective is None:
        return None
    change = effective.change
    return [
        effective.state,
        clock.to_text(effective.as_of),
        str(change.profile_id),
        str(change.change_id),
    ]


def _follows_row(change: ChangeRef | None) -> list[str] | None:
    return [short(change.profile_id), short(change.change_id)] if change else None


def _follows(row: list[str] | None) -> ChangeRef | None:
    return ChangeRef(*map(from_short, row)) if row else None


def proof_row(proof: Proof) -> dict[str, str]:
    """Returns a proof as a row has it."""
    return {name: str(value) for name, value in asdict(proof).items() if value is not None}


def as_proof(row: dict[str, str]) -> Proof:
    """Returns what `proof_row` wrote."""
    ids = {name: UUID(row[name]) for name in ("user_id", "api_key_id") if name in row}
    texts = {name: row[name] for name in ("reference", "ip", "user_agent") if name in row}
    return Proof(**texts, **ids)  # type: ignore[arg-type]


def _row(write_back: WriteBack) -> dict[str, str]:
    attempts = [attempt_json(each) for each in write_back.attempts]
    row = {
        "status": write_back.status.value,
        "skip_reason": write_back.skip_reason.value if write_back.skip_reason else None,
        "error": write_back.error,
        "done_at": _moment_text(write_back.done_at),
        "is_certain": None if write_back.is_certain else "no",
        "pending_since": _moment_text(write_back.pending_since),
        "telling": str(write_back.delivery_count) if write_back.delivery_count > 1 else None,
        "resends": str(write_back.resends) if write_back.resends else None,
        "tried": str(len(write_back.attempts)) if write_back.attempts else None,
        "attempts": json.dumps(attempts, separators=(",", ":")) if attempts else None,
        "next_attempt_at": _moment_text(write_back.next_attempt_at),
    }
    return {name: value for name, value in row.items() if value is not None}


def _write_back(store: str, row: Mapping[str, str]) -> WriteBack:
    done_at, reason = row.get("done_at"), row.get("skip_reason")
    return WriteBack(
        store_id=from_short(store),
        status=WriteBackStatus(row["status"]),
        skip_reason=SkipReason(reason) if reason else None,
        error=row.get("error"),
        done_at=_moment(done_at),
        is_certain="is_certain" not in row,
        pending_since=_moment(row.get("pending_since")),
        delivery_count=int(row.get("telling", 1)),
        resends=int(row.get("resends", 0)),
        attempts=tuple(attempt_of(each) for each in json.loads(row.get("attempts", "[]"))),
        next_attempt_at=_moment(row.get("next_attempt_at")),
    )


def _moment_text(moment: datetime | None) -> str | None:
    return clock.to_text(moment) if moment else None


def _moment(text: str | None) -> datetime | None:
    return clock.from_text(text) if text else None


def as_change(item: ConsentChangeItem) -> ConsentChange:
    """Returns the change of a row."""
    stores = sorted(item.write_backs.attribute_values.items())
    return ConsentChange(
        id=item.id,
        profile_id=item.profile_id,
        channel=Channel(item.channel),
        state=ConsentState(item.state),
        origin=ConsentOrigin(
            ConsentSource(item.source), item.store_id, as_proof(item.proof), item.by
        ),
        address=item.address,
        occurred_at=item.occurred_at,
        recorded_at=item.recorded_at,
        write_backs=tuple(_write_back(store, row) for store, row in stores),
        follows=_follows(item.follows),
    )

"""Asserting consent inside a unit of work: the address's row, the change, and its write-backs.

The caller owns the profile: it makes its copy of the shown address's state what the outcome says,
and saves the profile itself. All that a unit of work says of one address it says at once.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost import clock
from storepost.consent.decision import (
    AddressConsent,
    Assertion,
    ChangeRef,
    Decision,
    decide,
)
from storepost.consent.model import (
    Address,
    ConsentChange,
    Origin,
    SkipReason,
    Subject,
    WriteBack,
    WriteBackStatus,
)
from storepost.consent.repository import ConsentRepository
from storepost.consent.states import Channel, ConsentState
from storepost.ids import timed_id
from storepost.messaging.outbox import Queue, send_with
from storepost.persistence.changes import Changes
from storepost.scope import WorkspaceScope
from storepost.stores.model import Store


@dataclass(frozen=True)
class Word:
    """What somebody says of an address."""

    state: ConsentState
    origin: Origin
    occurred_at: datetime | None = None
    """Not in the future; left out, it is now, and at least 1 ms after all that is known."""
    dated: bool = True
    """False where a store gave no consent time and `occurred_at` is its record's."""

    @property
    def says_again(self) -> bool:
        """Whether it would subscribe somebody whom a store or a list still has."""
        unsubscribes = self.state is ConsentState.UNSUBSCRIBED
        return not unsubscribes and not self.origin.is_the_persons_own

    @property
    def lifts_erasure(self) -> bool:
        """Whether the person subscribes anew."""
        return self.state is not ConsentState.UNSUBSCRIBED and self.origin.is_the_persons_own


@dataclass(frozen=True)
class Outcome:
    """What an assertion did."""

    state: ConsentState
    """The address's, from then on."""
    holds: ChangeRef
    """The change that holds: what a request is answered with."""
    recorded: ConsentChange | None
    """The new change; None where nothing new was said."""

    @property
    def is_superseded(self) -> bool:
        """Whether the new change is in the history only, because another one holds."""
        return self.recorded is not None and self.recorded.id != self.holds.change_id


@dataclass(frozen=True)
class Given:
    """What a store gives of one channel of a customer."""

    address: str | None
    """In the form that is compared."""
    state: ConsentState
    """`not_subscribed` where it gives none."""
    consent_at: datetime | None = None
    """The store's own consent time."""


def assert_consent(
    changes: Changes,
    subject: Subject,
    address: Address,
    state: ConsentState,
    origin: Origin,
    *,
    occurred_at: datetime | None = None,
    dated: bool = True,
) -> Outcome:
    """Records that somebody says so, as far as it is new; semantics, section 2.

    The rest of what is given is as in `Word`.
    """
    outcome = _assert_one(changes, subject, address, Word(state, origin, occurred_at, dated))
    if outcome is None:
        raise ValueError("a store's word, or a list's, may be about somebody who was erased")
    return outcome


def _assert_one(changes: Changes, subject: Subject, address: Address, word: Word) -> Outcome | None:
    repository = ConsentRepository(subject.workspace, changes.reads)
    before = repository.consent_of(address)
    [outcome] = assert_in_turn(changes, repository, subject, address, before, [word])
    return outcome


def assert_in_turn(
    changes: Changes,
    repository: ConsentRepository,
    subject: Subject,
    address: Address,
    before: AddressConsent,
    words: Sequence[Word],
) -> list[Outcome | None]:
    """Records one word after another of an address that the repository has read as `before`.

    None for a word that asserts nothing: where the person was erased, what a store or a list has
    doesn't subscribe the address again.
    """
    before = repository.with_erasure(address, before)
    now, consent, outcomes = clock.now(), before, list[Outcome | None]()
    new, restored = dict[ChangeRef, ConsentChange](), set[ChangeRef]()
    for number, word in enumerate(words):
        if consent.erased and word.says_again:
            outcomes.append(None)
            continue
        moment = word.occurred_at or consent.moment_left_out(now)
        ref = ChangeRef(subject.profile_id, timed_id(now, number))
        decision = decide(consent, Assertion(word.state, moment, word.dated), ref)
        if decision.recorded:
            new[ref] = _change(subject, address, word, moment, now, ref, consent, decision)
        if decision.restored:
            restored.add(decision.restored)
        outcomes.append(_outcome(decision, new.get(ref)))
        consent = replace(decision.after, erased=consent.erased and not word.lifts_erasure)
    _tell_again(changes, repository, subject, restored - new.keys(), before, consent)
    _add_all(changes, repository, subject, new.values())
    if consent != before:
        repository.save_consent(changes, address, consent)
    return outcomes


def assert_from_store(
    changes: Changes,
    subject: Subject,
    store: Store,
    channel: Channel,
    *,
    before: Given | None,
    after: Given,
    updated_at: datetime,
    origin: Origin,
) -> Outcome | None:
    """Asserts what a store's record says of a channel, as far as it says something new.

    `before` is what this store gave last of the customer (what was written to it counts), None for
    a new customer; `updated_at` is the record's `externalUpdatedAt`. None where nothing is
    asserted: a person who was erased isn't subscribed again so. Semantics, section 2.4; a value for
    another address is another value, since state belongs to the address.
    """
    if after.address is None or after.state is ConsentState.NOT_SUBSCRIBED:
        return None
    if before and (before.address, before.state) == (after.address, after.state):
        return None
    if origin.store_id != store.id:
        raise ValueError("the origin names another store")
    occurred_at = min(after.consent_at or updated_at, clock.now())
    word = Word(after.state, origin, occurred_at, dated=after.consent_at is not None)
    return _assert_one(changes, subject, Address(channel, after.address), word)


def tell_stores(
    changes: Changes, workspace: WorkspaceScope, change: ConsentChange, store_ids: tuple[UUID, ...]
) -> None:
    """Queues a message for each of the stores, all in one outbox row."""
    if store_ids:
        bodies = [
            (_message(workspace, change, store), _group(change, store)) for store in store_ids
        ]
        send_with(changes, Queue.WRITE_BACKS, bodies)


def _change(
    subject: Subject,
    address: Address,
    word: Word,
    moment: datetime,
    now: datetime,
    ref: ChangeRef,
    before: AddressConsent,
    decision: Decision,
) -> ConsentChange:
    return ConsentChange(
        id=ref.change_id,
        profile_id=subject.profile_id,
        channel=address.channel,
        state=word.state,
        origin=word.origin,
        address=address.value,
        occurred_at=moment,
        recorded_at=now,
        write_backs=_write_backs(subject, decision, now),
        follows=before.holds.change if before.holds else None,
    )


def _add_all(
    changes: Changes, repository: ConsentRepository, subject: Subject, new: Iterable[ConsentChange]
) -> None:
    for change in new:
        repository.add(changes, change)
        if any(each.status is WriteBackStatus.PENDING for each in change.write_backs):
            tell_stores(changes, subject.workspace, change, subject.store_ids)


def _tell_again(
    changes: Changes,
    repository: ConsentRepository,
    subject: Subject,
    restored: Collection[ChangeRef],
    before: AddressConsent,
    after: AddressConsent,
) -> None:
    """Has the stores told of a change that holds again, whatever became of telling them before."""
    held = after.holds
    change = repository.get(held.change) if held and held.change in restored else None
    if held and change and subject.store_ids:
        follows = before.holds.change if before.holds else None
        repository.begin_again(changes, held.change, _pending(subject), follows)
        tell_stores(changes, subject.workspace, change, subject.store_ids)


def _outcome(decision: Decision, recorded: ConsentChange | None) -> Outcome:
    held = decision.after.holds
    if held is None:
        raise AssertionError("an assertion leaves something that holds")
    return Outcome(held.state, held.change, recorded)


def _write_backs(subject: Subject, decision: Decision, now: datetime) -> tuple[WriteBack, ...]:
    if not decision.superseded:
        return _pending(subject)
    return tuple(each.skipped(SkipReason.SUPERSEDED, now) for each in _pending(subject))


def _pending(subject: Subject) -> tuple[WriteBack, ...]:
    return tuple(WriteBack(store_id) for store_id in sorted(subject.store_ids))


def _message(workspace: WorkspaceScope, change: ConsentChange, store_id: UUID) -> dict[str, object]:
    return {
        "workspaceId": str(workspace.id),
        "profileId": str(change.profile_id),
        "changeId": str(change.id),
        "storeId": str(store_id),
    }


def _group(change: ConsentChange, store_id: UUID) -> str:
    """The FIFO group: one store's writes of one address go in turn, and nobody can read which."""
    return hashlib.sha256(f"{store_id}\x1f{change.address}".encode()).hexdigest()

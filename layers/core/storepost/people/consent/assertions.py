"""Asserting consent inside a unit of work: the address's row, the change, and its write-backs.

The caller owns the profile: it makes its copy of the shown address's state what the outcome says,
and saves the profile itself. All that a unit of work says of one address it says at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from storepost.people.consent.decision import (
    AddressConsent,
    Assertion,
    ChangeRef,
    Decision,
    decide,
    set_aside,
)
from storepost.people.consent.keeping import Statement, keep_evidence
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    Origin,
    SkipReason,
    Subject,
    WriteBack,
    WriteBackStatus,
)
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement, Outcome
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_queue import (
    queue_owed_opt_out,
    queue_restored,
    queue_write_backs,
    stores_to_update,
)
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import timed_id


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
    """Records that somebody says so, as far as it is new; docs/semantics.md, section 2.

    The rest of what is given is as in `ConsentStatement`.
    """
    outcome = assert_word(
        changes, subject, address, ConsentStatement(state, origin, occurred_at, dated)
    )
    if outcome is None:
        raise ValueError("a store's word, or a list's, may be about somebody who was erased")
    return outcome


def assert_word(
    changes: Changes, subject: Subject, address: Address, word: ConsentStatement
) -> Outcome | None:
    """The same of a word; None where it asserts nothing."""
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
    words: Sequence[ConsentStatement],
) -> list[Outcome | None]:
    """Records one word after another of an address that the repository has read as `before`.

    None for a word that asserts nothing: what a store or a list has from before the person was
    erased doesn't subscribe the address again. A request's is in the history only.
    """
    before = repository.with_erasure(address, before)
    now, consent, outcomes = clock.now(), _with_customers(before, words), list[Outcome | None]()
    new, restored = dict[ChangeRef, ConsentChange](), set[ChangeRef]()
    for number, word in enumerate(words):
        moment = word.occurred_at or consent.moment_left_out(now)
        ref = ChangeRef(subject.profile_id, timed_id(now, number))
        decision = _decided(consent, word, moment, ref)
        if decision.recorded:
            new[ref] = _change(subject, address, word, moment, now, ref, consent, decision)
        if decision.restored:
            restored.add(decision.restored)
        outcomes.append(
            _outcome(decision, new.get(ref), is_answered=word.origin.is_the_persons_own)
        )
        statement = Statement(address, word, moment, now, new.get(ref))
        consent = keep_evidence(changes, subject, consent, decision.after, statement)
    queue_restored(changes, repository, subject, restored - new.keys(), before, consent)
    consent, is_told = queue_owed_opt_out(changes, repository, subject, consent, words)
    _add_all(changes, repository, subject, new.values(), consent)
    if consent != before or is_told:
        repository.save_consent(changes, address, consent)
    return outcomes


def _decided(
    consent: AddressConsent, word: ConsentStatement, moment: datetime, ref: ChangeRef
) -> Decision:
    if word.is_outdated(consent.erased_at):
        return set_aside(consent, recorded=_enters_history(consent, word))
    assertion = Assertion(word.state, moment, word.dated)
    decision = decide(consent, assertion, ref)
    after = decision.after.with_level(assertion, word.evidence.opt_in_level)
    return replace(decision, after=after)


def _enters_history(consent: AddressConsent, word: ConsentStatement) -> bool:
    """Whether a word that asserts nothing is kept nevertheless: it is what a request is about."""
    return word.origin.is_the_persons_own and word.state is not consent.state


def _with_customers(consent: AddressConsent, words: Iterable[ConsentStatement]) -> AddressConsent:
    for word in words:
        if word.customer and word.is_of_others:
            consent = consent.with_customer(word.customer)
    return consent


def _change(
    subject: Subject,
    address: Address,
    word: ConsentStatement,
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
        write_backs=_write_backs(subject, before, decision, now),
        follows=before.holds.change if before.holds else None,
    )


def _add_all(
    changes: Changes,
    repository: ConsentRepository,
    subject: Subject,
    new: Iterable[ConsentChange],
    consent: AddressConsent,
) -> None:
    for change in new:
        repository.add(changes, change)
        if any(each.status is WriteBackStatus.PENDING for each in change.write_backs):
            queue_write_backs(
                changes, subject.workspace, change, stores_to_update(subject, consent)
            )


def _outcome(
    decision: Decision, recorded: ConsentChange | None, *, is_answered: bool
) -> Outcome | None:
    """What it did; None where nothing is recorded, and nothing holds or nobody is answered."""
    held = decision.after.holds
    if decision.is_set_aside and recorded is None and not (held and is_answered):
        return None
    if held is not None:
        return Outcome(held.state, held.change, recorded)
    if recorded is None:
        raise AssertionError("an assertion leaves something that holds")
    shown = ChangeRef(recorded.profile_id, recorded.id)
    return Outcome(ConsentState.NOT_SUBSCRIBED, shown, recorded)


def _write_backs(
    subject: Subject, consent: AddressConsent, decision: Decision, now: datetime
) -> tuple[WriteBack, ...]:
    pending = tuple(WriteBack(store_id) for store_id in stores_to_update(subject, consent))
    if not decision.superseded:
        return pending
    return tuple(each.skipped(SkipReason.SUPERSEDED, now) for each in pending)

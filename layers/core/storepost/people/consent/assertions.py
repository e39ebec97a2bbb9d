"""Asserts consent in a unit of work: writes the address's row, the change, and its write-backs.

The caller saves the profile, after setting its copy of the shown address's state to the outcome's.
A unit of work asserts all its statements about one address in one call.
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
from storepost.people.consent.evidence_writing import AssertedStatement, keep_evidence
from storepost.people.consent.model import Address, ConsentChange, SkipReason, Subject, WriteBack
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement, StatementOutcome
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_queue import (
    queue_owed_opt_out,
    queue_restored,
    stores_to_update,
)
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import timed_id


def assert_statement(
    changes: Changes, subject: Subject, address: Address, statement: ConsentStatement
) -> StatementOutcome | None:
    """Records a statement if it is new; returns None where it asserts nothing."""
    repository = ConsentRepository(subject.workspace, changes.reads)
    before = repository.consent_of(address)
    [outcome] = assert_in_turn(changes, repository, subject, address, before, [statement])
    return outcome


def assert_in_turn(
    changes: Changes,
    repository: ConsentRepository,
    subject: Subject,
    address: Address,
    before: AddressConsent,
    statements: Sequence[ConsentStatement],
) -> list[StatementOutcome | None]:
    """Records an address's statements one by one; the repository has read the address as `before`.

    Returns None for a statement that asserts nothing: data of a store or a list from before the
    person's erasure doesn't subscribe the address again. Such a statement by a request enters only
    the history.
    """
    before = repository.with_erasure(address, before)
    now, consent, outcomes = (
        clock.now(),
        _with_customers(before, statements),
        list[StatementOutcome | None](),
    )
    new, restored = dict[ChangeRef, ConsentChange](), set[ChangeRef]()
    for number, statement in enumerate(statements):
        moment = statement.occurred_at or consent.moment_left_out(now)
        ref = ChangeRef(subject.profile_id, timed_id(now, number))
        asserted = AssertedStatement(address, statement, moment, now)
        decision = _decided(consent, statement, moment, ref)
        if decision.recorded:
            new[ref] = _change(subject, asserted, ref, consent, decision)
        if decision.restored:
            restored.add(decision.restored)
        outcomes.append(
            _outcome(decision, new.get(ref), is_answered=statement.origin.is_the_persons_own)
        )
        asserted = replace(asserted, change=new.get(ref))
        consent = keep_evidence(changes, subject, consent, decision.after, asserted)
    queue_restored(changes, repository, subject, restored - new.keys(), before, consent)
    consent, is_queued = queue_owed_opt_out(changes, repository, subject, consent, statements)
    _add_all(changes, repository, new, before, consent)
    if consent != before or is_queued:
        repository.save_consent(changes, address, consent)
    return outcomes


def _add_all(
    changes: Changes,
    repository: ConsentRepository,
    new: dict[ChangeRef, ConsentChange],
    before: AddressConsent,
    after: AddressConsent,
) -> None:
    """Adds the new changes to the history; the last one names the change it restores, if any."""
    former, current = (each.holds.change if each.holds else None for each in (before, after))
    restored = current if current != former and current not in new else None
    last = next(reversed(new), None)
    for ref, change in new.items():
        of_last = restored if ref == last else None
        repository.add(changes, change, holds=ref == current, restored=of_last)


def _decided(
    consent: AddressConsent, statement: ConsentStatement, moment: datetime, ref: ChangeRef
) -> Decision:
    if statement.is_outdated(consent.erased_at):
        return set_aside(consent, recorded=_enters_history(consent, statement))
    assertion = Assertion(statement.state, moment, statement.dated, statement.awaits_answer)
    return decide(consent, assertion, ref, statement.evidence.opt_in_level)


def _enters_history(consent: AddressConsent, statement: ConsentStatement) -> bool:
    """Whether a request's statement enters the history although it asserts nothing."""
    return statement.origin.is_the_persons_own and statement.state is not consent.state


def _with_customers(
    consent: AddressConsent, statements: Iterable[ConsentStatement]
) -> AddressConsent:
    for statement in statements:
        if statement.customer and statement.is_of_others:
            consent = consent.with_customer(statement.customer)
    return consent


def _change(
    subject: Subject,
    asserted: AssertedStatement,
    ref: ChangeRef,
    before: AddressConsent,
    decision: Decision,
) -> ConsentChange:
    return ConsentChange(
        id=ref.change_id,
        profile_id=subject.profile_id,
        channel=asserted.address.channel,
        state=asserted.statement.state,
        origin=asserted.statement.origin,
        address=asserted.address.value,
        occurred_at=asserted.occurred_at,
        recorded_at=asserted.recorded_at,
        write_backs=_write_backs(subject, before, decision, asserted),
        follows=before.holds.change if before.holds else None,
    )


def _outcome(
    decision: Decision, recorded: ConsentChange | None, *, is_answered: bool
) -> StatementOutcome | None:
    """The outcome; None for an assertion without effect that no request waits for.

    Such an assertion is set aside and not recorded, and no statement holds or no request is
    answered.
    """
    effective = decision.after.holds
    if decision.is_set_aside and recorded is None and not (effective and is_answered):
        return None
    if effective is not None:
        return StatementOutcome(effective.state, effective.change, recorded)
    if recorded is None:
        raise AssertionError("an assertion leaves something that holds")
    ref = ChangeRef(recorded.profile_id, recorded.id)
    return StatementOutcome(ConsentState.NOT_SUBSCRIBED, ref, recorded)


def _write_backs(
    subject: Subject, consent: AddressConsent, decision: Decision, asserted: AssertedStatement
) -> tuple[WriteBack, ...]:
    """The write-back to each store; one that a worker would surely skip is skipped at once."""
    return tuple(
        _skipped_or_pending(WriteBack(store_id), consent, decision, asserted)
        for store_id in stores_to_update(subject, consent)
    )


def _skipped_or_pending(
    pending: WriteBack, consent: AddressConsent, decision: Decision, asserted: AssertedStatement
) -> WriteBack:
    reason = _reason_to_skip(pending, consent, decision, asserted.statement)
    return pending.skipped(reason, asserted.recorded_at) if reason else pending


def _reason_to_skip(
    write_back: WriteBack, consent: AddressConsent, decision: Decision, statement: ConsentStatement
) -> SkipReason | None:
    """Why the store needs no write-back, whatever happens before a worker decides.

    The first statement about an address is what its own store has, unless another customer of the
    store has the address. So an import of many customers queues no message for each of them.
    """
    if decision.superseded:
        return SkipReason.SUPERSEDED
    is_its_own = statement.is_all_of_store and statement.origin.store_id == write_back.store_id
    is_first = consent.holds is None and consent.erased_at is None and not consent.other_customers
    return SkipReason.ALREADY_CURRENT if is_its_own and is_first else None

"""Keeps evidence of a statement in the transaction that decides on it."""

from dataclasses import dataclass, replace
from datetime import datetime

from storepost.people.consent.decision import AddressConsent, Assertion
from storepost.people.consent.evidence import Evidence
from storepost.people.consent.evidence_rows import add_evidence
from storepost.people.consent.model import Address, ConsentChange, Subject
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement
from storepost.platform.persistence.changes import Changes
from storepost.values import clock


@dataclass(frozen=True)
class AssertedStatement:
    """A statement about an address, with its change in the history."""

    address: Address
    statement: ConsentStatement
    occurred_at: datetime
    recorded_at: datetime
    change: ConsentChange | None = None
    """None where the statement isn't in the history."""

    @property
    def evidence(self) -> Evidence:
        """Returns the evidence that is kept of the statement."""
        return Evidence(
            address=self.address,
            channel=self.address.channel,
            state=self.statement.state,
            origin=self.statement.origin,
            details=self.statement.evidence,
            occurred_at=self.occurred_at,
            recorded_at=self.recorded_at,
            change_id=self.change.id if self.change else None,
        )


def keep_evidence(
    changes: Changes,
    subject: Subject,
    before: AddressConsent,
    after: AddressConsent,
    asserted: AssertedStatement,
) -> AddressConsent:
    """Adds evidence of the statement; returns the address's consent, updated with its digest.

    A bare repetition of what holds leaves none, nor does an exact repetition of the last statement,
    nor one from before the person's erasure that isn't in the history either. The caller saves the
    subject's profile if evidence was added.
    """
    statement, digest = asserted.statement, asserted.statement.digest
    is_repeated = digest is not None and digest == before.last_statement
    is_new_evidence = (
        statement.carries_anything
        and not is_repeated
        and not statement.is_of_before(after.erased_at)
    )
    if asserted.change is None and not is_new_evidence:
        return after
    add_evidence(changes, subject.workspace, subject.profile_id, asserted.evidence)
    return replace(after, last_statement=digest) if digest else after


def add_proof(
    changes: Changes, subject: Subject, address: Address, statement: ConsentStatement
) -> None:
    """Keeps evidence where a store repeats a statement with a better proof; asserts nothing."""
    repository, now = ConsentRepository(subject.workspace, changes.reads), clock.now()
    before = repository.with_erasure(address, repository.consent_of(address))
    moment = statement.occurred_at or now
    after = before
    if statement.customer and statement.is_of_others:
        after = after.with_customer(statement.customer)
    if not statement.is_outdated(before.erased_at):
        assertion = Assertion(statement.state, moment, statement.dated)
        after = after.with_level(assertion, statement.evidence.opt_in_level)
    after = keep_evidence(
        changes, subject, before, after, AssertedStatement(address, statement, moment, now)
    )
    if after != before:
        repository.save_consent(changes, address, after)

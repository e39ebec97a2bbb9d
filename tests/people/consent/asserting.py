"""One statement about an address, asserted in a unit of work."""

from datetime import datetime

from storepost.people.consent.assertions import assert_statement
from storepost.people.consent.model import Address, ConsentOrigin, Subject
from storepost.people.consent.statements import ConsentStatement, StatementOutcome
from storepost.people.consent.states import ConsentState
from storepost.platform.persistence.changes import Changes


def assert_consent(
    changes: Changes,
    subject: Subject,
    address: Address,
    state: ConsentState,
    origin: ConsentOrigin,
    *,
    occurred_at: datetime | None = None,
    dated: bool = True,
) -> StatementOutcome:
    """Records a statement of consent and what it asserts.

    The arguments are those of `ConsentStatement`.
    """
    outcome = assert_statement(
        changes, subject, address, ConsentStatement(state, origin, occurred_at, dated)
    )
    assert outcome is not None
    return outcome

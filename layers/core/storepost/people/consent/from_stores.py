"""What a store's record says of consent (docs/semantics.md, section 2.4 and 2.7)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storepost.people.consent.assertions import assert_statement
from storepost.people.consent.decision import CustomerRef
from storepost.people.consent.evidence import NO_EVIDENCE, EvidenceDetails
from storepost.people.consent.evidence_writing import add_proof
from storepost.people.consent.model import Address, ConsentOrigin, Subject
from storepost.people.consent.statements import ConsentStatement, StatementOutcome
from storepost.people.consent.states import Channel, ConsentState
from storepost.platform.persistence.changes import Changes
from storepost.values import clock

_SUBSCRIBED, _NOTHING = ConsentState.SUBSCRIBED, ConsentState.NOT_SUBSCRIBED


_A_STORES_MOMENT = timedelta(seconds=1)
"""A moment that was sent may come back rounded to this."""


@dataclass(frozen=True)
class StoreConsent:
    """Says what a store gives of one channel of a customer."""

    address: str | None
    """In the form that is compared."""
    state: ConsentState
    """`not_subscribed` where it gives none."""
    consent_at: datetime | None = None
    """The store's own consent time."""
    may_return: bool = False
    """Whether the store may send it again under a time of its own, as it took it from here."""
    evidence: EvidenceDetails = NO_EVIDENCE
    proof_digest: str | None = None
    """The digest of what proves it, also of the origin's proof."""
    is_taken: bool = False
    """Whether the store took a change from here: then it says that again."""


@dataclass(frozen=True)
class AtStore:
    """Says which customer of a store a record is about, and what is known of them besides."""

    customer: CustomerRef
    is_of_others: bool = False
    """Whether the customer belongs to somebody else than the address."""
    refused_at: datetime | None = None
    """When an address that they had before was unsubscribed: what they said until then ended."""
    is_in_a_loop: bool = False
    """Whether the store has contradicted a no that it took too often for its dates to count."""
    is_all_of_store: bool = False
    """Whether the person has no other customer of the store, which takes consent, and this one is
    new."""


def assert_from_store(
    changes: Changes,
    subject: Subject,
    channel: Channel,
    *,
    before: StoreConsent | None,
    after: StoreConsent,
    updated_at: datetime,
    origin: ConsentOrigin,
    at_store: AtStore | None = None,
) -> StatementOutcome | None:
    """Asserts what a store's record says of a channel, as far as it says something new.

    `before` is what this store gave last of the customer (what was written to it counts), None for
    a new customer; `updated_at` is the record's `externalUpdatedAt`. None where nothing is
    asserted, though an unsubscription that the store doesn't know is written back to it. A value
    for another address is another value, since state belongs to the address, and so is one with a
    later consent time. `not_subscribed` where the store gave `subscribed` is a box that somebody
    unticked.
    """
    if origin.store_id is None:
        raise ValueError("the origin names no store")
    state = _asserted(before, after)
    is_proof_alone = state is None and before is not None and _proves_more(before, after)
    if after.address is None or (state is None and not is_proof_alone):
        return None
    now = clock.now()
    is_in_a_loop = at_store is not None and at_store.is_in_a_loop
    is_proof_alone = is_proof_alone or (is_in_a_loop and state is ConsentState.PENDING)
    is_dated = after.consent_at is not None and after.consent_at <= now and not is_in_a_loop
    statement = ConsentStatement(
        state or after.state,
        origin,
        min(after.consent_at or updated_at, now),
        dated=is_dated,
        since=at_store.refused_at if at_store else None,
        customer=at_store.customer if at_store else None,
        is_of_others=at_store is not None and at_store.is_of_others,
        is_all_of_store=at_store is not None and at_store.is_all_of_store,
        evidence=after.evidence,
    )
    address = Address(channel, after.address)
    if is_proof_alone:
        add_proof(changes, subject, address, statement)
        return None
    return assert_statement(changes, subject, address, statement)


def _asserted(before: StoreConsent | None, after: StoreConsent) -> ConsentState | None:
    """The state that the record says; None where it says nothing new."""
    if before is None or before.address != after.address:
        return None if after.state is _NOTHING else after.state
    if after.state is _NOTHING:
        return ConsentState.UNSUBSCRIBED if before.state is _SUBSCRIBED else None
    is_new = before.state is not after.state or _is_repeated(before, after)
    return after.state if is_new else None


def _is_repeated(before: StoreConsent, after: StoreConsent) -> bool:
    """Whether the person said the same again later: something else may hold meanwhile."""
    at = after.consent_at
    if at is None or at > clock.now() or before.may_return:
        return False
    return before.consent_at is None or before.consent_at + _A_STORES_MOMENT <= at


def _proves_more(before: StoreConsent, after: StoreConsent) -> bool:
    """Whether a record of what the store gave before proves it better: another time, or more.

    What it took from here comes back with that time, to the second, and a level: that is no more.
    """
    is_same = (before.address, before.state) == (after.address, after.state)
    if after.state is _NOTHING or not is_same:
        return False
    if after.consent_at is not None and not _is_same_second(before.consent_at, after.consent_at):
        return True
    if after.proof_digest in {None, before.proof_digest}:
        return False
    return not (before.is_taken and after.evidence.is_level_alone)


def _is_same_second(one: datetime | None, other: datetime) -> bool:
    return one is not None and one.replace(microsecond=0) == other.replace(microsecond=0)

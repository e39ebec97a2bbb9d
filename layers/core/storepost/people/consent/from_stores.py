"""Asserts the consent in a store's record (docs/semantics.md, sections 2.4 and 2.7)."""

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
"""A store may round a time that it was sent to this."""


@dataclass(frozen=True)
class StoreConsent:
    """What a store sends of one channel of a customer."""

    address: str | None
    """In normalised form."""
    state: ConsentState
    """`not_subscribed` where the store states none."""
    consent_at: datetime | None = None
    """The store's own consent time."""
    may_return: bool = False
    """Whether the store accepted it as a write-back, and may send it back under its own time."""
    evidence: EvidenceDetails = NO_EVIDENCE
    proof_digest: str | None = None
    """The digest of its evidence and of the origin's proof."""
    is_taken: bool = False
    """Whether the store accepted a write-back of it, which its records then repeat."""


@dataclass(frozen=True)
class AtStore:
    """The customer that a store's record is about, and what is known of them."""

    customer: CustomerRef
    is_of_others: bool = False
    """Whether the customer belongs to another profile than the address."""
    refused_at: datetime | None = None
    """When the customer's former address was unsubscribed: this ended their earlier statements."""
    is_in_a_loop: bool = False
    """Whether the store has contradicted unsubscriptions too often for its dates to count."""
    is_all_of_store: bool = False
    """Whether the customer is new, and the person's only one of the store, which takes consent."""


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
    """Asserts a channel's consent in a store's record, if it is new.

    `before` is the store's last value for the customer (an accepted write-back counts as one), None
    for a new customer; `updated_at` is the record's `externalUpdatedAt`. Returns None where nothing
    is asserted; an unsubscription that the store doesn't have is written back to it all the same. A
    value for another address is a new value, since state belongs to the address; so is one with a
    later consent time. `not_subscribed` after the store's `subscribed` means that somebody unticked
    a box.
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
    """The state that the record asserts; None where it asserts nothing new."""
    if before is None or before.address != after.address:
        return None if after.state is _NOTHING else after.state
    if after.state is _NOTHING:
        return ConsentState.UNSUBSCRIBED if before.state is _SUBSCRIBED else None
    is_new = before.state is not after.state or _is_repeated(before, after)
    return after.state if is_new else None


def _is_repeated(before: StoreConsent, after: StoreConsent) -> bool:
    """Whether the person repeated the statement later: another one may have been made between."""
    at = after.consent_at
    if at is None or at > clock.now() or before.may_return:
        return False
    return before.consent_at is None or before.consent_at + _A_STORES_MOMENT <= at


def _proves_more(before: StoreConsent, after: StoreConsent) -> bool:
    """Whether a repeated value has a better proof: another time, or more evidence.

    The store repeats a write-back with its time, to the second, and a level: that isn't more.
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

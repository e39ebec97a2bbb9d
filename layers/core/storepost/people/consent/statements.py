"""Statements about an address, and their outcomes, as values."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester, WorkspaceCaller
from storepost.people.consent.decision import ChangeRef, CustomerRef
from storepost.people.consent.evidence import NO_EVIDENCE, EvidenceDetails, digest_of
from storepost.people.consent.model import (
    LINK_SOURCES,
    ConsentChange,
    ConsentOrigin,
    ConsentSource,
    Proof,
)
from storepost.people.consent.states import ConsentState


@dataclass(frozen=True)
class ConsentStatement:
    """A statement about an address's consent."""

    state: ConsentState
    origin: ConsentOrigin
    occurred_at: datetime | None = None
    """Not in the future. Without it, the time is now, and at least 1 ms after all known times."""
    dated: bool = True
    """Whether `occurred_at` is proven to be the time of the person's statement; see `Assertion`."""
    awaits_answer: bool = False
    """Whether it says that the person was asked by email to confirm; see `Assertion`."""
    since: datetime | None = None
    """An opt-in must be dated later than this; else it asserts nothing."""
    customer: CustomerRef | None = None
    """The store's customer that the statement is about, where a store makes it."""
    is_of_others: bool = False
    """Whether that customer belongs to another profile than the subject."""
    is_all_of_store: bool = False
    """Whether the customer is new, and the subject's only one of that store."""
    evidence: EvidenceDetails = NO_EVIDENCE
    """The evidence, in addition to the origin's proof."""

    def is_outdated(self, erased_at: datetime | None) -> bool:
        """Returns whether it is an opt-in from before the last unsubscription or erasure."""
        return self.is_of_before(self.since) or self.is_of_before(erased_at)

    def is_of_before(self, moment: datetime | None) -> bool:
        """Returns whether it is an opt-in that isn't proven to be later than `moment`."""
        if self.state is ConsentState.UNSUBSCRIBED or self.occurred_at is None or moment is None:
            return False
        return not self.dated or self.occurred_at <= moment

    @property
    def carries_anything(self) -> bool:
        """Returns whether it leaves evidence even where it changes nothing."""
        proof = self.origin.proof
        return (
            self.occurred_at is not None
            or self.origin.store_id is not None
            or any((proof.reference, proof.ip, proof.user_agent))
            or self.evidence != NO_EVIDENCE
        )

    @property
    def digest(self) -> str | None:
        """Returns the digest that detects its repetition; None where it has no time of its own."""
        if self.origin.source in LINK_SOURCES:
            # A link can be used repeatedly and forever: its reference is kept once.
            return digest_of(self.state, None, LINK_SOURCES, self.origin.proof.reference)
        if self.occurred_at is None:
            return None
        return digest_of(self.state, self.occurred_at, asdict(self.origin), asdict(self.evidence))

    @property
    def is_store_opt_in(self) -> bool:
        """Returns whether a store states that it has the person as subscribed."""
        return self.origin.store_id is not None and self.state is ConsentState.SUBSCRIBED


@dataclass(frozen=True)
class StatementOutcome:
    """The effect of an assertion."""

    state: ConsentState
    """The address's state after it."""
    holds: ChangeRef
    """The change that holds, which a request's answer has."""
    recorded: ConsentChange | None
    """The new change; None where the statement was nothing new."""

    @property
    def is_superseded(self) -> bool:
        """Returns whether the new change is only in the history, because another one holds."""
        return self.recorded is not None and self.recorded.id != self.holds.change_id


def origin_of(
    caller: WorkspaceCaller,
    *,
    proof: Proof | None = None,
    store_id: UUID | None = None,
    source: ConsentSource | None = None,
) -> ConsentOrigin:
    """Returns the caller as a statement's origin; `source` replaces the caller's own.

    `proof` is what the request states about the person's own act. The server adds the calling key
    or person, and never takes the caller's address for the person's. `store_id` is the store whose
    record is pushed.
    """
    called = origin_by(caller.requester, proof=proof, store_id=store_id)
    return replace(called, source=source) if source else called


def origin_by(
    requester: Requester, *, proof: Proof | None = None, store_id: UUID | None = None
) -> ConsentOrigin:
    """Returns the origin of an earlier request: `api` for a key, `manual` for a person."""
    source = ConsentSource.API if requester.key_id else ConsentSource.MANUAL
    called = Proof(user_id=requester.person_id, api_key_id=requester.key_id)
    return ConsentOrigin(source, store_id, called, requester.name).proven_by(proof)

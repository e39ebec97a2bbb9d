"""What somebody says of an address, and what that did, as values."""

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
    """Says what somebody says of an address."""

    state: ConsentState
    origin: ConsentOrigin
    occurred_at: datetime | None = None
    """Not in the future; left out, it is now, and at least 1 ms after all that is known."""
    dated: bool = True
    """Whether `occurred_at` is proven to be when the person said so; see `Assertion`."""
    since: datetime | None = None
    """Where it would subscribe somebody, it must be dated later than this, or asserts nothing."""
    customer: CustomerRef | None = None
    """The store's customer that it is about, where a store says it."""
    is_of_others: bool = False
    """Whether that customer belongs to somebody else than the subject."""
    is_all_of_store: bool = False
    """Whether it is new, and the only one of its store that the subject has."""
    evidence: EvidenceDetails = NO_EVIDENCE
    """What proves it beside the origin's proof."""

    def is_outdated(self, erased_at: datetime | None) -> bool:
        """Returns whether it would subscribe an address by what was said before that was over."""
        return self.is_of_before(self.since) or self.is_of_before(erased_at)

    def is_of_before(self, moment: datetime | None) -> bool:
        """Returns whether it would subscribe,
        and isn't proven to have been said after the moment.
        """
        if self.state is ConsentState.UNSUBSCRIBED or self.occurred_at is None or moment is None:
            return False
        return not self.dated or self.occurred_at <= moment

    @property
    def carries_anything(self) -> bool:
        """Returns whether there is anything to keep of it where it changes nothing."""
        proof = self.origin.proof
        return (
            self.occurred_at is not None
            or self.origin.store_id is not None
            or any((proof.reference, proof.ip, proof.user_agent))
            or self.evidence != NO_EVIDENCE
        )

    @property
    def digest(self) -> str | None:
        """Returns by what it is known once it is repeated; None where it is of its own moment."""
        if self.origin.source in LINK_SOURCES:
            # Whoever has a link may follow it for ever: what its reference says is kept once.
            return digest_of(self.state, None, LINK_SOURCES, self.origin.proof.reference)
        if self.occurred_at is None:
            return None
        return digest_of(self.state, self.occurred_at, asdict(self.origin), asdict(self.evidence))

    @property
    def is_store_opt_in(self) -> bool:
        """Returns whether a store says that it has the person as subscribed."""
        return self.origin.store_id is not None and self.state is ConsentState.SUBSCRIBED


@dataclass(frozen=True)
class StatementOutcome:
    """Says what an assertion did."""

    state: ConsentState
    """The address's, from then on."""
    holds: ChangeRef
    """The change that holds: what a request is answered with."""
    recorded: ConsentChange | None
    """The new change; None where nothing new was said."""

    @property
    def is_superseded(self) -> bool:
        """Returns whether the new change is in the history only, because another one holds."""
        return self.recorded is not None and self.recorded.id != self.holds.change_id


def origin_of(
    caller: WorkspaceCaller,
    *,
    proof: Proof | None = None,
    store_id: UUID | None = None,
    source: ConsentSource | None = None,
) -> ConsentOrigin:
    """Returns the caller as a statement's origin; `source` where it isn't the caller's own.

    `proof` is what the request says of the person's own doing. The server adds which key or person
    called, and never takes the caller's address for the person's. `store_id` is that of a store
    whose record is pushed.
    """
    called = origin_by(caller.requester, proof=proof, store_id=store_id)
    return replace(called, source=source) if source else called


def origin_by(
    requester: Requester, *, proof: Proof | None = None, store_id: UUID | None = None
) -> ConsentOrigin:
    """Returns the origin of who sent the request at some time before: `api` for a key, `manual` for
    a person.
    """
    source = ConsentSource.API if requester.key_id else ConsentSource.MANUAL
    called = Proof(user_id=requester.person_id, api_key_id=requester.key_id)
    return ConsentOrigin(source, store_id, called, requester.name).proven_by(proof)

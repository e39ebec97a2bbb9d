"""What a request says of consent."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from storepost.consent.bodies import EvidenceInput, GivenProof
from storepost.consent.evidence import NO_EVIDENCE
from storepost.consent.states import ConsentState
from storepost.consent_changes.service import Wanted
from storepost.wire import RequestBody, Timestamp, not_in_the_future


class ConsentUpdate(RequestBody):
    """What the person wants, and since when."""

    state: Literal[ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED]
    occurred_at: Annotated[Timestamp, AfterValidator(not_in_the_future)] | None = None
    proof: GivenProof | None = None
    evidence: EvidenceInput | None = None

    def value(self) -> Wanted:
        """What the service is told."""
        return Wanted(
            self.state,
            self.occurred_at,
            self.proof.value() if self.proof else None,
            self.evidence.value() if self.evidence else NO_EVIDENCE,
        )

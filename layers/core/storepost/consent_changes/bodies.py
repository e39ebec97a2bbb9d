"""What a request says of consent."""

from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints

from storepost.consent import model
from storepost.consent.states import ConsentState
from storepost.consent_changes.service import Wanted
from storepost.wire import RequestBody, Timestamp, not_in_the_future

IP_LENGTH, USER_AGENT_LENGTH, REFERENCE_LENGTH = 64, 1000, 200


class GivenProof(RequestBody):
    """What shows that the person wanted it; the address and browser are the person's own."""

    reference: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=REFERENCE_LENGTH)
    ]
    ip: Annotated[str, StringConstraints(max_length=IP_LENGTH)] | None = None
    user_agent: Annotated[str, StringConstraints(max_length=USER_AGENT_LENGTH)] | None = None

    def value(self) -> model.Proof:
        """The proof before the server adds who called."""
        return model.Proof(self.reference, self.ip, self.user_agent)


class ConsentUpdate(RequestBody):
    """What the person wants, and since when."""

    state: Literal[ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED]
    occurred_at: Annotated[Timestamp, AfterValidator(not_in_the_future)] | None = None
    proof: GivenProof | None = None

    def value(self) -> Wanted:
        """What the service is told."""
        return Wanted(self.state, self.occurred_at, self.proof.value() if self.proof else None)

"""What a request says of consent."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    ConfigDict,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from storepost.consent import model
from storepost.consent.states import ConsentState
from storepost.consent.write_back_index import RecordedWithin
from storepost.consent_changes.retrying import FailedAtStore
from storepost.consent_changes.service import Wanted
from storepost.wire import Id, RequestBody, Timestamp, not_in_the_future

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


class WriteBackRetry(RequestBody):
    """Which write-backs are sent again: those that a store failed to take."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"storeId": "01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"}]}
    )

    store_id: Id
    recorded_from: Timestamp | None = None
    recorded_to: Timestamp | None = None

    @field_validator("recorded_to")
    @classmethod
    def _is_later(cls, until: datetime | None, info: ValidationInfo) -> datetime | None:
        since = info.data.get("recorded_from")
        if since and until and since > until:
            raise ValueError("Must not be before `recordedFrom`")
        return until

    def value(self) -> FailedAtStore:
        """What the service is told."""
        return FailedAtStore(self.store_id, RecordedWithin(self.recorded_from, self.recorded_to))

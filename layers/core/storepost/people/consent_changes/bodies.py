"""What a request says of consent."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.consent.bodies import EvidenceInput, ProofInput
from storepost.people.consent.evidence import NO_EVIDENCE
from storepost.people.consent.statements import ConsentStatement, origin_of
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_index import RecordedWithin
from storepost.people.consent_changes.retrying import FailedAtStore
from storepost.values.wire import Id, RequestBody, Timestamp, not_before, not_in_the_future


class ConsentUpdate(RequestBody):
    """What the person wants, and since when."""

    state: Literal[ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED] = Field(
        description="`subscribed`: the address may get marketing. `unsubscribed`: it must not."
    )
    occurred_at: Annotated[Timestamp, AfterValidator(not_in_the_future)] | None = Field(
        default=None,
        description="When the person stated it; not in the future. Null or left out: now, and "
        "later than every earlier statement about the address. One older than the change that "
        "holds enters the history alone.",
    )
    proof: ProofInput | None = Field(
        default=None,
        description="What proves the person's choice. Give it where they said so themselves, such "
        "as in a form of yours. It is kept also where the state is there already.",
    )
    evidence: EvidenceInput | None = Field(
        default=None,
        description="What the person agreed to and where. It is kept also where the "
        "state is there already.",
    )

    def statement(self, caller: WorkspaceCaller) -> ConsentStatement:
        """Returns the request as a statement of the caller's."""
        proof = self.proof.value() if self.proof else None
        evidence = self.evidence.value() if self.evidence else NO_EVIDENCE
        origin = origin_of(caller, proof=proof)
        return ConsentStatement(self.state, origin, self.occurred_at, evidence=evidence)


class WriteBackRetry(RequestBody):
    """Which write-backs are sent again: those that a store failed to accept."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"storeId": "01937c1e-7b2a-7c3d-8e4f-5a6b7c8d9e0f"}]}
    )

    store_id: Id = Field(description="The store that they are sent to.")
    recorded_from: Timestamp | None = Field(
        default=None,
        description="Only write-backs of changes that were recorded at this moment or "
        "later. Null or left out: from the beginning.",
    )
    recorded_to: Annotated[Timestamp, not_before("recorded_from")] | None = Field(
        default=None,
        description="Only write-backs of changes that were recorded before this "
        "moment. Null or left out: up to now.",
    )

    def value(self) -> FailedAtStore:
        """Returns the request as the service takes it."""
        return FailedAtStore(self.store_id, RecordedWithin(self.recorded_from, self.recorded_to))

"""What a request for opt-in says, and the form of the page that asks."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, field_validator

from storepost.people.consent.bodies import EvidenceInput, ProofInput
from storepost.people.consent.evidence import NO_EVIDENCE
from storepost.people.consent.states import OptInLevel
from storepost.people.opt_in.model import Form
from storepost.values.wire import RequestBody, Shape, Timestamp, not_in_the_future


class NewOptInRequest(RequestBody):
    """The form by which a person requested marketing emails."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "proof": {"reference": "Newsletter form 4711", "ip": "203.0.113.7"},
                    "occurredAt": "2026-03-14T09:00:00.000Z",
                }
            ]
        }
    )

    proof: ProofInput = Field(
        description="What shows that the person filled in the form: its `reference`, and the "
        "network address and browser that they had."
    )
    occurred_at: Annotated[Timestamp, AfterValidator(not_in_the_future)] | None = Field(
        default=None,
        description="When the person filled in the form; not in the future. Null or left out: "
        "now. Give it where the address was unsubscribed: it must be later than that.",
    )
    evidence: EvidenceInput | None = Field(
        default=None,
        description="What the form said, and where it is. Its `optInLevel` can't be `confirmed`: "
        "that is what the email asks the person for.",
    )

    @field_validator("evidence")
    @classmethod
    def _is_unconfirmed(cls, evidence: EvidenceInput | None) -> EvidenceInput | None:
        if evidence is not None and evidence.opt_in_level is OptInLevel.CONFIRMED:
            raise ValueError("Must not say `confirmed`: the person is only asked for that")
        return evidence

    def value(self) -> Form:
        """Returns the request as the service takes it."""
        evidence = self.evidence.value() if self.evidence else NO_EVIDENCE
        return Form(self.proof.value(), self.occurred_at, evidence)


def _first(values: object) -> object:
    """A form's fields come as lists, of one value mostly."""
    return values[0] if isinstance(values, list) else values


class OptInForm(Shape):
    """The form of the page that asks. Other fields of it are ignored."""

    answer: Annotated[Literal["subscribe"], BeforeValidator(_first)] = Field(
        description="`subscribe`: the person wants marketing emails."
    )

"""An import of consent on the wire: each row is read by itself, so that a bad one fails alone."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    ValidationError,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, core_schema

from storepost.people.consent.bodies import EvidenceInput, ProofInput
from storepost.people.consent.evidence import NO_EVIDENCE
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes.importing import BatchResult, ImportedStatement
from storepost.values.emails import EmailAddress
from storepost.values.phones import PhoneNumber
from storepost.values.placeholders import placeholder_to_none
from storepost.values.wire import RequestBody, Shape, Timestamp

MAX_ROWS = 500


class ChangeFault(StrEnum):
    """What is wrong with a change of an import. Where several things are, the first in this
    order.
    """

    NO_OBJECT = "not_an_object"
    FIELD = "unknown_field"
    NO_ADDRESS = "address_missing"
    TWO_ADDRESSES = "address_ambiguous"
    EMAIL = "email_invalid"
    PHONE = "phone_invalid"
    STATE = "state_invalid"
    MOMENT = "occurred_at_invalid"
    PROOF = "proof_invalid"
    EVIDENCE = "evidence_invalid"


# Nothing of a row stands in them: answers are kept for a day, and that has a size.
_MENDS = {
    ChangeFault.NO_OBJECT: "Make the change a JSON object.",
    ChangeFault.FIELD: "Use `email` or `phone`, `state`, `occurredAt`, `proof` and `evidence` "
    "alone.",
    ChangeFault.NO_ADDRESS: "Give an `email` or a `phone`.",
    ChangeFault.TWO_ADDRESSES: "Make two changes of it, one with `email` and one with `phone`.",
    ChangeFault.EMAIL: "Give `email` as an address like name@example.com.",
    ChangeFault.PHONE: "Give `phone` with its country code, like +14155550123.",
    ChangeFault.STATE: "Make `state` `subscribed` or `unsubscribed`; leave out who said neither.",
    ChangeFault.MOMENT: "Give `occurredAt` with its offset, like 2026-01-31T09:30:00Z.",
    ChangeFault.PROOF: "Give `proof` a `reference` of 1 to 200 characters, and besides it at most "
    "`ip`, an IPv4 or IPv6 address, and `userAgent` (1,000).",
    ChangeFault.EVIDENCE: "Give `evidence` a `text` of at most 4,000 characters, a `textVersion` "
    "of at most 255, a `url` like https://example.com/form, or an `optInLevel` of `single`, "
    "`confirmed` or `unknown`.",
}
_FIELDS = {
    "email": ChangeFault.EMAIL,
    "phone": ChangeFault.PHONE,
    "state": ChangeFault.STATE,
    "occurredAt": ChangeFault.MOMENT,
    "proof": ChangeFault.PROOF,
    "evidence": ChangeFault.EVIDENCE,
}


class ImportedConsent(RequestBody):
    """What somebody said of an address, and when. Exactly one of `email` and `phone` is given."""

    email: Annotated[EmailAddress | None, BeforeValidator(placeholder_to_none)] = Field(
        default=None,
        description="The email address that it is about. Null, an empty text, and "
        "words for nobody such as `null` count as left out.",
    )
    phone: Annotated[PhoneNumber | None, BeforeValidator(placeholder_to_none)] = Field(
        default=None,
        description="The phone number that it is about, with its country code. Null, "
        "an empty text, and words for nobody count as left out.",
    )
    state: Literal[ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED] = Field(
        description="`subscribed` or `unsubscribed`. Leave out who said neither."
    )
    occurred_at: Timestamp = Field(
        description="When the person said so. One in the future counts as now for "
        "`unsubscribed`, and proves nothing for `subscribed`."
    )
    proof: ProofInput | None = Field(
        default=None,
        description="What shows that the person wanted it. Without its `reference`, "
        "`subscribed` never overrides `unsubscribed`. Null counts as left "
        "out.",
    )
    evidence: EvidenceInput | None = Field(
        default=None, description="What the person agreed to and where. Null counts as left out."
    )

    @property
    def address(self) -> Address:
        """The one that is given."""
        if self.email:
            return Address(Channel.EMAIL, self.email)
        return Address(Channel.SMS, self.phone or "")


@dataclass(frozen=True)
class UnreadableConsent:
    """A row that fails."""

    faults: tuple[ChangeFault, ...]
    """The first one is its code."""


def _read_alone(value: object, read: ValidatorFunctionWrapHandler) -> object:
    faults, row = set(_address_faults(value)), None
    try:
        row = read(value)
    except ValidationError as error:
        faults |= {_fault(each["loc"]) for each in error.errors(include_url=False)}
    return UnreadableConsent(tuple(sorted(faults, key=list(ChangeFault).index))) if faults else row


def _address_faults(value: object) -> Iterable[ChangeFault]:
    """A change is one address's."""
    if isinstance(value, dict):
        addresses = [placeholder_to_none(value.get(name)) for name in ("email", "phone")]
        if None not in addresses:
            yield ChangeFault.TWO_ADDRESSES
        if addresses == [None, None]:
            yield ChangeFault.NO_ADDRESS


def _fault(where: tuple[int | str, ...]) -> ChangeFault:
    if not where:
        return ChangeFault.NO_OBJECT
    return _FIELDS.get(str(where[0]), ChangeFault.FIELD)


def _alone(_source: object, schema_of: GetCoreSchemaHandler) -> CoreSchema:
    return core_schema.no_info_wrap_validator_function(_read_alone, schema_of(ImportedConsent))


_Row = Annotated[ImportedConsent | UnreadableConsent, GetPydanticSchema(_alone)]


class ConsentImport(RequestBody):
    """Changes of consent that happened elsewhere."""

    changes: Annotated[list[_Row], Field(min_length=1, max_length=MAX_ROWS)] = Field(
        description="1 to 500 changes, each of one address. One that can't be read fails alone."
    )

    @property
    def statements(self) -> list[ImportedStatement]:
        """The rows that can be read."""
        return [
            ImportedStatement(
                number,
                row.address,
                row.state,
                row.occurred_at,
                row.proof.value() if row.proof else None,
                row.evidence.value() if row.evidence else NO_EVIDENCE,
            )
            for number, row in enumerate(self.changes)
            if isinstance(row, ImportedConsent)
        ]

    @property
    def unreadable(self) -> Iterable[tuple[int, UnreadableConsent]]:
        """The others."""
        return (
            (n, row) for n, row in enumerate(self.changes) if isinstance(row, UnreadableConsent)
        )


class FailedChange(Shape):
    """A change that wasn't imported."""

    index: int = Field(description="Its place in the request, counted from 0.")
    code: ChangeFault = Field(
        description="Names the cause for programs; where several things are wrong, the "
        "first in the order of the codes."
    )
    detail: str = Field(description="How to correct everything that is wrong with it, for people.")

    @classmethod
    def of(cls, index: int, row: UnreadableConsent) -> "FailedChange":
        """The row in this shape; the detail says how to mend everything that is wrong with it."""
        detail = " ".join(_MENDS[fault] for fault in row.faults)
        return cls(index=index, code=row.faults[0], detail=detail)


class ConsentImported(Shape):
    """What became of each of the changes."""

    recorded: int = Field(description="How many became the state of their address.")
    unchanged: int = Field(description="How many found their state there already.")
    older: int = Field(
        description="How many entered the history alone, because a later statement "
        "holds or they prove too little."
    )
    failed: list[FailedChange] = Field(
        description="Those that can't be read, in the order of the request. All others "
        "were imported."
    )

    @classmethod
    def of(cls, results: Counter[BatchResult], body: ConsentImport) -> "ConsentImported":
        """The counts in this shape, with the rows that couldn't be read."""
        return cls(
            recorded=results[BatchResult.RECORDED],
            unchanged=results[BatchResult.UNCHANGED],
            older=results[BatchResult.OLDER],
            failed=[FailedChange.of(index, row) for index, row in body.unreadable],
        )

"""An import of consent on the wire: each row is read by itself, so that a bad one fails alone."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from storepost.people.consent.bodies import EvidenceInput, ProofInput
from storepost.people.consent.evidence import NO_EVIDENCE
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes.importing import BatchResult, ImportedStatement
from storepost.values.bulk_rows import (
    MAX_ROWS,
    FailedRow,
    ReadAlone,
    RowFault,
    UnreadableRow,
    unreadable,
)
from storepost.values.emails import EmailAddress
from storepost.values.phones import PhoneNumber
from storepost.values.placeholders import placeholder_to_none
from storepost.values.wire import RequestBody, Shape, Timestamp


class ChangeFault(RowFault):
    """What is wrong with a change of an import. Where several things are, the first in this
    order.
    """

    NO_OBJECT = "not_an_object", "Make the change a JSON object."
    FIELD = (
        "unknown_field",
        "Use `email` or `phone`, `state`, `occurredAt`, `proof` and `evidence` alone.",
    )
    NO_ADDRESS = "address_missing", "Give an `email` or a `phone`."
    TWO_ADDRESSES = (
        "address_ambiguous",
        "Make two changes of it, one with `email` and one with `phone`.",
    )
    EMAIL = "email_invalid", "Give `email` as an address like name@example.com.", "email"
    PHONE = "phone_invalid", "Give `phone` with its country code, like +14155550123.", "phone"
    STATE = (
        "state_invalid",
        "Make `state` `subscribed` or `unsubscribed`; leave out who said neither.",
        "state",
    )
    MOMENT = (
        "occurred_at_invalid",
        "Give `occurredAt` with its offset, like 2026-01-31T09:30:00Z.",
        "occurredAt",
    )
    PROOF = (
        "proof_invalid",
        "Give `proof` a `reference` of 1 to 200 characters, and besides it at most `ip`, an IPv4 "
        "or IPv6 address, and `userAgent` (1,000).",
        "proof",
    )
    EVIDENCE = (
        "evidence_invalid",
        "Give `evidence` a `text` of at most 4,000 characters, a `textVersion` of at most 255, a "
        "`url` like https://example.com/form, or an `optInLevel` of `single`, `confirmed` or "
        "`unknown`.",
        "evidence",
    )


class ImportedConsent(RequestBody):
    """A statement about an address's consent, and its time. Exactly one of `email` and `phone` is
    given.
    """

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
        description="`subscribed` or `unsubscribed`. Leave out people who stated neither."
    )
    occurred_at: Timestamp = Field(
        description="When the person stated it. One in the future counts as now for "
        "`unsubscribed`, and proves nothing for `subscribed`."
    )
    proof: ProofInput | None = Field(
        default=None,
        description="What proves the person's choice. Without its `reference`, `subscribed` never "
        "overrides `unsubscribed`. Null counts as left out.",
    )
    evidence: EvidenceInput | None = Field(
        default=None, description="What the person agreed to and where. Null counts as left out."
    )

    @property
    def address(self) -> Address:
        """Returns the one that is given."""
        if self.email:
            return Address(Channel.EMAIL, self.email)
        return Address(Channel.SMS, self.phone or "")


def _address_faults(value: object) -> Iterable[ChangeFault]:
    """A change is one address's."""
    if isinstance(value, dict):
        addresses = [placeholder_to_none(value.get(name)) for name in ("email", "phone")]
        if None not in addresses:
            yield ChangeFault.TWO_ADDRESSES
        if addresses == [None, None]:
            yield ChangeFault.NO_ADDRESS


_Row = Annotated[
    ImportedConsent | UnreadableRow[ChangeFault],
    ReadAlone(ImportedConsent, ChangeFault, _address_faults),
]


class ConsentImport(RequestBody):
    """Changes of consent that happened elsewhere."""

    changes: Annotated[list[_Row], Field(min_length=1, max_length=MAX_ROWS)] = Field(
        description="1 to 500 changes, each of one address. One that can't be read fails alone."
    )

    @property
    def statements(self) -> list[ImportedStatement]:
        """Returns the rows that can be read."""
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


class FailedChange(FailedRow[ChangeFault]):
    """A change that wasn't imported."""


class ConsentImported(Shape):
    """The result of each of the changes."""

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
        """Returns the counts in this shape, with the rows that couldn't be read."""
        return cls(
            recorded=results[BatchResult.RECORDED],
            unchanged=results[BatchResult.UNCHANGED],
            older=results[BatchResult.OLDER],
            failed=[FailedChange.of(index, faults) for index, faults in unreadable(body.changes)],
        )

"""An import of suppressions on the wire: each row is read by itself, so that a bad one fails
alone.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    ValidationError,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, core_schema

from storepost.people.deliverability.bodies import SuppressionInput
from storepost.people.deliverability.importing import BatchResult, ImportedSuppression
from storepost.values.wire import RequestBody, Shape

MAX_ROWS = 500


class SuppressionFault(StrEnum):
    """What is wrong with a suppression of an import. Where several things are, the first in this
    order.
    """

    NO_OBJECT = "not_an_object"
    FIELD = "unknown_field"
    CHANNEL = "channel_invalid"
    ADDRESS = "address_invalid"
    REASON = "reason_invalid"
    NOTE = "note_invalid"


# Nothing of a row stands in them: answers are kept for a day, and that has a size.
_REMEDIES = {
    SuppressionFault.NO_OBJECT: "Make the suppression a JSON object.",
    SuppressionFault.FIELD: "Use `channel`, `address`, `reason` and `note` alone.",
    SuppressionFault.CHANNEL: "Make `channel` `email` or `sms`.",
    SuppressionFault.ADDRESS: "Give `address` as an email address like name@example.com, or for "
    "`sms` as a phone number with its country code, like +14155550123.",
    SuppressionFault.REASON: "Make `reason` `hard_bounce`, `complaint`, `manual` or `invalid`.",
    SuppressionFault.NOTE: "Give `note` as 1 to 255 characters, or leave it out.",
}
_FIELDS = {
    "channel": SuppressionFault.CHANNEL,
    "address": SuppressionFault.ADDRESS,
    "reason": SuppressionFault.REASON,
    "note": SuppressionFault.NOTE,
}


@dataclass(frozen=True)
class UnreadableSuppression:
    """A row that fails."""

    faults: tuple[SuppressionFault, ...]
    """The first one is its code."""


def _read_alone(value: object, read: ValidatorFunctionWrapHandler) -> object:
    try:
        return read(value)
    except ValidationError as error:
        faults = {_fault(each["loc"]) for each in error.errors(include_url=False)}
    return UnreadableSuppression(tuple(sorted(faults, key=list(SuppressionFault).index)))


def _fault(where: tuple[int | str, ...]) -> SuppressionFault:
    if not where:
        return SuppressionFault.NO_OBJECT
    return _FIELDS.get(str(where[0]), SuppressionFault.FIELD)


def _alone(_source: object, schema_of: GetCoreSchemaHandler) -> CoreSchema:
    return core_schema.no_info_wrap_validator_function(_read_alone, schema_of(SuppressionInput))


_Row = Annotated[SuppressionInput | UnreadableSuppression, GetPydanticSchema(_alone)]


class SuppressionImport(RequestBody):
    """Suppressions from elsewhere, such as your own sender or the one that you leave."""

    suppressions: Annotated[list[_Row], Field(min_length=1, max_length=MAX_ROWS)] = Field(
        description="1 to 500 suppressions, each of one address. One that can't be read fails "
        "alone."
    )

    @property
    def values(self) -> list[ImportedSuppression]:
        """Returns the rows that can be read."""
        return [
            ImportedSuppression(number, row.value, row.reason, row.note)
            for number, row in enumerate(self.suppressions)
            if isinstance(row, SuppressionInput)
        ]

    @property
    def failed(self) -> Iterator["FailedSuppression"]:
        """Returns the others."""
        for number, row in enumerate(self.suppressions):
            if isinstance(row, UnreadableSuppression):
                yield FailedSuppression.of(number, row)


class FailedSuppression(Shape):
    """A suppression that wasn't imported."""

    index: int = Field(description="Its place in the request, counted from 0.")
    code: SuppressionFault = Field(
        description="Names the cause for programs; where several things are wrong, the first in "
        "the order of the codes."
    )
    detail: str = Field(description="How to correct everything that is wrong with it, for people.")

    @classmethod
    def of(cls, index: int, row: UnreadableSuppression) -> "FailedSuppression":
        """The row in this shape."""
        detail = " ".join(_REMEDIES[fault] for fault in row.faults)
        return cls(index=index, code=row.faults[0], detail=detail)


class SuppressionsImported(Shape):
    """What became of each of the suppressions."""

    created: int = Field(description="How many are new.")
    known: int = Field(
        description="How many were there already: the address has one of that reason. They changed "
        "nothing."
    )
    failed: list[FailedSuppression] = Field(
        description="Those that can't be read, in the order of the request. All others were "
        "imported."
    )

    @classmethod
    def of(cls, results: Counter[BatchResult], body: SuppressionImport) -> "SuppressionsImported":
        """The counts in this shape."""
        return cls(
            created=results[BatchResult.CREATED],
            known=results[BatchResult.KNOWN],
            failed=list(body.failed),
        )

"""An import of suppressions on the wire: each row is read by itself, so that a bad one fails
alone.
"""

from collections import Counter
from typing import Annotated

from pydantic import Field

from storepost.people.deliverability.bodies import SuppressionInput
from storepost.people.deliverability.importing import BatchResult, ImportedSuppression
from storepost.values.bulk_rows import (
    MAX_ROWS,
    FailedRow,
    ReadAlone,
    RowFault,
    UnreadableRow,
    unreadable,
)
from storepost.values.wire import RequestBody, Shape


class SuppressionFault(RowFault):
    """What is wrong with a suppression of an import. Where several things are, the first in this
    order.
    """

    NO_OBJECT = "not_an_object", "Make the suppression a JSON object."
    FIELD = "unknown_field", "Use `channel`, `address`, `reason` and `note` alone."
    CHANNEL = "channel_invalid", "Make `channel` `email` or `sms`.", "channel"
    ADDRESS = (
        "address_invalid",
        "Give `address` as an email address like name@example.com, or for `sms` as a phone number "
        "with its country code, like +14155550123.",
        "address",
    )
    REASON = (
        "reason_invalid",
        "Make `reason` `hard_bounce`, `complaint`, `manual` or `invalid`.",
        "reason",
    )
    NOTE = "note_invalid", "Give `note` as 1 to 255 characters, or leave it out.", "note"


_Row = Annotated[
    SuppressionInput | UnreadableRow[SuppressionFault],
    ReadAlone(SuppressionInput, SuppressionFault),
]


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


class FailedSuppression(FailedRow[SuppressionFault]):
    """A suppression that wasn't imported."""


class SuppressionsImported(Shape):
    """The result of each of the suppressions."""

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
        """Returns the counts in this shape."""
        return cls(
            created=results[BatchResult.CREATED],
            known=results[BatchResult.KNOWN],
            failed=[
                FailedSuppression.of(index, faults)
                for index, faults in unreadable(body.suppressions)
            ],
        )

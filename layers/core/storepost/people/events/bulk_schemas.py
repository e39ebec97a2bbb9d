"""Many events on the wire: each is read by itself, so that a bad one fails alone."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from storepost.people.events.bodies import NewEvent
from storepost.people.events.bulk import BatchResult, EventRefusal
from storepost.people.events.model import IncomingEvent
from storepost.values.bulk_rows import (
    MAX_ROWS,
    FailedRow,
    ReadAlone,
    RowFault,
    UnreadableRow,
    unreadable,
)
from storepost.values.wire import RequestBody, Shape


class EventFault(RowFault):
    """What is wrong with an event. Where several things are, the first in this order."""

    NO_OBJECT = "not_an_object", "Make the event a JSON object."
    FIELD = (
        "unknown_field",
        "Use `profile`, `name`, `occurredAt`, `storeId`, `properties` and `uniqueId` alone.",
    )
    PROFILE = (
        "profile_invalid",
        "Make `profile` an object of one `id`, `email`, `phone` or `anonymousId`, or of "
        "`shopifyClientId` and `storeId`. Without its country code, `phone` needs the event's "
        "`storeId` and is a number of that store's country.",
        "profile",
    )
    NAME = "name_invalid", "Give `name` as 1 to 255 characters.", "name"
    MOMENT = (
        "occurred_at_invalid",
        "Give `occurredAt` with its offset, like 2026-01-31T09:30:00Z, and not in the future.",
        "occurredAt",
    )
    STORE = "store_invalid", "Give `storeId` as a UUID.", "storeId"
    PROPERTIES = (
        "properties_invalid",
        "Make `properties` an object of at most 32 KB and 20 levels.",
        "properties",
    )
    UNIQUE = "unique_id_invalid", "Give `uniqueId` as 1 to 255 characters.", "uniqueId"
    NO_PROFILE = "profile_unknown", "Name a profile of the workspace."
    NO_STORE = (
        "store_unknown",
        "Name stores of the workspace; `shopifyClientId` is one's on Shopify.",
    )


_Row = Annotated[NewEvent | UnreadableRow[EventFault], ReadAlone(NewEvent, EventFault)]


class NewEvents(RequestBody):
    """Things that happened, with anybody."""

    events: Annotated[list[_Row], Field(min_length=1, max_length=MAX_ROWS)] = Field(
        description="1 to 500 events, recorded in this order. One that can't be "
        "recorded fails alone."
    )

    def values(self) -> list[IncomingEvent]:
        """Returns those that can be read."""
        rows = enumerate(self.events)
        return [row.value(number) for number, row in rows if isinstance(row, NewEvent)]

    def failed(self, refused: Mapping[int, EventRefusal]) -> list["FailedEvent"]:
        """Returns those that can't, and those that are refused, in their order."""
        faults = dict(unreadable(self.events))
        faults |= {number: (EventFault(refusal),) for number, refusal in refused.items()}
        return [FailedEvent.of(number, faults[number]) for number in sorted(faults)]


class FailedEvent(FailedRow[EventFault]):
    """An event that wasn't recorded."""


class EventsRecorded(Shape):
    """The result of each of the events."""

    accepted: int = Field(description="How many were recorded.")
    duplicates: int = Field(
        description="How many were there already, by their `uniqueId`. They changed nothing."
    )
    failed: list[FailedEvent] = Field(
        description="Those that couldn't be recorded, in the order of the request. All others were."
    )

    @classmethod
    def of(
        cls, results: Counter[BatchResult], body: NewEvents, refused: Mapping[int, EventRefusal]
    ) -> "EventsRecorded":
        """Returns the counts in this shape, with the events that weren't taken."""
        return cls(
            accepted=results[BatchResult.ACCEPTED],
            duplicates=results[BatchResult.DUPLICATE],
            failed=body.failed(refused),
        )

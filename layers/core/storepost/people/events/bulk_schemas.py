"""Many events on the wire: each is read by itself, so that a bad one fails alone."""

from collections import Counter
from collections.abc import Iterator, Mapping
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

from storepost.people.events.bodies import NewEvent
from storepost.people.events.bulk import BatchResult, EventRefusal
from storepost.people.events.model import IncomingEvent
from storepost.values.wire import RequestBody, Shape

MAX_ROWS = 500


class EventFault(StrEnum):
    """What is wrong with an event. Where several things are, the first in this order."""

    NO_OBJECT = "not_an_object"
    FIELD = "unknown_field"
    PROFILE = "profile_invalid"
    NAME = "name_invalid"
    MOMENT = "occurred_at_invalid"
    STORE = "store_invalid"
    PROPERTIES = "properties_invalid"
    UNIQUE = "unique_id_invalid"
    NO_PROFILE = "profile_unknown"
    NO_STORE = "store_unknown"


# Nothing of a row stands in them: answers are kept for a day, and that has a size.
_MENDS = {
    EventFault.NO_OBJECT: "Make the event a JSON object.",
    EventFault.FIELD: "Use `profile`, `name`, `occurredAt`, `storeId`, `properties` and `uniqueId` "
    "alone.",
    EventFault.PROFILE: "Make `profile` an object of one `id`, `email`, `phone` or `anonymousId`, "
    "or of `shopifyClientId` and `storeId`. Without its country code, `phone` needs the event's "
    "`storeId` and is a number of that store's country.",
    EventFault.NAME: "Give `name` as 1 to 255 characters.",
    EventFault.MOMENT: "Give `occurredAt` with its offset, like 2026-01-31T09:30:00Z, and not in "
    "the future.",
    EventFault.STORE: "Give `storeId` as a UUID.",
    EventFault.PROPERTIES: "Make `properties` an object of at most 32 KB and 20 levels.",
    EventFault.UNIQUE: "Give `uniqueId` as 1 to 255 characters.",
    EventFault.NO_PROFILE: "Name a profile of the workspace.",
    EventFault.NO_STORE: "Name stores of the workspace; `shopifyClientId` is one's on Shopify.",
}
_FIELDS = {
    "profile": EventFault.PROFILE,
    "name": EventFault.NAME,
    "occurredAt": EventFault.MOMENT,
    "storeId": EventFault.STORE,
    "properties": EventFault.PROPERTIES,
    "uniqueId": EventFault.UNIQUE,
}
_REFUSALS = {
    EventRefusal.PROFILE: EventFault.NO_PROFILE,
    EventRefusal.STORE: EventFault.NO_STORE,
    EventRefusal.PHONE: EventFault.PROFILE,
}


@dataclass(frozen=True)
class UnreadableEvent:
    """An event that fails."""

    faults: tuple[EventFault, ...]
    """The first one is its code."""


def _read_alone(value: object, read: ValidatorFunctionWrapHandler) -> object:
    try:
        return read(value)
    except ValidationError as error:
        faults = {_fault(each["loc"]) for each in error.errors(include_url=False)}
    return UnreadableEvent(tuple(sorted(faults, key=list(EventFault).index)))


def _fault(where: tuple[int | str, ...]) -> EventFault:
    if not where:
        return EventFault.NO_OBJECT
    return _FIELDS.get(str(where[0]), EventFault.FIELD)


def _alone(_source: object, schema_of: GetCoreSchemaHandler) -> CoreSchema:
    return core_schema.no_info_wrap_validator_function(_read_alone, schema_of(NewEvent))


_Row = Annotated[NewEvent | UnreadableEvent, GetPydanticSchema(_alone)]


class NewEvents(RequestBody):
    """Things that happened, with anybody."""

    events: Annotated[list[_Row], Field(min_length=1, max_length=MAX_ROWS)] = Field(
        description="1 to 500 events, recorded in this order. One that can't be "
        "recorded fails alone."
    )

    def values(self) -> list[IncomingEvent]:
        """Those that can be read."""
        rows = enumerate(self.events)
        return [row.value(number) for number, row in rows if isinstance(row, NewEvent)]

    def failed(self, refused: Mapping[int, EventRefusal]) -> Iterator["FailedEvent"]:
        """Those that can't, and those that are refused, in their order."""
        for number, row in enumerate(self.events):
            if isinstance(row, UnreadableEvent):
                yield FailedEvent.of(number, row.faults)
            elif number in refused:
                yield FailedEvent.of(number, (_REFUSALS[refused[number]],))


class FailedEvent(Shape):
    """An event that wasn't recorded."""

    index: int = Field(description="Its place in the request, counted from 0.")
    code: EventFault = Field(
        description="Names the cause for programs; where several things are wrong, the "
        "first in the order of the codes."
    )
    detail: str = Field(description="How to correct everything that is wrong with it, for people.")

    @classmethod
    def of(cls, index: int, faults: tuple[EventFault, ...]) -> "FailedEvent":
        """The event in this shape; the detail says how to mend everything that is wrong."""
        detail = " ".join(_MENDS[fault] for fault in faults)
        return cls(index=index, code=faults[0], detail=detail)


class EventsRecorded(Shape):
    """What became of each of the events."""

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
        """The counts in this shape, with the events that weren't taken."""
        return cls(
            accepted=results[BatchResult.ACCEPTED],
            duplicates=results[BatchResult.DUPLICATE],
            failed=list(body.failed(refused)),
        )

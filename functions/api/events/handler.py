"""Events: what happened with people, recorded one by one or in batches, and a profile's list."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.answers import JSON
from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import RowLedger, Writes
from storepost.people.events import bulk, listing, recording
from storepost.people.events.bodies import NewEvent
from storepost.people.events.bulk_schemas import EventsRecorded, NewEvents
from storepost.people.events.model import EventSource
from storepost.people.events.schemas import ProfileEvent
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Text, Timestamp

app = create_app(large_bodies=frozenset({"events.createBulk"}))


@app.get("/v1/profiles/<id>/events", operation_id="profiles.listEvents")
def list_events(
    id: Annotated[UUID, Path(description="The profile whose events are listed.")],
    caller: Reader,
    name: Annotated[Text | None, Query(description="Only events with exactly this name.")] = None,
    source: Annotated[
        list[EventSource] | None, Query(description="Only events from this source.")
    ] = None,
    store_id: Annotated[UUID | None, Query(description="Only events of this store.")] = None,
    occurred_from: Annotated[
        Timestamp | None, Query(description="Only events that happened at this moment or later.")
    ] = None,
    occurred_to: Annotated[
        Timestamp | None, Query(description="Only events that happened before this moment.")
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileEvent]:
    """List a profile's events.

    Lists what happened with the person, newest first. A store's orders write `order_placed`,
    `order_cancelled` and, each time that more of one was refunded, `order_refunded`; their `source`
    is the store's platform. Such events stay where they are when the order is deleted or turns out
    to be somebody else's.
    """
    filters = listing.EventFilter(name, source, store_id, occurred_from, occurred_to)
    found = listing.list_events(caller.workspace, id, filters, PageRequest(page, page_size))
    return Page[ProfileEvent].of(found, ProfileEvent.of)


@app.post(
    "/v1/events",
    operation_id="events.create",
    status_code=201,
    responses={
        201: {"description": "The event was recorded."},
        200: {
            "description": "An event with this `uniqueId` was recorded before: this is it, "
            "unchanged."
        },
    },
)
def create_event(caller: Writer, writes: Writes, body: NewEvent) -> Response[ProfileEvent]:
    """Record an event.

    Records something that happened with a person. Where nobody has the email, phone, `anonymousId`
    or `shopifyClientId`, a profile is created. An id must be a profile's; the event of a merged one
    is recorded for the profile that it is part of. It changes no consent and sends nothing.

    With a `uniqueId` it is recorded once: of the events of one name that a profile has, one has it.
    Another such one changes nothing and is answered 200 with the first, whatever else it says.
    """
    event, is_new = recording.record_event(caller, body.value(), writes)
    return Response(201 if is_new else 200, JSON, ProfileEvent.of(event))


@app.post("/v1/events/bulk", operation_id="events.createBulk")
def create_events(caller: Writer, ledger: RowLedger, body: NewEvents) -> EventsRecorded:
    """Record up to 500 events.

    Does what as many requests of one event each would do, in the same order. `failed` names those
    that can't be recorded; the others are recorded all the same.

    The events are recorded some at a time. With an `idempotency-key` a request that was cut short
    continues where it ended, and answers as if it had run once. Without one, only events with a
    `uniqueId` are recognised the second time.
    """
    results, refused = bulk.record_events(caller, body.values(), ledger)
    return EventsRecorded.of(results, body, refused)


lambda_handler = app.handler()

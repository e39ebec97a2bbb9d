"""Consent of a profile: changing it, its history, and write-backs that failed."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from storepost.consent.model import Source
from storepost.consent.states import Channel, ConsentState
from storepost.consent_changes import service
from storepost.consent_changes.schemas import ConsentChange, ConsentUpdate
from storepost.http.app import create_app
from storepost.http.callers import Reader, Writer
from storepost.http.lists import Page, PageNumber, Size
from storepost.http.once import Writes
from storepost.pagination import PageRequest, PageSize

app = create_app()

ChangeId = Annotated[UUID, Path(alias="changeId")]
StoreId = Annotated[UUID, Path(alias="storeId")]


@app.put("/v1/profiles/<id>/consent/email", operation_id="consent.changeEmail")
def change_email_consent(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[ConsentUpdate, Body()]
) -> ConsentChange:
    """Subscribes or unsubscribes the profile's email; answers the latest change of it."""
    proof = body.proof.value() if body.proof else None
    wanted = service.Wanted(body.state, body.occurred_at, proof)
    change = service.change_email_consent(caller, id, wanted, writes)
    return ConsentChange.of(change, service.store_names(caller.workspace, [change]))


@app.get("/v1/profiles/<id>/consent", operation_id="consent.list")
def list_consent_changes(
    id: UUID,
    caller: Reader,
    channel: Annotated[list[Channel] | None, Query()] = None,
    state: Annotated[list[ConsentState] | None, Query()] = None,
    source: Annotated[list[Source] | None, Query()] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ConsentChange]:
    """The profile's changes of either channel, recorded last first."""
    asked = service.ChangeFilter(channel, state, source)
    listing = service.list_changes(caller.workspace, id, asked, PageRequest(page, page_size))
    stores = service.store_names(caller.workspace, listing.items)
    return Page[ConsentChange].of(listing, lambda change: ConsentChange.of(change, stores))


@app.get("/v1/profiles/<id>/consent/<changeId>", operation_id="consent.get")
def get_consent_change(id: UUID, change_id: ChangeId, caller: Reader) -> ConsentChange:
    """One change, with what became of telling each store."""
    change = service.get_change(caller.workspace, id, change_id)
    return ConsentChange.of(change, service.store_names(caller.workspace, [change]))


@app.post(
    "/v1/profiles/<id>/consent/<changeId>/write-backs/<storeId>/retry",
    operation_id="consent.retryWriteBack",
)
def retry_write_back(
    id: UUID, change_id: ChangeId, store_id: StoreId, caller: Writer, writes: Writes
) -> ConsentChange:
    """Tries again to tell a store of a change that it didn't take."""
    change = service.retry_write_back(caller.workspace, id, change_id, store_id, writes)
    return ConsentChange.of(change, service.store_names(caller.workspace, [change]))


lambda_handler = app.handler()

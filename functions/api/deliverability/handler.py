"""Deliverability: addresses that nothing is sent to, and who may be written to."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.answers import JSON
from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import RowLedger, Writes
from storepost.people.consent.states import Channel
from storepost.people.deliverability import importing, lifting, listing, reachability
from storepost.people.deliverability.bodies import AddressesToCheck, SuppressionInput
from storepost.people.deliverability.import_schemas import SuppressionImport, SuppressionsImported
from storepost.people.deliverability.listing import SuppressionFilter
from storepost.people.deliverability.reachability_schemas import CheckedReachabilities
from storepost.people.deliverability.schemas import (
    CheckedSuppression,
    CheckedSuppressions,
    Suppression,
)
from storepost.people.deliverability.suppressing import add_suppression, new_by
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Text, Timestamp

app = create_app()


@app.get("/v1/suppressions", operation_id="suppressions.list")
def list_suppressions(
    caller: Reader,
    q: Search | None = None,
    channel: Annotated[
        list[Channel] | None, Query(description="Only suppressions of such addresses.")
    ] = None,
    reason: Annotated[
        list[SuppressionReason] | None, Query(description="Only suppressions for this reason.")
    ] = None,
    source: Annotated[
        list[SuppressionSource] | None, Query(description="Only suppressions that came this way.")
    ] = None,
    created_from: Annotated[
        Timestamp | None,
        Query(description="Only suppressions that were created at this moment or later."),
    ] = None,
    created_to: Annotated[
        Timestamp | None,
        Query(description="Only suppressions that were created before this moment."),
    ] = None,
    lifted: Annotated[
        bool | None,
        Query(
            description="`true`: the history, which is suppressions that were lifted or that "
            "ended. `false`, or left out: those that nobody lifted."
        ),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Suppression]:
    """List suppressions.

    Lists the addresses that nothing is sent to, the newest first by `createdAt`, with why. An
    address has one suppression for each reason at most. `q` searches addresses. One that ends by
    itself suppresses nothing from `endsAt` on, and leaves the list within the hour that follows.
    """
    filters = SuppressionFilter(q, channel, reason, source, created_from, created_to, bool(lifted))
    found = listing.list_suppressions(caller.workspace, filters, PageRequest(page, page_size))
    return Page[Suppression].of(found, Suppression.from_model)


@app.post(
    "/v1/suppressions",
    operation_id="suppressions.create",
    status_code=201,
    responses={
        201: {"description": "The address is suppressed for this reason from now on."},
        200: {"description": "The address was suppressed for this reason already: that one."},
    },
)
def create_suppression(
    caller: Writer, writes: Writes, body: SuppressionInput
) -> Response[Suppression]:
    """Suppress an address.

    Nothing is sent to the address from then on, whoever has it and whatever they consented to. With
    `manual` what the person needs may still be sent, such as an order's confirmation. Consent isn't
    changed, but for a `complaint`: it also unsubscribes the address, and that is written back to
    the stores. It does so where a profile has the address, and where what its former owner agreed
    to still counts. The address needn't be known: a person who gets it later is suppressed, too.
    """
    new = new_by(caller, body.reason, note=body.note)
    suppression, is_new = add_suppression(writes, caller.workspace, body.value, new)
    return Response(201 if is_new else 200, JSON, Suppression.from_model(suppression))


@app.post("/v1/suppressions/import", operation_id="suppressions.import")
def import_suppressions(
    caller: Writer, ledger: RowLedger, body: SuppressionImport
) -> SuppressionsImported:
    """Import up to 500 suppressions.

    Imports suppressions from elsewhere, as `POST /suppressions` does with one. `failed` names those
    that can't be read; the others are imported all the same. They are imported some at a time. With
    an `idempotency-key` a request that was cut short continues where it ended, and answers as if it
    had run once; without one, what it had imported is `known` the second time.
    """
    results = importing.import_suppressions(caller, body.values, ledger)
    return SuppressionsImported.of(results, body)


@app.post("/v1/suppressions/check", operation_id="suppressions.check")
def check_suppressions(caller: Reader, body: AddressesToCheck) -> CheckedSuppressions:
    """Check up to 500 addresses for suppressions.

    Says which of the addresses are suppressed, also where their people were erased. A change of the
    last second may be missing. Right before you send, ask `POST /reachability/check` instead: it
    misses none, and knows of consent too.
    """
    found = reachability.check_suppressions(caller.workspace, body.values)
    return CheckedSuppressions(items=[CheckedSuppression.of(*each) for each in found])


@app.get("/v1/suppressions/<id>", operation_id="suppressions.get")
def get_suppression(
    id: Annotated[UUID, Path(description="The suppression to read.")], caller: Reader
) -> Suppression:
    """Get a suppression.

    Answers one suppression, also one that was lifted.
    """
    return Suppression.from_model(listing.get_suppression(caller.workspace, id))


@app.delete(
    "/v1/suppressions/<id>",
    operation_id="suppressions.delete",
    status_code=204,
    response_description="The suppression is lifted.",
)
def lift_suppression(
    id: Annotated[UUID, Path(description="The suppression to lift.")],
    caller: Writer,
    writes: Writes,
    note: Annotated[
        Text | None,
        Query(
            description="Why it is lifted, such as that the person has asked for it. Required for "
            "a `hard_bounce` and a `complaint`."
        ),
    ] = None,
) -> None:
    """Lift a suppression.

    The address may be written to again, as far as its other suppressions and its consent say so.
    Lifting changes no consent: who complained stays unsubscribed. Only owners and admins lift a
    `complaint`, and keys that one of them made. The suppression is kept in the history
    (`GET /suppressions?lifted=true`). One that is lifted already is 204 too.
    """
    lifting.lift_suppression(caller, id, note, writes)


@app.post("/v1/reachability/check", operation_id="reachability.check")
def check_reachability(caller: Reader, body: AddressesToCheck) -> CheckedReachabilities:
    """Check whether up to 500 addresses may be written to.

    Ask this right before you send: it says for each address whether marketing may be sent, whether
    what the person needs may be sent, and why not. It counts everything that was written before.
    """
    return CheckedReachabilities.of(reachability.check_reachability(caller.workspace, body.values))


lambda_handler = app.handler()

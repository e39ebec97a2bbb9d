"""Coupons and their codes: made here or brought in a file, and handed out once each."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.coupons import changing, code_listing, listing, service
from storepost.coupons.assigning import assign_code
from storepost.coupons.bodies import (
    CodeAssignment,
    CouponBody,
    CouponImportBody,
    CouponImportCheckBody,
    CouponTopUp,
    CouponUpdate,
)
from storepost.coupons.checking import check_import
from storepost.coupons.code_listing import CodeFilter
from storepost.coupons.code_schemas import CouponCode
from storepost.coupons.listing import CouponFilter
from storepost.coupons.model import CodeStatus, CouponKind, CouponSource, CouponStatus
from storepost.coupons.schemas import Coupon, CouponImportCheck
from storepost.values.pagination import PageRequest, PageSize

app = create_app(
    large_bodies=frozenset({"coupons.checkImport", "coupons.import", "coupons.createCodes"})
)

Sort = Literal["createdAt", "-createdAt", "name", "-name"]


@app.get("/v1/coupons", operation_id="coupons.list")
def list_coupons(
    caller: Reader,
    store_id: Annotated[UUID | None, Query(alias="storeId")] = None,
    status: Annotated[list[CouponStatus] | None, Query()] = None,
    source: Annotated[list[CouponSource] | None, Query()] = None,
    kind: Annotated[list[CouponKind] | None, Query()] = None,
    q: Search | None = None,
    sort: Annotated[Sort, Query()] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Coupon]:
    """The workspace's coupons, the newest first; archived ones only where `status` asks for them.

    `q` looks at names.
    """
    filters = CouponFilter(store_id=store_id, statuses=status, sources=source, kinds=kind, q=q)
    request = PageRequest(page, page_size)
    found = listing.list_coupons(caller.workspace, filters, sort, request)
    return Page[Coupon].of(found, Coupon.of)


@app.post("/v1/coupons", operation_id="coupons.create", status_code=201)
def create_coupon(caller: Writer, writes: Writes, body: Annotated[CouponBody, Body()]) -> Coupon:
    """Makes a coupon. The codes of a bulk one are made in the background, the first ones at once.

    In a Shopify shop it becomes a discount, and a code is `pending` until the shop has taken it.
    """
    filled = service.create_coupon(caller.workspace, body.store_id, body.details(), writes)
    return Coupon.of(listing.as_filled(filled))


@app.post("/v1/coupons/import/check", operation_id="coupons.checkImport")
def check_coupon_import(
    caller: Writer, body: Annotated[CouponImportCheckBody, Body()]
) -> CouponImportCheck:
    """Says what importing a file of codes would do; nothing is kept."""
    check = check_import(caller.workspace, body.store_id, body.content, body.column)
    return CouponImportCheck.of(check)


@app.post("/v1/coupons/import", operation_id="coupons.import", status_code=202)
def import_coupon(
    caller: Writer, writes: Writes, body: Annotated[CouponImportBody, Body()]
) -> Coupon:
    """Makes a coupon of the codes of a file, which are `pending` until they are stored.

    Codes that stand in the file twice, that the store has already, or that are none are skipped.
    """
    fields, content = body.details(), body.content
    filled = service.import_coupon(
        caller.workspace, body.store_id, fields, content, body.column, writes
    )
    return Coupon.of(listing.as_filled(filled))


@app.get("/v1/coupons/<id>", operation_id="coupons.get")
def get_coupon(id: UUID, caller: Reader) -> Coupon:
    """One coupon, with how many codes it has of each status."""
    return Coupon.of(listing.get_coupon(caller.workspace, id))


@app.patch("/v1/coupons/<id>", operation_id="coupons.update")
def update_coupon(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[CouponUpdate, Body()]
) -> Coupon:
    """Changes a coupon's name, or when people get another code."""
    after = service.update_coupon(caller.workspace, id, body.fields(), writes)
    return Coupon.of(listing.as_changed(after))


@app.post("/v1/coupons/<id>/codes", operation_id="coupons.createCodes", status_code=202)
def create_codes(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[CouponTopUp, Body()]
) -> Coupon:
    """Adds codes to a pool: so many new ones, or to an imported coupon those of a file."""
    filled = service.top_up(
        caller.workspace,
        id,
        writes,
        quantity=body.quantity,
        content=body.content,
        column=body.column,
    )
    return Coupon.of(listing.as_filled(filled))


@app.post("/v1/coupons/<id>/end", operation_id="coupons.end")
def end_coupon(id: UUID, caller: Writer, writes: Writes) -> Coupon:
    """Stops a coupon: codes that nobody has expire, and those that people have stay good."""
    after = service.end_coupon(caller.workspace, id, writes)
    return Coupon.of(listing.as_changed(after))


@app.post("/v1/coupons/<id>/archive", operation_id="coupons.archive")
def archive_coupon(id: UUID, caller: Writer, writes: Writes) -> Coupon:
    """Hides a coupon that has ended from the list."""
    after = service.archive_coupon(caller.workspace, id, writes)
    return Coupon.of(listing.as_changed(after))


@app.get("/v1/coupons/<id>/codes", operation_id="coupons.listCodes")
def list_codes(
    id: UUID,
    caller: Reader,
    q: Search | None = None,
    status: Annotated[list[CodeStatus] | None, Query()] = None,
    profile_id: Annotated[UUID | None, Query(alias="profileId")] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[CouponCode]:
    """A coupon's codes, the newest first: a custom store takes those that it is to honour here."""
    filters = CodeFilter(q=q, statuses=status, profile_id=profile_id)
    found = code_listing.list_codes(caller.workspace, id, filters, PageRequest(page, page_size))
    return Page[CouponCode].of(found, CouponCode.of)


@app.post("/v1/coupons/<id>/assign", operation_id="coupons.assign")
def assign(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[CodeAssignment, Body()]
) -> Response[CouponCode]:
    """Gives a person a code, or answers the one that they keep. No code is given to two people."""
    assigned = assign_code(caller.workspace, id, body.profile_id, body.reference, writes)
    status = 201 if assigned.is_new else 200
    return Response(status, "application/json", CouponCode.of(listing.as_assigned(assigned)))


@app.post("/v1/coupon-codes/<id>/retry", operation_id="couponCodes.retry")
def retry_code(id: UUID, caller: Writer, writes: Writes) -> CouponCode:
    """Has the store's platform asked again to take a code that failed."""
    coupon, code = changing.retry_code(caller.workspace, id, writes)
    [viewed] = code_listing.code_views(coupon, [code])
    return CouponCode.of(viewed)


@app.delete("/v1/coupon-codes/<id>", operation_id="couponCodes.delete", status_code=204)
def delete_code(id: UUID, caller: Writer, writes: Writes) -> None:
    """Deletes a code that nobody has."""
    changing.delete_code(caller.workspace, id, writes)


lambda_handler = app.handler()

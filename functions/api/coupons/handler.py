"""Coupons and their codes: generated or imported from a file, and handed out once each."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

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
    store_id: Annotated[UUID | None, Query(description="Only coupons of this store.")] = None,
    status: Annotated[
        list[CouponStatus] | None,
        Query(
            description="Only coupons of this status; `active` and `ended` where it is left out."
        ),
    ] = None,
    source: Annotated[
        list[CouponSource] | None,
        Query(description="Only coupons whose codes come from this source."),
    ] = None,
    kind: Annotated[
        list[CouponKind] | None, Query(description="Only coupons of this kind.")
    ] = None,
    q: Search | None = None,
    sort: Annotated[
        Sort,
        Query(
            description="By when the coupons were made, or by their names without case and "
            "accents; `-` turns the order round."
        ),
    ] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Coupon]:
    """List coupons.

    The coupons of all stores, the newest first. Archived ones are listed only where `status` asks
    for them. `q` looks at names; a single code is found by `GET /search`.
    """
    filters = CouponFilter(store_id=store_id, statuses=status, sources=source, kinds=kind, q=q)
    request = PageRequest(page, page_size)
    found = listing.list_coupons(caller.workspace, filters, sort, request)
    return Page[Coupon].of(found, Coupon.of)


@app.post("/v1/coupons", operation_id="coupons.create", status_code=201)
def create_coupon(caller: Writer, writes: Writes, body: CouponBody) -> Coupon:
    """Create a coupon.

    Storepost makes the codes: one for each person as it is assigned, or many in the background, of
    which the first are there at once. In a Shopify shop the coupon becomes a discount that each
    code is good for once, and a code is `pending` until the shop has taken it. A custom store reads
    its codes with `GET /coupons/{id}/codes` and has to honour them itself. Nobody gets an email.

    What the coupon is worth and how long it is valid can't be changed later.
    """
    filled = service.create_coupon(caller.workspace, body.store_id, body.details(), writes)
    return Coupon.of(listing.as_filled(filled))


@app.post("/v1/coupons/import/check", operation_id="coupons.checkImport")
def check_coupon_import(caller: Writer, body: CouponImportCheckBody) -> CouponImportCheck:
    """Check a file of coupon codes.

    Says which column has the codes, how many an import would add and what is wrong with the other
    rows. Nothing is stored.
    """
    check = check_import(caller.workspace, body.store_id, body.content, body.column)
    return CouponImportCheck.of(check)


@app.post(
    "/v1/coupons/import",
    operation_id="coupons.import",
    status_code=202,
    response_description="The coupon is created; its codes are stored in the background.",
)
def import_coupon(caller: Writer, writes: Writes, body: CouponImportBody) -> Coupon:
    """Import a coupon's codes from a file.

    Makes a coupon of kind `bulk` with the codes of the file, which are stored in the background and
    are `pending` until then. Codes that are in the file twice, that the store has already, or that
    are none are skipped and counted in `importSkipped`. The codes must be good in the store
    already: no discount is made in a Shopify shop.
    """
    fields, content = body.details(), body.content
    filled = service.import_coupon(
        caller.workspace, body.store_id, fields, content, body.column, writes
    )
    return Coupon.of(listing.as_filled(filled))


@app.get("/v1/coupons/<id>", operation_id="coupons.get")
def get_coupon(
    id: Annotated[UUID, Path(description="The coupon that is read.")], caller: Reader
) -> Coupon:
    """Get a coupon.

    The coupon, an archived one too, with how many codes it has of each status.
    """
    return Coupon.of(listing.get_coupon(caller.workspace, id))


@app.patch("/v1/coupons/<id>", operation_id="coupons.update")
def update_coupon(
    id: Annotated[UUID, Path(description="The coupon that is changed.")],
    caller: Writer,
    writes: Writes,
    body: CouponUpdate,
) -> Coupon:
    """Update a coupon.

    Changes its name, or when people get another code; what is left out stays. An archived coupon
    can't be changed. A discount that a Shopify shop has already stays as it is.
    """
    after = service.update_coupon(caller.workspace, id, body.fields(), writes)
    return Coupon.of(listing.as_changed(after))


@app.post(
    "/v1/coupons/<id>/codes",
    operation_id="coupons.createCodes",
    status_code=202,
    response_description="The codes are counted as `pending`, and are added in the background.",
)
def create_codes(
    id: Annotated[UUID, Path(description="The coupon that gets more codes.")],
    caller: Writer,
    writes: Writes,
    body: CouponTopUp,
) -> Coupon:
    """Add codes to a coupon.

    A coupon of kind `bulk` gets more codes: new ones where Storepost makes them, those of a file
    where it was imported. They are made or stored in the background; the answer counts them as
    `pending` until they are there.
    """
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
def end_coupon(
    id: Annotated[UUID, Path(description="The coupon that ends.")], caller: Writer, writes: Writes
) -> Coupon:
    """End a coupon.

    It gives no more codes out, and can't be started again. Codes that nobody has expire, and a
    Shopify shop deletes them. Codes that people have stay good until their own end.
    """
    after = service.end_coupon(caller.workspace, id, writes)
    return Coupon.of(listing.as_changed(after))


@app.post("/v1/coupons/<id>/archive", operation_id="coupons.archive")
def archive_coupon(
    id: Annotated[UUID, Path(description="The coupon that is archived.")],
    caller: Writer,
    writes: Writes,
) -> Coupon:
    """Archive a coupon.

    Hides a coupon that has ended from lists; search finds it by its id and its codes alone. Codes
    that people have stay as they are. It can't be taken back.
    """
    after = service.archive_coupon(caller.workspace, id, writes)
    return Coupon.of(listing.as_changed(after))


@app.get("/v1/coupons/<id>/codes", operation_id="coupons.listCodes")
def list_codes(
    id: Annotated[UUID, Path(description="The coupon whose codes are listed.")],
    caller: Reader,
    q: Search | None = None,
    status: Annotated[
        list[CodeStatus] | None, Query(description="Only codes of this status.")
    ] = None,
    profile_id: Annotated[
        UUID | None,
        Query(
            description="Only codes that this person got. The id of a merged profile finds those "
            "of the profile that remains."
        ),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[CouponCode]:
    """List a coupon's codes.

    The codes with the people who have them and the orders that used them, the newest first. `q`
    looks at the codes. A custom store reads by this operation which codes it has to honour.
    """
    filters = CodeFilter(q=q, statuses=status, profile_id=profile_id)
    found = code_listing.list_codes(caller.workspace, id, filters, PageRequest(page, page_size))
    return Page[CouponCode].of(found, CouponCode.of)


@app.post("/v1/coupons/<id>/assign", operation_id="coupons.assign")
def assign(
    id: Annotated[UUID, Path(description="The coupon that the code is taken from.")],
    caller: Writer,
    writes: Writes,
    body: CodeAssignment,
) -> Response[CouponCode]:
    """Assign a code to a person.

    Gives the person a code (201), or answers the one that they keep by the coupon's `reissue`
    (200). No code is given to two people. A personal code of a Shopify shop is `pending` until the
    shop has taken it: read it again before you send it. Storepost doesn't email it.
    """
    assigned = assign_code(caller.workspace, id, body.profile_id, body.reference, writes)
    status = 201 if assigned.is_new else 200
    return Response(status, "application/json", CouponCode.of(listing.as_assigned(assigned)))


@app.get("/v1/coupon-codes/<id>", operation_id="couponCodes.get")
def get_code(
    id: Annotated[UUID, Path(description="The code that is read.")], caller: Reader
) -> CouponCode:
    """Get a coupon code.

    One code with the person who has it and the order that used it. After `pending` its `status`
    says whether the Shopify shop accepted the code.
    """
    coupon, code = changing.get_code(caller.workspace, id)
    [viewed] = code_listing.code_views(coupon, [code])
    return CouponCode.of(viewed)


@app.post("/v1/coupon-codes/<id>/retry", operation_id="couponCodes.retry")
def retry_code(
    id: Annotated[UUID, Path(description="The failed code that is tried again.")],
    caller: Writer,
    writes: Writes,
) -> CouponCode:
    """Retry a failed code.

    Asks the Shopify shop again, in the background, to take the code, which is `pending` meanwhile.
    """
    coupon, code = changing.retry_code(caller.workspace, id, writes)
    [viewed] = code_listing.code_views(coupon, [code])
    return CouponCode.of(viewed)


@app.delete(
    "/v1/coupon-codes/<id>",
    operation_id="couponCodes.delete",
    status_code=204,
    response_description="The code is deleted.",
)
def delete_code(
    id: Annotated[UUID, Path(description="The code that is deleted.")],
    caller: Writer,
    writes: Writes,
) -> None:
    """Delete a code that nobody has.

    Deletes a code whose status is `available` or `failed`. It is deleted in its Shopify shop, too.
    """
    changing.delete_code(caller.workspace, id, writes)


lambda_handler = app.handler()

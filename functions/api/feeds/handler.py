"""Product feeds: looking at one before it is imported, keeping them, and their imports."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.feeds.feeds import listing, service
from storepost.feeds.feeds.listing import FeedFilter, feed_view
from storepost.feeds.feeds.model import FeedImportStatus, FeedMode, LatestFeedImport
from storepost.feeds.feeds.schemas import (
    Feed,
    FeedDraft,
    FeedImport,
    FeedSkippedRow,
    FeedSource,
    FeedUpdate,
    NewFeed,
)
from storepost.feeds.imports.checking import check_feed, preview_feed
from storepost.feeds.imports.schemas import FeedCheck, FeedPreview
from storepost.platform.budgets.slots import fetch_slot
from storepost.values.pagination import PageRequest, PageSize

app = create_app()

Sort = Literal["name", "-name", "createdAt", "-createdAt", "rank", "-rank"]
ImportId = Annotated[UUID, Path(alias="importId")]


@app.post("/v1/feeds/preview", operation_id="feeds.preview")
def preview(caller: Writer, _writes: Writes, body: Annotated[FeedSource, Body()]) -> FeedPreview:
    """What a feed's first rows have, and what its columns probably are; nothing is kept of them.

    It reads the first 10,000 rows, a million cells, 20 MB, 15 seconds or 1.2 seconds of computing,
    whichever ends first, and shows the first 500 columns. Four previews and checks of a workspace
    run at once, at most.
    """
    with fetch_slot(caller.workspace, app.lambda_context.get_remaining_time_in_millis()):
        return FeedPreview.of(preview_feed(caller.workspace, body.store_id, body.url))


@app.post("/v1/feeds/check", operation_id="feeds.check")
def check(caller: Writer, _writes: Writes, body: Annotated[FeedDraft, Body()]) -> FeedCheck:
    """What an import of a feed's first rows would do; nothing is kept of them.

    It reads as much as a preview, and counts as an import does. Four previews and checks of a
    workspace run at once, at most.
    """
    with fetch_slot(caller.workspace, app.lambda_context.get_remaining_time_in_millis()):
        return FeedCheck.of(check_feed(caller.workspace, body.store_id, body.settings()))


@app.get("/v1/feeds", operation_id="feeds.list")
def list_feeds(
    caller: Reader,
    store_id: Annotated[UUID | None, Query(alias="storeId")] = None,
    q: Search | None = None,
    mode: Annotated[list[FeedMode] | None, Query()] = None,
    import_status: Annotated[list[LatestFeedImport] | None, Query(alias="importStatus")] = None,
    sort: Annotated[Sort, Query()] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Feed]:
    """The workspace's feeds; `importStatus` is that of `latestImport`."""
    filters = FeedFilter(store_id, q, mode, import_status)
    found = listing.list_feeds(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[Feed].of(found, Feed.of)


@app.post("/v1/feeds", operation_id="feeds.create", status_code=201)
def create_feed(caller: Writer, writes: Writes, body: Annotated[NewFeed, Body()]) -> Feed:
    """Creates a feed, the last of its store's product sources, and queues its first import.

    It is imported every six hours from then on.
    """
    return Feed.of(service.create_feed(caller.workspace, body.store_id, body.settings(), writes))


@app.get("/v1/feeds/<id>", operation_id="feeds.get")
def get_feed(id: UUID, caller: Reader) -> Feed:
    """A feed with its latest import."""
    return Feed.of(feed_view(caller.workspace, listing.found_feed(caller.workspace, id)))


@app.patch("/v1/feeds/<id>", operation_id="feeds.update")
def update_feed(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[FeedUpdate, Body()]
) -> Feed:
    """Changes a feed; an import is queued unless only its name changed."""
    return Feed.of(service.update_feed(caller.workspace, id, body.fields(), writes))


@app.delete("/v1/feeds/<id>", operation_id="feeds.delete", status_code=204)
def delete_feed(id: UUID, caller: Writer, writes: Writes) -> None:
    """Deletes a feed and its imports; products fall back to what other sources say of them."""
    service.delete_feed(caller.workspace, id, writes)


@app.get("/v1/feeds/<id>/imports", operation_id="feeds.listImports")
def list_imports(
    id: UUID,
    caller: Reader,
    status: Annotated[list[FeedImportStatus] | None, Query()] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[FeedImport]:
    """A feed's imports, most recently queued first."""
    request = PageRequest(page, page_size)
    found = listing.list_feed_imports(caller.workspace, id, status, request)
    return Page[FeedImport].of(found, FeedImport.of)


@app.post("/v1/feeds/<id>/imports", operation_id="feeds.createImport", status_code=202)
def create_import(id: UUID, caller: Writer, writes: Writes) -> Response[FeedImport]:
    """Queues an import now (202), or answers the one that waits already (200)."""
    found, is_new = service.request_import(caller.workspace, id, writes)
    return Response(202 if is_new else 200, "application/json", FeedImport.of(found))


@app.get("/v1/feeds/<id>/imports/<importId>", operation_id="feeds.getImport")
def get_import(id: UUID, import_id: ImportId, caller: Reader) -> FeedImport:
    """One import, with what it has counted so far."""
    return FeedImport.of(listing.found_import(caller.workspace, id, import_id))


@app.get("/v1/feeds/<id>/imports/<importId>/skipped-rows", operation_id="feeds.listSkippedRows")
def list_skipped_rows(
    id: UUID,
    import_id: ImportId,
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[FeedSkippedRow]:
    """The rows that an import skipped and why, in the file's order; the first 10,000 are kept.

    Rows that it imported without their price, because that is in another currency than the store's,
    stand among them; the import's `skipped` doesn't count these.
    """
    request = PageRequest(page, page_size)
    found = listing.list_skipped(caller.workspace, id, import_id, request)
    return Page[FeedSkippedRow].of(found, FeedSkippedRow.of)


lambda_handler = app.handler()

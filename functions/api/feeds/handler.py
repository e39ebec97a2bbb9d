"""Product feeds: looking at one before it is imported, keeping them, and their imports."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.feeds.feeds import listing, service
from storepost.feeds.feeds.import_schemas import FeedImport, FeedSkippedRow
from storepost.feeds.feeds.listing import FeedFilter, feed_view
from storepost.feeds.feeds.model import FeedImportStatus, FeedMode, LatestFeedImport
from storepost.feeds.feeds.schemas import Feed, FeedDraft, FeedSource, FeedUpdate, NewFeed
from storepost.feeds.imports.checking import check_feed, preview_feed
from storepost.feeds.imports.schemas import FeedCheck, FeedPreview
from storepost.platform.budgets.slots import fetch_slot
from storepost.values.pagination import PageRequest, PageSize

app = create_app()

Sort = Literal["name", "-name", "createdAt", "-createdAt", "rank", "-rank"]


@app.post("/v1/feeds/preview", operation_id="feeds.preview")
def preview(caller: Writer, _writes: Writes, body: FeedSource) -> FeedPreview:
    """Preview a feed.

    Fetches the beginning of a file and says which columns it has and what they probably are. Use
    that to make the `mapping`. Nothing is stored.

    It reads the first 10,000 rows, a million cells, 20 MB, 15 seconds or 1.2 seconds of computing,
    whichever ends first, and shows the first 500 columns. Four previews and checks of a workspace
    run at once, at most.
    """
    with fetch_slot(caller.workspace, app.lambda_context.get_remaining_time_in_millis()):
        return FeedPreview.of(preview_feed(caller.workspace, body.store_id, body.url))


@app.post("/v1/feeds/check", operation_id="feeds.check")
def check(caller: Writer, _writes: Writes, body: FeedDraft) -> FeedCheck:
    """Check a feed.

    Says what an import of the file's first rows would do with this mapping: how many would be
    imported, and why others would not. Nothing is stored. It reads as much as a preview does, and
    counts as an import does. Four previews and checks of a workspace run at once, at most.
    """
    with fetch_slot(caller.workspace, app.lambda_context.get_remaining_time_in_millis()):
        return FeedCheck.of(check_feed(caller.workspace, body.store_id, body.settings()))


@app.get("/v1/feeds", operation_id="feeds.list")
def list_feeds(
    caller: Reader,
    store_id: Annotated[UUID | None, Query(description="Only feeds of this store.")] = None,
    q: Search | None = None,
    mode: Annotated[list[FeedMode] | None, Query(description="Only feeds of this mode.")] = None,
    import_status: Annotated[
        list[LatestFeedImport] | None,
        Query(
            description="Only feeds whose `latestImport` has this status; `none` for feeds without "
            "one."
        ),
    ] = None,
    sort: Annotated[
        Sort,
        Query(
            description="By name without case and accents, by when the feeds were created, or by "
            "their rank in their store; `-` turns the order round."
        ),
    ] = "-createdAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[Feed]:
    """List feeds.

    The feeds of all stores with their latest imports, the newest first. `q` looks at names.
    """
    filters = FeedFilter(store_id, q, mode, import_status)
    found = listing.list_feeds(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[Feed].of(found, Feed.of)


@app.post("/v1/feeds", operation_id="feeds.create", status_code=201)
def create_feed(caller: Writer, writes: Writes, body: NewFeed) -> Feed:
    """Create a feed.

    The feed becomes the last of its store's product sources, and its first import is queued. From
    then on it is imported every six hours. The address isn't fetched before the answer: try it with
    a preview or a check first.
    """
    return Feed.of(service.create_feed(caller.workspace, body.store_id, body.settings(), writes))


@app.get("/v1/feeds/<id>", operation_id="feeds.get")
def get_feed(
    id: Annotated[UUID, Path(description="The feed that is read.")], caller: Reader
) -> Feed:
    """Get a feed.

    The feed with its latest import.
    """
    return Feed.of(feed_view(caller.workspace, listing.found_feed(caller.workspace, id)))


@app.patch("/v1/feeds/<id>", operation_id="feeds.update")
def update_feed(
    id: Annotated[UUID, Path(description="The feed that is changed.")],
    caller: Writer,
    writes: Writes,
    body: FeedUpdate,
) -> Feed:
    """Update a feed.

    Changes what is sent; what is left out stays. An import with the new settings is queued unless
    only the name changed, or the store is disconnected. Products follow with that import.
    """
    return Feed.of(service.update_feed(caller.workspace, id, body.fields(), writes))


@app.delete(
    "/v1/feeds/<id>",
    operation_id="feeds.delete",
    status_code=204,
    response_description="The feed is deleted; its products follow in the background.",
)
def delete_feed(
    id: Annotated[UUID, Path(description="The feed that is deleted.")],
    caller: Writer,
    writes: Writes,
) -> None:
    """Delete a feed.

    Deletes the feed and its imports; it leaves the store's field priority. In the background
    products fall back to what other sources say of them, and those that only this feed had are
    removed.
    """
    service.delete_feed(caller.workspace, id, writes)


@app.get("/v1/feeds/<id>/imports", operation_id="feeds.listImports")
def list_imports(
    id: Annotated[UUID, Path(description="The feed whose imports are listed.")],
    caller: Reader,
    status: Annotated[
        list[FeedImportStatus] | None,
        Query(description="Only imports of this status."),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[FeedImport]:
    """List a feed's imports.

    All imports of the feed, the one that was queued last first.
    """
    request = PageRequest(page, page_size)
    found = listing.list_feed_imports(caller.workspace, id, status, request)
    return Page[FeedImport].of(found, FeedImport.of)


@app.post(
    "/v1/feeds/<id>/imports",
    operation_id="feeds.createImport",
    status_code=202,
    response_description="The feed's import is queued, and runs in the background.",
)
def create_import(
    id: Annotated[UUID, Path(description="The feed that is imported.")],
    caller: Writer,
    writes: Writes,
) -> Response[FeedImport]:
    """Import a feed now.

    Queues an import (202), or answers the one that waits already (200). It runs in the background,
    after the one that runs. Other than an import by schedule it doesn't fail where it removes more
    than half of the feed's rows.
    """
    found, is_new = service.request_import(caller.workspace, id, writes)
    return Response(202 if is_new else 200, "application/json", FeedImport.of(found))


@app.get("/v1/feeds/<id>/imports/<importId>", operation_id="feeds.getImport")
def get_import(
    id: Annotated[UUID, Path(description="The feed whose import is read.")],
    import_id: Annotated[UUID, Path(description="The feed's import that is read, by its id.")],
    caller: Reader,
) -> FeedImport:
    """Get an import of a feed.

    How far the import is, and what it has counted so far.
    """
    return FeedImport.of(listing.found_import(caller.workspace, id, import_id))


@app.get("/v1/feeds/<id>/imports/<importId>/skipped-rows", operation_id="feeds.listSkippedRows")
def list_skipped_rows(
    id: Annotated[UUID, Path(description="The feed whose import skipped the rows.")],
    import_id: Annotated[UUID, Path(description="The import whose skipped rows are listed.")],
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[FeedSkippedRow]:
    """List the rows that an import skipped.

    Each row with the reason, in the file's order; the first 10,000 are kept. Rows that were
    imported without their price, because that is in another currency than the store's, are among
    them; the import's `skipped` doesn't count these.
    """
    request = PageRequest(page, page_size)
    found = listing.list_skipped(caller.workspace, id, import_id, request)
    return Page[FeedSkippedRow].of(found, FeedSkippedRow.from_model)


lambda_handler = app.handler()

"""Stores: connecting custom ones, their locales, and where consent is written back to."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin, Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.catalog.products.store_terms import connect_store, set_locales
from storepost.overview.store_details.schemas import Store
from storepost.overview.store_details.service import (
    details_of,
    details_of_id,
    details_once_disconnected,
)
from storepost.people.consent.missed_write_backs import has_missed
from storepost.people.consent.resending import resend_missed
from storepost.stores.imports.turns import LatestImportStatus
from storepost.stores.stores import service
from storepost.stores.stores.finding import found_store, store_with_write_back
from storepost.stores.stores.listing import StoreFilter
from storepost.stores.stores.listing import list_stores as find_stores
from storepost.stores.stores.model import ConnectionStatus, Platform, StoreStatus
from storepost.stores.stores.repository import StoreRepository
from storepost.stores.stores.schemas import (
    NewStore,
    NewWriteBack,
    StoreLocale,
    StoreLocales,
    StoreSummary,
    StoreUpdate,
    WriteBack,
    WriteBackSecret,
)
from storepost.stores.stores.write_back import WriteBackRepository
from storepost.values.pagination import PageRequest, PageSize, cut
from storepost.values.problems import NotFound, needed

app = create_app()

Sort = Literal["name", "-name", "connectedAt", "-connectedAt"]


@app.get("/v1/stores", operation_id="stores.list")
def list_stores(
    caller: Reader,
    q: Search | None = None,
    platform: Annotated[
        list[Platform] | None, Query(description="Only stores on this platform.")
    ] = None,
    status: Annotated[
        list[StoreStatus] | None, Query(description="Only stores with this status.")
    ] = None,
    connection_status: Annotated[
        list[ConnectionStatus] | None,
        Query(description="Only stores whose connection has this status."),
    ] = None,
    import_status: Annotated[
        list[LatestImportStatus] | None,
        Query(
            description="Only stores whose imports are at this status: the one that runs "
            "or waits, else the latest."
        ),
    ] = None,
    sort: Annotated[
        Sort,
        Query(
            description="What to sort by; `-` before it reverses the order. Most recently "
            "connected first (`-connectedAt`) if left out."
        ),
    ] = "-connectedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[StoreSummary]:
    """List stores.

    Lists the workspace's stores, disconnected ones too, most recently connected first unless `sort`
    says otherwise. `q` searches names and external ids.
    """
    filters = StoreFilter(q, platform, status, connection_status, import_status)
    listing = find_stores(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[StoreSummary].of(listing, StoreSummary.of)


@app.post(
    "/v1/stores",
    operation_id="stores.create",
    status_code=201,
    responses={
        201: {"description": "The store was connected for the first time."},
        200: {
            "description": "The store was disconnected, and is connected again under its old id."
        },
    },
)
def create_store(caller: Writer, writes: Writes, body: NewStore) -> Response[Store]:
    """Connect a custom store.

    Connects a store of your own platform: its customers, orders and products come by `PUT` or in
    batches. Its locale becomes one of the workspace's. The external id of a disconnected store
    connects that store again, under its old id and with all that it had; what is given replaces its
    name, addresses and terms. It is then sent the changes of consent that it missed and that still
    hold.
    """
    store, is_new = connect_store(caller.workspace, body.value(), writes)
    if not is_new:
        resend_missed(writes, caller.workspace, store.id)
    return Response(201 if is_new else 200, "application/json", Store.of(details_of(store)))


@app.get("/v1/stores/<id>", operation_id="stores.get")
def get_store(id: Annotated[UUID, Path(description="The store to read.")], caller: Reader) -> Store:
    """Get a store.

    Answers the store whole, with counts that are the totals of its lists, and with its imports.
    """
    return Store.of(details_of_id(caller.workspace, id))


@app.patch(
    "/v1/stores/<id>", operation_id="stores.update", response_description="The store as it is now."
)
def update_store(
    id: Annotated[UUID, Path(description="The custom store to change.")],
    caller: Writer,
    writes: Writes,
    body: StoreUpdate,
) -> Store:
    """Update a custom store.

    Changes its name or addresses. Currency, external id and platform never change; its primary
    locale changes with its locales. A Shopify shop is changed in Shopify, and Storepost follows.
    """
    return Store.of(details_of(service.update_store(caller.workspace, id, body.fields(), writes)))


@app.post(
    "/v1/stores/<id>/disconnect",
    operation_id="stores.disconnect",
    response_description="The store, which is disconnected now.",
)
def disconnect_store(
    id: Annotated[UUID, Path(description="The store to disconnect.")], caller: Admin, writes: Writes
) -> Store:
    """Disconnect a store.

    The store sends and receives nothing any more: imports that run or wait fail with
    `store_disconnected`, its feeds rest and nothing is written back. Its data stays. From a Shopify
    shop the app is removed, and two days later Shopify demands that the shop's people and orders be
    deleted: they are, unless it is connected again by then. Connecting it again keeps the store's
    id.
    """
    from storepost.connections.connections.service import disconnect  # noqa: PLC0415 - 20 modules, for this alone

    return Store.of(details_once_disconnected(disconnect(caller.workspace, id, writes)))


@app.get("/v1/stores/<id>/locales", operation_id="stores.listLocales")
def list_store_locales(
    id: Annotated[UUID, Path(description="The store whose locales are listed.")],
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[StoreLocale]:
    """List a store's locales.

    Lists a store's languages and countries in the store's own order; exactly one is primary.
    """
    store = found_store(StoreRepository(caller.workspace), id)
    listing = cut(store.locales, PageRequest(page, page_size))
    return Page[StoreLocale].of(listing, StoreLocale.of)


@app.put(
    "/v1/stores/<id>/locales",
    operation_id="stores.putLocales",
    response_description="The store's locales as they are now, all on one page.",
)
def put_store_locales(
    id: Annotated[UUID, Path(description="The custom store whose locales are replaced.")],
    caller: Writer,
    writes: Writes,
    body: StoreLocales,
) -> Page[StoreLocale]:
    """Replace a custom store's locales.

    Replaces all of them: those that are left out are gone from the store. The workspace's locales
    follow: new ones appear there, and one that no store has any more becomes `manual`. A Shopify
    shop's locales are changed in Shopify.
    """
    store = set_locales(caller.workspace, id, body.values(), writes)
    listing = cut(store.locales, PageRequest(1, PageSize.HUNDRED))
    return Page[StoreLocale].of(listing, StoreLocale.of)


@app.get("/v1/stores/<id>/write-back", operation_id="stores.getWriteBack")
def get_write_back(
    id: Annotated[UUID, Path(description="The custom store whose write-back address is read.")],
    caller: Admin,
) -> WriteBack:
    """Get a store's write-back address.

    Shows where changes of consent are sent to, and how that is going. The signing secret isn't
    shown. It is 404 where no address is set.
    """
    store_with_write_back(StoreRepository(caller.workspace), id)
    address = needed(
        WriteBackRepository(caller.workspace).address_of(id),
        NotFound("This store has no write-back address."),
    )
    return WriteBack.from_model(address)


@app.put("/v1/stores/<id>/write-back", operation_id="stores.putWriteBack")
def put_write_back(
    id: Annotated[UUID, Path(description="The custom store whose write-back address is set.")],
    caller: Admin,
    writes: Writes,
    body: NewWriteBack,
) -> WriteBackSecret:
    """Set a store's write-back address.

    From now on each change of consent of a person whom the store knows is sent there. The first
    time a signing secret is made, which only this answer shows; another address keeps the secret. A
    new address is sent what the store failed to accept and what still holds; a first one is sent
    the unsubscriptions of before, and no subscription.
    """
    secret, is_new = service.set_write_back(caller.workspace, id, body.url, writes)
    if is_new and has_missed(caller.workspace, id):
        resend_missed(writes, caller.workspace, id)
    return WriteBackSecret(url=body.url, secret=secret)


@app.post(
    "/v1/stores/<id>/write-back/rotate",
    operation_id="stores.rotateWriteBack",
    response_description="The address with its new signing secret, which is shown this once.",
)
def rotate_write_back(
    id: Annotated[UUID, Path(description="The custom store whose signing secret is replaced.")],
    caller: Admin,
    writes: Writes,
) -> WriteBackSecret:
    """Rotate a write-back signing secret.

    The store gets a new secret, which only this answer shows. For 24 hours each message is signed
    by the old one too, so that you can change over meanwhile.
    """
    url, secret = service.rotate_write_back(caller.workspace, id, writes)
    return WriteBackSecret(url=url, secret=secret)


@app.delete(
    "/v1/stores/<id>/write-back",
    operation_id="stores.deleteWriteBack",
    status_code=204,
    response_description="The address is gone, and nothing is sent to it any more.",
)
def delete_write_back(
    id: Annotated[UUID, Path(description="The custom store whose write-back address is removed.")],
    caller: Admin,
    writes: Writes,
) -> None:
    """Delete a store's write-back address.

    Changes of consent aren't sent to the store any more; they are skipped as `permission_missing`.
    The signing secret ends: an address that is set later gets a new one.
    """
    service.delete_write_back(caller.workspace, id, writes)


lambda_handler = app.handler()

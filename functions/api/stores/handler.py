"""Stores: connecting custom ones, their locales, and where consent is written back to."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin, Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.catalog.products.store_terms import connect_store, set_locales
from storepost.overview.store_details.schemas import Store
from storepost.overview.store_details.service import details_of, details_of_id
from storepost.people.consent.missed import has_missed
from storepost.people.consent.resending import catch_up
from storepost.stores.imports.turns import LatestImportStatus
from storepost.stores.stores import service
from storepost.stores.stores.finding import custom_store, found_store
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
from storepost.values.problems import NotFound

app = create_app()

Sort = Literal["name", "-name", "connectedAt", "-connectedAt"]


@app.get("/v1/stores", operation_id="stores.list")
def list_stores(
    caller: Reader,
    q: Search | None = None,
    platform: Annotated[list[Platform] | None, Query()] = None,
    status: Annotated[list[StoreStatus] | None, Query()] = None,
    connection_status: Annotated[
        list[ConnectionStatus] | None, Query(alias="connectionStatus")
    ] = None,
    import_status: Annotated[list[LatestImportStatus] | None, Query(alias="importStatus")] = None,
    sort: Annotated[Sort, Query()] = "-connectedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[StoreSummary]:
    """The workspace's stores, disconnected ones too."""
    filters = StoreFilter(q, platform, status, connection_status, import_status)
    listing = find_stores(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[StoreSummary].of(listing, StoreSummary.of)


@app.post("/v1/stores", operation_id="stores.create", status_code=201)
def create_store(
    caller: Writer, writes: Writes, body: Annotated[NewStore, Body()]
) -> Response[Store]:
    """Connects a custom store, or a disconnected one again under its old id (200).

    Connected again, it is told of the changes of consent that it missed and that still hold.
    """
    store, is_new = connect_store(caller.workspace, body.value(), writes)
    if not is_new:
        catch_up(writes, caller.workspace, store.id)
    return Response(201 if is_new else 200, "application/json", Store.of(details_of(store)))


@app.get("/v1/stores/<id>", operation_id="stores.get")
def get_store(id: UUID, caller: Reader) -> Store:
    """A store with its counts."""
    return Store.of(details_of_id(caller.workspace, id))


@app.patch("/v1/stores/<id>", operation_id="stores.update")
def update_store(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[StoreUpdate, Body()]
) -> Store:
    """Changes a custom store's name or addresses; null clears, what is left out stays."""
    return Store.of(details_of(service.update_store(caller.workspace, id, body.fields(), writes)))


@app.post("/v1/stores/<id>/disconnect", operation_id="stores.disconnect", status_code=204)
def disconnect_store(id: UUID, caller: Admin, writes: Writes) -> None:
    """Disconnects a store; connecting it again keeps its id and what it brought."""
    from storepost.connections.connections.service import disconnect  # noqa: PLC0415 - 20 modules, for this alone

    disconnect(caller.workspace, id, writes)


@app.get("/v1/stores/<id>/locales", operation_id="stores.listLocales")
def list_store_locales(
    id: UUID, caller: Reader, page: PageNumber = 1, page_size: Size = PageSize.TWENTY_FIVE
) -> Page[StoreLocale]:
    """A store's locales, in the store's own order."""
    store = found_store(StoreRepository(caller.workspace), id)
    listing = cut(store.locales, PageRequest(page, page_size))
    return Page[StoreLocale].of(listing, StoreLocale.of)


@app.put("/v1/stores/<id>/locales", operation_id="stores.putLocales")
def put_store_locales(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[StoreLocales, Body()]
) -> Page[StoreLocale]:
    """Replaces a custom store's locales; exactly one is primary."""
    store = set_locales(caller.workspace, id, body.values(), writes)
    listing = cut(store.locales, PageRequest(1, PageSize.HUNDRED))
    return Page[StoreLocale].of(listing, StoreLocale.of)


@app.get("/v1/stores/<id>/write-back", operation_id="stores.getWriteBack")
def get_write_back(id: UUID, caller: Admin) -> WriteBack:
    """Where consent is written back to, and how that is going."""
    custom_store(StoreRepository(caller.workspace), id)
    address = WriteBackRepository(caller.workspace).address_of(id)
    if address is None:
        raise NotFound()
    return WriteBack.of(address)


@app.put("/v1/stores/<id>/write-back", operation_id="stores.putWriteBack")
def put_write_back(
    id: UUID, caller: Admin, writes: Writes, body: Annotated[NewWriteBack, Body()]
) -> WriteBackSecret:
    """Sets the address; the signing secret is answered on the first set alone.

    Another address than before is sent what the store hasn't taken yet and still holds.
    """
    secret, is_new = service.set_write_back(caller.workspace, id, body.url, writes)
    if is_new and has_missed(caller.workspace, id):
        catch_up(writes, caller.workspace, id)
    return WriteBackSecret(url=body.url, secret=secret)


@app.post("/v1/stores/<id>/write-back/rotate", operation_id="stores.rotateWriteBack")
def rotate_write_back(id: UUID, caller: Admin, writes: Writes) -> WriteBackSecret:
    """A new signing secret; the old one signs too for 24 hours."""
    url, secret = service.rotate_write_back(caller.workspace, id, writes)
    return WriteBackSecret(url=url, secret=secret)


@app.delete("/v1/stores/<id>/write-back", operation_id="stores.deleteWriteBack", status_code=204)
def delete_write_back(id: UUID, caller: Admin, writes: Writes) -> None:
    """Takes the address away: consent isn't written back to the store any more."""
    service.delete_write_back(caller.workspace, id, writes)


lambda_handler = app.handler()

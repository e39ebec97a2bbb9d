"""The workspace's locales."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.stores.locales import service
from storepost.stores.locales.model import WorkspaceLocaleOrigin
from storepost.stores.locales.schemas import LocaleUpdate, NewLocale, WorkspaceLocale
from storepost.values.pagination import PageRequest, PageSize

app = create_app()


@app.get("/v1/locales", operation_id="locales.list")
def list_locales(
    caller: Reader,
    q: Search | None = None,
    origin: Annotated[list[WorkspaceLocaleOrigin] | None, Query()] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[WorkspaceLocale]:
    """The workspace's locales, newest first."""
    listing = service.list_locales(caller.workspace, q, origin, PageRequest(page, page_size))
    return Page[WorkspaceLocale].of(listing, WorkspaceLocale.of)


@app.post("/v1/locales", operation_id="locales.create", status_code=201)
def create_locale(
    caller: Writer, writes: Writes, body: Annotated[NewLocale, Body()]
) -> WorkspaceLocale:
    """Adds a locale by hand; the first of a workspace is its default."""
    return WorkspaceLocale.of(service.add_locale(caller.workspace, body.code, body.label, writes))


@app.patch("/v1/locales/<id>", operation_id="locales.update", status_code=204)
def update_locale(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[LocaleUpdate, Body()]
) -> None:
    """Changes the label, or makes the locale the default; the old default is cleared with it."""
    make_default = body.is_default is True
    service.update_locale(caller.workspace, id, body.label, writes, make_default=make_default)


@app.delete("/v1/locales/<id>", operation_id="locales.delete", status_code=204)
def delete_locale(id: UUID, caller: Writer, writes: Writes) -> None:
    """Deletes a locale that no store has and that isn't the default."""
    service.delete_locale(caller.workspace, id, writes)


lambda_handler = app.handler()

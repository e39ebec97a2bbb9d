"""The workspace's locales."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

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
    origin: Annotated[
        list[WorkspaceLocaleOrigin] | None,
        Query(description="Only locales of this origin: of a `store`, or `manual`."),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[WorkspaceLocale]:
    """List the workspace's locales.

    Lists those that stores have and those that were added by hand, newest first. `q` searches codes
    and labels.
    """
    listing = service.list_locales(caller.workspace, q, origin, PageRequest(page, page_size))
    return Page[WorkspaceLocale].of(listing, WorkspaceLocale.from_model)


@app.post(
    "/v1/locales",
    operation_id="locales.create",
    status_code=201,
    response_description="The locale as it was added.",
)
def create_locale(caller: Writer, writes: Writes, body: NewLocale) -> WorkspaceLocale:
    """Add a locale.

    Adds a language by hand; the first of a workspace is its default. Locales of stores appear by
    themselves. A workspace has at most 500.
    """
    return WorkspaceLocale.from_model(
        service.add_locale(caller.workspace, body.code, body.label, writes)
    )


@app.get("/v1/locales/<id>", operation_id="locales.get")
def get_locale(
    id: Annotated[UUID, Path(description="The locale to read.")], caller: Reader
) -> WorkspaceLocale:
    """Get a locale.

    A language that the workspace writes in, and whether it is the default.
    """
    return WorkspaceLocale.from_model(service.get_locale(caller.workspace, id))


@app.patch(
    "/v1/locales/<id>",
    operation_id="locales.update",
    response_description="The locale as it is now.",
)
def update_locale(
    id: Annotated[UUID, Path(description="The locale to change.")],
    caller: Writer,
    writes: Writes,
    body: LocaleUpdate,
) -> WorkspaceLocale:
    """Update a locale.

    Changes its label, or makes it the workspace's default in place of the one that was. Its code
    never changes.
    """
    make_default = body.is_default is True
    changed = service.update_locale(
        caller.workspace, id, body.label, writes, make_default=make_default
    )
    return WorkspaceLocale.from_model(changed)


@app.delete(
    "/v1/locales/<id>",
    operation_id="locales.delete",
    status_code=204,
    response_description="The locale is gone from the workspace.",
)
def delete_locale(
    id: Annotated[UUID, Path(description="The locale to delete.")], caller: Writer, writes: Writes
) -> None:
    """Delete a locale.

    Deletes one that was added by hand, or that no store has any more, and that isn't the default.
    Profiles that have it keep it.
    """
    service.delete_locale(caller.workspace, id, writes)


lambda_handler = app.handler()

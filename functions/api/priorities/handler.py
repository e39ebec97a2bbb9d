"""Field priority of products: what is in force in a store, and changes of it."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.catalog.priorities import service
from storepost.catalog.priorities.schemas import (
    PriorityChange,
    PriorityChangeProduct,
    PriorityRules,
    ProductPriority,
)
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Text

app = create_app()


@app.get("/v1/stores/<id>/product-priority", operation_id="productPriority.get")
def get_priority(
    id: Annotated[UUID, Path(description="The store whose field priority is read.")],
    caller: Reader,
) -> ProductPriority:
    """Get a store's field priority.

    Which sources the store's products have, which of them comes first for which field, and the
    changes of that order. The store itself is a source, and so is each of its feeds.
    """
    return ProductPriority.of(service.get_priority(caller.workspace, id))


@app.get("/v1/stores/<id>/product-priority/changes", operation_id="productPriorityChanges.list")
def list_changes(
    id: Annotated[UUID, Path(description="The store whose priority changes are listed.")],
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[PriorityChange]:
    """List a store's priority changes.

    Lists the open one and those that were applied or failed, newest first. Discarded changes aren't
    kept.
    """
    listing = service.list_changes(caller.workspace, id, PageRequest(page, page_size))
    return Page[PriorityChange].of(listing, PriorityChange.of)


@app.post(
    "/v1/stores/<id>/product-priority/changes",
    operation_id="productPriorityChanges.create",
    status_code=202,
    response_description="The change is created; its preview is worked out in the background.",
)
def propose_change(
    id: Annotated[UUID, Path(description="The store whose field priority is to change.")],
    caller: Writer,
    writes: Writes,
    body: PriorityRules,
) -> PriorityChange:
    """Propose a change of a store's field priority.

    Nothing changes yet: Storepost works out in the background what the rules would make of each
    product. Read the change until it is `ready`, look at its products, and apply or delete it. A
    store has one open change at a time.
    """
    return PriorityChange.of(service.propose_change(caller.workspace, id, body.value(), writes))


@app.get("/v1/product-priority-changes/<id>", operation_id="productPriorityChanges.get")
def get_change(
    id: Annotated[UUID, Path(description="The change that is read.")], caller: Reader
) -> PriorityChange:
    """Get a priority change.

    The change with its counts, which grow while it is previewed and applied.
    """
    return PriorityChange.of(service.get_change(caller.workspace, id))


@app.get(
    "/v1/product-priority-changes/<id>/products",
    operation_id="productPriorityChanges.listProducts",
)
def list_changed(
    id: Annotated[UUID, Path(description="The change whose affected products are listed.")],
    caller: Reader,
    q: Search | None = None,
    field: Annotated[
        Text | None,
        Query(
            description="Only products of which this field would change, by its name in the rules, "
            "such as `product.title`."
        ),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[PriorityChangeProduct]:
    """List products that a priority change affects.

    Each product with the fields that become something else: what they are now, what they become,
    and from which source. `q` looks at titles and external ids. The list is there once the preview
    is complete, and stays as it was then.
    """
    request = PageRequest(page, page_size)
    listing = service.list_changed(caller.workspace, id, q, field, request)
    return Page[PriorityChangeProduct].of(listing, PriorityChangeProduct.of)


@app.post(
    "/v1/product-priority-changes/<id>/apply",
    operation_id="productPriorityChanges.apply",
    status_code=202,
    response_description="The rules are in force; products follow in the background.",
)
def apply_change(
    id: Annotated[UUID, Path(description="The `ready` change that is applied.")],
    caller: Writer,
    writes: Writes,
) -> PriorityChange:
    """Apply a priority change.

    Puts the rules of a `ready` change in force at once; lists of products follow in the background.
    A stale change is refused with `change_stale`: refresh it first. It can't be undone, but another
    change can restore the former rules.
    """
    return PriorityChange.of(service.apply_change(caller.workspace, id, writes))


@app.post(
    "/v1/product-priority-changes/<id>/refresh",
    operation_id="productPriorityChanges.refresh",
    status_code=202,
    response_description="The preview is worked out again in the background.",
)
def refresh_change(
    id: Annotated[UUID, Path(description="The `ready` change that is previewed again.")],
    caller: Writer,
    writes: Writes,
) -> PriorityChange:
    """Refresh a priority change.

    Works out again what a `ready` change would make of products, whether it is stale or not. Its
    counts begin at 0 again.
    """
    return PriorityChange.of(service.refresh_change(caller.workspace, id, writes))


@app.delete(
    "/v1/product-priority-changes/<id>",
    operation_id="productPriorityChanges.delete",
    status_code=204,
    response_description="The change is discarded.",
)
def discard_change(
    id: Annotated[UUID, Path(description="The change that is discarded.")],
    caller: Writer,
    writes: Writes,
) -> None:
    """Discard a priority change.

    Deletes a change that isn't being applied, with its preview. Deleting one that was applied takes
    nothing back: its rules stay in force.
    """
    service.discard_change(caller.workspace, id, writes)


lambda_handler = app.handler()

"""Imports on the wire."""

from uuid import UUID

from pydantic import Field

from storepost.stores.imports import model
from storepost.stores.imports.model import ImportFailure, ImportScope, ImportStage, ImportStatus
from storepost.values.wire import RequestBody, Shape, Timestamp


class ImportRequester(Shape):
    """Who requested an import."""

    id: UUID | None = Field(description="The person's id. Null where an API key requested it.")
    name: str | None = Field(
        description="The name of the person, or of the API key, as it was then. Null "
        "where it isn't known."
    )


class ImportedCounts(Shape):
    """How many records an import has imported so far. A record that is older than what is stored
    changes nothing and counts too.
    """

    customers: int = Field(
        description="How many customers were imported; always 0 in an import of products."
    )
    orders: int = Field(
        description="How many orders were imported; always 0 in an import of products."
    )
    products: int = Field(
        description="How many products were imported; always 0 in an import of "
        "customers and orders."
    )


class NewImport(RequestBody):
    """What to pull from a Shopify shop."""

    scope: ImportScope = Field(
        description="`customers_orders`: all customers, then all orders. `products`: "
        "all products with their variants."
    )


class StoreImport(Shape):
    """One import of a store: a batch that was sent, or what is pulled from a platform."""

    id: UUID = Field(
        description="The import's id, which `GET /stores/{id}/imports/{importId}` takes."
    )
    scope: ImportScope = Field(description="What it contains: `customers_orders` or `products`.")
    status: ImportStatus = Field(
        description="`queued`, then `running`, then `completed` or `failed`. A "
        "completed import may have problems with single records."
    )
    stage: ImportStage | None = Field(
        description="What a running import is bringing just now. Null before and after."
    )
    requested_by: ImportRequester | None = Field(
        description="Who requested it. Null where nobody did, as for the first import of a shop "
        "that was connected."
    )
    imported: ImportedCounts = Field(description="How many records it has imported so far.")
    error: ImportFailure | None = Field(
        description="Why the import failed as a whole; what it imported until then stays. Null "
        "unless its status is `failed`."
    )
    queued_at: Timestamp = Field(description="When it was requested.")
    started_at: Timestamp | None = Field(description="When it began to run. Null while it waits.")
    completed_at: Timestamp | None = Field(
        description="When it completed or failed. Null until then."
    )

    @classmethod
    def of(cls, one: model.StoreImport) -> "StoreImport":
        """Returns the import in this shape."""
        requester, imported = one.requester, one.progress.imported
        return cls.from_model(
            one,
            stage=one.progress.stage,
            requested_by=ImportRequester(id=requester.person_id, name=requester.name)
            if requester
            else None,
            imported=ImportedCounts.from_model(imported),
            error=one.failure,
        )


class ImportProblem(Shape):
    """A record that an import could not take. The others are imported all the same."""

    index: int = Field(
        description="The record's place in its own array of the request, counted from 0."
    )
    external_id: str | None = Field(
        description="What the store calls the record. Null where it can't be read."
    )
    code: str = Field(
        description="Names the cause for programs: the code that the record's own "
        "`PUT` would answer."
    )
    detail: str = Field(
        description="What is wrong and where, for people. It begins with a JSON "
        "Pointer such as `/orders/3/total/currency`."
    )

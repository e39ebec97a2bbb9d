"""Products: the list, one whole with its variants and sources, and a custom store's own."""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.catalog.products import service
from storepost.catalog.products.bodies import ExternalId, ProductBody
from storepost.catalog.products.listing import ProductFilter
from storepost.catalog.products.listing import list_products as find_products
from storepost.catalog.products.model import MissingField, ProductStatus, Stock
from storepost.catalog.products.schemas import (
    Product,
    ProductSources,
    ProductSummary,
    ProductVariant,
)
from storepost.overview.product_sales.schemas import ProductSales
from storepost.overview.product_sales.service import sales_of_product
from storepost.values.locale_codes import LocaleCode
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Text, Timestamp

app = create_app()

Sort = Literal["title", "-title", "changedAt", "-changedAt", "addedAt", "-addedAt"]
Locale = Annotated[LocaleCode | None, Query(description="One that the product has.")]


@app.get("/v1/products", operation_id="products.list")
def list_products(
    caller: Reader,
    store_id: Annotated[UUID | None, Query(alias="storeId")] = None,
    external_id: Annotated[ExternalId | None, Query(alias="externalId")] = None,
    locale: Annotated[LocaleCode | None, Query()] = None,
    q: Search | None = None,
    status: Annotated[list[ProductStatus] | None, Query()] = None,
    published: Annotated[bool | None, Query()] = None,
    stock: Annotated[list[Stock] | None, Query()] = None,
    vendor: Annotated[Text | None, Query()] = None,
    product_type: Annotated[Text | None, Query(alias="productType")] = None,
    tag: Annotated[Text | None, Query()] = None,
    missing: Annotated[list[MissingField] | None, Query()] = None,
    source_id: Annotated[UUID | None, Query(alias="sourceId")] = None,
    changed_from: Annotated[Timestamp | None, Query(alias="changedFrom")] = None,
    changed_to: Annotated[Timestamp | None, Query(alias="changedTo")] = None,
    sort: Annotated[Sort, Query()] = "-addedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProductSummary]:
    """The workspace's products; removed ones only where `status` asks for them.

    `q` looks at titles, vendors, types, handles and tags of every locale, and at the external id.
    """
    filters = ProductFilter(
        store_id=store_id,
        external_id=external_id,
        locale=locale,
        q=q,
        statuses=status,
        published=published,
        stocks=stock,
        vendor=vendor,
        product_type=product_type,
        tag=tag,
        missing=missing,
        source_id=source_id,
        changed_from=changed_from,
        changed_to=changed_to,
    )
    listing = find_products(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[ProductSummary].of(listing, lambda row: ProductSummary.of(row, locale))


@app.get("/v1/products/<id>", operation_id="products.get")
def get_product(id: UUID, caller: Reader, locale: Locale = None) -> Product:
    """A product whole, in the store's primary locale or another one that it has."""
    details = service.get_product(caller.workspace, id)
    return Product.of(details, details.in_locale(locale))


@app.get("/v1/products/<id>/variants", operation_id="products.listVariants")
def list_variants(
    id: UUID,
    caller: Reader,
    locale: Locale = None,
    stock: Annotated[list[Stock] | None, Query()] = None,
    removed: Annotated[  # noqa: FBT002 - it is a query parameter
        bool, Query(description="The removed ones, instead of those that a source has.")
    ] = False,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProductVariant]:
    """A product's variants by position: those that a source has, or the removed ones."""
    details = service.get_product(caller.workspace, id)
    product = details.in_locale(locale)
    listing = service.list_variants(
        product, stock, PageRequest(page, page_size), include_removed=removed
    )
    return Page[ProductVariant].of(listing, ProductVariant.in_locale(details, product))


@app.get("/v1/products/<id>/sources", operation_id="products.listSources")
def list_sources(id: UUID, caller: Reader, locale: Locale = None) -> ProductSources:
    """What each source says of a product, and whose word counts in one locale."""
    return ProductSources.of(service.get_product(caller.workspace, id), locale)


@app.get("/v1/products/<id>/sales", operation_id="products.sales")
def get_sales(
    id: UUID,
    caller: Reader,
    since: Annotated[date | None, Query(alias="from", description="The first day, in UTC.")] = None,
    until: Annotated[
        date | None, Query(alias="to", description="The day after the last one, in UTC.")
    ] = None,
) -> ProductSales:
    """What orders sold of a product, without tests and cancelled ones."""
    return ProductSales.of(sales_of_product(caller.workspace, id, since, until))


@app.put("/v1/stores/<id>/products/<externalId>", operation_id="products.put")
def put_product(
    id: UUID,
    external_id: Annotated[ExternalId, Path(alias="externalId")],
    caller: Writer,
    writes: Writes,
    body: Annotated[ProductBody, Body()],
) -> Response[Product]:
    """Writes a custom store's product; one older than what is held is refused as stale."""
    incoming = body.product(external_id)
    details, is_new = service.put_product(caller.workspace, id, incoming, writes)
    answer = Product.of(details, details.in_primary_locale)
    return Response(201 if is_new else 200, "application/json", answer)


@app.delete(
    "/v1/stores/<id>/products/<externalId>", operation_id="products.delete", status_code=204
)
def delete_product(
    id: UUID,
    external_id: Annotated[ExternalId, Path(alias="externalId")],
    caller: Writer,
    writes: Writes,
) -> None:
    """Takes a custom store's product away: it is `removed` where no feed has it."""
    service.delete_product(caller.workspace, id, external_id, writes)


lambda_handler = app.handler()

"""Products: the list, one whole with its variants and sources, and a custom store's own."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.catalog.products import service
from storepost.catalog.products.bodies import ProductBody
from storepost.catalog.products.listing import ProductFilter
from storepost.catalog.products.listing import list_products as find_products
from storepost.catalog.products.model import MissingField, ProductStatus, Stock
from storepost.catalog.products.schemas import Product, ProductSummary
from storepost.catalog.products.source_schemas import ProductSources
from storepost.catalog.products.variant_schemas import ProductVariant
from storepost.overview.product_sales.schemas import ProductSales
from storepost.overview.product_sales.service import sales_of_product
from storepost.values.external_ids import ExternalId
from storepost.values.locale_codes import LocaleCode
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Day, Text, Timestamp

app = create_app()

Sort = Literal["title", "-title", "changedAt", "-changedAt", "addedAt", "-addedAt"]
_LOCALE = "one of the product's `locales`; the store's primary one where it is left out."


@app.get("/v1/products", operation_id="products.list")
def list_products(
    caller: Reader,
    store_id: Annotated[UUID | None, Query(description="Only products of this store.")] = None,
    external_id: Annotated[
        ExternalId | None,
        Query(
            description="Only products that their store knows by this id. Each store may have one: "
            "without `storeId` every store is searched."
        ),
    ] = None,
    locale: Annotated[
        LocaleCode | None,
        Query(
            description="Only products that have this locale, shown in it. The other filters look "
            "at what products are in it, too."
        ),
    ] = None,
    q: Search | None = None,
    status: Annotated[
        list[ProductStatus] | None,
        Query(description="Only products of this status; all but `removed` where it is left out."),
    ] = None,
    published: Annotated[
        bool | None,
        Query(description="`true` for products that buyers can see, `false` for all others."),
    ] = None,
    stock: Annotated[list[Stock] | None, Query(description="Only products of this stock.")] = None,
    vendor: Annotated[
        Text | None, Query(description="Only products of exactly this vendor; case counts.")
    ] = None,
    product_type: Annotated[
        Text | None, Query(description="Only products of exactly this type; case counts.")
    ] = None,
    tag: Annotated[
        Text | None, Query(description="Only products that have exactly this tag; case counts.")
    ] = None,
    missing: Annotated[
        list[MissingField] | None,
        Query(description="Only products that lack at least one of these fields."),
    ] = None,
    source_id: Annotated[
        UUID | None,
        Query(
            description="Only products that this store or feed has, by the store's or the feed's "
            "own id."
        ),
    ] = None,
    changed_from: Annotated[
        Timestamp | None, Query(description="Only products changed at this moment or later.")
    ] = None,
    changed_to: Annotated[
        Timestamp | None, Query(description="Only products changed before this moment.")
    ] = None,
    sort: Annotated[
        Sort,
        Query(
            description="By title in the store's primary locale, by when the products last "
            "changed, or by when they were added; `-` turns the order round."
        ),
    ] = "-addedAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProductSummary]:
    """List products.

    The products of all stores, the newest first, each in its store's primary locale. Removed ones
    are listed only where `status` asks for them. `q` looks at titles, vendors, types, handles and
    tags of every locale, and at the external id. Several filters together look through 20,000
    products at most; past that the answer is `filter_too_broad`, which names a filter that narrows
    the list.
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
def get_product(
    id: Annotated[UUID, Path(description="The product that is read.")],
    caller: Reader,
    locale: Annotated[
        LocaleCode | None, Query(description=f"The locale to show the product in: {_LOCALE}")
    ] = None,
) -> Product:
    """Get a product.

    The product in one locale, a removed one as it was last. Each field comes from the source that
    is first in the store's field priority.
    """
    details = service.get_product(caller.workspace, id)
    return Product.of(details, details.in_locale(locale))


@app.get("/v1/products/<id>/variants", operation_id="products.listVariants")
def list_variants(
    id: Annotated[UUID, Path(description="The product whose variants are listed.")],
    caller: Reader,
    locale: Annotated[
        LocaleCode | None, Query(description=f"The locale to show the variants in: {_LOCALE}")
    ] = None,
    stock: Annotated[
        list[Stock] | None,
        Query(description="Only variants of this stock."),
    ] = None,
    removed: Annotated[  # noqa: FBT002 - it is a query parameter
        bool,
        Query(description="`true` for the removed variants alone, instead of all others."),
    ] = False,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProductVariant]:
    """List a product's variants.

    The variants by their position: those that a source has, or the removed ones.
    """
    details = service.get_product(caller.workspace, id)
    product = details.in_locale(locale)
    listing = service.list_variants(
        product, stock, PageRequest(page, page_size), include_removed=removed
    )
    return Page[ProductVariant].of(listing, ProductVariant.in_locale(details, product))


@app.get("/v1/products/<id>/sources", operation_id="products.getSources")
def list_sources(
    id: Annotated[UUID, Path(description="The product whose sources are read.")],
    caller: Reader,
    locale: Annotated[
        LocaleCode | None, Query(description=f"The locale to work the winners out for: {_LOCALE}")
    ] = None,
    variant_id: Annotated[
        UUID | None,
        Query(
            description="Only the records of the product itself and of this variant. A product "
            "with so many that they don't fit into an answer (about 6 MB) needs it."
        ),
    ] = None,
) -> ProductSources:
    """Get a product's sources and winning values.

    What the store and each feed say of the product and its variants, and which record each field is
    taken from in one locale.
    """
    return ProductSources.of(service.get_product(caller.workspace, id), locale, variant_id)


@app.get("/v1/products/<id>/sales", operation_id="products.getSales")
def get_sales(
    id: Annotated[UUID, Path(description="The product whose sales are summed.")],
    caller: Reader,
    since: Annotated[
        Day | None,
        Query(
            alias="from",
            description="The first day, in UTC; the earliest order counts where it is left out.",
        ),
    ] = None,
    until: Annotated[
        Day | None,
        Query(
            alias="to",
            description="The day after the last one, in UTC; the latest order counts where it is "
            "left out.",
        ),
    ] = None,
) -> ProductSales:
    """Get a product's sales.

    What orders sold of the product, by the day on which they were placed. Test and cancelled orders
    don't count, nor do orders in another currency than the store has now. Refunds aren't taken off.
    """
    return ProductSales.of(sales_of_product(caller.workspace, id, since, until))


@app.get("/v1/stores/<id>/products/<externalId>", operation_id="products.getOfStore")
def get_product_of_store(
    id: Annotated[UUID, Path(description="The store whose product is read.")],
    external_id: Annotated[
        ExternalId, Path(description="The store's own id of the product that is read.")
    ],
    caller: Reader,
    locale: Annotated[
        LocaleCode | None, Query(description=f"The locale to show the product in: {_LOCALE}")
    ] = None,
) -> Product:
    """Get a product by its store's id.

    The same product as `GET /products/{id}` answers. A store on Shopify has them by the number of
    the product's id there.
    """
    details = service.get_product_of_store(caller.workspace, id, external_id)
    return Product.of(details, details.in_locale(locale))


@app.put("/v1/stores/<id>/products/<externalId>", operation_id="products.put")
def put_product(
    id: Annotated[UUID, Path(description="The custom store whose product is written.")],
    external_id: Annotated[
        ExternalId,
        Path(description="The store's own id of the product that is written, kept as it is sent."),
    ],
    caller: Writer,
    writes: Writes,
    body: ProductBody,
) -> Response[Product]:
    """Create or replace a product of a custom store.

    The body is all that the store says of the product: variants and texts that it leaves out are
    gone. What feeds say stays, and the store's field priority decides which of both is shown. 201
    where the product is new, else 200. A request whose `updatedAt` is older than what is stored is
    refused with `stale_update`.
    """
    incoming = body.product(external_id)
    details, is_new = service.put_product(caller.workspace, id, incoming, writes)
    answer = Product.of(details, details.in_primary_locale)
    return Response(201 if is_new else 200, "application/json", answer)


@app.delete(
    "/v1/stores/<id>/products/<externalId>",
    operation_id="products.delete",
    status_code=204,
    response_description="The store doesn't have the product any more.",
)
def delete_product(
    id: Annotated[UUID, Path(description="The custom store whose product is deleted.")],
    external_id: Annotated[
        ExternalId, Path(description="The store's own id of the product that is deleted.")
    ],
    caller: Writer,
    writes: Writes,
) -> None:
    """Delete a product of a custom store.

    The store doesn't have the product any more. Where a feed has it, the product shows what the
    feed says; otherwise it is `removed`, can still be read by its id, and comes back under the same
    id with a later `updatedAt`. Sales and orders stay.
    """
    service.delete_product(caller.workspace, id, external_id, writes)


lambda_handler = app.handler()

"""A store whole on the wire."""

from uuid import UUID

from pydantic import Field

from storepost.overview.store_details.service import StoreDetails
from storepost.stores.imports.model import ImportScope
from storepost.stores.imports.schemas import StoreImport
from storepost.stores.stores.schemas import StorePermissions, StoreSummary
from storepost.values.wire import Shape, Timestamp, Uri


class StoreImports(Shape):
    """The imports of a store that matter most, one of each scope."""

    customers_orders: StoreImport | None = Field(
        description="The import of customers and orders that runs, else the next in "
        "turn, else the latest. Null where there never was one."
    )
    products: StoreImport | None = Field(
        description="The import of products that runs, else the next in turn, else the "
        "latest. Null where there never was one."
    )

    @classmethod
    def of(cls, details: StoreDetails) -> "StoreImports":
        """Returns the imports in this shape."""
        imports = {scope: StoreImport.of(one) for scope, one in details.imports.items() if one}
        return cls(
            customers_orders=imports.get(ImportScope.CUSTOMERS_ORDERS),
            products=imports.get(ImportScope.PRODUCTS),
        )


class LatestCustomer(Shape):
    """The person whom the store sent last."""

    profile_id: UUID = Field(description="The person's profile, which `GET /profiles/{id}` takes.")
    name: str | None = Field(
        description="The person's first and last name. Null where neither is known."
    )
    created_at: Timestamp = Field(
        description="When the person was first seen, in any store: the profile's `firstSeenAt`."
    )


class Store(StoreSummary):
    """A store with its counts, which are the totals of its lists."""

    storefront_url: Uri | None = Field(
        description="Where shoppers see the store. Null where it isn't known."
    )
    contact_email: str | None = Field(
        description="Where shoppers can write to. Null where it isn't known."
    )
    locale_count: int = Field(description="How many locales the store has.")
    customer_count: int = Field(
        description="How many profiles have a customer or an order in this store."
    )
    order_count: int = Field(
        description="How many orders the store has, cancelled and test orders too."
    )
    product_count: int = Field(
        description="How many products the store has; removed ones don't count."
    )
    last_order_at: Timestamp | None = Field(
        description="When the newest order was placed (its `placedAt`). Null where the "
        "store has none."
    )
    last_product_sync_at: Timestamp | None = Field(
        description="When products last came: the last change of one, or the end of an "
        "import that found nothing new. Null where none ever came."
    )
    imports: StoreImports = Field(
        description="For each scope the import that runs, else the next in turn, else the latest."
    )
    latest_customer: LatestCustomer | None = Field(
        description="The newest person whom the store knows. Null where it knows nobody."
    )
    admin_url: Uri = Field(description="Where people of the store manage it.")

    @classmethod
    def of(cls, details: StoreDetails) -> "Store":  # type: ignore[override]
        """Returns the store in this shape."""
        store, latest = details.store, details.latest_customer
        return cls.from_model(
            store,
            import_status=details.import_status,
            permissions=StorePermissions.of(store),
            locale_count=len(store.locales),
            customer_count=details.customers,
            order_count=details.orders,
            product_count=details.products,
            last_order_at=details.last_order_at,
            last_product_sync_at=details.last_product_sync_at,
            imports=StoreImports.of(details),
            latest_customer=LatestCustomer.from_model(latest) if latest else None,
        )

"""A store whole on the wire."""

from uuid import UUID

from storepost.overview.store_details.service import LatestCustomer as LatestCustomerValue
from storepost.overview.store_details.service import StoreDetails
from storepost.stores.imports.model import ImportScope
from storepost.stores.imports.schemas import StoreImport
from storepost.stores.stores.schemas import StorePermissions, StoreSummary
from storepost.values.wire import Shape, Timestamp, Uri


class StoreImports(Shape):
    """Of each scope the import that runs, else the next in turn, else the latest."""

    customers_orders: StoreImport | None
    products: StoreImport | None

    @classmethod
    def of(cls, details: StoreDetails) -> "StoreImports":
        """The imports in this shape."""
        imports = {scope: StoreImport.of(one) for scope, one in details.imports.items() if one}
        return cls(
            customers_orders=imports.get(ImportScope.CUSTOMERS_ORDERS),
            products=imports.get(ImportScope.PRODUCTS),
        )


class LatestCustomer(Shape):
    """Whom the store brought last."""

    profile_id: UUID
    name: str | None
    created_at: Timestamp

    @classmethod
    def of(cls, latest: LatestCustomerValue) -> "LatestCustomer":
        """The person in this shape."""
        return cls(profile_id=latest.profile_id, name=latest.name, created_at=latest.created_at)


class Store(StoreSummary):
    """A store with its counts, which are the totals of its lists."""

    storefront_url: Uri | None
    contact_email: str | None
    locale_count: int
    customer_count: int
    order_count: int
    product_count: int
    last_order_at: Timestamp | None
    last_product_sync_at: Timestamp | None
    imports: StoreImports
    latest_customer: LatestCustomer | None
    admin_url: Uri

    @classmethod
    def of(cls, details: StoreDetails) -> "Store":  # type: ignore[override]
        """The store in this shape."""
        store, latest = details.store, details.latest_customer
        return cls(
            id=store.id,
            platform=store.platform,
            name=store.name,
            external_id=store.external_id,
            currency=store.currency,
            primary_locale=store.primary_locale,
            status=store.status,
            connection_status=store.connection_status,
            import_status=details.import_status,
            permissions=StorePermissions.of(store),
            connected_at=store.connected_at,
            storefront_url=store.storefront_url,
            contact_email=store.contact_email,
            locale_count=len(store.locales),
            customer_count=details.customers,
            order_count=details.orders,
            product_count=details.products,
            last_order_at=details.last_order_at,
            last_product_sync_at=details.last_product_sync_at,
            imports=StoreImports.of(details),
            latest_customer=LatestCustomer.of(latest) if latest else None,
            admin_url=store.admin_url,
        )

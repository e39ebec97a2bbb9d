"""What a query names by something that has no posting: an id, a variant's SKU, a coupon's code."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from uuid import UUID

from storepost.coupons.codes import code_id
from storepost.coupons.keys import code_key
from storepost.coupons.rows import CodeItem
from storepost.persistence.item import find_all
from storepost.postings.entries import SearchKind
from storepost.products.naming import Name, NameKind, candidates, name_key, names_of
from storepost.products.repository import ProductRepository
from storepost.products.rows import NameItem
from storepost.scope import WorkspaceScope
from storepost.stores.model import Store
from storepost.stores.repository import StoreRepository

type Named = dict[SearchKind, list[UUID]]


def named_by(workspace: WorkspaceScope, q: str, kinds: Collection[SearchKind]) -> Named:
    """The ids of what may be meant; whether there is such a thing its row says."""
    named: Named = defaultdict(list)
    identifier = _id_of(q)
    if identifier:
        return {kind: [identifier] for kind in kinds}
    asks = {SearchKind.PRODUCT, SearchKind.COUPON} & set(kinds)
    stores = StoreRepository(workspace).all() if asks else []
    if SearchKind.PRODUCT in asks:
        named[SearchKind.PRODUCT] += _with_sku(workspace, stores, q.strip())
    if SearchKind.COUPON in asks:
        named[SearchKind.COUPON] += _with_code(workspace, stores, q.strip())
    return {kind: ids for kind, ids in named.items() if ids}


def _with_sku(workspace: WorkspaceScope, stores: Iterable[Store], sku: str) -> list[UUID]:
    """The products with a variant that has just this SKU, as written or in either case."""
    names = [Name(NameKind.SKU, each) for each in {sku, sku.upper(), sku.lower()}]
    rows = find_all(name_key(store, name) for store in stores for name in names)
    found = [
        c.product for row in rows.values() if isinstance(row, NameItem) for c in candidates(row)
    ]
    return [product for product in dict.fromkeys(found) if _has(workspace, product, names)]


def _with_code(workspace: WorkspaceScope, stores: Iterable[Store], code: str) -> list[UUID]:
    """The coupons with just this code, in whatever case: a code's id follows from it."""
    rows = find_all(code_key(workspace, code_id(store.id, code)) for store in stores)
    return [row.coupon_id for row in rows.values() if isinstance(row, CodeItem)]


def _has(workspace: WorkspaceScope, product_id: UUID, names: Iterable[Name]) -> bool:
    """Whether a variant is called so still: names are never taken back."""
    repository = ProductRepository(workspace)
    product = repository.get(product_id)
    if product is None:
        return False
    held = names_of(product.external_id, repository.layers(product).values())
    return any(name in held for name in names)


def _id_of(q: str) -> UUID | None:
    try:
        return UUID(q.strip())
    except ValueError:
        return None

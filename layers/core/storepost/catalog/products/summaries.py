"""What a list shows of a product once its fields are resolved."""

from collections.abc import Mapping, Sequence

from storepost.catalog.products.model import ON_SALE, MissingField, ProductStatus, Stock, Summary
from storepost.catalog.products.records import Value
from storepost.catalog.products.resolution import Resolved, ResolvedProduct, ResolvedVariant
from storepost.values.money import Money


def summary_of(product: ResolvedProduct) -> Summary:
    """Returns what a list shows of the product in its locale."""
    values, variants = product.resolved.values, product.live_variants
    priced = [v for v in variants if "price" in v.resolved.values]
    prices = sorted(_money(v.resolved.values["price"]).amount for v in priced)
    cheapest = min(priced, key=_price, default=None)
    currency = priced[0].resolved.values["price"]["currency"] if priced else ""
    stocks = {stock_of(v.resolved) for v in variants}
    counted = [v.resolved.values.get("inventoryQuantity") for v in variants]
    known = [each for each in counted if each is not None]
    return Summary(
        title=values.get("title"),
        missing=_missing(product),
        published=is_published(product),
        handle=values.get("handle"),
        status=status_of(product),
        vendor=values.get("vendor"),
        product_type=values.get("productType"),
        tags=tuple(values.get("tags", ())),
        image=values.get("image"),
        price=(Money(prices[0], currency), Money(prices[-1], currency)) if prices else None,
        compare_at_price=_compare_at(cheapest),
        variant_count=len(variants),
        stock=_together(stocks),
        inventory=sum(known) if known else None,
    )


def status_of(product: ResolvedProduct) -> ProductStatus:
    """Returns the status: active by default, removed where no source has the product."""
    if product.removed_at is not None:
        return ProductStatus.REMOVED
    return ProductStatus(product.resolved.values.get("status", ProductStatus.ACTIVE))


def is_published(product: ResolvedProduct) -> bool:
    """Returns whether it is published: what a source says, else whether it is on sale."""
    if product.removed_at is not None:
        return False
    published = product.resolved.values.get("published")
    return published if isinstance(published, bool) else status_of(product) in ON_SALE


def stock_of(variant: Resolved) -> Stock:
    """Returns the stock by the inventory, or without one by the stated availability."""
    inventory = variant.values.get("inventoryQuantity")
    if inventory is not None:
        return Stock.IN_STOCK if inventory > 0 else Stock.OUT_OF_STOCK
    available = variant.values.get("availableForSale")
    if available is None:
        return Stock.NOT_TRACKED
    return Stock.IN_STOCK if available else Stock.OUT_OF_STOCK


def sells_on(variant: Resolved) -> bool:
    """Returns whether it is sold when out of stock."""
    return bool(variant.values.get("continueSellingWhenOutOfStock", False))


def is_for_sale(variant: Resolved) -> bool:
    """Returns whether it can be bought: what a source says, else by stock and `sells_on`."""
    available = variant.values.get("availableForSale")
    if isinstance(available, bool):
        return available
    return stock_of(variant) is not Stock.OUT_OF_STOCK or sells_on(variant)


def title_of(variant: ResolvedVariant, product: ResolvedProduct) -> str:
    """Returns its own title, or the option values that identify it."""
    values = variant.resolved.values
    if values.get("title"):
        return str(values["title"])
    options = " / ".join(str(option["value"]) for option in values.get("options", ()))
    return options or str(product.resolved.values.get("title") or variant.key)


def _missing(product: ResolvedProduct) -> tuple[MissingField, ...]:
    winners = product.resolved.winners
    lacking = [
        each for each in (MissingField.TITLE, MissingField.LINK) if each.value not in winners
    ]
    if not any("price" in v.resolved.winners for v in product.live_variants):
        lacking.append(MissingField.PRICE)
    if MissingField.IMAGE.value not in winners:
        lacking.append(MissingField.IMAGE)
    return tuple(lacking)


def _price(variant: ResolvedVariant) -> int:
    return _money(variant.resolved.values["price"]).amount


def _compare_at(variant: ResolvedVariant | None) -> Money | None:
    if variant is None or "compareAtPrice" not in variant.resolved.values:
        return None
    return _money(variant.resolved.values["compareAtPrice"])


def _money(value: Mapping[str, Value]) -> Money:
    return Money(value["amount"], value["currency"])


_BEST_FIRST: Sequence[Stock] = (Stock.IN_STOCK, Stock.NOT_TRACKED, Stock.OUT_OF_STOCK)


def _together(stocks: set[Stock]) -> Stock:
    """Returns the best stock of its variants; `not_tracked` without variants."""
    return next((stock for stock in _BEST_FIRST if stock in stocks), Stock.NOT_TRACKED)

"""The fields that a source can state of a product or of a variant, by their stored names."""

PRODUCT = (
    "title",
    "description",
    "handle",
    "link",
    "image",
    "vendor",
    "productType",
    "tags",
    "status",
    "published",
    "publishedAt",
)
"""Fields of a product that rules can name, as `product.<name>`."""

PRODUCT_FACTS = ("adminUrl", "createdAt")
"""Fields of a product that follow the order of all sources alone."""

VARIANT = (
    "title",
    "options",
    "sku",
    "barcode",
    "image",
    "price",
    "compareAtPrice",
    "inventoryQuantity",
    "availableForSale",
)
"""Fields of a variant that rules can name, as `variant.<name>`."""

VARIANT_FACTS = ("continueSellingWhenOutOfStock", "position", "createdAt", "updatedAt")
"""Fields of a variant that follow the order of all sources alone."""

PRICES = frozenset({"price", "compareAtPrice"})
"""Values with a currency, which never count in another currency."""

CUSTOM = "custom."
MAX_KEY = 200
"""Characters of a custom field's key."""


def is_custom(name: str) -> bool:
    """Returns whether it is a custom field, which is stored under its whole name."""
    return name.startswith(CUSTOM)


def rule_name(name: str, *, of_variant: bool) -> str:
    """Returns the name of a field in rules and winners."""
    if is_custom(name):
        return name
    return f"variant.{name}" if of_variant else f"product.{name}"


RULED = frozenset(
    [rule_name(name, of_variant=False) for name in PRODUCT]
    + [rule_name(name, of_variant=True) for name in VARIANT]
)
"""The fields that rules can name, but for custom ones."""


def can_be_ruled(name: str) -> bool:
    """Returns whether rules can name the field: known, or custom with 1 to 200 characters."""
    return name in RULED or (is_custom(name) and len(CUSTOM) < len(name) <= len(CUSTOM) + MAX_KEY)

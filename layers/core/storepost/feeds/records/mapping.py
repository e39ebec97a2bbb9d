"""Maps a feed's columns to fields."""

import re
from collections.abc import Mapping

from storepost.values.stored_enum import StoredEnum

CUSTOM = "custom."
CUSTOM_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")


class FeedField(StoredEnum):
    """What a column can be, besides a custom field: a field of product feeds as Google and others
    name it, or `ignore` for a column that is left out.

    `id` says which product or variant a row is about, and `item_group_id` which product a variant
    belongs to.
    """

    ID = "id"
    ITEM_GROUP_ID = "item_group_id"
    TITLE = "title"
    DESCRIPTION = "description"
    LINK = "link"
    IMAGE_LINK = "image_link"
    ADDITIONAL_IMAGE_LINK = "additional_image_link"
    PRICE = "price"
    SALE_PRICE = "sale_price"
    AVAILABILITY = "availability"
    QUANTITY = "quantity"
    BRAND = "brand"
    PRODUCT_TYPE = "product_type"
    GTIN = "gtin"
    MPN = "mpn"
    SKU = "sku"
    COLOR = "color"
    SIZE = "size"
    MATERIAL = "material"
    PATTERN = "pattern"
    LOCALE = "locale"
    IGNORE = "ignore"


type FeedMapping = Mapping[str, str]
"""The target of each column, by the column's name: a FeedField or `custom.<key>`."""


def has_id(mapping: FeedMapping) -> bool:
    """Returns whether a column says which product a row is about."""
    return FeedField.ID in mapping.values()

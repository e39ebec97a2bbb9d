"""The exports of shop systems, recognised by their columns, and what those columns hold.

The names are those of the makers' documentation, in the form of `plain_name`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from storepost.feeds.records.mapping import FeedField
from storepost.feeds.records.names import compared_names

OPTION = "option"
"""A column with an option's value, whichever option that is."""


@dataclass(frozen=True)
class ExportFormat:
    """Describes the export of one shop system by its columns."""

    needs: frozenset[str]
    """Columns that this export always has."""
    columns: Mapping[str, str]
    """The target of each column; of several with one target, the first that the file has counts."""
    ids: tuple[str, ...] = ()
    """Columns that may be the id: the first with complete and unique values, else the last."""
    groups: tuple[str, ...] = ()
    """Columns that name the product, if the id doesn't."""
    compare_at: tuple[tuple[str, str], ...] = ()
    """Pairs of columns: the price before, and the price now."""
    never: frozenset[str] = frozenset()
    """Columns whose names mislead."""


_SHOPIFY = {
    "title": FeedField.TITLE,
    "body": FeedField.DESCRIPTION,
    "body_html": FeedField.DESCRIPTION,
    "description": FeedField.DESCRIPTION,
    "vendor": FeedField.BRAND,
    "type": FeedField.PRODUCT_TYPE,
    "custom_product_type": FeedField.PRODUCT_TYPE,
    "product_type": FeedField.PRODUCT_TYPE,
    "product_category": FeedField.PRODUCT_TYPE,
    "standard_product_type": FeedField.PRODUCT_TYPE,
    "option1_value": OPTION,
    "option2_value": OPTION,
    "option3_value": OPTION,
    "google_shopping_mpn": FeedField.MPN,
}
_FORMATS = {
    "shopify": ExportFormat(
        frozenset({"handle", "variant_price", "option1_value"}),
        {
            **_SHOPIFY,
            "variant_sku": FeedField.SKU,
            "variant_barcode": FeedField.GTIN,
            "variant_price": FeedField.PRICE,
            "variant_inventory_qty": FeedField.QUANTITY,
            "variant_inventory_policy": FeedField.AVAILABILITY,
            "image_src": FeedField.IMAGE_LINK,
        },
        ids=("variant_sku", "handle"),
        groups=("handle",),
        compare_at=(("variant_compare_at_price", "variant_price"),),
    ),
    "shopify's newer": ExportFormat(
        frozenset({"url_handle", "price", "option1_value"}),
        {
            **_SHOPIFY,
            "sku": FeedField.SKU,
            "barcode": FeedField.GTIN,
            "price": FeedField.PRICE,
            "inventory_quantity": FeedField.QUANTITY,
            "continue_selling_when_out_of_stock": FeedField.AVAILABILITY,
            "product_image_url": FeedField.IMAGE_LINK,
        },
        ids=("sku", "url_handle"),
        groups=("url_handle",),
        compare_at=(("compare_at_price", "price"),),
    ),
    "shopify's products.json": ExportFormat(
        frozenset({"id", "variants_id", "variants_price"}),
        {
            **_SHOPIFY,
            "variants_sku": FeedField.SKU,
            "variants_barcode": FeedField.GTIN,
            "variants_price": FeedField.PRICE,
            "variants_inventory_quantity": FeedField.QUANTITY,
            "variants_available": FeedField.AVAILABILITY,
            "variants_inventory_policy": FeedField.AVAILABILITY,
            "images_src": FeedField.IMAGE_LINK,
            "image_src": FeedField.IMAGE_LINK,
            "variants_option1": OPTION,
            "variants_option2": OPTION,
            "variants_option3": OPTION,
        },
        ids=("variants_id",),
        groups=("id",),
        compare_at=(("variants_compare_at_price", "variants_price"),),
    ),
    "woocommerce": ExportFormat(
        frozenset({"type", "sku", "regular_price"}),
        {
            "sku": FeedField.SKU,
            "name": FeedField.TITLE,
            "description": FeedField.DESCRIPTION,
            "short_description": FeedField.DESCRIPTION,
            "regular_price": FeedField.PRICE,
            "sale_price": FeedField.SALE_PRICE,
            "in_stock": FeedField.AVAILABILITY,
            "stock": FeedField.QUANTITY,
            "categories": FeedField.PRODUCT_TYPE,
            "images": FeedField.IMAGE_LINK,
            "brands": FeedField.BRAND,
            "gtin_upc_ean_or_isbn": FeedField.GTIN,
            "attribute_1_value": OPTION,
            "attribute_2_value": OPTION,
            "attribute_3_value": OPTION,
        },
        ids=("id", "sku"),
        groups=("parent",),
        never=frozenset({"type"}),
    ),
    "prestashop's combinations": ExportFormat(
        frozenset({"product_id", "attribute", "value"}),
        {
            "value": OPTION,
            "reference": FeedField.SKU,
            "ean13": FeedField.GTIN,
            "upc": FeedField.GTIN,
            "quantity": FeedField.QUANTITY,
            "image_urls": FeedField.IMAGE_LINK,
            "image_url": FeedField.IMAGE_LINK,
        },
        ids=("reference", "product_id"),
        groups=("product_id",),
        never=frozenset({"wholesale_price", "impact_on_price", "product_reference"}),
    ),
    "prestashop": ExportFormat(
        frozenset({"name", "reference", "tax_rules_id"}),
        {
            "name": FeedField.TITLE,
            "description": FeedField.DESCRIPTION,
            "short_description": FeedField.DESCRIPTION,
            "summary": FeedField.DESCRIPTION,
            "price_tax_included": FeedField.PRICE,
            "price_tax_excluded_or_price_tax_included": FeedField.PRICE,
            "price_tax_excluded": FeedField.PRICE,
            "reference": FeedField.SKU,
            "manufacturer": FeedField.BRAND,
            "brand": FeedField.BRAND,
            "ean13": FeedField.GTIN,
            "upc": FeedField.GTIN,
            "mpn": FeedField.MPN,
            "quantity": FeedField.QUANTITY,
            "categories": FeedField.PRODUCT_TYPE,
            "image_urls": FeedField.IMAGE_LINK,
        },
        ids=("product_id", "id", "reference"),
        never=frozenset({"on_sale", "wholesale_price", "unit_price", "available_for_order"}),
    ),
    "magento": ExportFormat(
        frozenset({"sku", "attribute_set_code", "price"}),
        {
            "name": FeedField.TITLE,
            "description": FeedField.DESCRIPTION,
            "short_description": FeedField.DESCRIPTION,
            "price": FeedField.PRICE,
            "special_price": FeedField.SALE_PRICE,
            "categories": FeedField.PRODUCT_TYPE,
            "base_image": FeedField.IMAGE_LINK,
            "additional_images": FeedField.ADDITIONAL_IMAGE_LINK,
            "qty": FeedField.QUANTITY,
            "is_in_stock": FeedField.AVAILABILITY,
        },
        ids=("sku",),
        groups=("configurable_variations",),
        never=frozenset({"product_type", "msrp_price", "map_price"}),
    ),
    "bigcommerce": ExportFormat(
        frozenset({"item_type", "product_name", "product_code_sku"}),
        {
            "product_name": FeedField.TITLE,
            "product_description": FeedField.DESCRIPTION,
            "product_code_sku": FeedField.SKU,
            "brand_name": FeedField.BRAND,
            "price": FeedField.PRICE,
            "sale_price": FeedField.SALE_PRICE,
            "category": FeedField.PRODUCT_TYPE,
            "current_stock_level": FeedField.QUANTITY,
            "allow_purchases": FeedField.AVAILABILITY,
            "product_upc_ean": FeedField.GTIN,
            "product_image_file_1": FeedField.IMAGE_LINK,
        },
        ids=("product_id", "product_code_sku"),
        groups=("item_type",),
        never=frozenset({"product_type", "retail_price", "cost_price"}),
    ),
    "bigcommerce's newer": ExportFormat(
        frozenset({"item", "id", "name", "options"}),
        {
            "name": FeedField.TITLE,
            "description": FeedField.DESCRIPTION,
            "sku": FeedField.SKU,
            "price": FeedField.PRICE,
            "sale_price": FeedField.SALE_PRICE,
            "categories": FeedField.PRODUCT_TYPE,
            "current_stock": FeedField.QUANTITY,
            "upc_ean": FeedField.GTIN,
            "manufacturer_part_number": FeedField.MPN,
            "product_url": FeedField.LINK,
            "image_url": FeedField.IMAGE_LINK,
            "options": OPTION,
        },
        ids=("id",),
        groups=("item",),
        never=frozenset({"type", "retail_price", "cost_price"}),
    ),
    "vendure": ExportFormat(
        frozenset({"slug", "option_groups", "option_values", "sku"}),
        {
            "name": FeedField.TITLE,
            "description": FeedField.DESCRIPTION,
            "assets": FeedField.IMAGE_LINK,
            "option_values": OPTION,
            "sku": FeedField.SKU,
            "price": FeedField.PRICE,
            "stock_on_hand": FeedField.QUANTITY,
        },
        ids=("sku", "slug"),
        groups=("slug",),
    ),
    "ceneo": ExportFormat(
        frozenset({"id", "url", "price", "avail", "cat"}),
        {
            "cat": FeedField.PRODUCT_TYPE,
            "avail": FeedField.AVAILABILITY,
            "imgs_main": FeedField.IMAGE_LINK,
            "imgs_i": FeedField.ADDITIONAL_IMAGE_LINK,
        },
        ids=("id",),
    ),
    "variants inside products": ExportFormat(
        frozenset({"variants_id"}),
        {},
        ids=("variants_id",),
        groups=("id", "item_id", "itemid", "product_id", "unique_id", "uniqueid"),
    ),
}


def export_format_of(columns: Collection[str]) -> ExportFormat | None:
    """Returns the export with these columns, by their compared names; None for no known one."""
    found = (each for each in _FORMATS.values() if compared_names(*each.needs) <= set(columns))
    return next(found, None)

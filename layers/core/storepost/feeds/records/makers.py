"""The exports of shop systems, known by their columns, and what is in those.

The names are those of the makers' documentation as `plain_name` has them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from storepost.feeds.records.mapping import Target
from storepost.feeds.records.names import compared_names

OPTION = "option"
"""A column with an option's value, whichever that is."""


@dataclass(frozen=True)
class Maker:
    """One maker's export."""

    needs: frozenset[str]
    """Columns without which it is another's."""
    columns: Mapping[str, str]
    """What each is; of several with one target the first that the file has."""
    ids: tuple[str, ...] = ()
    """Which may be the id: the first whose values are all there and different, else the last."""
    groups: tuple[str, ...] = ()
    """Which names the product, where it isn't the id."""
    former: tuple[tuple[str, str], ...] = ()
    """Pairs of what something cost before, and what it costs now."""
    never: frozenset[str] = frozenset()
    """Columns whose names mislead."""


_SHOPIFY = {
    "title": Target.TITLE,
    "body": Target.DESCRIPTION,
    "body_html": Target.DESCRIPTION,
    "description": Target.DESCRIPTION,
    "vendor": Target.BRAND,
    "type": Target.PRODUCT_TYPE,
    "custom_product_type": Target.PRODUCT_TYPE,
    "product_type": Target.PRODUCT_TYPE,
    "product_category": Target.PRODUCT_TYPE,
    "standard_product_type": Target.PRODUCT_TYPE,
    "option1_value": OPTION,
    "option2_value": OPTION,
    "option3_value": OPTION,
    "google_shopping_mpn": Target.MPN,
}
_MAKERS = {
    "shopify": Maker(
        frozenset({"handle", "variant_price", "option1_value"}),
        {
            **_SHOPIFY,
            "variant_sku": Target.SKU,
            "variant_barcode": Target.GTIN,
            "variant_price": Target.PRICE,
            "variant_inventory_qty": Target.QUANTITY,
            "variant_inventory_policy": Target.AVAILABILITY,
            "image_src": Target.IMAGE_LINK,
        },
        ids=("variant_sku", "handle"),
        groups=("handle",),
        former=(("variant_compare_at_price", "variant_price"),),
    ),
    "shopify's newer": Maker(
        frozenset({"url_handle", "price", "option1_value"}),
        {
            **_SHOPIFY,
            "sku": Target.SKU,
            "barcode": Target.GTIN,
            "price": Target.PRICE,
            "inventory_quantity": Target.QUANTITY,
            "continue_selling_when_out_of_stock": Target.AVAILABILITY,
            "product_image_url": Target.IMAGE_LINK,
        },
        ids=("sku", "url_handle"),
        groups=("url_handle",),
        former=(("compare_at_price", "price"),),
    ),
    "shopify's products.json": Maker(
        frozenset({"id", "variants_id", "variants_price"}),
        {
            **_SHOPIFY,
            "variants_sku": Target.SKU,
            "variants_barcode": Target.GTIN,
            "variants_price": Target.PRICE,
            "variants_inventory_quantity": Target.QUANTITY,
            "variants_available": Target.AVAILABILITY,
            "variants_inventory_policy": Target.AVAILABILITY,
            "images_src": Target.IMAGE_LINK,
            "image_src": Target.IMAGE_LINK,
            "variants_option1": OPTION,
            "variants_option2": OPTION,
            "variants_option3": OPTION,
        },
        ids=("variants_id",),
        groups=("id",),
        former=(("variants_compare_at_price", "variants_price"),),
    ),
    "woocommerce": Maker(
        frozenset({"type", "sku", "regular_price"}),
        {
            "sku": Target.SKU,
            "name": Target.TITLE,
            "description": Target.DESCRIPTION,
            "short_description": Target.DESCRIPTION,
            "regular_price": Target.PRICE,
            "sale_price": Target.SALE_PRICE,
            "in_stock": Target.AVAILABILITY,
            "stock": Target.QUANTITY,
            "categories": Target.PRODUCT_TYPE,
            "images": Target.IMAGE_LINK,
            "brands": Target.BRAND,
            "gtin_upc_ean_or_isbn": Target.GTIN,
            "attribute_1_value": OPTION,
            "attribute_2_value": OPTION,
            "attribute_3_value": OPTION,
        },
        ids=("id", "sku"),
        groups=("parent",),
        never=frozenset({"type"}),
    ),
    "prestashop's combinations": Maker(
        frozenset({"product_id", "attribute", "value"}),
        {
            "value": OPTION,
            "reference": Target.SKU,
            "ean13": Target.GTIN,
            "upc": Target.GTIN,
            "quantity": Target.QUANTITY,
            "image_urls": Target.IMAGE_LINK,
            "image_url": Target.IMAGE_LINK,
        },
        ids=("reference", "product_id"),
        groups=("product_id",),
        never=frozenset({"wholesale_price", "impact_on_price", "product_reference"}),
    ),
    "prestashop": Maker(
        frozenset({"name", "reference", "tax_rules_id"}),
        {
            "name": Target.TITLE,
            "description": Target.DESCRIPTION,
            "short_description": Target.DESCRIPTION,
            "summary": Target.DESCRIPTION,
            "price_tax_included": Target.PRICE,
            "price_tax_excluded_or_price_tax_included": Target.PRICE,
            "price_tax_excluded": Target.PRICE,
            "reference": Target.SKU,
            "manufacturer": Target.BRAND,
            "brand": Target.BRAND,
            "ean13": Target.GTIN,
            "upc": Target.GTIN,
            "mpn": Target.MPN,
            "quantity": Target.QUANTITY,
            "categories": Target.PRODUCT_TYPE,
            "image_urls": Target.IMAGE_LINK,
        },
        ids=("product_id", "id", "reference"),
        never=frozenset({"on_sale", "wholesale_price", "unit_price", "available_for_order"}),
    ),
    "magento": Maker(
        frozenset({"sku", "attribute_set_code", "price"}),
        {
            "name": Target.TITLE,
            "description": Target.DESCRIPTION,
            "short_description": Target.DESCRIPTION,
            "price": Target.PRICE,
            "special_price": Target.SALE_PRICE,
            "categories": Target.PRODUCT_TYPE,
            "base_image": Target.IMAGE_LINK,
            "additional_images": Target.ADDITIONAL_IMAGE_LINK,
            "qty": Target.QUANTITY,
            "is_in_stock": Target.AVAILABILITY,
        },
        ids=("sku",),
        groups=("configurable_variations",),
        never=frozenset({"product_type", "msrp_price", "map_price"}),
    ),
    "bigcommerce": Maker(
        frozenset({"item_type", "product_name", "product_code_sku"}),
        {
            "product_name": Target.TITLE,
            "product_description": Target.DESCRIPTION,
            "product_code_sku": Target.SKU,
            "brand_name": Target.BRAND,
            "price": Target.PRICE,
            "sale_price": Target.SALE_PRICE,
            "category": Target.PRODUCT_TYPE,
            "current_stock_level": Target.QUANTITY,
            "allow_purchases": Target.AVAILABILITY,
            "product_upc_ean": Target.GTIN,
            "product_image_file_1": Target.IMAGE_LINK,
        },
        ids=("product_id", "product_code_sku"),
        groups=("item_type",),
        never=frozenset({"product_type", "retail_price", "cost_price"}),
    ),
    "bigcommerce's newer": Maker(
        frozenset({"item", "id", "name", "options"}),
        {
            "name": Target.TITLE,
            "description": Target.DESCRIPTION,
            "sku": Target.SKU,
            "price": Target.PRICE,
            "sale_price": Target.SALE_PRICE,
            "categories": Target.PRODUCT_TYPE,
            "current_stock": Target.QUANTITY,
            "upc_ean": Target.GTIN,
            "manufacturer_part_number": Target.MPN,
            "product_url": Target.LINK,
            "image_url": Target.IMAGE_LINK,
            "options": OPTION,
        },
        ids=("id",),
        groups=("item",),
        never=frozenset({"type", "retail_price", "cost_price"}),
    ),
    "vendure": Maker(
        frozenset({"slug", "option_groups", "option_values", "sku"}),
        {
            "name": Target.TITLE,
            "description": Target.DESCRIPTION,
            "assets": Target.IMAGE_LINK,
            "option_values": OPTION,
            "sku": Target.SKU,
            "price": Target.PRICE,
            "stock_on_hand": Target.QUANTITY,
        },
        ids=("sku", "slug"),
        groups=("slug",),
    ),
    "variants inside products": Maker(
        frozenset({"variants_id"}),
        {},
        ids=("variants_id",),
        groups=("id", "item_id", "itemid", "product_id", "unique_id", "uniqueid"),
    ),
}


def maker_of(columns: Collection[str]) -> Maker | None:
    """Whose export has these columns, by their compared names; None where that isn't known."""
    found = (maker for maker in _MAKERS.values() if compared_names(*maker.needs) <= set(columns))
    return next(found, None)

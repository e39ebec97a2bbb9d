"""What a column probably is, by its name."""

import re

from storepost.feeds.records.mapping import CUSTOM, CUSTOM_KEY, Target

_OTHER = re.compile(r"[^a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_SYNONYMS: dict[Target, str] = {
    Target.ID: "id product_id item_id variant_id offer_id artikelnummer article_number external_id",
    Target.ITEM_GROUP_ID: "item_group_id group_id parent_id parent_sku itemgroupid variant_group",
    Target.TITLE: "title name product_name product_title titel bezeichnung",
    Target.DESCRIPTION: "description desc body body_html product_description beschreibung summary",
    Target.LINK: "link url product_url product_link deeplink deep_link",
    Target.IMAGE_LINK: "image_link image image_url img picture main_image image_src bild thumbnail",
    Target.ADDITIONAL_IMAGE_LINK: "additional_image_link additional_image_links more_images images",
    Target.PRICE: "price regular_price list_price preis retail_price unit_price",
    Target.SALE_PRICE: "sale_price special_price discount_price offer_price",
    Target.AVAILABILITY: "availability stock_status in_stock available verfuegbarkeit",
    Target.QUANTITY: "quantity qty inventory stock inventory_quantity stock_quantity bestand"
    " quantity_to_sell_on_facebook",
    Target.BRAND: "brand vendor manufacturer marke hersteller",
    Target.PRODUCT_TYPE: "product_type category categories product_category kategorie type",
    Target.GTIN: "gtin ean upc barcode isbn jan ean13 gtin13",
    Target.MPN: "mpn manufacturer_part_number part_number",
    Target.SKU: "sku variant_sku item_sku seller_sku",
    Target.COLOR: "color colour farbe",
    Target.SIZE: "size groesse",
    Target.MATERIAL: "material fabric",
    Target.PATTERN: "pattern muster",
    Target.LOCALE: "locale language lang content_language sprache",
}
_BY_NAME = {name: target for target, names in _SYNONYMS.items() for name in names.split()}


def suggested_mapping(columns: list[str]) -> dict[str, str]:
    """A target for each column; none is suggested twice, and what isn't known is a custom field."""
    plain = {column: _plain(column) for column in columns}
    taken: dict[str, str] = {}
    # The very names come before their synonyms: of `sku` and `id`, `id` is the id.
    for column in sorted(columns, key=lambda each: plain[each] not in set(Target)):
        target = _BY_NAME.get(plain[column])
        if target is not None and target not in taken.values():
            taken[column] = target
    if Target.ID not in taken.values():
        sku = next((column for column, target in taken.items() if target == Target.SKU), None)
        if sku is not None:
            taken[sku] = Target.ID
    return {column: taken.get(column) or _custom(plain[column], taken) for column in columns}


def _custom(plain: str, taken: dict[str, str]) -> str:
    if plain in _BY_NAME or not CUSTOM_KEY.fullmatch(plain) or "." in plain:
        return Target.IGNORE
    return f"{CUSTOM}{plain}" if f"{CUSTOM}{plain}" not in taken.values() else Target.IGNORE


def _plain(column: str) -> str:
    """The name in lower case with underscores, without the merchant's prefix."""
    name = _CAMEL.sub("_", column.strip().removeprefix("g:")).lower()
    for letter, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        name = name.replace(letter, plain)
    return _OTHER.sub("_", name).strip("_")

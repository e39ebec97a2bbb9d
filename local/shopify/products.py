"""A pretend shop's products, as the Admin API returns them."""

from collections.abc import Iterable, Mapping
from typing import Any

from storepost.values import clock

GID = "gid://shopify/Product/"

type Node = dict[str, Any]


def product_node(number: int, title: str, variants: Iterable[Node], **fields: Any) -> Node:  # noqa: ANN401 - what JSON can say
    """Returns a product; `translations` has its translated texts by locale and key."""
    handle, at = title.lower().replace(" ", "-"), clock.to_text(clock.now())
    return {
        "id": f"{GID}{number}",
        "title": title,
        "descriptionHtml": f"<p>{title}</p>",
        "handle": handle,
        "vendor": "Birch & Loom",
        "productType": "",
        "tags": [],
        "status": "ACTIVE",
        "createdAt": at,
        "updatedAt": at,
        "publishedAt": at,
        "featuredMedia": picture(number, f"https://cdn.example.com/{handle}.jpg", title),
        "translations": {},
        "variants": list(variants),
        **fields,
    }


def variant_node(number: int, price: str, **fields: Any) -> Node:  # noqa: ANN401 - the same
    """Returns a variant whose inventory the shop tracks."""
    at = clock.to_text(clock.now())
    return {
        "id": f"gid://shopify/ProductVariant/{number}",
        "title": "Default Title",
        "sku": None,
        "barcode": None,
        "price": price,
        "compareAtPrice": None,
        "inventoryQuantity": 10,
        "inventoryPolicy": "DENY",
        "inventoryItem": {"tracked": True},
        "position": 1,
        "createdAt": at,
        "updatedAt": at,
        "selectedOptions": [{"name": "Title", "value": "Default Title"}],
        "media": [],
        **fields,
    }


def picture(number: int, url: str, alt: str | None = None) -> Node:
    """Returns a picture, a file that products and variants may share."""
    return {
        "__typename": "MediaImage",
        "id": f"gid://shopify/MediaImage/{number}",
        "alt": alt,
        "preview": {"image": {"url": url}},
    }


def number_of(product: Mapping[str, Any]) -> int:
    """Returns the number at the end of its id."""
    return int(product["id"].rpartition("/")[2])


def translated(product: Mapping[str, Any], locale: str) -> list[Node]:
    """Returns a product's translations into a language, one row per field."""
    translations: Mapping[str, str] = product["translations"].get(locale, {})
    return [{"locale": locale, "key": key, "value": value} for key, value in translations.items()]


def demo_products() -> list[Node]:
    """Returns the products of the demo's shop."""
    sizes = ("Small", "Large")
    blanket = [
        variant_node(
            place,
            price,
            title=size,
            sku=f"BL-BLANKET-{size[0]}",
            position=place,
            selectedOptions=[{"name": "Size", "value": size}],
        )
        for place, (size, price) in enumerate(zip(sizes, ("79.00", "119.00"), strict=True), 1)
    ]
    german = {"de": {"title": "Merinodecke", "body_html": "<p>Warm, aus Merinowolle.</p>"}}
    return [
        product_node(1, "Merino Blanket", blanket, productType="Throws", translations=german),
        product_node(2, "Linen Apron", [variant_node(3, "45.00", sku="BL-APRON")]),
        product_node(
            3,
            "Birch Spoon",
            [variant_node(4, "12.50", sku="BL-SPOON", compareAtPrice="15.00")],
            translations={"de": {"title": "Birkenlöffel"}},
        ),
    ]

"""Products in files of bulk operations: with all variants, in every language."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from storepost.catalog.products.incoming import IncomingProduct, IncomingTexts, IncomingVariant
from storepost.stores.stores.model import Store
from storepost.sync.records.amounts import money_of
from storepost.sync.records.products import link_of, status_of, tags_of
from storepost.sync.records.reading import (
    Body,
    address_of,
    locale_of,
    moment_of,
    needed_id,
    needed_moment,
    part_of,
    parts_of,
    text_of,
    whole_of,
)

TRANSLATIONS = "translations"
"""The prefix of the fields with translations: one field for each language."""


def product_of(store: Store, node: Body, below: Sequence[Body]) -> IncomingProduct:
    """Returns a product; `below` are its variants and their images. Raises NoRecord."""
    external_id = needed_id(node, "id")
    handle, published_at = text_of(node.get("handle")), moment_of(node.get("publishedAt"))
    children: dict[str, list[Body]] = defaultdict(list)
    for each in below:
        children[str(each.get("__parentId"))].append(each)
    return IncomingProduct(
        external_id=external_id,
        updated_at=needed_moment(node, "updatedAt"),
        status=status_of(node.get("status")),
        published=published_at is not None,
        handle=handle,
        vendor=text_of(node.get("vendor")),
        product_type=text_of(node.get("productType")),
        tags=tags_of(node.get("tags")),
        published_at=published_at,
        created_at=moment_of(node.get("createdAt")),
        link=link_of(store, handle),
        image=_image(part_of(node, "featuredMedia")),
        custom_fields={},
        admin_url=f"{store.admin_url}/products/{external_id}",
        texts=(
            _texts(store.primary_locale, node.get("title"), node.get("descriptionHtml")),
            *_translations(store, node),
        ),
        variants=tuple(
            _variant(store, each, children[str(each.get("id"))])
            for each in children[str(node.get("id"))]
        ),
    )


def _texts(locale: str, title: object, description: object) -> IncomingTexts:
    text = description if isinstance(description, str) else None
    return IncomingTexts(locale, text_of(title) or "", text)


def _translations(store: Store, node: Body) -> Iterator[IncomingTexts]:
    """The translations, from rows of one field each; rows in an unknown language are left out."""
    rows = (row for name in node if name.startswith(TRANSLATIONS) for row in parts_of(node, name))
    by_locale: dict[str, dict[str | None, object]] = defaultdict(dict)
    for row in rows:
        locale = locale_of(row.get("locale"))
        if locale is not None and locale != store.primary_locale:
            by_locale[locale][text_of(row.get("key"))] = row.get("value")
    for locale, fields in by_locale.items():
        yield _texts(locale, fields.get("title"), fields.get("body_html"))


def _variant(store: Store, node: Body, media: Iterable[Body]) -> IncomingVariant:
    compare_at, inventory = node.get("compareAtPrice"), whole_of(node.get("inventoryQuantity"))
    tracked = part_of(node, "inventoryItem").get("tracked") is True
    return IncomingVariant(
        external_id=needed_id(node, "id"),
        title=text_of(node.get("title")) or "",
        sku=text_of(node.get("sku")),
        barcode=text_of(node.get("barcode")),
        options=tuple(_chosen(node)),
        image=next((image for each in media if (image := _image(each))), None),
        price=money_of(node.get("price"), store.currency),
        compare_at_price=money_of(compare_at, store.currency) if compare_at else None,
        inventory=inventory if tracked else None,
        sells_on=node.get("inventoryPolicy") == "CONTINUE",
        position=whole_of(node.get("position")) or 0,
        created_at=moment_of(node.get("createdAt")),
        updated_at=moment_of(node.get("updatedAt")),
    )


def _chosen(node: Body) -> Iterator[tuple[str, str]]:
    for each in parts_of(node, "selectedOptions"):
        name, value = text_of(each.get("name")), text_of(each.get("value"))
        if name and value:
            yield name, value


def _image(media: Body) -> tuple[str, str | None] | None:
    """The image of a media file; a video has a preview image, too."""
    url = address_of(part_of(part_of(media, "preview"), "image").get("url"))
    return (url, text_of(media.get("alt"))) if url else None

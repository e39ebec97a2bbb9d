"""Products in the format of webhooks: bodies of Shopify's REST resource."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from storepost.catalog.products.incoming import IncomingProduct, IncomingTexts, IncomingVariant
from storepost.catalog.products.model import ProductStatus
from storepost.stores.stores.model import Store
from storepost.sync.records.amounts import money_of
from storepost.sync.records.reading import (
    Body,
    address_of,
    id_of,
    moment_of,
    needed_id,
    needed_moment,
    parts_of,
    text_of,
    whole_of,
)

_STATUSES = {"active", "unlisted", "draft", "archived"}
_MAX_OPTIONS = 3
_MAX_TAGS = 250


def product_of(store: Store, body: Body) -> IncomingProduct:
    """Returns a product with its variants, in the shop's primary locale. Raises NoRecord.

    A body has a hundred variants at most, and the ids of all.
    """
    external_id = needed_id(body, "id")
    variants = parts_of(body, "variants")
    handle, images = text_of(body.get("handle")), _images(body)
    description = body.get("body_html")
    texts = IncomingTexts(
        locale=store.primary_locale,
        title=text_of(body.get("title")) or "",
        description=description if isinstance(description, str) else None,
    )
    published_at = moment_of(body.get("published_at"))
    return IncomingProduct(
        external_id=external_id,
        updated_at=needed_moment(body, "updated_at"),
        status=status_of(body.get("status")),
        published=published_at is not None,
        handle=handle,
        vendor=text_of(body.get("vendor")),
        product_type=text_of(body.get("product_type")),
        tags=tags_of(body.get("tags")),
        published_at=published_at,
        created_at=moment_of(body.get("created_at")),
        link=link_of(store, handle),
        image=next(iter(images.values()), None),
        custom_fields={},
        admin_url=f"{store.admin_url}/products/{external_id}",
        texts=(texts,),
        variants=tuple(_variant(store, each, _options(body), images) for each in variants),
        is_in_one_locale=True,
        left_out=_ids_left_out(body, variants),
    )


def _ids_left_out(body: Body, variants: Sequence[Body]) -> frozenset[str]:
    """The ids of the variants that the product has beside those in its body."""
    named = {id_of(each.get("admin_graphql_api_id")) for each in parts_of(body, "variant_gids")}
    sent = {id_of(each.get("id")) for each in variants}
    return frozenset(each for each in named - sent if each)


def _variant(
    store: Store,
    body: Body,
    options: Sequence[str],
    images: Mapping[str, tuple[str, str | None]],
) -> IncomingVariant:
    compare_at = body.get("compare_at_price")
    tracked, inventory = body.get("inventory_management"), whole_of(body.get("inventory_quantity"))
    return IncomingVariant(
        external_id=needed_id(body, "id"),
        title=text_of(body.get("title")) or "",
        sku=text_of(body.get("sku")),
        barcode=text_of(body.get("barcode")),
        options=_chosen(body, options),
        image=images.get(id_of(body.get("image_id")) or ""),
        price=money_of(body.get("price"), store.currency),
        compare_at_price=money_of(compare_at, store.currency) if compare_at else None,
        inventory=inventory if tracked is not None else None,
        sells_on=body.get("inventory_policy") == "continue",
        position=whole_of(body.get("position")) or 0,
        created_at=moment_of(body.get("created_at")),
        updated_at=moment_of(body.get("updated_at")),
    )


def status_of(value: object) -> str:
    """Returns a status, in upper or lower case; an unknown one becomes active."""
    text = str(value).lower()
    return text if text in _STATUSES else ProductStatus.ACTIVE


def tags_of(value: object) -> tuple[str, ...]:
    """Returns the tags of a comma-separated text, or of a list."""
    parts: Iterable[object] = value.split(",") if isinstance(value, str) else ()
    if isinstance(value, list):
        parts = value
    found = (tag for part in parts if (tag := text_of(part)))
    return tuple(dict.fromkeys(found))[:_MAX_TAGS]


def link_of(store: Store, handle: str | None) -> str | None:
    """Returns the address of the product in the shop, or None."""
    if store.storefront_url is None or handle is None:
        return None
    return f"{store.storefront_url.rstrip('/')}/products/{quote(handle)}"


def _images(body: Body) -> dict[str, tuple[str, str | None]]:
    """The images by their ids, in the product's own order."""
    return {
        id_of(each.get("id")) or "": (src, text_of(each.get("alt")))
        for each in parts_of(body, "images")
        if (src := address_of(each.get("src")))
    }


def _options(body: Body) -> list[str]:
    return [text_of(each.get("name")) or "" for each in parts_of(body, "options")]


def _chosen(body: Body, options: Sequence[str]) -> tuple[tuple[str, str], ...]:
    values = [text_of(body.get(f"option{n}")) for n in range(1, _MAX_OPTIONS + 1)]
    return tuple((name, value) for name, value in zip(options, values, strict=False) if value)

"""Puts a product together from its sources' layers: its own row, with a mark of each layer."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from storepost.catalog.products.in_force import InForce
from storepost.catalog.products.model import LayerMark, Product
from storepost.catalog.products.naming import skus_of
from storepost.catalog.products.packing import digest_of, layer_parts
from storepost.catalog.products.records import Layer
from storepost.catalog.products.resolution import Resolution
from storepost.catalog.products.summaries import summary_of
from storepost.values.problems import FieldError, PayloadTooLarge, ValidationFailed

MAX_VARIANTS = 2_048
"""Variants that one source has of a product: as many as Shopify allows, a few more than a request.
"""
MAX_LAYER_BYTES = 3_000_000
"""Bytes of one layer, deflated: a transaction takes 4 MB."""


def parts_of(layer: Layer) -> list[bytes]:
    """Returns the contents of a layer's rows. Raises ValidationFailed, PayloadTooLarge."""
    keys = {r.values.variant for r in layer.records if r.is_live and r.values.variant is not None}
    if len(keys) > MAX_VARIANTS:
        message = f"A product has at most {MAX_VARIANTS:,} variants"
        raise ValidationFailed(errors=[FieldError("/variants", message)])
    parts = layer_parts(layer)
    if sum(map(len, parts)) > MAX_LAYER_BYTES:
        raise PayloadTooLarge("What the source says of the product takes more than 3 MB.")
    return parts


def mark_of(layer: Layer, rows: int, digest: str | None = None) -> LayerMark:
    """Returns the layer's mark in the product's row; `digest` is passed if it is known already."""
    live = [record.values for record in layer.records if record.is_live]
    return LayerMark(
        source=layer.source,
        rows=rows,
        digest=digest or digest_of(live, layer.updated_at),
        locales=tuple(sorted({values.locale for values in live if values.locale})),
        is_live=bool(live),
    )


def product_of(
    identity: tuple[UUID, UUID, str],
    before: Product | None,
    layers: Sequence[Layer],
    in_force: InForce,
    now: datetime,
) -> Product:
    """Returns the product that its layers make, with the layer marks of `before`.

    `identity` is its id, its store's id and its external id.
    """
    product_id, store_id, external_id = identity
    terms = in_force.terms
    records = [record for layer in layers for record in layer.records]
    resolution = Resolution(records, in_force.rules, terms)
    if not resolution.has_product:
        raise ValueError("a product begins with a record of the product itself")
    removed_at = resolution.removed_at
    return Product(
        id=product_id,
        store_id=store_id,
        external_id=external_id,
        added_at=before.added_at if before else now,
        changed_at=max(now, before.changed_at) if before else now,
        removed_at=removed_at,
        primary_locale=terms.primary_locale,
        summaries={
            locale: summary_of(resolution.in_locale(locale)) for locale in resolution.locales
        },
        layers=before.layers if before else {},
        # A removed product is still found by the SKUs that it had.
        skus=before.skus if before and removed_at else skus_of(layers),
    )


def stated_names(layers: Iterable[Layer]) -> set[str]:
    """Returns the names of all fields that the layers state."""
    return {name for layer in layers for record in layer.records for name in record.values.fields}

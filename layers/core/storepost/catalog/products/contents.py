"""What many products and variants are called now, from as little of their rows as possible.

A feed of 10,000 rows may be about as many products, whose whole rows take seconds to read.
"""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from json import loads
from typing import Any
from uuid import UUID

from storepost.catalog.products.keys import layer_key, product_key
from storepost.catalog.products.naming import Name, NameKind
from storepost.catalog.products.packing import CalledRecord, called_records
from storepost.catalog.products.rows import LayerItem, ProductItem
from storepost.catalog.products.staged import staged_in_raw, unlisted
from storepost.platform.persistence.changes import LostRace
from storepost.platform.persistence.item import Item, Key, Raw, find_raw
from storepost.values.ids import from_short
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class ProductContents:
    """A product that a source has, and the names of its variants."""

    external_id: str
    records: Sequence[CalledRecord]

    @property
    def variants(self) -> set[str]:
        """Returns the keys of the product's variants."""
        return {each.variant for each in self.records if each.variant is not None}

    def is_called(self, variant: str, name: Name) -> bool:
        """Returns whether the variant has this name now."""
        own = [each for each in self.records if each.variant == variant]
        match name.kind:
            case NameKind.EXTERNAL_ID:
                return variant == name.value and bool(own)
            case NameKind.SKU:
                return any(each.sku == name.value for each in own)
            case NameKind.BARCODE:
                return any(each.barcode == name.value for each in own)


def read_contents(
    workspace: WorkspaceScope, products: Iterable[UUID], without: Collection[UUID]
) -> dict[UUID, ProductContents]:
    """Returns those of the products that any source but `without` has, in two batch gets a hundred.

    Raises LostRace if another writer wrote between the two.
    """
    keys = {each: product_key(workspace, each) for each in dict.fromkeys(products)}
    kind = Item.kind.get_discriminator(ProductItem)
    rows = find_raw(
        keys.values(),
        attributes=("kind", "external_id", "removed_at", "layers", "layer", "staged", "store_id"),
    )
    staged = {key: mark for key, row in rows.items() if (mark := staged_in_raw(row))}
    out = unlisted(workspace, staged.values())
    live = {
        each: rows[key]
        for each, key in keys.items()
        if key in rows
        and rows[key]["kind"]["S"] == kind
        and "removed_at" not in rows[key]
        and staged.get(key) not in out
    }
    parts = {each: _parts(workspace, each, raw, without) for each, raw in live.items()}
    layer_keys = [key for layers in parts.values() for layer in layers for key in layer]
    contents = find_raw(layer_keys, attributes=("content",))
    found = {
        each: [_records(live[each], layer, contents) for layer in parts[each]] for each in live
    }
    return {
        each: ProductContents(
            live[each]["external_id"]["S"], [record for layer in layers for record in layer]
        )
        for each, layers in found.items()
        if any(record.variant is None for layer in layers for record in layer)
    }


def _parts(
    workspace: WorkspaceScope, product: UUID, raw: Raw, without: Collection[UUID]
) -> list[list[Key]]:
    """Returns the keys of each layer's rows; none for a layer in the product's own row."""
    marks = ((from_short(source), rows) for source, rows, *_ in loads(raw["layers"]["S"]))
    return [
        [layer_key(workspace, product, source, number) for number in range(rows)]
        for source, rows in marks
        if source not in without
    ]


def _records(product: Raw, layer: Sequence[Key], contents: Mapping[Key, Any]) -> list[CalledRecord]:
    name = LayerItem.content.attr_name
    found = [contents[key][name]["B"] for key in layer if key in contents]
    try:
        return called_records(found if layer else [product["layer"]["B"]])
    except (zlib.error, ValueError) as error:
        raise LostRace from error

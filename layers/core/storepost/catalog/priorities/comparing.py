"""Compares a product under the rules in force with the same under others: a function of values."""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from storepost.catalog.priorities.model import ChangedProduct, FieldChange
from storepost.catalog.products.fields import can_be_ruled, rule_name
from storepost.catalog.products.model import Product, variant_id
from storepost.catalog.products.records import Record
from storepost.catalog.products.resolution import Resolution, Resolved, ResolvedProduct, StoreTerms
from storepost.catalog.products.rules import Rules
from storepost.catalog.products.summaries import title_of

MAX_CHANGES = 500
"""Changes of one product that a preview lists."""
MAX_BYTES = 400_000
"""Bytes of a product's changes in an answer, so that ten products fit into it; deflated they stay
below what a row may have.
"""

type _Place = tuple[str | None, str]
"""The variant's key (None for the product itself), and the field."""
type _Change = tuple[tuple[UUID | None, Any], tuple[UUID | None, Any]]


def compare(
    product: Product, records: Sequence[Record], now: Rules, then: Rules, terms: StoreTerms
) -> ChangedProduct | None:
    """Returns how the product changes under other rules; None if it stays the same."""
    before, after = (Resolution(records, rules, terms) for rules in (now, then))
    pairs = {each: (before.in_locale(each), after.in_locale(each)) for each in before.locales}
    found = {locale: dict(_differences(*pair)) for locale, pair in pairs.items()}
    _, primary = pairs[terms.primary_locale]
    titles = {variant.key: title_of(variant, primary) for variant in primary.live_variants}
    changes = list(_by_locale(found))
    if not changes:
        return None
    listed = tuple(_listed(product.id, changes, titles))
    summary = product.summary
    return ChangedProduct(product.id, product.external_id, summary.title, summary.image, listed)


def _differences(
    before: ResolvedProduct, after: ResolvedProduct
) -> Iterator[tuple[_Place, _Change]]:
    yield from _of_fields(None, before.resolved, after.resolved)
    others = {variant.key: variant.resolved for variant in after.live_variants}
    for variant in before.live_variants:
        yield from _of_fields(variant.key, variant.resolved, others[variant.key])


def _of_fields(
    variant: str | None, before: Resolved, after: Resolved
) -> Iterator[tuple[_Place, _Change]]:
    for name in sorted({*before.winners, *after.winners}):
        field = rule_name(name, of_variant=variant is not None)
        old, new = before.values.get(name), after.values.get(name)
        # 1 and true are equal in Python, but not in JSON.
        if can_be_ruled(field) and json.dumps(old) != json.dumps(new):
            yield (
                (variant, field),
                (_winner_and_value(name, before), _winner_and_value(name, after)),
            )


def _winner_and_value(name: str, resolved: Resolved) -> tuple[UUID | None, Any]:
    winner = resolved.winners.get(name)
    return (winner.source, resolved.values[name]) if winner else (None, None)


def _by_locale(
    found: dict[str, dict[_Place, _Change]],
) -> Iterator[tuple[_Place, str | None, _Change]]:
    """Yields a change once if it is the same in every locale, and else by locale."""
    keys = dict.fromkeys(place for changes in found.values() for place in changes)
    for place in sorted(keys, key=lambda each: (each[0] or "", each[1])):
        differences = [changes.get(place) for changes in found.values()]
        first = differences[0]
        if first and all(
            json.dumps(s, default=str) == json.dumps(first, default=str) for s in differences
        ):
            yield place, None, first
            continue
        for locale, changes in found.items():
            if place in changes:
                yield place, locale, changes[place]


def _listed(
    product: UUID, changes: list[tuple[_Place, str | None, _Change]], titles: dict[str, str]
) -> Iterator[FieldChange]:
    size = 0
    for (key, field), locale, (before, after) in changes[:MAX_CHANGES]:
        variant = (variant_id(product, key), titles.get(key, key)) if key is not None else None
        change = FieldChange(locale, variant, field, before, after)
        size += change.size
        if size > MAX_BYTES:
            return
        yield change

"""Joins what a group's rows say: what one leaves out is taken from the first that has it."""

from collections.abc import Sequence
from typing import Any

from storepost.feeds.records.images import image_addresses
from storepost.feeds.records.reading import FURTHER, GALLERY, MEMBERS, joined_within

type Fields = dict[str, Any]

_FILLED = ("title", "price", "compareAtPrice")
"""What a variant takes from its group's rows. Its stock and codes are its own, or missing."""


def product_of(own: Fields, others: Sequence[Fields]) -> Fields:
    """Returns the product's fields: its own row's, else those of the other rows."""
    fields = dict(own)
    for each in others:
        for name, value in each.items():
            fields.setdefault(name, value)
    gallery = [url for each in (own, *others) for url in each.get(GALLERY, ())]
    if gallery:
        fields["image"] = own.get("image") or {"url": gallery[0], "alt": None}
        further = image_addresses(own.get(FURTHER, ""))
        addresses = dict.fromkeys((*gallery, *further))
        addresses.pop(fields["image"]["url"], None)
        fields[FURTHER] = joined_within(list(addresses))
    public = {name: value for name, value in fields.items() if name not in {GALLERY, MEMBERS}}
    return {name: value for name, value in public.items() if value not in (None, "")}


def variant_of(identifier: str, own: Fields, products: Sequence[Fields], first: Fields) -> Fields:
    """Returns a variant's fields: its row's, else those of `first`.

    A row without options has those that its group's row lists for it.
    """
    fields = dict(own)
    if "price" not in own:
        fields |= {name: first[name] for name in _FILLED[1:] if name in first}
    if "title" not in own and "title" in first:
        fields["title"] = first["title"]
    if "options" not in own:
        named = (each.get(MEMBERS, {}).get(identifier) for each in products)
        options: list[tuple[str, str]] = next((each for each in named if each), [])
        fields["options"] = [{"name": name, "value": value} for name, value in options] or None
    return {name: value for name, value in fields.items() if value is not None}


def first_variant(variants: Sequence[Fields]) -> Fields:
    """Returns the fields that the group's variants have if their rows leave them out."""
    first: Fields = {}
    for each in variants:
        if each.get("price") and "price" not in first:
            first |= {name: each[name] for name in _FILLED[1:] if each.get(name)}
        if each.get("title"):
            first.setdefault("title", each["title"])
    return first

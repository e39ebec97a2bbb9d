"""Adds the discriminators that type generators need to unions that one field distinguishes."""

from typing import Any

type Document = dict[str, Any]

_PREFIX = "#/components/schemas/"


def add_discriminators(value: Any, schemas: Document) -> None:  # noqa: ANN401 - JSON
    """Names the discriminator of each union of named shapes that have different constants in it."""
    if isinstance(value, list):
        for each in value:
            add_discriminators(each, schemas)
    elif isinstance(value, dict):
        for each in value.values():
            add_discriminators(each, schemas)
        _name_field(value, schemas)


def _name_field(union: Document, schemas: Document) -> None:
    options = union.get("anyOf") or union.get("oneOf") or []
    references = [each.get("$ref", "") for each in options]
    if len(options) < 2 or not all(each.startswith(_PREFIX) for each in references):
        return
    shapes = {each: schemas[each.removeprefix(_PREFIX)] for each in references}
    for field in _common_fields(list(shapes.values())):
        constants = {_constant(shape, field): each for each, shape in shapes.items()}
        if None not in constants and len(constants) == len(shapes):
            union.pop("anyOf", None)
            union |= {
                "oneOf": options,
                "discriminator": {"propertyName": field, "mapping": constants},
            }
            return


def _common_fields(shapes: list[Document]) -> list[str]:
    first, *others = [each.get("properties", {}) for each in shapes]
    return [field for field in first if all(field in other for other in others)]


def _constant(shape: Document, field: str) -> str | None:
    constant = shape["properties"][field].get("const")
    return constant if field in shape.get("required", []) else None

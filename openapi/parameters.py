"""Query parameters as they are described: what each kind of filter does is said once, here."""

from typing import Any

type Document = dict[str, Any]

_ABOUT = {
    "definitionId": "Only what would change this definition.",
    "email": "Only who has this address.",
    "externalId": "Only what the store knows by this id.",
    "field": "Only products of which this field would change, as `product.title`.",
    "if-none-match": "The `ETag` of an answer that you have: 304 where nothing changed since.",
    "phone": "Only who has this number.",
    "profileId": "Only what is of this profile.",
    "schemaVersion": "Which version of the schema; the newest unless it is given.",
    "sort": "The field to sort by; `-` before it turns the order round.",
    "sourceId": "Only products of which this source, a store or a feed, says something.",
    "storeId": "Only what is of this store.",
}


def completed(found: Document) -> Document:
    """A parameter with all that Powertools doesn't say of it."""
    if found["in"] != "path":
        found["schema"] = _without_null(found["schema"])
    schema = found["schema"]
    description = schema.pop("description", None) or _about(found["name"], found["in"], schema)
    found.setdefault("description", description)
    if found["in"] == "query" and schema.get("type") == "array":
        found |= {"style": "form", "explode": False}
        found["description"] += " Several values are separated by commas."
        schema["minItems"] = 1
    return found


def _without_null(schema: Document) -> Document:
    """A parameter that may be left out is not one that may be null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    if len(options) != 1:
        return schema
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    return {**options[0], **rest}


def _about(name: str, place: str, schema: Document) -> str:
    if place == "path":
        return "The resource's identifier."
    if name in _ABOUT:
        return _ABOUT[name]
    if schema.get("format") == "date-time":
        return _of_moment(name)
    if schema.get("type") == "array":
        return "Only rows with one of these values."
    if schema.get("type") == "boolean":
        return "Only rows of which this is so, or of which it isn't."
    return "Only rows with this value."


def _of_moment(name: str) -> str:
    if name.endswith("From"):
        return f"Only rows whose `{name.removesuffix('From')}At` is this moment or later."
    return f"Only rows whose `{name.removesuffix('To')}At` is before this moment."

"""Completes the description of query parameters with the rules that all of a kind share."""

from typing import Any

type Document = dict[str, Any]

_LIST = " Several values are separated by commas."


def completed(found: Document) -> Document:
    """Returns a parameter with the parts that Powertools omits."""
    if found["in"] != "path":
        found["schema"] = _without_null(found["schema"])
    schema = found["schema"]
    found.setdefault("description", schema.pop("description", ""))
    if found["in"] == "query" and schema.get("type") == "array":
        found |= {"style": "form", "explode": False, "description": found["description"] + _LIST}
        schema["minItems"] = 1
    return found


def _without_null(schema: Document) -> Document:
    """Removes null from the schema: an optional parameter can't be null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    if len(options) != 1:
        return schema
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    return {**options[0], **rest}

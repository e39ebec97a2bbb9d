"""Query parameters as they are described: what holds for each kind of them is said once, here."""

from typing import Any

type Document = dict[str, Any]

_LIST = " Several values are separated by commas."


def completed(found: Document) -> Document:
    """A parameter with all that Powertools doesn't say of it."""
    if found["in"] != "path":
        found["schema"] = _without_null(found["schema"])
    schema = found["schema"]
    found.setdefault("description", schema.pop("description", ""))
    if found["in"] == "query" and schema.get("type") == "array":
        found |= {"style": "form", "explode": False, "description": found["description"] + _LIST}
        schema["minItems"] = 1
    return found


def _without_null(schema: Document) -> Document:
    """A parameter that may be left out is not one that may be null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    if len(options) != 1:
        return schema
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    return {**options[0], **rest}

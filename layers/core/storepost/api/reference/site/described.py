"""The description's schemas, parameters and answers as lines of Markdown."""

import json

from storepost.api.reference.documents import interface
from storepost.values.wire import Json

_BOUNDS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "from {}",
    "maximum": "up to {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching `{}`",
    "default": "`{}` unless given",
}
_AT_LEAST = frozenset({"minLength", "minItems"})
_NOT_EMPTY = "not empty"
MAX_EXAMPLE_LINES = 150
"""Characters of an example in a page: those of schemas and exports are too long to read."""
_NULL = {"type": "null"}
_PROBLEM = "application/problem+json"


def resolved(part: Json) -> Json:
    """Returns what a reference refers to."""
    if "$ref" not in part:
        return part
    found = interface()
    for step in part["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


def type_of(schema: Json) -> str:
    """Returns what a value of the schema is, in words."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rsplit('/', 1)[1]}`"
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return " or ".join(type_of(each) for each in options)
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if values:
        return ", ".join(f"`{value}`" for value in values)
    if schema.get("type") == "array":
        return f"array of {type_of(schema.get('items', {}))}"
    kind = schema.get("type", "any JSON")
    return f"{kind}, {schema['format']}" if "format" in schema else str(kind)


def parameter_lines(parameters: list[Json]) -> list[str]:
    """Returns a line for each parameter."""
    return [_parameter(resolved(each)) for each in parameters]


def _parameter(parameter: Json) -> str:
    demand = "required" if parameter.get("required") else "optional"
    facts = "; ".join([type_of(parameter["schema"]), *_bounds(parameter["schema"])])
    return (
        f"- `{parameter['name']}` ({parameter['in']}, {demand}): "
        f"{_one_line(parameter.get('description', ''))} *{facts}*"
    )


def schema_lines(schema: Json, *, whole: bool = False) -> list[str]:
    """Returns a line for each property of an object; none for anything else.

    A reference is followed once; `whole` says that the schema itself is meant.
    """
    found = schema if whole else resolved(schema)
    needed = found.get("required", [])
    return [
        _property(name, inner, is_needed=name in needed)
        for name, inner in found.get("properties", {}).items()
    ]


def _property(name: str, schema: Json, *, is_needed: bool) -> str:
    about = _one_line(schema.get("description", ""))
    facts = "; ".join([type_of(schema), *_bounds(schema)])
    optional = "" if is_needed else " (optional)"
    return f"- `{name}`{optional}: {about} *{facts}*".replace(":  *", ": *")


def _bounds(schema: Json) -> list[str]:
    options = [each for each in schema.get("anyOf", []) if each != _NULL]
    whole = {**options[0], **schema} if len(options) == 1 else schema
    bounds = {name: whole[name] for name in _BOUNDS if _has(whole, name)}
    return [
        _NOT_EMPTY if name in _AT_LEAST and value == 1 else _BOUNDS[name].format(value)
        for name, value in bounds.items()
    ]


def _has(schema: Json, name: str) -> bool:
    return schema.get(name) is not None


def codes_of(answer: Json) -> list[str]:
    """Returns the codes of problems that an answer may have."""
    content = answer.get("content", {}).get(_PROBLEM)
    codes: list[str] = (
        content["schema"]["allOf"][1]["properties"]["code"]["enum"] if content else []
    )
    return codes


def refusal_lines(status: str, answer: Json, left_out: frozenset[str]) -> list[str]:
    """Returns the paragraphs on the problems of a status, except some codes."""
    lines = answer["description"].splitlines()
    described = [line for line in lines if line.split("`")[1] not in left_out]
    return [f"`{status}`", "\n".join(described)] if described else []


def answer_lines(status: str, answer: Json) -> list[str]:
    """Returns the paragraphs on an answer with a status of success."""
    parts = []
    for media, content in answer.get("content", {}).items():
        parts += [f"`{status}` {_one_line(answer['description'])} `{media}`: "
                  f"{type_of(content['schema'])}", *json_block(content)]  # fmt: skip
    return parts or [f"`{status}` {_one_line(answer['description'])}"]


def json_block(content: Json) -> list[str]:
    """Returns the content's example as a block."""
    if "example" not in content:
        return []
    lines = json.dumps(content["example"], indent=2, ensure_ascii=False).splitlines()
    cut = len(lines) - MAX_EXAMPLE_LINES
    more = [f"The example has {cut} more lines, which `openapi.get` answers."]
    block = "\n".join(lines[:MAX_EXAMPLE_LINES])
    return [f"```json\n{block}\n```", *(more if cut > 0 else [])]


def _one_line(text: str) -> str:
    return " ".join(text.split())

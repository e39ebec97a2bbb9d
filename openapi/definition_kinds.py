"""Describes the content of definitions and proposals by kind, from the kinds' own JSON Schemas.

Type generators support neither `$defs` nor `if`: these parts of a schema become components and
unions with a discriminator. An `if` that distinguishes two fields of one shape stays as it is.
"""

from typing import Any

from storepost.definitions.definitions.kinds import KINDS, KindInfo, schema_of

type Document = dict[str, Any]

_COMPONENTS = "#/components/schemas/"
_DEFINITIONS = "#/$defs/"
_OF_A_KIND = ("Definition", "DefinitionVersion", "ChangeProposal", "NewDefinitionProposal")
"""The shapes with a `kind` and a `definition` of that kind."""


def add_definition_kinds(schemas: Document) -> None:
    """Describes each shape as a union of a variant per kind, and adds the kinds' components."""
    for info in KINDS:
        schemas |= _Kind(info).components()
    for name in _OF_A_KIND:
        shape, variants = schemas[name], {i: _variant_name(name, i) for i in KINDS}
        for info, variant in variants.items():
            schemas[variant] = _variant(shape, info)
        schemas[name] = {
            "description": shape["description"],
            "oneOf": [{"$ref": _COMPONENTS + each} for each in variants.values()],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {str(i.kind): _COMPONENTS + each for i, each in variants.items()},
            },
        }
    found = sorted(schemas.items())
    schemas.clear()
    schemas.update(found)


def _variant_name(name: str, info: KindInfo) -> str:
    bare = name.removeprefix("New")
    return f"{name[: len(name) - len(bare)]}{_camel(info.kind)}{bare}"


def _variant(shape: Document, info: KindInfo) -> Document:
    properties = shape["properties"]
    content: Document = {
        key: value
        for key, value in properties["definition"].items()
        if key != "examples" or info is KINDS[0]  # of a segment
    }
    return shape | {
        "description": f"{shape['description']} Its kind is `{info.kind}`.",
        "properties": properties
        | {
            "kind": _constant(str(info.kind), properties["kind"]["description"]),
            "definition": content | {"$ref": f"{_COMPONENTS}{_camel(info.kind)}Content"},
        },
    }


def _constant(value: str, description: str) -> Document:
    return {"type": "string", "const": value, "description": description}


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


class _Kind:
    """A kind's newest schema as components, each called after the kind."""

    def __init__(self, info: KindInfo) -> None:
        """Takes a kind with one schema version: with several, an answer may be of an older one."""
        if info.schema_version != 1:
            raise NotImplementedError(f"answers of {info.kind} need a shape for each schema")
        self._name = _camel(info.kind)
        self._schema: Document = schema_of(info.kind, info.schema_version) or {}
        self._parts: Document = self._schema["$defs"]
        self._unions = {
            option.removeprefix(_DEFINITIONS): name
            for name, part in self._parts.items()
            for option in _options(part)
        }

    def components(self) -> Document:
        """Returns the content's component and those that it refers to, by name."""
        left_out = {"$schema", "$defs", "title"}
        content = {key: value for key, value in self._schema.items() if key not in left_out}
        named = {f"{self._name}Content": self._converted(content)}
        for name, part in self._parts.items():
            if _is_component(part):
                named[self._component(name)] = self._part(name, part)
        return named

    def _component(self, name: str) -> str:
        """`all` of a union `condition` is `AllCondition`, `step_wait` of `step` is `StepWait`."""
        union = self._unions.get(name, name)
        return f"{self._name}{_camel(name)}{'' if name.startswith(union) else _camel(union)}"

    def _reference(self, name: str) -> Document:
        return {"$ref": _COMPONENTS + self._component(name)}

    def _part(self, name: str, part: Document) -> Document:
        if _options(part):
            return self._union(part)
        converted: Document = self._converted(part)
        if name in self._unions:
            field, values = _discriminated(self._parts[self._unions[name]])
            if "const" not in converted["properties"][field]:
                converted["properties"][field] |= {"type": "string", "enum": values[name]}
        return converted

    def _union(self, part: Document) -> Document:
        field, values = _discriminated(part)
        return {
            "description": part["description"],
            "oneOf": [self._reference(name) for name in values],
            "discriminator": {
                "propertyName": field,
                "mapping": {
                    value: _COMPONENTS + self._component(name)
                    for name, several in values.items()
                    for value in several
                },
            },
        }

    def _converted(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Returns the value with references to components; parts too small for one are inlined."""
        if isinstance(value, list):
            return [self._converted(each) for each in value]
        if not isinstance(value, dict):
            return value
        found = {key: self._converted(inner) for key, inner in value.items() if key != "$ref"}
        if "$ref" in value:
            name = value["$ref"].removeprefix(_DEFINITIONS)
            part = self._parts[name]
            found = (
                self._reference(name) if _is_component(part) else self._converted(part)
            ) | found
        values = found.get("enum") or [found.get("const")]
        is_text = isinstance(values, list) and all(isinstance(each, str) for each in values)
        return {"type": "string"} | found if is_text else found


def _is_component(part: Document) -> bool:
    return "properties" in part or "oneOf" in part


def _options(part: Document) -> list[str]:
    """Returns the references of a part's cases, if one field distinguishes its cases."""
    return [case["then"]["$ref"] for case in part.get("allOf", [])]


def _discriminated(part: Document) -> tuple[str, dict[str, list[str]]]:
    """Returns the field that distinguishes the cases, and its values for each case."""
    found: dict[str, list[str]] = {}
    field = ""
    for case in part["allOf"]:
        [(field, condition)] = case["if"]["properties"].items()
        found[case["then"]["$ref"].removeprefix(_DEFINITIONS)] = (
            [condition["const"]] if "const" in condition else condition["enum"]
        )
    return field, found

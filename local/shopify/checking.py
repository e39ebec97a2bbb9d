"""`make check-shopify SCHEMA=… SCOPES=…`: checks our requests against Shopify's own schema.

`SCHEMA` is the Admin API's own schema in GraphQL's language (it may be gzipped), `SCOPES` Shopify's
list of the access scopes that types and fields need: `[{type, field or null, scopes: any of}]`.

    every document is valid in Shopify's schema, uses nothing deprecated, and needs only scopes that
    we ask for
    the pretend Shopify's schema contains nothing that Shopify's doesn't: types, fields, arguments,
    nullability, values of enums, and needed scopes
"""

import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    Node,
    NoDeprecatedCustomRule,
    OperationDefinitionNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_schema,
    is_introspection_type,
    is_specified_scalar_type,
    parse,
    specified_rules,
    validate,
    visit,
)
from graphql.type import is_required_argument, is_required_input_field

from local.console import say
from local.shopify import admin
from local.template import parameter_defaults
from storepost.shopify.documents import FOLDER
from storepost.shopify.scopes import covers

type Place = tuple[str, str | None]
"""A type, and one of its fields or None."""
type Composite = GraphQLObjectType | GraphQLInterfaceType
type Typed = GraphQLField | GraphQLArgument | GraphQLInputField


@dataclass(frozen=True)
class Shopifys:
    """Shopify's published schema and scopes."""

    schema: GraphQLSchema
    scopes: dict[Place, set[str]]

    def needed(self, kind: str, field: str) -> Iterator[set[str]]:
        """Yields the scopes that a field and its type need: one of each set."""
        for place in ((kind, None), (kind, field)):
            if place in self.scopes:
                yield self.scopes[place]


def read(schema: Path, scopes: Path) -> Shopifys:
    """Reads Shopify's files; the schema is assumed valid, as validating it takes minutes."""
    raw = schema.read_bytes()
    text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode()
    rows = json.loads(scopes.read_text("utf-8"))
    return Shopifys(
        build_schema(text, assume_valid=True),
        {(row["type"], row["field"]): set(row["scopes"]) for row in rows},
    )


def template_scopes() -> list[str]:
    """Returns the scopes that the template requests from shops by default."""
    return parameter_defaults()["ShopifyScopes"].split(",")


def findings(shopifys: Shopifys, scopes: Iterable[str], documents: Path = FOLDER) -> list[str]:
    """Returns each violation as a sentence."""
    granted = set(scopes)
    found = [
        f"{path.name}: {finding}"
        for path in sorted(documents.glob("*.graphql"))
        for finding in of_document(path.stem, path.read_text("utf-8"), shopifys, granted)
    ]
    return [*found, *of_schema(admin.schema(), shopifys)]


def of_document(name: str, text: str, shopifys: Shopifys, granted: set[str]) -> Iterator[str]:
    """Yields a document's errors."""
    document = parse(text)
    operations = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
    title = "".join(part.capitalize() for part in name.split("_"))
    if [o.name.value if o.name else None for o in operations] != [title]:
        yield f"has not exactly one operation, named {title}"
    errors = validate(shopifys.schema, document, [*specified_rules, NoDeprecatedCustomRule])
    unreplaced = [f"The field {field} is deprecated" for field in _unreplaced(shopifys.schema)]
    messages = (error.message for error in errors)
    yield from (message for message in messages if not message.startswith(tuple(unreplaced)))
    for kind, field in sorted(_fields_of(document, shopifys.schema)):
        for any_of in shopifys.needed(kind, field):
            if not any(covers(granted, scope) for scope in any_of):
                yield f"{kind}.{field} needs one of {', '.join(sorted(any_of))}"


def _unreplaced(schema: GraphQLSchema) -> Iterator[str]:
    """Yields deprecated fields whose named replacement the schema doesn't have yet."""
    phone = schema.get_type("CustomerPhoneNumber")
    if isinstance(phone, GraphQLObjectType) and "smsMarketingConsent" not in phone.fields:
        names = ("marketingState", "marketingOptInLevel", "marketingUpdatedAt")
        yield from (f"CustomerPhoneNumber.{name}" for name in names)


def of_schema(own: GraphQLSchema, shopifys: Shopifys) -> Iterator[str]:
    """Yields the differences of our schema from Shopify's."""
    for name, kind in own.type_map.items():
        if is_introspection_type(kind) or is_specified_scalar_type(kind):
            continue
        other = shopifys.schema.get_type(name)
        if type(other) is not type(kind):
            yield f"{name}: Shopify has no such {type(kind).__name__}"
        else:
            yield from (f"{name}{finding}" for finding in _of_type(kind, other, shopifys))


def _of_type(own: GraphQLNamedType, other: object, shopifys: Shopifys) -> Iterator[str]:
    match own, other:
        case (GraphQLEnumType(), GraphQLEnumType()):
            yield from (f".{v}: no such value" for v in own.values.keys() - other.values.keys())
        case (GraphQLInputObjectType(), GraphQLInputObjectType()):
            yield from _of_types(own.fields, other.fields)
            required = {key for key, one in other.fields.items() if is_required_input_field(one)}
            yield from (f".{key}: is required there" for key in required - own.fields.keys())
        case (GraphQLUnionType(), GraphQLUnionType()):
            names = {kind.name for kind in other.types}
            yield from (f": {k.name} is none of it" for k in own.types if k.name not in names)
        case (GraphQLObjectType(), GraphQLObjectType()):
            yield from _of_object(own, other)
            yield from _of_needs(own, shopifys)
        case (GraphQLInterfaceType(), GraphQLInterfaceType()):
            yield from _of_object(own, other)


def _of_object(own: Composite, other: Composite) -> Iterator[str]:
    yield from _of_types(own.fields, other.fields)
    names = {kind.name for kind in other.interfaces}
    yield from (f": is no {kind.name}" for kind in own.interfaces if kind.name not in names)
    for name in own.fields.keys() & other.fields.keys():
        own_arguments, arguments = own.fields[name].args, other.fields[name].args
        yield from (f".{name}{finding}" for finding in _of_types(own_arguments, arguments))
        required = {key for key, one in arguments.items() if is_required_argument(one)}
        yield from (f".{name}.{key}: is required there" for key in required - own_arguments.keys())


def _of_needs(own: GraphQLObjectType, shopifys: Shopifys) -> Iterator[str]:
    for name in own.fields:
        needed = sorted(map(sorted, shopifys.needed(own.name, name)))
        if sorted(map(sorted, admin.needed_scopes(own, name))) != needed:
            yield f".{name}: @needs must say {needed}"


def _of_types(own: Mapping[str, Typed], other: Mapping[str, Typed]) -> Iterator[str]:
    """Yields fields or arguments that are missing there, or have another type."""
    for name, place in own.items():
        if name not in other:
            yield f".{name}: no such field or argument"
        elif str(place.type) != str(other[name].type):
            yield f".{name}: is {other[name].type}"


class _Fields(Visitor):
    """Collects the fields that a document selects."""

    def __init__(self, types: TypeInfo) -> None:
        """`types` tracks the visit's position in the schema."""
        super().__init__()
        self.types = types
        self.found: set[tuple[str, str]] = set()

    def enter_field(self, node: FieldNode, *_: object) -> None:
        """Keeps the field with its parent type."""
        parent = self.types.get_parent_type()
        if parent is not None:
            self.found.add((parent.name, node.name.value))


def _fields_of(document: Node, schema: GraphQLSchema) -> set[tuple[str, str]]:
    types = TypeInfo(schema)
    fields = _Fields(types)
    visit(document, TypeInfoVisitor(types, fields))
    return fields.found


def main(*files: str) -> int:
    """Prints the findings; returns 1 if there are any, 2 without the two files, else 0."""
    if len(files) != 2:
        say("Name two files: make check-shopify SCHEMA=<Shopify's schema> SCOPES=<needed scopes>")
        return 2
    schema, scopes = files
    shopifys = read(Path(schema), Path(scopes))
    found = findings(shopifys, template_scopes())
    for finding in found:
        say(finding)
    say(f"{len(list(FOLDER.glob('*.graphql')))} documents checked: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""The Admin GraphQL API of a pretend shop: our own small schema, executed over the shop."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    build_schema,
    execute_sync,
    get_directive_values,
    parse,
    validate,
)
from graphql.pyutils import camel_to_snake

from local.shopify import exports
from local.shopify.costs import cost_of
from local.shopify.resolvers import RESOLVERS, Resolver
from local.shopify.shops import Shop

SCHEMA = Path(__file__).parent / "schema"

type Json = dict[str, Any]
type Info = GraphQLResolveInfo[Shop]


def schema_text() -> str:
    """Returns the pretend Shopify's whole schema, in GraphQL's schema language."""
    return "\n".join(path.read_text("utf-8") for path in sorted(SCHEMA.glob("*.graphql")))


@cache
def schema() -> GraphQLSchema:
    """Returns the schema, ready to execute."""
    return build_schema(schema_text())


def answer(shop: Shop, request: Mapping[str, Any]) -> Json:
    """Returns the answer's body to a request's body, throttled as Shopify does."""
    try:
        document = parse(str(request.get("query")))
    except GraphQLError as error:
        return {"errors": [_error(error)]}
    errors = validate(schema(), document)
    if errors:
        return {"errors": [_error(error) for error in errors]}
    [operation] = (d for d in document.definitions if isinstance(d, OperationDefinitionNode))
    variables = dict(request.get("variables") or {})
    cost = cost_of(operation, variables)
    if not shop.bucket.try_spend(cost):
        return _throttled(shop, cost)
    result = execute_sync(
        schema(),
        document,
        context_value=shop,
        variable_values=variables,
        field_resolver=_resolve,
    )
    body: Json = {"data": result.data}
    if result.errors:
        body["errors"] = [_error(error) for error in result.errors]
    return {**body, "extensions": _cost(shop, cost, cost)}


def needed_scopes(kind: GraphQLObjectType, field: str) -> list[set[str]]:
    """Returns the scopes that a field and its type need: one of each set."""
    directive = schema().get_directive("needs")
    assert directive is not None  # noqa: S101 - it stands in our own schema
    nodes = (kind.fields[field].ast_node, kind.ast_node)
    costs = (get_directive_values(directive, node) for node in nodes if node is not None)
    return [set(values["anyOf"]) for values in costs if values]


def _resolve(above: object, info: Info, **arguments: object) -> object:
    shop: Shop = info.context
    _check_scopes(shop, info)
    resolver = _RESOLVERS.get((info.parent_type.name, info.field_name))
    if resolver is not None:
        # A field's resolver gets its parent object; a root field's resolver gets the shop.
        return resolver(shop if above is None else above, **arguments)
    if isinstance(above, Mapping):
        return above[info.field_name]
    return getattr(above, camel_to_snake(info.field_name))


def _bulk_run(shop: Shop, *, query: str) -> Json:
    """Answers a bulk operation's query as any other, but at no cost."""
    shop.bucket.give_back(shop.bucket.maximum)
    return exports.run(shop.operations, lambda: answer(shop, {"query": query}))


_RESOLVERS: dict[tuple[str, str], Resolver] = {
    **RESOLVERS,
    ("Mutation", "bulkOperationRunQuery"): _bulk_run,
}


def _check_scopes(shop: Shop, info: Info) -> None:
    granted = set(shop.installation.scopes if shop.installation else ())
    granted |= {scope.replace("write_", "read_", 1) for scope in granted}
    for any_of in needed_scopes(info.parent_type, info.field_name):
        if not granted & any_of:
            raise GraphQLError(
                f"Access denied for {info.field_name} field.",
                extensions={"code": "ACCESS_DENIED"},
            )


def _throttled(shop: Shop, cost: float) -> Json:
    error = {"message": "Throttled", "extensions": {"code": "THROTTLED"}}
    return {"errors": [error], "extensions": _cost(shop, cost, None)}


def _cost(shop: Shop, requested: float, actual: float | None) -> Json:
    return {
        "cost": {
            "requestedQueryCost": requested,
            "actualQueryCost": actual,
            "throttleStatus": shop.bucket.status(),
        }
    }


def _error(error: GraphQLError) -> Json:
    return dict(error.formatted)

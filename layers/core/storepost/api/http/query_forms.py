"""A store's records by `?externalId=`, for ids that no path can have.

API Gateway decodes a path before it routes it, so `gid://shop/1` in a path reaches no route. Each
route whose path ends in `externalId` therefore has a twin that takes it in the query; all else is
the same, down to the code.
"""

from collections.abc import Callable, Iterable
from inspect import cleandoc
from types import FunctionType
from typing import Annotated, Any, get_args

from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver, Route
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

_NAME = "externalId"
_END = f"/<{_NAME}>"
SUFFIX = "ByQuery"
"""The suffix of the id of a twin's operation."""
_WHY = (
    "The same as with `externalId` in the path, for ids that have a `/`, which no path can carry."
)


def add_query_forms(app: ApiGatewayResolver, routes: Iterable[Route]) -> None:
    """Adds to a group's app the twin of each route that needs one."""
    for route in [route for route in routes if route.path.endswith(_END)]:
        register = app.route(
            route.path.removesuffix(_END),
            route.method,
            operation_id=f"{route.operation_id}{SUFFIX}",
            status_code=route.status_code,
            responses=route.responses,
            response_description=route.response_description or "",
        )
        register(_twin(route.func))


def _twin(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the same function, with the id in the query."""
    assert isinstance(function, FunctionType)  # noqa: S101 - routes are plain functions
    name = f"{function.__name__}_by_query"
    twin = FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
    twin.__module__, twin.__kwdefaults__ = function.__module__, function.__kwdefaults__
    twin.__annotations__ = {
        each: _in_query(annotation) for each, annotation in function.__annotations__.items()
    }
    summary, _, rest = cleandoc(function.__doc__ or "").partition("\n\n")
    twin.__doc__ = f"{summary.removesuffix('.')}, by a query.\n\n{rest}\n\n{_WHY}"
    return twin


def _in_query(annotation: Any) -> Any:  # noqa: ANN401 - whatever a parameter may have
    kind, *metadata = get_args(annotation) or (annotation,)
    if not any(isinstance(each, Path) and each.alias == _NAME for each in metadata):
        return annotation
    return Annotated[kind, *map(_as_query, metadata)]


def _as_query(each: object) -> object:
    if not isinstance(each, Path):
        return each
    return Query(alias=_NAME, description=f"{each.description} Encode it as a URL's query is.")

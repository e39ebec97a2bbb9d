"""Private parts of Powertools' resolver that are used nevertheless, and tested.

A new version that changes them fails `tests/platform/test_private_interfaces.py`.
"""

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import ApiGatewayResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Route

if TYPE_CHECKING:
    from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
        OpenAPIResponseValidationMiddleware,
    )


def routes_of(app: ApiGatewayResolver) -> list[Route]:
    """Returns an app's routes: those without parameters in their path first, then the others."""
    return [*app._static_routes, *app._dynamic_routes]


def serialized(app: ApiGatewayResolver, body: Any) -> str:  # noqa: ANN401 - what a route returns
    """Returns a body as text, by the serializer of the app."""
    return app._serializer(body)


def validated(
    validation: "OpenAPIResponseValidationMiddleware", route: Route, response: Response[Any]
) -> Response[Any]:
    """Returns a route's response, its body validated by the route's type."""
    answer: Response[Any] = validation._handle_response(route=route, response=response)
    return answer

"""What Powertools' resolver keeps to itself and is used nevertheless; it has a test.

A new version that changes it fails `tests/platform/test_private_interfaces.py`.
"""

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import ApiGatewayResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Route

if TYPE_CHECKING:
    from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
        OpenAPIResponseValidationMiddleware,
    )


def routes_of(app: ApiGatewayResolver) -> list[Route]:
    """Returns the routes of an app: those whose path has no parameter, then the others."""
    return [*app._static_routes, *app._dynamic_routes]


def serialized(app: ApiGatewayResolver, body: Any) -> str:  # noqa: ANN401 - what a route returns
    """Returns a body as text, by the serializer that the app was made with."""
    return app._serializer(body)


def validated(
    validation: "OpenAPIResponseValidationMiddleware", route: Route, response: Response[Any]
) -> Response[Any]:
    """Returns a route's response, its body validated by the route's type."""
    answer: Response[Any] = validation._handle_response(route=route, response=response)
    return answer

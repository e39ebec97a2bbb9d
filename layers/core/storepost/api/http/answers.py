"""Answers: of their route's type, with values as they are stored, and as JSON text."""

import json
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIResponseValidationMiddleware,
)
from aws_lambda_powertools.shared.json_encoder import Encoder
from pydantic import BaseModel

from storepost.api.http.powertools_private import serialized

JSON = "application/json"
_SEPARATORS = (",", ":")


def as_json(value: object) -> str:
    """Returns compact JSON to be sent as UTF-8: if it were escaped, Cyrillic would be three times
    as long.

    Lambda passes on 6 MB, and the bounds of what an answer may hold count UTF-8. An unpaired
    surrogate, which a request can name and UTF-8 can't, has to be escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=_SEPARATORS, cls=Encoder)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=_SEPARATORS, cls=Encoder)
    return text


def as_sent(app: ApiGatewayResolver, response: Response[Any]) -> Response[Any]:
    """Returns the answer with its body as text; a 204 gets no body and no content type."""
    if response.status_code == 204 or response.body is None:
        response.body = ""
        response.headers = {k: v for k, v in response.headers.items() if k != "Content-Type"}
    elif not isinstance(response.body, str | bytes):
        response.body = serialized(app, response.body)
    return response


class AnswerValidation(OpenAPIResponseValidationMiddleware):
    """Validates an answer by its route's type.

    Powertools takes a shape apart and validates it as a request. But a stored value is answered
    even if no request may send it any more: rules change, rows stay. A shape was checked when it
    was made, as far as it must be (`Shape.of_stored`).
    """

    def _prepare_response_content(self, res: Any, **how: bool) -> Any:  # noqa: ANN401 - any answer
        if isinstance(res, BaseModel):
            return res
        return super()._prepare_response_content(res, **how)

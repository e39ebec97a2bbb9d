"""The last look at an answer: it is of the route's type, and its values are as they are stored."""

from typing import Any

from aws_lambda_powertools.event_handler.middlewares.openapi_validation import (
    OpenAPIResponseValidationMiddleware,
)
from pydantic import BaseModel


class AnswerValidation(OpenAPIResponseValidationMiddleware):
    """Holds an answer to its route's type.

    Powertools takes a shape apart and validates it as a request. But what is stored is answered
    even where no request may say it any more: rules change, rows stay. A shape was checked when it
    was made, as far as it must be (`Shape.of_stored`).
    """

    def _prepare_response_content(self, res: Any, **how: bool) -> Any:  # noqa: ANN401 - any answer
        if isinstance(res, BaseModel):
            return res
        return super()._prepare_response_content(res, **how)

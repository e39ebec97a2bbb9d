"""The service's refusals as exceptions: branch on `code`."""

import json
from dataclasses import dataclass
from typing import Any, cast

import httpx

from storepost_client.generated.problem_codes import ProblemCode


@dataclass(frozen=True)
class FieldError:
    """One error in a request.

    `path` is a JSON Pointer into the body, or `query.page`, `path.id`, `header.idempotency-key`.
    """

    path: str
    message: str


class ProblemError(Exception):
    """An answer of 400 or above.

    `code` is empty if the gateway answered and not the service. Its type lists the codes that
    this client knows, so that a type checker finds misspelled ones; a newer service may have more.
    """

    def __init__(
        self, status: int, code: str, detail: str, *, body: dict[str, Any], request_id: str
    ) -> None:
        """`detail` is for people; `body` is the whole problem detail, or any other JSON object."""
        super().__init__(f"{status} {code or 'no problem detail'}: {detail} (request {request_id})")
        self.status = status
        self.code = cast("ProblemCode", code)
        self.detail = detail
        self.kind: str = body.get("type", "")
        self.errors = tuple(
            FieldError(error["path"], error["message"]) for error in body.get("errors", ())
        )
        self.body = body
        self.request_id = request_id


def problem_of(answer: httpx.Response) -> ProblemError:
    """Returns the answer as a problem, with any body."""
    body = _body(answer)
    return ProblemError(
        answer.status_code,
        str(body.get("code", "")),
        str(body.get("detail") or body.get("title") or body.get("message") or ""),
        body=body,
        request_id=answer.headers.get("request-id", ""),
    )


def _body(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return body if isinstance(body, dict) else {}

"""Describes refusals by status, with the codes that an operation may answer."""

from collections.abc import Iterable
from typing import Any

from storepost.api.http.rendering import CONTENT_TYPE
from storepost.platform.persistence.idempotency import IdempotencyInProgress
from storepost.values.problems import (
    Busy,
    Problem,
    Unauthenticated,
    ValidationFailed,
    codes_of,
    kinds,
)

type Document = dict[str, Any]

REQUEST_ID = {"request-id": {"$ref": "#/components/headers/RequestId"}}
BUDGETS = {
    "RateLimit": {"$ref": "#/components/headers/RateLimit"},
    "RateLimit-Policy": {"$ref": "#/components/headers/RateLimitPolicy"},
}
_EXAMPLES = "#/components/examples/"
_EXAMPLE_URL = "https://api.example.com/v1"
_WRONG_FIELDS = [{"path": "query.page", "message": "Must be at least 1"}]


def refusals(problems: Iterable[type[Problem]]) -> Document:
    by_status: dict[int, dict[str, type[Problem]]] = {}
    for problem in sorted(problems, key=lambda p: (p.status, p.code != p.kind, p.code)):
        by_status.setdefault(problem.status, {}).setdefault(problem.code, problem)
    return {str(status): _refusal(by_code) for status, by_code in by_status.items()}


def _refusal(by_code: dict[str, type[Problem]]) -> Document:
    lines = [f"- `{code}`: {problem.title}. {problem.remedy}" for code, problem in by_code.items()]
    headers = REQUEST_ID | BUDGETS
    for problem in by_code.values():
        headers |= _headers_of(problem)
    return {
        "description": "\n".join(lines),
        "headers": dict(sorted(headers.items())),
        "content": {
            CONTENT_TYPE: {
                # Type generators ignore keys beside a `$ref`.
                "schema": {
                    "allOf": [
                        {"$ref": "#/components/schemas/Problem"},
                        {
                            "type": "object",
                            "required": ["code"],
                            "properties": {"code": {"type": "string", "enum": list(by_code)}},
                        },
                    ]
                },
                "examples": {
                    code: {"$ref": _EXAMPLES + _name_of(each)} for code, each in by_code.items()
                },
            }
        },
    }


def _headers_of(problem: type[Problem]) -> Document:
    if issubclass(problem, Unauthenticated):
        return {"WWW-Authenticate": {"$ref": "#/components/headers/Challenge"}}
    if problem.status == 429 or problem in {Busy, IdempotencyInProgress}:
        return {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}
    return {}


def share_refusals(document: Document) -> None:
    """Shares the refusals with one code as components; those with several stay in the operation."""
    shared: Document = {kind.__name__: _refusal({kind.code: kind}) for kind in kinds()}
    for operation in (o for methods in document["paths"].values() for o in methods.values()):
        for status, answer in operation["responses"].items():
            if status >= "400":
                name = _name(answer)
                if name and shared.setdefault(name, answer) == answer:
                    operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    document["components"]["responses"] = dict(sorted(shared.items()))


def _codes_in(refusal: Document) -> list[str]:
    """Returns the codes of a described refusal."""
    [content] = refusal["content"].values()
    codes: list[str] = content["schema"]["allOf"][1]["properties"]["code"]["enum"]
    return codes


def _name(refusal: Document) -> str:
    """Returns the kind's name if the code is its own, else the code's; empty for several codes."""
    codes = _codes_in(refusal)
    plain = [kind.__name__ for kind in kinds() if [kind.code] == codes]
    if plain:
        return plain[0]
    return codes[0].title().replace("_", "") if len(codes) == 1 else ""


def examples() -> Document:
    """Returns an example of each problem, with its default detail."""
    found = {_name_of(problem): _example(problem) for kind in kinds() for problem in codes_of(kind)}
    return dict(sorted(found.items()))


def _name_of(problem: type[Problem]) -> str:
    """Returns its code, with its class appended unless it is the first class with the code."""
    same = sorted(p.__name__ for kind in kinds() for p in codes_of(kind) if p.code == problem.code)
    is_first = problem.__name__ == same[0]
    return problem.code if is_first else f"{problem.code}.{problem.__name__}"


def _example(problem: type[Problem]) -> Document:
    value: Document = {
        "type": f"{_EXAMPLE_URL}/problems/{problem.kind}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.remedy,
        "code": problem.code,
    }
    if problem is ValidationFailed:
        value["errors"] = _WRONG_FIELDS
    return {"summary": problem.title, "value": value}

"""Checks that the whole suite reaches every problem code and every status.

It records each answer of a function as its operation, status and code. A run of all tests fails if
none of them reached one of these: a code that the reference lists, and for each operation its
successes, 401 if it has a caller, 422 if its request can be invalid, and every problem in its
description except those that shared code answers for all operations.
"""

from collections.abc import Iterator
from typing import Any

from storepost.api.reference.documents import problem_kinds
from tests.harness.answers import code_of, codes_in, operation_of, operations, watch

type Reach = tuple[str, int, str]
"""An operation's id (empty: no operation), a status and a problem's code (empty: a success)."""

_TAGS = [{"$ref": f"#/components/parameters/{name}"} for name in ("IfMatch", "IfNoneMatch")]
"""Headers whose every value is valid: any text is a tag, though maybe of no resource."""
_FREE = {"type", "title", "description"}
_GUARDED = frozenset(
    {
        "busy",
        "conflict",
        "idempotency_in_progress",
        "idempotency_key_reused",
        "idempotency_secret_sealed",
        "internal",
        "malformed_request",
        "no_active_workspace",
        "payload_too_large",
        "precondition_failed",
        "rate_limited",
        "two_factor_required",
        "unauthenticated",
        "unsupported_media_type",
        "validation",
    }
)
"""Answered before an operation is called, or by the code that commits all operations' writes."""


class ResumePoint:
    """Records the functions' answers."""

    def __init__(self) -> None:
        """Begins with no answers."""
        self.answers: set[Reach] = set()

    def install(self) -> None:
        """Records every answer from now on."""
        watch(self.keep)

    def keep(self, event: dict[str, Any], answer: dict[str, Any]) -> None:
        """Records one answer."""
        operation = operation_of(event)
        name = operation["operationId"] if operation else ""
        self.answers.add((name, answer["statusCode"], code_of(answer) or ""))


def unreached(answers: set[Reach]) -> list[str]:
    """Returns the unreached answers, in words that tell which test is missing."""
    codes = {(status, code) for _, status, code in answers}
    statuses = {(operation, status) for operation, status, _ in answers}
    return [
        *(f"{status} {code}: by no operation" for status, code in _codes() - codes),
        *(
            f"{operation['operationId']}: {status}"
            for _, _, operation in operations()
            for status in _statuses(operation)
            if (operation["operationId"], status) not in statuses
        ),
        *_unreached_problems(answers),
    ]


def _unreached_problems(answers: set[Reach]) -> Iterator[str]:
    for _, _, operation in operations():
        for status, code in _problems(operation):
            if (operation["operationId"], status, code) not in answers:
                yield f"{operation['operationId']}: {status} {code}"


def _codes() -> set[tuple[int, str]]:
    """Returns the reference's codes; a kind's own code only if some operation answers with it."""
    described = {
        code
        for _, _, operation in operations()
        for response in operation["responses"].values()
        for code in codes_in(response)
    } | {"method_not_allowed"}
    return {
        (kind.status, each.code)
        for kind in problem_kinds("")
        for each in kind.codes
        if each.code != kind.kind or each.code in described
    }


def _problems(operation: dict[str, Any]) -> Iterator[tuple[int, str]]:
    for status, response in operation["responses"].items():
        for code in codes_in(response):
            if code not in _GUARDED:
                yield int(status), code


def _statuses(operation: dict[str, Any]) -> Iterator[int]:
    yield from (int(status) for status in operation["responses"] if int(status) < 400)
    if operation["security"]:
        yield 401
    if "requestBody" in operation or any(_is_bound(p) for p in operation.get("parameters", [])):
        yield 422


def _is_bound(parameter: dict[str, Any]) -> bool:
    """Whether a value can be invalid; that of an unbounded string can't."""
    if "$ref" in parameter:
        return parameter not in _TAGS
    schema = parameter["schema"]
    free = schema.get("type") == "string" and set(schema) <= _FREE
    return parameter["in"] != "header" and not free

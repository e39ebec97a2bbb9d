"""Every problem code and every status is reached: what the whole suite got as answers.

Each answer of a function is kept as its operation, status and code. After a run of everything,
what no test reached fails it: a code that the reference lists, and of each operation its successes,
401 where it has a caller, 422 where something in its request can be wrong, and every problem that
its description has beyond those that one guard answers for all.
"""

from collections.abc import Iterator
from typing import Any

from storepost.api.reference.documents import problem_kinds
from tests.harness.answers import code_of, codes_in, operation_of, operations, watch

type Reach = tuple[str, int, str]
"""An operation's id (empty: no operation), a status and a problem's code (empty: a success)."""

_TAGS = [{"$ref": f"#/components/parameters/{name}"} for name in ("IfMatch", "IfNoneMatch")]
"""Whatever they have is a tag, if not one that anything has."""
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
"""Answered before an operation is called, or by what carries out the writes of all."""


class ResumePoint:
    """Keeps what the functions answered."""

    def __init__(self) -> None:
        """Nothing was reached yet."""
        self.answers: set[Reach] = set()

    def install(self) -> None:
        """From now on every answer is kept."""
        watch(self.keep)

    def keep(self, event: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keeps one answer."""
        operation = operation_of(event)
        name = operation["operationId"] if operation else ""
        self.answers.add((name, answer["statusCode"], code_of(answer) or ""))


def unreached(answers: set[Reach]) -> list[str]:
    """What no answer was, told so that a person knows which test lacks."""
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
    """The codes of the reference; a kind's own code only where some operation answers with it."""
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
    """Whether a value can be wrong; that of a string without any bound can't."""
    if "$ref" in parameter:
        return parameter not in _TAGS
    schema = parameter["schema"]
    free = schema.get("type") == "string" and set(schema) <= _FREE
    return parameter["in"] != "header" and not free

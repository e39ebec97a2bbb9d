"""Checks that every answer in a test is in its operation's description, by status and code.

The description's problems are derived from the code (`openapi.reach`); this check shows that none
is missing.
"""

from typing import Any

from tests.harness.answers import code_of, codes_in, operation_of, watch

# Described once for all operations: the path has no such method, or there is no such path.
_EVERYWHERE = frozenset({"method_not_allowed"})


class DescribedAnswers:
    """Compares the functions' answers with the interface's description."""

    def __init__(self) -> None:
        """Begins without findings."""
        self.undescribed: list[str] = []

    def install(self) -> None:
        """Checks every answer from now on."""
        watch(self.look_at)

    def look_at(self, event: dict[str, Any], answer: dict[str, Any]) -> None:
        """Records an answer that its operation's description doesn't have."""
        operation = operation_of(event)
        if operation and not _is_described(operation, answer):
            self.undescribed.append(f"{operation['operationId']}: {_name(answer)}")


def _is_described(operation: dict[str, Any], answer: dict[str, Any]) -> bool:
    code = code_of(answer)
    if code in _EVERYWHERE:
        return True
    response = operation["responses"].get(str(answer["statusCode"]))
    return response is not None and (code is None or code in codes_in(response))


def _name(answer: dict[str, Any]) -> str:
    return f"{answer['statusCode']} {code_of(answer) or ''}".strip()

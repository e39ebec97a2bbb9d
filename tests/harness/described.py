"""Whatever an operation answers in a test must stand in its description: the status and the code.

The description's problems are read off the code (`openapi.reach`); this is what shows that none is
missing there.
"""

from typing import Any

from tests.harness.answers import code_of, codes_in, operation_of, watch

# Told of once, for all operations: the path has no such method, or there is no such path.
_EVERYWHERE = frozenset({"method_not_allowed"})


class DescribedAnswers:
    """Compares the functions' answers with the interface's description."""

    def __init__(self) -> None:
        """Nothing was untold yet."""
        self.untold: list[str] = []

    def install(self) -> None:
        """From now on every answer is looked at."""
        watch(self.look_at)

    def look_at(self, event: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keeps an answer of an operation that its description doesn't know."""
        operation = operation_of(event)
        if operation and not _is_described(operation, answer):
            self.untold.append(f"{operation['operationId']}: {_name(answer)}")


def _is_described(operation: dict[str, Any], answer: dict[str, Any]) -> bool:
    code = code_of(answer)
    if code in _EVERYWHERE:
        return True
    response = operation["responses"].get(str(answer["statusCode"]))
    return response is not None and (code is None or code in codes_in(response))


def _name(answer: dict[str, Any]) -> str:
    return f"{answer['statusCode']} {code_of(answer) or ''}".strip()

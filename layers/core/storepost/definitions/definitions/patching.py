"""JSON Patch (RFC 6902) with its operations `add`, `remove` and `replace`."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from storepost.definitions.definitions.model import Content, shortened
from storepost.values.stored_enum import StoredEnum


class JsonPatchOp(StoredEnum):
    """What an operation of a JSON Patch does: `add`, `remove` or `replace` a value."""

    ADD = "add"
    REMOVE = "remove"
    REPLACE = "replace"


@dataclass(frozen=True)
class Operation:
    """One operation; only `add` and `replace` have a value."""

    op: JsonPatchOp
    path: str
    """A JSON Pointer (RFC 6901)."""
    value: Any = None

    def as_json(self) -> dict[str, Any]:
        """Returns the operation as RFC 6902 writes it."""
        value = {} if self.op is JsonPatchOp.REMOVE else {"value": self.value}
        return {"op": str(self.op), "path": self.path, **value}


class Inapplicable(ValueError):  # noqa: N818 - it is what the operation is
    """An operation doesn't fit the content that it was to change."""

    def __init__(self, number: int, reason: str) -> None:
        """`number` counts the patch's operations from 0."""
        super().__init__(reason)
        self.number = number
        self.reason = reason


def patched(content: Content, operations: Sequence[Operation]) -> Content:
    """Returns the content after the operations, without changing it. Raises Inapplicable."""
    from jsonpatch import JsonPatch, JsonPatchException  # noqa: PLC0415 - 13 ms, for patches alone
    from jsonpointer import JsonPointerException  # noqa: PLC0415

    # One copy for all operations, which change it in place; the library itself copies values.
    content = deepcopy(content)
    for number, operation in enumerate(operations):
        try:
            content = JsonPatch([operation.as_json()]).apply(content, in_place=True)
        except (JsonPatchException, JsonPointerException, TypeError, KeyError, ValueError) as error:
            raise Inapplicable(number, _reason(operation)) from error
    return content


def _reason(operation: Operation) -> str:
    """Returns why the operation doesn't fit; the library's own messages are in Python's terms."""
    place = shortened(f"`{operation.path}`")
    if operation.op is JsonPatchOp.ADD:
        return f"Nothing can be added at {place}: what it is to stand in isn't there"
    return f"There is nothing at {place} to {operation.op}"

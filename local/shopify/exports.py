"""Bulk operations of a pretend shop: the answer of a query is a file with one object a line."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from storepost.values import clock

GID = "gid://shopify/BulkOperation/"


@dataclass
class Operation:
    """An operation and its file, which exists from the start; a test may change either."""

    number: int
    lines: list[str]
    records: int
    status: str = "RUNNING"
    looks: int = 1
    """How many requests, for its state or to start another one, it takes until it has ended."""
    ends: str = "COMPLETED"
    created_at: datetime = field(default_factory=clock.now)

    def look(self) -> None:
        """Advances it by one request, so that it also ends if its own state is never requested."""
        if self.status == "RUNNING":
            if self.looks == 0:
                self.status = self.ends
            self.looks -= 1

    def node(self, address: str) -> dict[str, Any]:
        """Returns the export as the Admin API does; `address` is its file's URL."""
        whole, part = self.status == "COMPLETED", self.status in {"FAILED", "CANCELED"}
        return {
            "id": f"{GID}{self.number}",
            "status": self.status,
            "errorCode": "TIMEOUT" if part else None,
            "createdAt": clock.to_text(self.created_at),
            "rootObjectCount": str(self.records),
            "url": address if whole and self.lines else None,
            "partialDataUrl": address if part and self.lines else None,
        }


def run(operations: list[Operation], answer: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """`bulkOperationRunQuery`, one at a time; `answer` returns the shop's answer to the query."""
    running = [operation for operation in operations if operation.status == "RUNNING"]
    if running:
        for operation in running:
            operation.look()
        error = {"field": None, "message": "Wait", "code": "OPERATION_IN_PROGRESS"}
        return {"bulkOperation": None, "userErrors": [error]}
    data = answer()
    if "errors" in data:
        refusal = {"field": ["query"], "message": "No such query", "code": "INVALID"}
        return {"bulkOperation": None, "userErrors": [refusal]}
    [connection] = data["data"].values()
    lines = [json.dumps(line) for line in _flat(connection, None)]
    operation = Operation(len(operations) + 1, lines, len(connection["edges"]))
    operations.append(operation)
    return {"bulkOperation": operation.node(""), "userErrors": []}


def looked_at(operations: list[Operation], gid: str, files: str) -> dict[str, Any] | None:
    """`bulkOperation`; it ends after some polls. `files` is the base URL of the shop's files."""
    operation = next((o for o in operations if f"{GID}{o.number}" == gid), None)
    if operation is None:
        return None
    operation.look()
    return operation.node(f"{files}/admin/exports/{operation.number}")


def matches(query: str | None, number: int) -> bool:
    """Whether a search matches a record of that number; only `id:>…` is supported."""
    return number > int((query or "id:>0").removeprefix("id:>"))


def _flat(connection: Mapping[str, Any], parent: str | None) -> Iterator[dict[str, Any]]:
    """Yields each node as a line of its own, followed by the nodes of its connections."""
    for edge in connection["edges"]:
        node = edge["node"]
        inner = {k: v for k, v in node.items() if isinstance(v, dict) and "edges" in v}
        line = {k: v for k, v in node.items() if k not in inner}
        yield {**line, "__parentId": parent} if parent else line
        for each in inner.values():
            yield from _flat(each, node["id"])

"""A proxy that adds DynamoDB's transaction conflicts to an engine that has none.

dynoxide runs one transaction after the other. DynamoDB refuses a transaction or a single write if
another transaction is writing one of its rows, which takes milliseconds. This proxy locks each
transaction's rows for a time, and refuses other writes of them meanwhile, as DynamoDB documents
("Transaction conflict handling in DynamoDB").
"""

import asyncio
import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

HOST = "127.0.0.1"
_MAX_HEAD = 2**20
_READS = ("GetItem", "Query", "BatchGetItem")
_SINGLE = ("PutItem", "UpdateItem", "DeleteItem")

type Message = tuple[bytes, bytes]
"""The head and the body."""


@dataclass
class ProxyCounts:
    """The calls through a proxy, and the units that the engine reported for them."""

    calls: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    """Transactions that conflicted with another one."""
    single_refused: int = 0
    """Single writes that conflicted with a transaction."""
    writes: float = 0.0
    reads: float = 0.0


class HoldingProxy:
    """A server in a thread of this process; entering starts it, leaving stops it."""

    def __init__(self, engine_port: int, seconds: float, read_seconds: float = 0.0) -> None:
        """A transaction locks its rows for `seconds`, and a read takes `read_seconds`."""
        self.seen = ProxyCounts()
        self._engine_port = engine_port
        self._seconds = seconds
        self._read_seconds = read_seconds
        self._locked_rows: set[str] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.url = ""

    def __enter__(self) -> "HoldingProxy":
        """Starts it."""
        self._thread.start()
        serving = asyncio.start_server(self._serve, HOST, 0, limit=_MAX_HEAD, backlog=512)
        server = asyncio.run_coroutine_threadsafe(serving, self._loop).result()
        self.url = f"http://{HOST}:{server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stops it."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection, with its own connection to the engine."""
        engine = await asyncio.open_connection(HOST, self._engine_port)
        try:
            while True:
                head, body = await self._answer(await _read(reader), engine)
                writer.write(head + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()
            engine[1].close()

    async def _answer(
        self, request: Message, engine: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> Message:
        head, body = request
        operation = _header(head, "x-amz-target").rpartition(".")[2]
        payload = json.loads(body or b"{}")
        self.seen.calls[operation] += 1
        rows = _rows(payload) if operation == "TransactWriteItems" else []
        if not self._locked_rows.isdisjoint(rows):
            self.seen.refused += 1
            return _refusal([row in self._locked_rows for row in rows])
        if operation in _SINGLE and _row(payload) in self._locked_rows:
            self.seen.single_refused += 1
            return _error("TransactionConflictException", "Transaction is ongoing for the item", {})
        if operation in _READS and self._read_seconds:
            await asyncio.sleep(self._read_seconds)
        self._locked_rows.update(rows)
        try:
            if rows:
                await asyncio.sleep(self._seconds)
            engine[1].write(_with_units(head, payload))
            answer = await _read(engine[0])
        finally:
            self._locked_rows.difference_update(rows)
        self._count(operation, answer[1])
        return answer

    def _count(self, operation: str, answer: bytes) -> None:
        units = json.loads(answer).get("ConsumedCapacity", [])
        used = sum(u["CapacityUnits"] for u in (units if isinstance(units, list) else [units]))
        if operation in _READS:
            self.seen.reads += used
        else:
            self.seen.writes += used


async def _read(reader: asyncio.StreamReader) -> Message:
    head = await reader.readuntil(b"\r\n\r\n")
    return head, await reader.readexactly(int(_header(head, "content-length") or 0))


def _header(head: bytes, name: str) -> str:
    for line in head.decode("latin1").split("\r\n")[1:]:
        key, _, value = line.partition(":")
        if key.lower() == name:
            return value.strip()
    return ""


def _rows(payload: dict[str, Any]) -> list[str]:
    """Returns a unique name for each row of a transaction."""
    return [_row(next(iter(part.values()))) for part in payload["TransactItems"]]


def _row(payload: dict[str, Any]) -> str:
    """Returns the unique name of a write's row."""
    key = payload.get("Key") or payload["Item"]
    return f"{payload['TableName']} {key.get('pk')} {key.get('sk')} {key.get('id')}"


def _with_units(head: bytes, payload: dict[str, Any]) -> bytes:
    """Returns the request, changed to also request its consumed capacity."""
    body = json.dumps(payload | {"ReturnConsumedCapacity": "TOTAL"}).encode()
    lines = [
        line for line in head.split(b"\r\n") if line and not line.lower().startswith(b"content-l")
    ]
    return b"\r\n".join([*lines, b"content-length: %d" % len(body), b"", b""]) + body


def _refusal(conflicts: list[bool]) -> Message:
    reasons = [{"Code": "TransactionConflict" if each else "None"} for each in conflicts]
    codes = ", ".join(reason["Code"] for reason in reasons)
    return _error(
        "TransactionCanceledException",
        f"Transaction cancelled, for specific reasons [{codes}]",
        {"CancellationReasons": reasons},
    )


def _error(name: str, message: str, more: dict[str, Any]) -> Message:
    kind = f"com.amazonaws.dynamodb.v20120810#{name}"
    body = json.dumps({"__type": kind, "message": message, "Message": message, **more}).encode()
    head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/x-amz-json-1.0\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode(), body

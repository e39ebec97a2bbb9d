"""Calls the API through the functions' handlers in this process, and measures each call."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from benchmarks.measure.metering import Measured, Meter
from local import gateway


class Refused(Exception):  # noqa: N818 - it is what happened
    """The API answered a problem."""


@dataclass(frozen=True)
class Api:
    """The API, called with a key."""

    key: str
    meter: Meter

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        idempotency_key: str | None = None,
    ) -> Measured[Any]:
        """Calls the API; returns the answer's body and the cost. Raises Refused."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        if idempotency_key:
            headers["idempotency-key"] = idempotency_key
        event = gateway.http_event(
            method,
            f"/v1{path}",
            query=urlencode(query or {}),
            headers=headers,
            body=b"" if body is None else json.dumps(body).encode(),
        )
        measured = self.meter.measured(lambda: gateway.handle(event))
        if measured.result.status >= 400:
            raise Refused(f"{method} {path}: {measured.result.body.decode()}")
        read = json.loads(measured.result.body) if measured.result.body else None
        return Measured(read, measured.calls, measured.seconds, measured.cpu_seconds)

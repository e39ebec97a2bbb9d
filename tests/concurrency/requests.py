"""The gateway's events of requests, for a container."""

import json
from collections.abc import Mapping
from typing import Any

from local import gateway
from tests.harness.world import Someone


def request(
    method: str, path: str, by: Someone, body: object = None, key: str | None = None
) -> dict[str, Any]:
    """Returns the event of a signed-in person's request; `key` is the idempotency key."""
    headers: Mapping[str, str] = {
        "authorization": f"Bearer {by.token}",
        **({"content-type": "application/json"} if body is not None else {}),
        **({"idempotency-key": key} if key is not None else {}),
    }
    sent = b"" if body is None else json.dumps(body).encode()
    return gateway.http_event(method, f"/v1{path}", headers=headers, body=sent)

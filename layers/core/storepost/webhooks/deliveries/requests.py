"""The request that posts a message to an endpoint, as Standard Webhooks says."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from storepost.people.consent_changes.signing import signed_headers
from storepost.platform.fetching import FetchFailed, UrlNotAllowed, post
from storepost.values import clock
from storepost.webhooks.deliveries.model import Attempt
from storepost.webhooks.deliveries.waits import retry_after_of
from storepost.webhooks.events.model import WebhookEvent

TIMEOUT_SECONDS = 10.0
_GONE = 410


@dataclass(frozen=True)
class Outcome:
    """What became of an attempt."""

    attempt: Attempt
    retry_after: timedelta | None = None
    is_gone: bool = False
    """Whether the endpoint said that it is gone for good."""
    is_ours: bool = False
    """Whether the failure is no matter of the endpoint's."""


def message_body(event: WebhookEvent, data: dict[str, Any]) -> bytes:
    """Returns the body of an event's message."""
    message = {"type": event.type, "timestamp": clock.to_text(event.occurred_at), "data": data}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def post_message(url: str, message_id: UUID, body: bytes, secrets: Sequence[str]) -> Outcome:
    """Posts a message to an address, which goes through the fetch guard again each time.

    Kept of the answer are its status and what its `Retry-After` asks for.
    """
    at, begun = clock.now(), time.monotonic()
    headers = signed_headers(str(message_id), at, body, secrets)
    headers["content-type"] = "application/json"
    status, error, retry_after = None, None, None
    try:
        answer = post(url, body=body, headers=headers, timeout=TIMEOUT_SECONDS)
    except UrlNotAllowed as refused:
        error = refused.reason
    except FetchFailed as failed:
        error = f"The endpoint didn't answer: {failed.reason}."
    else:
        status, error = answer.status, _error(answer.status)
        retry_after = retry_after_of(answer.headers.get("retry-after")) if error else None
    duration = round((time.monotonic() - begun) * 1000)
    return Outcome(Attempt(at, status, error, duration), retry_after, status == _GONE)


def _error(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"The endpoint answered with status {status}. Redirects aren't followed."
    return f"The endpoint answered with status {status}."

"""The request that posts a message to an endpoint, as Standard Webhooks says."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from storepost.platform.attempts.model import Attempt
from storepost.platform.attempts.posting import TIMEOUT_SECONDS, posted
from storepost.platform.attempts.signing import signed_headers
from storepost.platform.fetching import post
from storepost.values import clock
from storepost.webhooks.events.model import WebhookEvent

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
    """Posts a message to an address, which goes through the fetch guard again each time."""
    headers = signed_headers(str(message_id), clock.now(), body, secrets)
    headers["content-type"] = "application/json"
    made = posted(
        lambda: post(url, body=body, headers=headers, timeout=TIMEOUT_SECONDS), "endpoint"
    )
    return Outcome(made.attempt, made.retry_after, made.attempt.status == _GONE)

"""The request that posts a message to an endpoint, as Standard Webhooks says."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from storepost.platform.attempts.model import Attempt
from storepost.platform.attempts.posting import post_signed
from storepost.values import clock
from storepost.webhooks.events.model import WebhookEvent

_GONE = 410


@dataclass(frozen=True)
class Outcome:
    """The result of an attempt."""

    attempt: Attempt
    retry_after: timedelta | None = None
    is_gone: bool = False
    """Whether the endpoint answered that it is gone for good."""
    is_ours: bool = False
    """Whether the failure is Storepost's own, and doesn't count against the endpoint."""


def message_body(event: WebhookEvent, data: dict[str, Any]) -> bytes:
    """Returns the body of an event's message."""
    message = {"type": event.type, "timestamp": clock.to_text(event.occurred_at), "data": data}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def post_message(url: str, message_id: UUID, body: bytes, secrets: Sequence[str]) -> Outcome:
    """Posts a message to an endpoint's address; 410 says that the endpoint is gone for good."""
    posted = post_signed("endpoint", url, str(message_id), body, secrets)
    return Outcome(posted.attempt, posted.retry_after, posted.attempt.status == _GONE)

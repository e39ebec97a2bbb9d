"""A webhook as the queue carries it: a small body within the message, a large one on S3."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from storepost.platform.persistence.objects import get_object, put_object
from storepost.sync.records.reading import Body, NoRecord, moment_of
from storepost.values import clock
from storepost.values.json_reading import read_json

MAX_INLINE_BYTES = 32_000
"""As JSON within JSON it grows; an outbox row takes 400 KB, and a message 256."""


@dataclass(frozen=True)
class ResumePoint:
    """How far work has come that takes more than one run: in which store, and in its people."""

    store_id: UUID
    after: str | None = None
    """Behind which place in the list of them it goes on; None at its beginning."""
    is_more: bool = False
    """Whether anything was found since that beginning, so that the list is gone through again."""


@dataclass(frozen=True)
class Webhook:
    """What a shop told."""

    shop: str
    topic: str
    triggered_at: datetime
    """When it happened, by Shopify's clock."""
    raw: bytes = field(repr=False)
    reached: ResumePoint | None = None
    """Of what took more than one run."""
    delivery_id: str = field(default="", compare=False)
    """Shopify's id of the webhook, the same at each try; nothing once it is in the queue."""

    def body(self) -> Body:
        """What was told. Raises NoRecord."""
        if not isinstance(self._read, Mapping):
            raise NoRecord("a body that is no JSON object")
        return self._read

    @cached_property
    def _read(self) -> Any:  # noqa: ANN401 - JSON
        try:
            return read_json(self.raw)
        except ValueError:
            return None


def to_message(webhook: Webhook) -> dict[str, object]:
    """What goes into the queue. A body on S3 is under a name of its own content: it may be put
    there twice, and what nobody fetches ends after a few days."""
    message: dict[str, Any] = {
        "shop": webhook.shop,
        "topic": webhook.topic,
        "triggeredAt": clock.to_text(webhook.triggered_at),
    }
    if reached := webhook.reached:
        message["reached"] = [str(reached.store_id), reached.after, reached.is_more]
    if len(webhook.raw) <= MAX_INLINE_BYTES:
        return message | {"body": webhook.raw.decode()}
    digest = hashlib.sha256(f"{webhook.shop}\x1f".encode() + webhook.raw).hexdigest()
    name = f"webhooks/{digest}"
    put_object(name, webhook.raw)
    return message | {"object": name}


def from_message(text: str) -> Webhook:
    """What was put into the queue. Raises ObjectGone."""
    message = json.loads(text)
    raw = get_object(message["object"]) if "object" in message else message["body"].encode()
    triggered_at = moment_of(message["triggeredAt"]) or clock.now()
    reached = _as_reached(*message["reached"]) if "reached" in message else None
    return Webhook(message["shop"], message["topic"], triggered_at, raw, reached)


def _as_reached(store_id: str, after: str | None, is_more: bool) -> ResumePoint:  # noqa: FBT001 - JSON
    return ResumePoint(UUID(store_id), after, is_more)

"""A webhook as a message: a small body is in the message, a large one on S3."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar, Self
from uuid import UUID

from storepost.platform.messaging.messages import QueueMessage
from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence.objects import get_object, put_object
from storepost.sync.records.reading import Body, NoRecord, id_of, moment_of
from storepost.values import clock
from storepost.values.json_reading import read_utf_8_json

MAX_INLINE_BYTES = 32_000
"""JSON within JSON grows; an outbox row may have 400 KB, and a message 256."""
_IDS = ("customer_id", "admin_graphql_api_customer_kept_id", "id")
_OF_THE_SHOP = frozenset({"app", "locales", "shop"})
_APART = "shop/redact"
"""It is about the shop, too, but doesn't read its state, and may take many runs."""


@dataclass(frozen=True)
class ResumePoint:
    """The progress of a task of several runs: the store, and the position in its list of people."""

    store_id: UUID
    after: str | None = None
    """The key in the list after which it continues; None at the beginning."""
    is_more: bool = False
    """Whether this pass has found anything, so that another pass follows."""


@dataclass(frozen=True)
class Webhook(QueueMessage):
    """A webhook of a shop; those about one record are handled in turn."""

    queue: ClassVar = Queue.WEBHOOKS
    margin_milliseconds: ClassVar = 20_000

    shop: str
    topic: str
    triggered_at: datetime
    """When the event happened, by Shopify's clock."""
    raw: bytes = field(repr=False)
    resume_point: ResumePoint | None = None
    """The progress of a task that takes several runs."""
    delivery_id: str = field(default="", compare=False)
    """Shopify's id of the webhook, the same for each try; empty once it is in the queue."""

    def body(self) -> Body:
        """Returns the parsed body. Raises NoRecord."""
        if not isinstance(self._read, Mapping):
            raise NoRecord("a body that is no JSON object")
        return self._read

    @cached_property
    def _read(self) -> Any:  # noqa: ANN401 - JSON
        try:
            return read_utf_8_json(self.raw)
        except ValueError:
            return None

    @property
    def group(self) -> str:
        """Returns the FIFO group: a shop's customer, or its order, or the shop itself."""
        kind, body = self.topic.partition("/")[0].partition("_")[0], self.body()
        record = next((found for name in _IDS if (found := id_of(body.get(name)))), "")
        about = f"{self.shop}\x1f{kind}\x1f{record}"
        if kind in _OF_THE_SHOP and self.topic != _APART:
            about = self.shop
        return hashlib.sha256(about.encode()).hexdigest()

    def payload(self) -> dict[str, object]:
        """Returns the message's JSON.

        A large body is stored on S3 first, under a name derived from its content: it may be stored
        twice, and an object that isn't fetched expires after a few days.
        """
        payload: dict[str, object] = {
            "shop": self.shop,
            "topic": self.topic,
            "triggeredAt": clock.to_text(self.triggered_at),
        }
        if resume_point := self.resume_point:
            payload["reached"] = [
                str(resume_point.store_id),
                resume_point.after,
                resume_point.is_more,
            ]
        if len(self.raw) <= MAX_INLINE_BYTES:
            return payload | {"body": self.raw.decode()}
        digest = hashlib.sha256(f"{self.shop}\x1f".encode() + self.raw).hexdigest()
        name = f"webhooks/{digest}"
        put_object(name, self.raw)
        return payload | {"object": name}

    @classmethod
    def of(cls, text: str) -> Self:
        """Returns the webhook of a message. Raises ObjectGone."""
        payload = json.loads(text)
        raw = get_object(payload["object"]) if "object" in payload else payload["body"].encode()
        triggered_at = moment_of(payload["triggeredAt"]) or clock.now()
        resume_point = _as_reached(*payload["reached"][:3]) if "reached" in payload else None
        return cls(payload["shop"], payload["topic"], triggered_at, raw, resume_point)


def _as_reached(store_id: str, after: str | None, is_more: bool) -> ResumePoint:  # noqa: FBT001 - JSON
    return ResumePoint(UUID(store_id), after, is_more)

"""A workspace with a store, and the events in the table's stream."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from jsonschema import Draft202012Validator

from local.aws.stream_records import Record
from local.events import pumps
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.bodies import data_of
from storepost.webhooks.events.model import WebhookEvent
from storepost.webhooks.events.registry import EVENT_TYPES
from storepost.webhooks.events.stream import events_of
from tests.harness.world import CANARY, Answer, Someone, World

EMAIL = f"eve.{CANARY}@example.com"
READER = "outbox_relay"
SCHEMAS = {each.type: Draft202012Validator(each.json_schema()) for each in EVENT_TYPES}


@dataclass
class Shop:
    """A workspace with a store, its owner, and a reader of the stream that looks for events."""

    world: World
    owner: Someone
    workspace: WorkspaceScope
    store: str
    _seen: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.events()

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        """A request of the owner's that succeeds."""
        answer = self.owner.call(method, path, body, **more)
        assert answer.status < 300, answer.body
        return answer

    def get(self, path: str) -> dict[str, Any]:
        """The answer to a read now."""
        body: dict[str, Any] = self.call("GET", path).json
        return body

    def profile(self, **values: object) -> str:
        """The id of a new profile; by default with the address EMAIL."""
        answer = self.call("POST", "/profiles", values or {"email": EMAIL})
        return str(answer.json["id"])

    def records(self) -> list[Record]:
        """The stream's records since the last call that pass the relay's filter."""
        [reader] = [each for each in pumps.StreamPump().readers if each.function.job == READER]
        found = reader.waiting()
        new, self._seen = found[self._seen :], len(found)
        return new

    def events(self) -> list[WebhookEvent]:
        """The events since the last call, each of this workspace."""
        events = [each for record in self.records() for each in events_of(record)]
        assert all(workspace == self.workspace for workspace, _ in events)
        return [event for _, event in events]

    def types(self) -> list[str]:
        """The types of the events since the last call."""
        return sorted(event.type for event in self.events())

    def only(self, name: str) -> WebhookEvent:
        """The one event of a type since the last call; there may be others of other types."""
        [event] = [event for event in self.events() if event.type == name]
        return event

    def data(self, event: WebhookEvent) -> dict[str, Any]:
        """The `data` of its message now, validated by the schema of its type."""
        data = data_of(self.workspace, event)
        assert data is not None
        SCHEMAS[event.type].validate(data)
        return data

    def delivered(self) -> "Shop":
        """Delivers all queues, and ignores the events of that."""
        self.world.deliver()
        self.events()
        return self


def of(event: WebhookEvent) -> tuple[str, UUID]:
    """The kind and the id of the event's resource."""
    assert event.resource is not None
    return (event.resource.kind, event.resource.id)

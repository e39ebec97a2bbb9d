"""Messages as types: one dataclass writes and reads the JSON in a queue."""

import json
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Self
from uuid import UUID

from storepost.platform.messaging.outbox import Queue, send_with
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class QueueMessage:
    """A message whose JSON has the dataclass's fields in their order, in camel case.

    A field is an id, a StrEnum or plain JSON. A field that is None is left out of the JSON; a field
    that the reader doesn't know is ignored, so that senders may be deployed before their workers.
    """

    queue: ClassVar[Queue]
    margin_milliseconds: ClassVar[int] = 15_000
    """With less time left, a run begins nothing more: its longest step takes that long."""

    grouped_by: ClassVar[str | None] = None
    """The field by which messages of a FIFO queue run in turn; None in a standard queue."""

    @property
    def group(self) -> str | None:
        """Returns the FIFO group; None in a standard queue."""
        return str(getattr(self, self.grouped_by)) if self.grouped_by else None

    def payload(self) -> dict[str, object]:
        """Returns the message's JSON in the queue."""
        values = ((_camel_case(each.name), getattr(self, each.name)) for each in fields(self))
        return {
            name: str(value) if isinstance(value, UUID) else value
            for name, value in values
            if value is not None
        }

    @classmethod
    def of(cls, text: str) -> Self:
        """Returns the message of a queue's JSON."""
        payload = json.loads(text)
        return cls(
            **{
                each.name: _value(each.type, payload[name])
                for each in fields(cls)
                if (name := _camel_case(each.name)) in payload
            }
        )


@dataclass(frozen=True)
class WorkspaceMessage(QueueMessage):
    """A message about something of one workspace."""

    workspace_id: UUID

    @property
    def workspace(self) -> WorkspaceScope:
        """Returns the workspace's scope, which repositories are made from."""
        return WorkspaceScope(self.workspace_id)


def send(changes: Changes, message: QueueMessage, at: datetime | None = None) -> None:
    """Adds the message to the outbox in the transaction; it is sent at once, or at `at`."""
    send_with(changes, message.queue, [(message.payload(), message.group)], at)


def _camel_case(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(map(str.capitalize, more))


def _value(of_type: Any, value: Any) -> Any:  # noqa: ANN401 - JSON, and a field's type
    is_parsed = isinstance(of_type, type) and issubclass(of_type, UUID | StrEnum)
    return of_type(value) if is_parsed else value

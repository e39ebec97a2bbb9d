"""From a record of the table's stream to its events.

All events are derived from the row before and after the write, both of which the stream has. So the
write itself costs nothing more, and the same record has the same events whenever it is read.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from storepost.platform.persistence.item import Item
from storepost.platform.persistence.streams import row_of
from storepost.platform.persistence.write_marks import MarkedItem, WriteMark
from storepost.values.ids import derived_id
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.causes.cause import Cause, Comparison
from storepost.webhooks.events.causes.comparisons import comparison_of
from storepost.webhooks.events.model import WebhookEvent

type StreamRecord = Mapping[str, Any]
"""A record as Lambda hands it over, or as `GetRecords` answers it."""


def events_of(record: StreamRecord) -> list[tuple[WorkspaceScope, WebhookEvent]]:
    """Returns a record's events, one for each resource, with the workspace.

    It reads nothing, except imports that were queued when their store was disconnected.
    """
    change = record["dynamodb"]
    images = change.get("OldImage"), change.get("NewImage")
    image = images[1] or images[0]
    compare = comparison_of(image["kind"]["S"])
    if compare is None:
        return []
    workspace = WorkspaceScope.of(image["pk"]["S"])
    old, new = map(row_of, images)
    is_import = _mark(new) == WriteMark.IMPORT
    return [
        (workspace, _event(change, workspace, cause, is_import=is_import))
        for cause in _causes(compare, old, new)
    ]


def _causes(compare: Comparison, old: Item | None, new: Item | None) -> list[Cause]:
    causes = compare(old, new)
    if _mark(new) != WriteMark.UPKEEP:
        return causes
    # Rows that follow a merge or an erasure, whose events were sent, show nobody a change.
    return [each for each in causes if not each.types[0].endswith(".updated")]


def _mark(row: Item | None) -> str | None:
    return row.written_by if isinstance(row, MarkedItem) else None


def _event(
    change: Mapping[str, Any], workspace: WorkspaceScope, cause: Cause, *, is_import: bool
) -> WebhookEvent:
    first, *also = cause.types
    keys = (change["Keys"][name]["S"] for name in ("pk", "sk"))
    parts = (*keys, change["SequenceNumber"], str(cause.resource.id))
    return WebhookEvent(
        type=first,
        event_id=derived_id(workspace.id, "event", *parts),
        occurred_at=_moment(change["ApproximateCreationDateTime"]),
        resource=cause.resource,
        ids={name: str(value) for name, value in cause.ids.items()},
        imported=is_import,
        always=cause.always,
        also=tuple(also),
    )


def _moment(at: float | datetime) -> datetime:
    """Returns the moment: Lambda passes whole seconds since 1970, boto3 a datetime."""
    seconds = at.timestamp() if isinstance(at, datetime) else at
    return datetime.fromtimestamp(int(seconds), UTC)

"""Sends again all changes that a store failed to accept."""

from dataclasses import dataclass
from itertools import batched
from uuid import UUID

from storepost.people.consent.missed_write_backs import missed_changes
from storepost.people.consent.resending import Cause, Resend, count_failed, queue_resend
from storepost.people.consent.write_back_index import RecordedWithin
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import MAX_ROWS, FilterTooBroad
from storepost.values.problems import FieldError, ValidationFailed
from storepost.values.scope import WorkspaceScope

_AT_ONCE = 1000
"""How many changes are read into memory together."""


@dataclass(frozen=True)
class FailedAtStore:
    """The changes that a store failed to accept, of those recorded in a time range."""

    store_id: UUID
    recorded: RecordedWithin


def retry_failed(workspace: WorkspaceScope, filters: FailedAtStore, changes: Changes) -> int:
    """Sends a store again the changes that failed and still hold.

    Returns the number of write-backs. Raises ValidationFailed where the workspace has no such
    store, and FilterTooBroad.
    """
    store_id, recorded = filters.store_id, filters.recorded
    if StoreRepository(workspace).get(store_id) is None:
        error = FieldError("/storeId", "No store with this id exists in this workspace")
        raise ValidationFailed(errors=[error])
    found = list(missed_changes(workspace, store_id, recorded, MAX_ROWS + 1))
    if len(found) > MAX_ROWS:
        raise FilterTooBroad("recordedTo" if recorded.since else "recordedFrom", place="/")
    queued = sum(
        count_failed(workspace, store_id, recorded, some)
        for some in batched(found, _AT_ONCE, strict=False)
    )
    if queued:
        queue_resend(changes, workspace, Resend(store_id, Cause.REQUEST, recorded))
    return queued

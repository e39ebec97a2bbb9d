"""Tracks stores that don't accept write-backs, and emails the workspace's owner.

A store is failing from its first refusal until it accepts something. The owner gets an email once
it has failed for a day, or at once where a person must fix something, at most once a week. The
check after a day is a delayed message; a store has at most one, however often it recovers.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from storepost.accounts.emails.messages import WriteBacksFailing
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.repository import find_person
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.people.consent.resending import Cause, Resend, queue_resend
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.messaging.outbox import Queue, send_with
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.stores.stores.model import Store, WriteBackFailures
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

REPORTED_AFTER = timedelta(days=1)
REPORTED_EVERY = timedelta(days=7)


def note_failure(store: Store, *, needs_people: bool) -> None:
    """Records that the store refused a write-back; writes nothing if that is already recorded."""
    if store.failures.since is None or _is_due(store.failures, clock.now(), at_once=needs_people):
        commit_anew(lambda changes: _note(changes, store, at_once=needs_people))


def note_success(store: Store) -> None:
    """Records that the store accepted one; after failures, missed changes are sent again."""
    if store.failures.since is not None:
        commit_anew(lambda changes: _recover(changes, store.workspace, store.id))


def check_store_health(workspace: WorkspaceScope, store_id: UUID) -> None:
    """Emails the owner if the store has failed for a day; else schedules the next check."""
    commit_anew(lambda changes: _check(changes, workspace, store_id))


def _note(changes: Changes, store: Store, *, at_once: bool) -> None:
    repository, now = StoreRepository(store.workspace), clock.now()
    found = repository.get(store.id)
    if found is None or not found.is_active:
        return
    failures = replace(found.failures, since=found.failures.since or now)
    if _is_due(failures, now, at_once=at_once):
        failures = replace(failures, reported_at=now)
        _email_owner(changes, found, failures)
    _save(changes, repository, found, _with_next_check(changes, found, failures))


def _check(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    repository, now = StoreRepository(workspace), clock.now()
    found = repository.get(store_id)
    if found is None:
        return
    failures = replace(found.failures, checked_at=None)
    if found.is_active and failures.since is not None:
        if _is_due(failures, now, at_once=False):
            failures = replace(failures, reported_at=now)
            _email_owner(changes, found, failures)
        failures = _with_next_check(changes, found, failures)
    _save(changes, repository, found, failures)


def _recover(changes: Changes, workspace: WorkspaceScope, store_id: UUID) -> None:
    repository = StoreRepository(workspace)
    found = repository.get(store_id)
    if found is not None and found.failures.since is not None:
        _save(changes, repository, found, replace(found.failures, since=None))
        queue_resend(changes, workspace, Resend(store_id, Cause.SUCCESS))


def _with_next_check(
    changes: Changes, store: Store, failures: WriteBackFailures
) -> WriteBackFailures:
    """Schedules the next check where one is due; returns the failures with its time."""
    since, at = failures.since, failures.checked_at
    if since is None or at is not None or _is_reported(failures):
        return failures
    at = _next_check_at(since, failures.reported_at)
    body: dict[str, object] = {
        "workspaceId": str(store.workspace.id),
        "failingStore": str(store.id),
    }
    send_with(changes, Queue.WRITE_BACKS, [(body, f"failing#{store.id}")], at=at)
    return replace(failures, checked_at=at)


def _next_check_at(since: datetime, reported_at: datetime | None) -> datetime:
    """Returns when the owner's email is due; an earlier check would only schedule another one."""
    once_a_week = reported_at + REPORTED_EVERY if reported_at else since
    return max(since + REPORTED_AFTER, once_a_week)


def _is_due(failures: WriteBackFailures, now: datetime, *, at_once: bool) -> bool:
    """Whether the owner is due an email."""
    since, reported_at = failures.since, failures.reported_at
    if since is None or _is_reported(failures):
        return False
    is_recent = reported_at is not None and now - reported_at < REPORTED_EVERY
    return not is_recent and (at_once or now - since >= REPORTED_AFTER)


def _is_reported(failures: WriteBackFailures) -> bool:
    """Whether the owner was emailed about these failures."""
    since, reported_at = failures.since, failures.reported_at
    return since is not None and reported_at is not None and reported_at >= since


def _save(
    changes: Changes, repository: StoreRepository, store: Store, failures: WriteBackFailures
) -> None:
    if failures != store.failures:
        repository.save(changes, replace(store, failures=failures))


def _email_owner(changes: Changes, store: Store, failures: WriteBackFailures) -> None:
    workspaces = WorkspaceRepository(store.workspace)
    workspace, membership = workspaces.get(), workspaces.owner()
    owner = find_person(membership.person) if membership else None
    if workspace is None or owner is None or failures.since is None:
        return
    message = WriteBacksFailing(workspace.name, store.name, failures.since)
    send_email(changes, owner.email, message, account_tags(owner.id))

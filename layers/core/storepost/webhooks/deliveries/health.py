"""An endpoint's health: since when it fails, when its owner is notified, when it is disabled.

It fails from the first failed attempt until it accepts a message. A row that is due a day later has
it checked then, so that the owner is notified and the endpoint is disabled even if nothing more
happens.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from storepost.accounts.emails.messages import (
    EndpointEnd,
    WebhookEndpointDisabled,
    WebhookEndpointFailing,
)
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.repository import find_person
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.attempts.due import due_row, queue_later
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.webhooks.deliveries.messages import EndpointCheckMessage
from storepost.webhooks.endpoints.model import (
    DISABLED_AFTER,
    REPORTED_AFTER,
    DisabledReason,
    WebhookEndpoint,
)
from storepost.webhooks.endpoints.repository import EndpointRepository

NOTED_EVERY = timedelta(minutes=1)


def note_success(endpoint: WebhookEndpoint, at: datetime) -> None:
    """Records that an endpoint accepted a message: at once after failures, else once a minute."""
    last, health = endpoint.health.last_success_at, endpoint.health
    if health.failing_since is not None or last is None or at - last >= NOTED_EVERY:
        EndpointRepository(endpoint.workspace).note_success(endpoint, at)


def note_failure(endpoint: WebhookEndpoint, at: datetime) -> None:
    """Records that an endpoint failed; writes nothing if that is recorded already.

    The check is queued first: if a run is killed in between, the next one does both again.
    """
    if endpoint.health.failing_since is None:
        queue_later(_check_of(endpoint, at), at + REPORTED_AFTER)
        EndpointRepository(endpoint.workspace).begin_failing(endpoint, at)


def disable_gone(endpoint: WebhookEndpoint) -> None:
    """Disables an endpoint that answered 410, and notifies the workspace's owner."""
    commit_anew(lambda changes: _disable_gone(changes, endpoint))


def check(message: EndpointCheckMessage) -> None:
    """Notifies the owner, or disables the endpoint, if it has been failing since that moment."""
    commit_anew(lambda changes: _check(changes, message))


def _disable_gone(changes: Changes, endpoint: WebhookEndpoint) -> None:
    found = EndpointRepository(endpoint.workspace).get(endpoint.id)
    # Its address may have been changed meanwhile to one that didn't answer 410.
    if found is not None and found.is_enabled and found.url == endpoint.url:
        _disable(changes, found, "gone")


def _check(changes: Changes, message: EndpointCheckMessage) -> None:
    endpoint = EndpointRepository(message.workspace).get(message.endpoint_id)
    since = clock.from_text(message.failing_since)
    if endpoint is None or not endpoint.is_enabled or endpoint.health.failing_since != since:
        return
    if clock.now() - since >= DISABLED_AFTER:
        _disable(changes, endpoint, "failing")
    elif not endpoint.health.is_reported:
        _report(changes, endpoint, since)


def _disable(changes: Changes, endpoint: WebhookEndpoint, why: EndpointEnd) -> None:
    after = replace(endpoint, disabled_reason=DisabledReason(why))
    EndpointRepository(endpoint.workspace).save(changes, after)
    if (found := _owner_of(endpoint)) is not None:
        workspace, owner = found
        message = WebhookEndpointDisabled(workspace, _host(endpoint), why, clock.now())
        send_email(changes, owner.email, message, account_tags(owner.id))


def _report(changes: Changes, endpoint: WebhookEndpoint, since: datetime) -> None:
    health = replace(endpoint.health, reported_at=clock.now())
    EndpointRepository(endpoint.workspace).save(changes, replace(endpoint, health=health))
    at = since + DISABLED_AFTER
    changes.save(due_row(_check_of(endpoint, since), at))
    if (found := _owner_of(endpoint)) is not None:
        workspace, owner = found
        message = WebhookEndpointFailing(workspace, _host(endpoint), since, at)
        send_email(changes, owner.email, message, account_tags(owner.id))


def _owner_of(endpoint: WebhookEndpoint) -> tuple[str, Person] | None:
    """Returns the workspace's name and its owner."""
    workspaces = WorkspaceRepository(endpoint.workspace)
    workspace, membership = workspaces.get(), workspaces.owner()
    owner = find_person(membership.person) if membership else None
    return (workspace.name, owner) if workspace and owner else None


def _host(endpoint: WebhookEndpoint) -> str:
    """Returns the address without its path and query, which may hold a secret."""
    return endpoint.url.split("/")[2]


def _check_of(endpoint: WebhookEndpoint, since: datetime) -> EndpointCheckMessage:
    return EndpointCheckMessage(endpoint.workspace.id, endpoint.id, clock.to_text(since))

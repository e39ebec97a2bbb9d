"""What owners and admins do with webhook endpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from storepost.accounts.identity.repository import find_people
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.fetching import HTTPS, check_url
from storepost.platform.fetching import UrlNotAllowed as Refused
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.problems import UrlNotAllowed
from storepost.stores.stores.signing_secrets import SealedSecrets, new_secret
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.pagination import Listing, PageRequest, cut, in_order
from storepost.values.problems import FieldError, NotFound, needed
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.endpoints.model import (
    DisabledReason,
    EndpointHealth,
    EndpointStatus,
    WebhookEndpoint,
)
from storepost.webhooks.endpoints.problems import UnknownEventType
from storepost.webhooks.endpoints.repository import EndpointRepository
from storepost.webhooks.events.descriptions import DESCRIPTIONS
from storepost.webhooks.events.matching import ALL

_TYPES = DESCRIPTIONS.keys()
_KNOWN = frozenset({ALL}) | _TYPES | {f"{each.partition('.')[0]}.*" for each in _TYPES}


@dataclass(frozen=True)
class EndpointView:
    """An endpoint with its maker's name, None once that account is deleted."""

    endpoint: WebhookEndpoint
    created_by: str | None


@dataclass(frozen=True)
class NewSecret:
    """An endpoint with a secret that was just made."""

    view: EndpointView
    secret: str = field(repr=False)


@dataclass(frozen=True)
class EndpointFilter:
    """The filters of a list of endpoints; None doesn't filter."""

    statuses: Sequence[EndpointStatus] | None = None
    types: Sequence[str] | None = None

    def passes(self, endpoint: WebhookEndpoint) -> bool:
        """Returns whether the endpoint passes the filters."""
        has_status = self.statuses is None or endpoint.status in self.statuses
        return has_status and (self.types is None or endpoint.is_subscribed_to(self.types))


def list_endpoints(
    workspace: WorkspaceScope, filters: EndpointFilter, page: PageRequest
) -> Listing[EndpointView]:
    """Returns the endpoints that pass the filters, the newest first. Raises UnknownEventType."""
    check_types("query.event", filters.types or ())
    found = [each for each in EndpointRepository(workspace).all() if filters.passes(each)]
    newest = in_order(found, "-createdAt", {"createdAt": lambda each: (each.created_at, each.id)})
    listing = cut(newest, page)
    return Listing(_views(listing.items), listing.total, page)


def get_endpoint(workspace: WorkspaceScope, endpoint_id: UUID) -> EndpointView:
    """Returns the endpoint; 404 where the workspace has none of that id."""
    return _views([found_endpoint(workspace, endpoint_id)])[0]


def create_endpoint(
    caller: WorkspaceCaller, fields: Mapping[str, Any], changes: Changes
) -> NewSecret:
    """Creates an endpoint, which is sent events from now on.

    Raises UrlNotAllowed, UnknownEventType and EndpointLimit.
    """
    _check(fields)
    repository = EndpointRepository(caller.workspace)
    endpoint_id, secret = new_id(), new_secret()
    endpoint = WebhookEndpoint(
        id=endpoint_id,
        workspace=caller.workspace,
        url=fields["url"],
        description=fields.get("description"),
        events=_distinct(fields["events"]),
        include_imports=fields.get("include_imports", False),
        disabled_reason=None,
        maker_id=caller.person_id,
        created_at=clock.now(),
        secrets=SealedSecrets(repository.sealed(endpoint_id, secret)),
    )
    WorkspaceRepository(caller.workspace).expect_live(changes)
    repository.add(changes, endpoint)
    return NewSecret(_views([endpoint])[0], secret)


def update_endpoint(
    workspace: WorkspaceScope, endpoint_id: UUID, fields: Mapping[str, Any], changes: Changes
) -> EndpointView:
    """Changes the given fields of an endpoint. Raises UrlNotAllowed and UnknownEventType."""
    endpoint = found_endpoint(workspace, endpoint_id)
    payload = dict(fields)
    _check(
        {name: value for name, value in payload.items() if value != getattr(endpoint, name, None)}
    )
    status = payload.pop("status", endpoint.status)
    if "events" in payload:
        payload["events"] = _distinct(payload["events"])
    after = _with_status(replace(endpoint, **payload), status)
    if after.url != endpoint.url:
        after = _not_failing(after)
    if after != endpoint:
        EndpointRepository(workspace).save(changes, after)
    return _views([after])[0]


def delete_endpoint(workspace: WorkspaceScope, endpoint_id: UUID, changes: Changes) -> None:
    """Deletes an endpoint: nothing more is sent to it."""
    endpoint = found_endpoint(workspace, endpoint_id)
    EndpointRepository(workspace).delete(changes, endpoint)


def rotate_secret(workspace: WorkspaceScope, endpoint_id: UUID, changes: Changes) -> NewSecret:
    """Gives an endpoint a new secret; the old one signs too for 24 hours more."""
    endpoint, secret = found_endpoint(workspace, endpoint_id), new_secret()
    repository = EndpointRepository(workspace)
    sealed = repository.sealed(endpoint_id, secret)
    after = replace(endpoint, secrets=endpoint.secrets.rotated(sealed, clock.now()))
    repository.save(changes, after)
    return NewSecret(_views([after])[0], secret)


def found_endpoint(workspace: WorkspaceScope, endpoint_id: UUID) -> WebhookEndpoint:
    """Returns the endpoint. Raises NotFound."""
    return needed(EndpointRepository(workspace).get(endpoint_id), NotFound.of("webhook endpoint"))


def check_types(path: str, types: Sequence[str]) -> None:
    """Raises UnknownEventType where one of them is no event type."""
    errors = [
        FieldError(path, f"There is no event type `{each}`") for each in types if each not in _TYPES
    ]
    if errors:
        raise UnknownEventType(errors=errors)


def _check(fields: Mapping[str, Any]) -> None:
    """Raises UrlNotAllowed and UnknownEventType."""
    unknown = [
        FieldError(f"/events/{place}", f"There is no event type or group `{each}`")
        for place, each in enumerate(fields.get("events", ()))
        if each not in _KNOWN
    ]
    if unknown:
        raise UnknownEventType(errors=unknown)
    if "url" in fields:
        try:
            check_url(fields["url"], schemes=HTTPS)
        except Refused as refused:
            raise UrlNotAllowed(errors=[FieldError("/url", refused.reason)]) from refused


def _with_status(endpoint: WebhookEndpoint, status: EndpointStatus) -> WebhookEndpoint:
    if status is endpoint.status:
        return endpoint
    if status is EndpointStatus.DISABLED:
        return replace(endpoint, disabled_reason=DisabledReason.MANUAL)
    return _not_failing(replace(endpoint, disabled_reason=None))


def _not_failing(endpoint: WebhookEndpoint) -> WebhookEndpoint:
    """Returns the endpoint without known failures."""
    health = EndpointHealth(last_success_at=endpoint.health.last_success_at)
    return replace(endpoint, health=health)


def _distinct(events: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(events))


def _views(endpoints: Sequence[WebhookEndpoint]) -> list[EndpointView]:
    makers = {each.maker_id for each in endpoints} - {None}
    people = find_people(each for each in makers if each is not None)
    names = {person.id: person.name for person in people.values()}
    return [EndpointView(e, names.get(e.maker_id) if e.maker_id else None) for e in endpoints]

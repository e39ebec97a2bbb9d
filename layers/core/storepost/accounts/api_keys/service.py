"""Creates, rotates and revokes API keys."""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from storepost.accounts.api_keys.model import (
    OWN_OVERLAP_DEFAULT,
    OWN_OVERLAP_SECONDS,
    ApiKey,
    KeyStatus,
    Secret,
)
from storepost.accounts.api_keys.problems import KeyRevoked
from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.model import KeyScope, Person
from storepost.accounts.identity.repository import find_people
from storepost.accounts.identity.tokens import digest, new_api_key, prefix_of_key
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.pagination import Listing, PageRequest, cut, in_order
from storepost.values.problems import FieldError, NotFound, ValidationFailed, needed
from storepost.values.scope import WorkspaceScope
from storepost.values.text import fold, matches


@dataclass(frozen=True)
class KeyView:
    """A key with its maker's name, None once that account is deleted."""

    key: ApiKey
    created_by: str | None


@dataclass(frozen=True)
class NewSecret:
    """A key with a secret that was just made."""

    view: KeyView
    secret: str = field(repr=False)


@dataclass(frozen=True)
class KeyFilter:
    """The filters of a list of keys; an empty set doesn't filter."""

    q: str | None
    statuses: Set[KeyStatus]
    scopes: Set[KeyScope]

    def passes(self, key: ApiKey) -> bool:
        """Returns whether the key passes the filters."""
        return (
            (self.q is None or matches(self.q, key.name, key.prefix))
            and (not self.statuses or key.status in self.statuses)
            and (not self.scopes or key.scope in self.scopes)
        )


def list_keys(
    workspace: WorkspaceScope, filters: KeyFilter, sort: str, page: PageRequest
) -> Listing[KeyView]:
    """Returns the workspace's keys, revoked ones too."""
    repository = ApiKeyRepository(workspace)
    found = [key for key in repository.all() if filters.passes(key)]
    by_use = sort.removeprefix("-") == "lastUsedAt"
    ordered = in_order(
        repository.with_uses(found) if by_use else found,
        sort,
        {
            "name": lambda key: (fold(key.name), key.id),
            "createdAt": lambda key: (key.created_at, key.id),
            "lastUsedAt": lambda key: (key.last_used_at, key.id),
        },
    )
    listing = cut(ordered, page)
    keys = listing.items if by_use else repository.with_uses(listing.items)
    return Listing(_views(keys), listing.total, page)


def get_key(workspace: WorkspaceScope, key_id: UUID) -> KeyView:
    """Returns the key, a revoked one too."""
    return _views([_found(workspace, key_id)])[0]


def create_key(caller: WorkspaceCaller, name: str, scope: KeyScope, changes: Changes) -> NewSecret:
    """Creates a key of the workspace, made by the caller."""
    secret = new_api_key()
    key = ApiKey(
        id=new_id(),
        workspace_id=caller.workspace.id,
        name=name,
        scope=scope,
        prefix=prefix_of_key(secret),
        maker_id=caller.person_id,
        created_at=clock.now(),
        used_before=None,
        rotated_at=None,
        revoked_at=None,
        secrets=(Secret(digest(secret), None),),
    )
    WorkspaceRepository(caller.workspace).expect_live(changes)
    ApiKeyRepository(caller.workspace).add(changes, key)
    return NewSecret(_views([key])[0], secret)


def rename_key(workspace: WorkspaceScope, key_id: UUID, name: str, changes: Changes) -> KeyView:
    """Renames an active key."""
    key = _active(workspace, key_id)
    ApiKeyRepository(workspace).rename(changes, key, name)
    return _views([replace(key, name=name)])[0]


def rotate_key(
    caller: WorkspaceCaller, key_id: UUID, overlap_seconds: int | None, changes: Changes
) -> NewSecret:
    """Gives an active key a new secret; the former one still works for the overlap.

    A secret from an earlier rotation works until the end of its own overlap, but ends at once where
    this rotation has none. Owner and maker are notified by email.
    """
    overlap = _overlap(caller, overlap_seconds)
    key, now = _active(caller.workspace, key_id), clock.now()
    secret = new_api_key()
    rotated = replace(
        key,
        prefix=prefix_of_key(secret),
        rotated_at=now,
        secrets=(*key.secrets, Secret(digest(secret), None)),
    )
    WorkspaceRepository(caller.workspace).expect_live(changes)
    ApiKeyRepository(caller.workspace).rotate(changes, key, rotated, now, now + overlap)
    _email_rotation(caller, rotated, now, now + overlap if overlap else None, changes)
    return NewSecret(_views([rotated])[0], secret)


def revoke_key(workspace: WorkspaceScope, key_id: UUID, changes: Changes) -> KeyView:
    """Ends a key and its overlap from the next request on; repeatable."""
    key = _found(workspace, key_id)
    if key.is_active:
        now = clock.now()
        ApiKeyRepository(workspace).revoke(changes, key, now)
        key = replace(key, revoked_at=now)
    return _views([key])[0]


def _overlap(caller: WorkspaceCaller, seconds: int | None) -> timedelta:
    """Returns how long the former secret works; a key that rotates itself needs some overlap."""
    if caller.key is None:
        return timedelta(seconds=seconds or 0)
    if seconds is None:
        return timedelta(seconds=OWN_OVERLAP_DEFAULT)
    if seconds < OWN_OVERLAP_SECONDS:
        text = f"Must be at least {OWN_OVERLAP_SECONDS} where a key rotates itself"
        raise ValidationFailed(errors=[FieldError("/overlapSeconds", text)])
    return timedelta(seconds=seconds)


def _email_rotation(
    caller: WorkspaceCaller,
    key: ApiKey,
    now: datetime,
    old_ends_at: datetime | None,
    changes: Changes,
) -> None:
    repository = WorkspaceRepository(caller.workspace)
    workspace, owner = repository.get(), repository.owner()
    if workspace is None or owner is None:
        raise NotFound()
    recipients = {owner.person_id, key.maker_id} - {None}
    acting = None if caller.key else caller.person_id
    people = _people(recipients | {acting})
    message = messages.ApiKeyRotated(
        workspace=workspace.name,
        key_name=key.name,
        prefix=key.prefix,
        rotated_by=people[acting].name if acting in people else key.name,
        when=now,
        overlap_ends_at=old_ends_at,
    )
    for person in people.values():
        if person.id in recipients:
            send_email(changes, person.email, message, account_tags(person.id))


def _active(workspace: WorkspaceScope, key_id: UUID) -> ApiKey:
    key = _found(workspace, key_id)
    if not key.is_active:
        raise KeyRevoked()
    return key


def _found(workspace: WorkspaceScope, key_id: UUID) -> ApiKey:
    return needed(ApiKeyRepository(workspace).get(key_id), NotFound.of("API key"))


def _views(keys: Iterable[ApiKey]) -> list[KeyView]:
    keys = list(keys)
    people = _people({key.maker_id for key in keys})
    names = {person.id: person.name for person in people.values()}
    return [KeyView(key, names.get(key.maker_id) if key.maker_id else None) for key in keys]


def _people(ids: Iterable[UUID | None]) -> dict[UUID | None, Person]:
    people = find_people(person_id for person_id in ids if person_id is not None)
    return {person.id: person for person in people.values()}

"""Rows of workspaces, of their slugs and of memberships."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeGuard
from uuid import UUID

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.workspaces.model import Membership, Role, Workspace
from storepost.accounts.workspaces.problems import NoActiveWorkspace, RoleTooSmall
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find,
    find_all,
    find_in,
    note,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import PersonScope, WorkspaceScope


class WorkspaceItem(VersionedItem, discriminator="workspace"):
    """A workspace."""

    id = Identifier()
    name = UnicodeAttribute()
    slug = UnicodeAttribute()
    require_two_factor = BooleanAttribute(default=False)
    store_count = NumberAttribute(default=0)
    created_at = UtcDateTimeAttribute()
    ended_at = UtcDateTimeAttribute(null=True)
    """Since when a worker removes it: nobody can reach it from then on."""


class SlugItem(Item, discriminator="slug"):
    """The workspace that a slug belongs to."""

    workspace_id = Identifier()


class MembershipItem(VersionedItem, discriminator="membership"):
    """A membership, in the workspace's partition under the person."""

    id = Identifier()
    workspace_id = Identifier()
    person_id = Identifier()
    role = UnicodeAttribute()
    joined_at = UtcDateTimeAttribute()
    last_active_at = UtcDateTimeAttribute(null=True)


class MembershipPointerItem(Item, discriminator="membership_pointer"):
    """Points from a person to a workspace, in the person's partition."""

    workspace_id = Identifier()


def workspace_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of a workspace."""
    return (workspace.key, "workspace")


def membership_key(workspace: WorkspaceScope, person_id: UUID) -> Key:
    """Returns the key of a person's membership."""
    return (workspace.key, f"member#{short(person_id)}")


def membership_pointer_key(person: PersonScope, workspace: WorkspaceScope) -> Key:
    """Returns the key of the person's pointer to the workspace."""
    return (person.key, f"membership#{short(workspace.id)}")


def slug_key(slug: str) -> Key:
    """Returns the key of a slug's claim."""
    return (f"slug#{slug}", "claim")


@dataclass(frozen=True)
class Standing:
    """A workspace together with a person's membership in it."""

    workspace: Workspace
    membership: Membership


class WorkspaceRepository:
    """The workspace itself and its memberships."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """For one workspace."""
        self._scope = workspace

    def get(self) -> Workspace | None:
        """Returns the workspace, or None if it is deleted."""
        item = find(WorkspaceItem, workspace_key(self._scope))
        return as_workspace(item) if _is_live(item) else None

    def ended_at(self) -> datetime | None:
        """Returns since when the workspace is being removed; None if it isn't, or is removed."""
        item = find(WorkspaceItem, workspace_key(self._scope))
        return item.ended_at if item else None

    def end(self, changes: Changes, workspace: Workspace) -> None:
        """Makes the workspace unreachable, and frees its slug."""
        row = WorkspaceItem(*workspace_key(self._scope))
        ended: list[Action] = [WorkspaceItem.ended_at.set(clock.now())]
        unended = WorkspaceItem.pk.exists() & WorkspaceItem.ended_at.does_not_exist()
        changes.update(row, ended, unended)
        changes.delete(SlugItem(*slug_key(workspace.slug)))

    def membership_of(self, person_id: UUID) -> Membership | None:
        """Returns a person's membership, or None."""
        item = find(MembershipItem, membership_key(self._scope, person_id))
        return as_membership(item) if item else None

    def memberships(self) -> list[Membership]:
        """Returns all memberships, in no meaningful order."""
        rows = MembershipItem.rows_in(self._scope.key, "member#")
        return [as_membership(row) for row in rows]

    def owner(self) -> Membership | None:
        """Returns the owner's membership."""
        return next((m for m in self.memberships() if m.role is Role.OWNER), None)

    def standing_of(self, person_id: UUID) -> Standing | None:
        """Returns the workspace with a person's membership, in one read; None without one."""
        keys = workspace_key(self._scope), membership_key(self._scope, person_id)
        rows = find_all(keys)
        workspace = find_in(rows, WorkspaceItem, keys[0])
        membership = find_in(rows, MembershipItem, keys[1])
        if not _is_live(workspace) or membership is None:
            return None
        return Standing(as_workspace(workspace), as_membership(membership))

    def add(self, changes: Changes, workspace: Workspace) -> None:
        """Adds a new workspace with the claim of its slug; a slug that is taken is a lost race."""
        changes.create(
            as_row(WorkspaceItem, workspace_key(self._scope), workspace, created_at=clock.now())
        )
        changes.create(SlugItem(*slug_key(workspace.slug), workspace_id=workspace.id))

    def update(
        self, changes: Changes, *, name: str | None, require_two_factor: bool | None
    ) -> None:
        """Changes the fields that aren't None."""
        actions: list[Action] = []
        if name is not None:
            actions.append(WorkspaceItem.name.set(name))
        if require_two_factor is not None:
            actions.append(WorkspaceItem.require_two_factor.set(require_two_factor))
        if actions:
            row = WorkspaceItem(*workspace_key(self._scope))
            changes.update(row, actions, WorkspaceItem.pk.exists())

    def count_stores(self, changes: Changes, by: int) -> None:
        """Adds to the count of active stores."""
        row = WorkspaceItem(*workspace_key(self._scope))
        changes.update(row, [WorkspaceItem.store_count.add(by)], WorkspaceItem.pk.exists())

    def add_member(self, changes: Changes, membership: Membership) -> None:
        """Adds a new membership with the person's pointer to it."""
        key = membership_key(self._scope, membership.person_id)
        changes.create(as_row(MembershipItem, key, membership, workspace_id=self._scope.id))
        pointer = membership_pointer_key(membership.person, self._scope)
        changes.create(MembershipPointerItem(*pointer, workspace_id=self._scope.id))

    def change_role(self, changes: Changes, membership: Membership, role: Role) -> None:
        """Changes the member's role, if the membership is still as it was read."""
        changes.update(
            MembershipItem(*membership_key(self._scope, membership.person_id)),
            [MembershipItem.role.set(role)],
            _unchanged(membership),
        )

    def delete_member(self, changes: Changes, membership: Membership) -> None:
        """Deletes the membership and the person's pointer to it, if it is still as it was read."""
        row = MembershipItem(*membership_key(self._scope, membership.person_id))
        changes.delete(row, _unchanged(membership))
        pointer = membership_pointer_key(membership.person, self._scope)
        changes.delete(MembershipPointerItem(*pointer))

    def expect_live(self, changes: Changes) -> None:
        """Demands that nobody deletes the workspace meanwhile; else NoActiveWorkspace."""
        row = WorkspaceItem(*workspace_key(self._scope))
        live = WorkspaceItem.pk.exists() & WorkspaceItem.ended_at.does_not_exist()
        changes.expect(row, live, NoActiveWorkspace())

    def expect_policy(self, changes: Changes, workspace: Workspace) -> None:
        """Demands that the workspace's two-factor policy is still as it was read."""
        row = WorkspaceItem(*workspace_key(self._scope))
        changes.expect(row, WorkspaceItem.require_two_factor == workspace.require_two_factor)

    def expect_same(self, changes: Changes, membership: Membership) -> None:
        """Demands that a membership is still as it was read; else it is a lost race."""
        row = MembershipItem(*membership_key(self._scope, membership.person_id))
        changes.expect(row, _unchanged(membership))

    def expect_role(
        self, changes: Changes, membership: Membership, roles: Collection[Role]
    ) -> None:
        """Demands that the member still has one of the roles; else RoleTooSmall.

        If the same unit changes or ends the membership, that write has its own condition.
        """
        row = MembershipItem(*membership_key(self._scope, membership.person_id))
        if not changes.has(row):
            fits = MembershipItem.role.is_in(*sorted(roles))
            changes.expect(row, (MembershipItem.id == membership.id) & fits, RoleTooSmall(roles))

    def expect_member(self, changes: Changes, person_id: UUID, on_conflict: Exception) -> None:
        """Demands that the person is still a member when the changes are committed."""
        row = MembershipItem(*membership_key(self._scope, person_id))
        changes.expect(row, MembershipItem.pk.exists(), on_conflict)

    def touch_member(self, person_id: UUID, now: datetime) -> bool:
        """Records that the member is active; returns False if the membership ended."""
        return note(
            MembershipItem(*membership_key(self._scope, person_id)),
            [MembershipItem.last_active_at.set(now)],
        )


def taken_slugs(slugs: Iterable[str]) -> set[str]:
    """Returns those of the slugs that are taken."""
    slugs_by_key = {slug_key(slug): slug for slug in slugs}
    return {slugs_by_key[key] for key in find_all(slugs_by_key)}


def standings_of(person: PersonScope) -> list[Standing]:
    """Returns the person's workspaces, each with the membership."""
    pointers = MembershipPointerItem.rows_in(person.key, "membership#")
    scopes = [WorkspaceScope(pointer.workspace_id) for pointer in pointers]
    return _standings(scopes, person.id)


def active_standing(caller: SignedInPerson) -> Standing | None:
    """Returns the caller's standing in the session's active workspace; None if none is active.

    The end of a membership clears the active workspace in all sessions of the person without
    changing their rows: a membership doesn't count for a workspace that was made active before it
    began.
    """
    session = caller.session
    if session.workspace_id is None:
        return None
    repository = WorkspaceRepository(WorkspaceScope(session.workspace_id))
    standing = repository.standing_of(caller.person.id)
    if standing and standing.membership.joined_at > session.active_since:
        return None
    return standing


def _standings(scopes: Iterable[WorkspaceScope], person_id: UUID) -> list[Standing]:
    scopes = list(scopes)
    keys = [key for s in scopes for key in (workspace_key(s), membership_key(s, person_id))]
    rows = find_all(keys)
    standings = []
    for scope in scopes:
        workspace = find_in(rows, WorkspaceItem, workspace_key(scope))
        membership = find_in(rows, MembershipItem, membership_key(scope, person_id))
        if _is_live(workspace) and membership:
            standings.append(Standing(as_workspace(workspace), as_membership(membership)))
    return standings


def _is_live(item: WorkspaceItem | None) -> TypeGuard[WorkspaceItem]:
    return item is not None and item.ended_at is None


def _unchanged(membership: Membership) -> Condition:
    # The id is needed, too: a removed and reinvited person has another membership at this key.
    same: Condition = (MembershipItem.id == membership.id) & (
        MembershipItem.role == membership.role
    )
    return same


def as_workspace(item: WorkspaceItem) -> Workspace:
    """Returns the workspace as a value."""
    return as_value(Workspace, item)


def as_membership(item: MembershipItem) -> Membership:
    """Returns the membership as a value."""
    return as_value(Membership, item)

"""A workspace's members, their roles, and the end of a membership."""

from collections.abc import Set
from dataclasses import dataclass
from uuid import UUID

from storepost.accounts.api_keys.owner_emails import email_owner
from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.emails import messages
from storepost.accounts.emails.messages import KeyAct, KeyLabel
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.repository import find_people, find_person, touch_account
from storepost.accounts.members.problems import AlreadyOwner, OwnerRemoval, OwnerRole
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Membership, Role
from storepost.accounts.workspaces.problems import (
    NoActiveWorkspace,
    OwnerLeave,
    RoleTooSmall,
    TwoFactorOff,
)
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values.pagination import Listing, PageRequest, cut, in_order
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope
from storepost.values.text import fold, matches


@dataclass(frozen=True)
class Member:
    """A membership with its person."""

    membership: Membership
    person: Person


@dataclass(frozen=True)
class MemberFilter:
    """The filters of a list of members; an empty set doesn't filter."""

    q: str | None
    roles: Set[Role]

    def passes(self, member: Member) -> bool:
        """Returns whether the member passes the filters."""
        person = member.person
        return (self.q is None or matches(self.q, person.name, person.email)) and (
            not self.roles or member.membership.role in self.roles
        )


def list_members(
    workspace: WorkspaceScope, filters: MemberFilter, sort: str, page: PageRequest
) -> Listing[Member]:
    """Returns the workspace's members."""
    memberships = WorkspaceRepository(workspace).memberships()
    people = find_people(m.person_id for m in memberships)
    members = [Member(m, people[m.person_id]) for m in memberships if m.person_id in people]
    ordered = in_order(
        [member for member in members if filters.passes(member)],
        sort,
        {
            "name": lambda member: (fold(member.person.name), member.membership.id),
            "joinedAt": lambda member: (member.membership.joined_at, member.membership.id),
        },
    )
    return cut(ordered, page)


def get_member(workspace: WorkspaceScope, membership_id: UUID) -> Member:
    """Returns the member whose membership has the id. Raises NotFound."""
    membership = _picked(WorkspaceRepository(workspace).memberships(), membership_id)
    person = needed(find_person(membership.person), NotFound.of("member"))
    return Member(membership, person)


def transfer_ownership(caller: WorkspaceCaller, membership_id: UUID, changes: Changes) -> None:
    """Makes another member the owner and the owner an admin, both in one step.

    Each of the two rows must still be as it was read, so two concurrent transfers can't leave two
    owners, or none: the one that lost is decided again and finds its caller an admin. Raises
    TwoFactorOff if the workspace demands two-factor and the member has none.
    """
    repository = WorkspaceRepository(caller.workspace)
    memberships = repository.memberships()
    target = _picked(memberships, membership_id)
    own = next((m for m in memberships if m.person_id == caller.person_id), None)
    if own is None or own.role is not Role.OWNER:
        raise RoleTooSmall({Role.OWNER})
    if target.id == own.id:
        raise AlreadyOwner()
    _expect_two_factor(repository, target, changes)
    repository.change_role(changes, own, Role.ADMIN)
    repository.change_role(changes, target, Role.OWNER)


def _expect_two_factor(
    repository: WorkspaceRepository, target: Membership, changes: Changes
) -> None:
    """Demands that the new owner has an account, and two-factor if the workspace demands it.

    A person who has it can't turn it off as long as the workspace demands it.
    """
    workspace, person = repository.get(), find_person(target.person)
    if workspace is None or person is None:
        raise NotFound()
    if workspace.require_two_factor and not person.has_two_factor:
        raise TwoFactorOff()
    repository.expect_policy(changes, workspace)
    touch_account(changes, person, NotFound.of("member"))


def change_role(caller: WorkspaceCaller, membership_id: UUID, role: Role, changes: Changes) -> None:
    """Makes a member an admin or an admin a member; never touches the owner."""
    repository = WorkspaceRepository(caller.workspace)
    target = _picked(repository.memberships(), membership_id)
    _expect_admin_left(caller, target)
    if target.role is Role.OWNER:
        raise OwnerRole()
    if target.role is not role:
        repository.change_role(changes, target, role)
        _email_owner(caller, "role_changed", target, role, changes)


def delete_member(caller: WorkspaceCaller, membership_id: UUID, changes: Changes) -> None:
    """Ends a membership; the owner gets an email with the active keys that the person made.

    The keys still work, without the role of the person who made them.
    """
    repository = WorkspaceRepository(caller.workspace)
    memberships = repository.memberships()
    target = _picked(memberships, membership_id)
    _expect_admin_left(caller, target)
    if target.role is Role.OWNER:
        raise OwnerRemoval()
    repository.delete_member(changes, target)
    _email_owner(caller, "removed", target, None, changes)
    owner = next((m for m in memberships if m.role is Role.OWNER), None)
    if owner:
        _email_about_keys(caller.workspace, owner, target, changes)


def leave(caller: WorkspaceCaller, changes: Changes) -> None:
    """Ends the caller's own membership."""
    repository = WorkspaceRepository(caller.workspace)
    own = repository.membership_of(caller.person_id) if caller.person_id else None
    if own is None:
        raise NoActiveWorkspace()
    if own.role is Role.OWNER:
        raise OwnerLeave()
    repository.delete_member(changes, own)


def _email_owner(
    caller: WorkspaceCaller, act: KeyAct, target: Membership, role: Role | None, changes: Changes
) -> None:
    """Notifies the owner if a key acts."""
    person = find_person(target.person) if caller.key else None
    if person is not None:
        email_owner(caller, act, person.name, role, changes)


def _email_about_keys(
    scope: WorkspaceScope, owner: Membership, former: Membership, changes: Changes
) -> None:
    repository = ApiKeyRepository(scope)
    keys = repository.all()
    repository.expect_same(changes, keys)  # no key that they make meanwhile is left out
    active = [key for key in keys if key.is_active and key.maker_id == former.person_id]
    active.sort(key=lambda key: (key.created_at, key.id))
    if not active:
        return
    workspace = WorkspaceRepository(scope).get()
    people = find_people([owner.person_id, former.person_id])
    if workspace is None or len(people) < 2:
        return
    message = messages.MemberRemovedKeys(
        workspace=workspace.name,
        member=people[former.person_id].name,
        keys=tuple(KeyLabel(key.name, key.prefix) for key in active),
    )
    email = people[owner.person_id].email
    send_email(changes, email, message, account_tags(owner.person_id))


def _expect_admin_left(caller: WorkspaceCaller, target: Membership) -> None:
    """Refuses a caller who acts on themselves and was demoted since the check of their role."""
    if target.person_id == caller.person_id and not target.manages:
        raise RoleTooSmall()


def _picked(memberships: list[Membership], membership_id: UUID) -> Membership:
    """Returns the member whose id the path names."""
    return needed(
        next((m for m in memberships if m.id == membership_id), None), NotFound.of("member")
    )

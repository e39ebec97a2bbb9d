"""Creates and changes a workspace."""

from uuid import UUID

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.repository import (
    activate_workspace,
    expect_methods,
    find_person,
    remember_workspace,
    touch_account,
)
from storepost.accounts.workspaces.model import Membership, Role, Workspace, slug_of
from storepost.accounts.workspaces.problems import RoleTooSmall, TwoFactorOff
from storepost.accounts.workspaces.repository import (
    Standing,
    WorkspaceRepository,
    active_standing,
    taken_slugs,
)
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.problems import NotFound, Unauthenticated, needed
from storepost.values.scope import PersonScope, WorkspaceScope

_NUMBERED = 50


def available_slug(name: str) -> str:
    """Returns the slug for a workspace of that name: the plain one, else a numbered one."""
    plain = slug_of(name)
    candidates = [plain, *(f"{plain}-{number}" for number in range(2, _NUMBERED + 2))]
    taken = taken_slugs(candidates[:1])
    if taken:
        taken = taken_slugs(candidates)
    free = (slug for slug in candidates if slug not in taken)
    return next(free, f"{plain}-{new_id().hex[:8]}")


def create_workspace(
    caller: SignedInPerson, name: str, changes: Changes, *, store_count: int = 0
) -> Workspace:
    """Creates a workspace whose owner is the caller; it becomes active if none is.

    `store_count` is how many stores are connected to it in the same step.
    """
    workspace = Workspace(
        id=new_id(),
        name=name,
        slug=available_slug(name),
        require_two_factor=False,
        store_count=store_count,
    )
    repository = WorkspaceRepository(workspace.scope)
    repository.add(changes, workspace)
    repository.add_member(changes, owner_of(workspace, caller.person.id))
    activate_on_joining(caller, workspace.id, changes)
    return workspace


def activate_on_joining(caller: SignedInPerson, workspace_id: UUID, changes: Changes) -> None:
    """Makes a workspace that the caller joins active, unless the session has one.

    It writes the account in either case, so a concurrent deletion of the account leaves neither a
    workspace without an owner nor a membership without a person. Raises Unauthenticated if the
    deletion came first.
    """
    if active_standing(caller) is None:
        activate_workspace(changes, caller.session, workspace_id)
        remember_workspace(changes, caller.person, workspace_id)
    else:
        touch_account(changes, caller.person, Unauthenticated())


def owner_of(workspace: Workspace, person_id: UUID) -> Membership:
    """Returns the membership that a workspace begins with."""
    return Membership(
        id=new_id(),
        workspace_id=workspace.id,
        person_id=person_id,
        role=Role.OWNER,
        joined_at=clock.now(),
        last_active_at=None,
    )


def owned_by(caller: SignedInPerson, repository: WorkspaceRepository) -> Standing:
    """Returns the caller's standing, who must be the owner, also when a lost race is decided again.

    Raises NotFound if the caller is no member, and RoleTooSmall.
    """
    standing = needed(
        repository.standing_of(caller.person.id),
        NotFound("You belong to no workspace with this id."),
    )
    if standing.membership.role is not Role.OWNER:
        raise RoleTooSmall({Role.OWNER})
    return standing


def get_workspace(caller: SignedInPerson, workspace_id: UUID) -> Standing:
    """Returns one of the caller's workspaces, with their membership. Raises NotFound."""
    return needed(
        WorkspaceRepository(WorkspaceScope(workspace_id)).standing_of(caller.person.id),
        NotFound("You belong to no workspace with this id."),
    )


def update_workspace(
    caller: SignedInPerson,
    workspace_id: UUID,
    name: str | None,
    require_two_factor: bool | None,  # noqa: FBT001 - a field's value
    changes: Changes,
) -> None:
    """Changes name or policy; the slug never changes.

    The caller must be the owner, or is no member at all. The policy can be turned on only by an
    owner who has two-factor on.
    """
    repository = WorkspaceRepository(WorkspaceScope(workspace_id))
    repository.expect_same(changes, owned_by(caller, repository).membership)
    if require_two_factor:
        _expect_two_factor(caller.person.scope, changes)
    repository.update(changes, name=name, require_two_factor=require_two_factor)


def _expect_two_factor(owner: PersonScope, changes: Changes) -> None:
    """Expects the owner to have two-factor, also at the commit. Raises TwoFactorOff."""
    person = find_person(owner)
    if person is None or not person.has_two_factor:
        raise TwoFactorOff()
    expect_methods(changes, person)

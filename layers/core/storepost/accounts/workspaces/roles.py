"""The caller's role, where it depends on the request whether one is needed."""

from storepost.accounts.identity.model import ApiKeyHolder
from storepost.accounts.identity.repository import find_person
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import MANAGERS, Membership
from storepost.accounts.workspaces.problems import RoleTooSmall
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.persistence.changes import Changes


def membership_of_maker(key: ApiKeyHolder) -> Membership | None:
    """Returns the membership that the key's maker has now."""
    if key.maker_id is None:
        return None
    membership = WorkspaceRepository(key.workspace).membership_of(key.maker_id)
    # A deleted account has no role from that moment on, even if it belonged to so
    # many workspaces that some of its memberships are deleted a little later.
    return membership if membership and find_person(membership.person) else None


def expect_manager(changes: Changes, caller: WorkspaceCaller) -> None:
    """Demands that the caller, or the key's maker, is owner or admin until the commit.

    Raises RoleTooSmall.
    """
    membership = membership_of_maker(caller.key) if caller.key else caller.membership
    if membership is None or membership.role not in MANAGERS:
        raise RoleTooSmall()
    WorkspaceRepository(caller.workspace).expect_role(changes, membership, MANAGERS)

"""What can be wrong with a caller's place in a workspace."""

from collections.abc import Collection

from storepost.accounts.workspaces.model import MANAGERS, Role
from storepost.values.problems import Conflict, Forbidden


class NoActiveWorkspace(Conflict):
    """The session has no active workspace."""

    code = "no_active_workspace"
    title = "No active workspace"
    remedy = "Create one with `POST /workspaces`, or choose yours with `PUT /me/workspace`."


class TwoFactorRequired(Forbidden):
    """The workspace requires two-factor authentication of its members, and the person has it
    off.
    """

    code = "two_factor_required"
    title = "The workspace requires two-factor authentication"
    remedy = "Turn on two-factor authentication for your account first."


class RoleTooSmall(Forbidden):
    """The role of the person, or of the person who made the API key, doesn't allow this."""

    code = "role"
    title = "Your role does not allow this"
    remedy = "Ask the workspace's owner or an admin to do this."

    def __init__(self, allowed: Collection[Role] = MANAGERS) -> None:
        """`allowed` are the roles that would do."""
        others = " and its admins" if Role.ADMIN in allowed else ""
        super().__init__(f"Only the workspace's owner{others} can do this.")


class OwnerLeave(Conflict):
    """The owner can't leave a workspace, and an account that owns one can't be deleted."""

    code = "owner_leave"
    title = "The owner can't leave"
    remedy = "Transfer the workspace to another member first, or delete it."


class TwoFactorOff(Conflict):
    """An owner who requires two-factor authentication of others must have it on, and so must the
    next owner of a workspace that requires it, and whoever asks for backup codes.
    """

    code = "two_factor_off"
    title = "Two-factor authentication is off"
    remedy = (
        "Turn it on first for your own account, or ask the member who is to own the "
        "workspace to do so."
    )

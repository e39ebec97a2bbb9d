"""What can be wrong with a caller's place in a workspace."""

from storepost.values.problems import Conflict, Forbidden


class NoActiveWorkspace(Conflict):
    """The session has no active workspace."""

    code = "no_active_workspace"
    title = "No active workspace"
    remedy = "Choose one with `PUT /me/workspace`."


class TwoFactorRequired(Forbidden):
    """The workspace demands two-factor of its members."""

    code = "two_factor_required"
    title = "Two-factor sign-in required"
    remedy = "Turn on two-factor sign-in for your account first."


class RoleTooSmall(Forbidden):
    """The role, or that of the key's maker, is too small."""

    code = "role"
    title = "The role is too small"
    remedy = "Ask an owner or admin of the workspace."


class OwnerLeave(Conflict):
    """The owner can't leave a workspace, nor delete the account that owns one."""

    code = "owner_leave"
    title = "The owner can't leave"
    remedy = "Transfer the workspace to another member first, or delete it."


class TwoFactorOff(Conflict):
    """Without two-factor nobody demands it of others, owns what demands it, or has backup codes."""

    code = "two_factor_off"
    title = "Two-factor sign-in is off"
    remedy = (
        "Turn it on first: for your own account, or have the member who is to own the workspace."
    )

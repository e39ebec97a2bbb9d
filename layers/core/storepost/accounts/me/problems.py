"""What can be wrong with a change of one's own account (docs/interface.md, section 3)."""

from storepost.values.problems import Conflict


class EmailTaken(Conflict):
    """The new address became another account's after the code was sent."""

    code = "email_taken"
    title = "The address belongs to another account"
    remedy = "Use another address, or sign in to the account that has it."


class MethodOn(Conflict):
    """The two-factor method is turned on already."""

    code = "method_on"
    title = "The two-factor method is on already"
    remedy = "Turn it off first to set it up again."


class TwoFactorDemanded(Conflict):
    """This is the person's last two-factor method, and a workspace of theirs requires one."""

    code = "two_factor_last_method"
    title = "The last two-factor method can't be turned off"
    remedy = (
        "Turn another method on first, or leave the workspaces that require two-factor "
        "authentication."
    )

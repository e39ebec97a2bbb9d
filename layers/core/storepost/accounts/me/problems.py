"""What can be wrong with a change of one's own account (docs/interface.md, section 3)."""

from storepost.values.problems import Conflict


class EmailTaken(Conflict):
    """The new address became another account's after the code was sent."""

    code = "email_taken"
    title = "The address belongs to another account"
    remedy = "Use another address, or sign in to the account that has it."


class MethodOn(Conflict):
    """The second-factor method is on already."""

    code = "method_on"
    title = "The method is on already"
    remedy = "Turn it off first to set it up anew."


class TwoFactorDemanded(Conflict):
    """A workspace of the person's demands two-factor, and this is the last method of it."""

    code = "two_factor_required"
    title = "A workspace demands two-factor sign-in"
    remedy = "Turn another method on first, or leave the workspaces that demand two-factor."

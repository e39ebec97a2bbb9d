"""What a workspace's owner is spared (operations.md, section 2, "Codes of the specified rules")."""

from storepost.problems import Conflict


class OwnerRole(Conflict):
    """The owner's role changes only through a transfer."""

    code = "owner_role"
    title = "The owner's role can't be changed"
    mend = "Transfer the ownership to another member; the owner becomes an admin then."


class OwnerRemoval(Conflict):
    """The owner can't be removed."""

    code = "owner_removal"
    title = "The owner can't be removed"
    mend = "Transfer the ownership to another member first."


class OwnerLeave(Conflict):
    """The owner can't leave."""

    code = "owner_leave"
    title = "The owner can't leave"
    mend = "Transfer the ownership to another member first."


class AlreadyOwner(Conflict):
    """A transfer goes to another member."""

    code = "already_owner"
    title = "Already the owner"
    mend = "Name another member's id."

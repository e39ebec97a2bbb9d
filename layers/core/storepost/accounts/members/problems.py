"""What a workspace's owner is spared (docs/interface.md, section 2, "Codes of membership")."""

from storepost.values.problems import Conflict


class OwnerRole(Conflict):
    """The owner's role changes only through a transfer."""

    code = "owner_role"
    title = "The owner's role can't be changed"
    remedy = "Transfer the ownership to another member; the owner becomes an admin then."


class OwnerRemoval(Conflict):
    """The owner can't be removed."""

    code = "owner_removal"
    title = "The owner can't be removed"
    remedy = "Transfer the ownership to another member first."


class AlreadyOwner(Conflict):
    """A transfer goes to another member."""

    code = "already_owner"
    title = "Already the owner"
    remedy = "Name another member's id."

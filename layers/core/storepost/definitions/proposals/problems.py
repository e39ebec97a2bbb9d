"""What can be wrong with a proposal (docs/interface.md, section 10)."""

from storepost.values.problems import Conflict, Forbidden, ValidationFailed


class BaseNotCurrent(Conflict):
    """The version that the patch is made for is not the definition's current one."""

    code = "base_not_current"
    title = "The base isn't the current version"
    remedy = "Read the definition again and make the patch for its `versionId`."


class ProposalClosed(Conflict):
    """Somebody has approved, rejected or withdrawn it."""

    code = "proposal_closed"
    title = "The proposal is closed"
    remedy = "Make a new proposal."


class OwnProposal(Forbidden):
    """A key or a plain member may not approve what they proposed themselves."""

    code = "own_proposal"
    title = "It is your own proposal"
    remedy = "Let somebody else review it; an owner or admin may approve their own."


class NotAuthor(Forbidden):
    """Only who proposed something may withdraw it."""

    code = "not_author"
    title = "Somebody else's proposal"
    remedy = "Reject it, or let its author withdraw it."


class PatchFailed(ValidationFailed):
    """An operation of the patch doesn't fit the definition."""

    code = "patch_failed"
    title = "The patch doesn't apply"
    remedy = "Mend the operation that `errors` names; nothing of the patch was applied."

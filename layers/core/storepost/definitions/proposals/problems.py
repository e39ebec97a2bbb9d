"""What can be wrong with a proposal (docs/interface.md, section 10)."""

from storepost.values.problems import Conflict, Forbidden, ValidationFailed


class BaseNotCurrent(Conflict):
    """The version that the patch is made for is not the definition's current one."""

    code = "base_not_current"
    title = "The definition has a newer version"
    remedy = "Read the definition again and make the patch for its current `versionId`."


class ProposalClosed(Conflict):
    """Somebody has approved, rejected or withdrawn it."""

    code = "proposal_closed"
    title = "The proposal is closed already"
    remedy = "Only an open proposal can be decided or withdrawn. Make a new one."


class ProposalStale(Conflict):
    """The definition has another version than the proposal was made for."""

    code = "proposal_stale"
    title = "The proposal is out of date"
    remedy = (
        "Read the definition's current version and propose the change again. This proposal can "
        "only be rejected."
    )


class OwnProposal(Forbidden):
    """A key or a plain member may not approve what they proposed themselves."""

    code = "own_proposal"
    title = "You can't approve your own proposal"
    remedy = (
        "Ask somebody else to approve it. Only owners and admins who are signed in may approve "
        "their own. An API key counts as the person who made it."
    )


class NotAuthor(Forbidden):
    """Only who proposed something may withdraw it."""

    code = "not_author"
    title = "Only its author can withdraw the proposal"
    remedy = "Reject the proposal instead, or ask its author to withdraw it."


class PatchFailed(ValidationFailed):
    """An operation of the patch doesn't fit the definition."""

    code = "patch_failed"
    title = "The patch doesn't apply"
    remedy = "Fix the operation listed in `errors`. Nothing of the patch was applied."

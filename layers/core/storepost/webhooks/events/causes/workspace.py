"""The events of a change of the row of a proposal, a member or an API key."""

from storepost.accounts.api_keys.repository import ApiKeyItem
from storepost.accounts.workspaces.repository import MembershipItem
from storepost.definitions.proposals.model import ProposalStatus
from storepost.definitions.proposals.repository import ProposalItem
from storepost.platform.persistence.item import Item
from storepost.webhooks.events.causes.cause import Cause, Comparisons, one_cause
from storepost.webhooks.events.model import Resource

_PROPOSAL_TYPES = {
    ProposalStatus.OPEN: "change_proposal.opened",
    ProposalStatus.APPROVED: "change_proposal.approved",
    ProposalStatus.REJECTED: "change_proposal.rejected",
}


def proposal_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a proposal's row: new, approved, or rejected; a withdrawn one counts as rejected."""
    if not isinstance(new, ProposalItem):
        return None
    if isinstance(old, ProposalItem) and old.status == new.status:
        return None
    name = _PROPOSAL_TYPES.get(ProposalStatus(new.status))
    # Another release's status leads to no event here: an exception would block the stream.
    return Cause((name,), Resource("change_proposal", new.id)) if name else None


def member_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a membership's row: new, deleted, or with another role."""
    before = old if isinstance(old, MembershipItem) else None
    after = new if isinstance(new, MembershipItem) else None
    row = after or before
    if row is None or (before and after and before.role == after.role):
        return None
    name = "member.role_changed" if before and after else _joined_or_removed(after)
    return Cause((name,), Resource("member", row.id), {"userId": row.person_id})


def _joined_or_removed(after: MembershipItem | None) -> str:
    return "member.joined" if after else "member.removed"


def api_key_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a key's row: new, with another secret, or revoked."""
    if not isinstance(new, ApiKeyItem):
        return None
    before = old if isinstance(old, ApiKeyItem) else None
    types = [
        (before is None, "api_key.created"),
        (before is not None and before.revoked_at != new.revoked_at, "api_key.revoked"),
        (before is not None and before.rotated_at != new.rotated_at, "api_key.rotated"),
    ]
    happened = tuple(name for holds, name in types if holds)
    return Cause(happened, Resource("api_key", new.id)) if happened else None


COMPARISONS: Comparisons = {
    ProposalItem: one_cause(proposal_cause),
    MembershipItem: one_cause(member_cause),
    ApiKeyItem: one_cause(api_key_cause),
}
"""The comparisons of these kinds of rows."""

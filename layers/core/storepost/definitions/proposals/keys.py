"""Where proposals stand."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

PROPOSALS = "proposal#"


def proposals_partition(workspace: WorkspaceScope) -> str:
    """Returns where all proposals of a workspace stand, without what they say."""
    return workspace.partition("proposals")


def proposal_key(workspace: WorkspaceScope, proposal_id: UUID) -> Key:
    """Returns where a proposal stands; short ids sort as proposals were made."""
    return (proposals_partition(workspace), f"{PROPOSALS}{short(proposal_id)}")


def proposed_partition(workspace: WorkspaceScope) -> str:
    """Returns where what the proposals say stands."""
    return workspace.partition("proposed")


def proposed_key(workspace: WorkspaceScope, proposal_id: UUID) -> Key:
    """Returns where what a proposal says stands."""
    return (proposed_partition(workspace), short(proposal_id))


def count_key(workspace: WorkspaceScope) -> Key:
    """Returns where the proposals are counted."""
    return (proposals_partition(workspace), "count")

"""Keys of proposals."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

PROPOSALS = "proposal#"


def proposals_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of all proposals of a workspace, without their content."""
    return workspace.partition("proposals")


def proposal_key(workspace: WorkspaceScope, proposal_id: UUID) -> Key:
    """Returns the key of a proposal; short ids sort by when proposals were made."""
    return (proposals_partition(workspace), f"{PROPOSALS}{short(proposal_id)}")


def proposed_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of the proposals' contents."""
    return workspace.partition("proposed")


def proposed_key(workspace: WorkspaceScope, proposal_id: UUID) -> Key:
    """Returns the key of a proposal's content."""
    return (proposed_partition(workspace), short(proposal_id))


def count_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the count of proposals."""
    return (proposals_partition(workspace), "count")

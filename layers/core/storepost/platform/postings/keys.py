"""Where postings stand."""

from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.platform.postings.entries import SearchKind
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

END_OF_WORD = "\x01"
"""Before every letter, so that a whole word comes before those that it begins."""


def postings_partition(workspace: WorkspaceScope, kind: SearchKind) -> str:
    """Returns the partition of the postings of a kind."""
    return workspace.partition("search", kind)


def posting_key(workspace: WorkspaceScope, kind: SearchKind, word: str, entry_id: UUID) -> Key:
    """Returns the key of a posting."""
    return (postings_partition(workspace, kind), _sort_key(word, entry_id))


def _sort_key(word: str, entry_id: UUID) -> str:
    return f"{word}{END_OF_WORD}{short(entry_id)}"

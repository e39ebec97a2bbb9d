"""Keys of suppressions.

An address's row is stored under a keyed hash of the address, even while the address is known: so
one read tells whether an address is suppressed, before an erasure and after it.
"""

from uuid import UUID

from storepost.people.consent.model import Address
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.sealing import Purpose, keyed_hash
from storepost.values.ids import from_short, short
from storepost.values.scope import WorkspaceScope

PAST = "past#"


def digest_of(workspace: WorkspaceScope, address: Address) -> str:
    """Returns the keyed hash of an address, which only this workspace uses."""
    text = f"{address.channel}\x1f{address.value}"
    return keyed_hash(text, Purpose.SUPPRESSED_ADDRESS, workspace.key)


def suppressed_partition(workspace: WorkspaceScope, digest: str) -> str:
    """Returns the partition of an address's suppressions."""
    return workspace.partition("suppressed", digest)


def suppressed_key(workspace: WorkspaceScope, digest: str) -> Key:
    """Returns the key of the row with an address's suppressions."""
    return (suppressed_partition(workspace, digest), "state")


def past_key(workspace: WorkspaceScope, digest: str, suppression_id: UUID) -> Key:
    """Returns the key of the row that names a former suppression of an address."""
    return (suppressed_partition(workspace, digest), f"{PAST}{short(suppression_id)}")


def past_id(sort_key: str) -> UUID:
    """Returns the id of the suppression that a `past_key` names."""
    return from_short(sort_key.removeprefix(PAST))


def suppression_key(workspace: WorkspaceScope, suppression_id: UUID) -> Key:
    """Returns the key of a suppression."""
    return (workspace.partition("suppression", short(suppression_id)), "suppression")


def in_force_list(workspace: WorkspaceScope) -> str:
    """Returns the list of the suppressions that aren't lifted."""
    return workspace.partition("suppressions", "in_force")


def lifted_list(workspace: WorkspaceScope) -> str:
    """Returns the list of the suppressions that were lifted, or that ended."""
    return workspace.partition("suppressions", "lifted")

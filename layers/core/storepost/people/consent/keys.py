"""Keys of consent's rows: addresses, their erasures, and the changes in a history."""

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.model import Address
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.sealing import Purpose, keyed_hash
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


def address_key(workspace: WorkspaceScope, address: Address) -> Key:
    """Returns the key of an address's state; the value is last, as it may have any character."""
    return (workspace.partition("address", address.channel, address.value), "state")


def erased_partitions(workspace: WorkspaceScope) -> list[str]:
    """Returns the partitions of a workspace's erased addresses.

    There are several, as each import reads them.
    """
    return [workspace.partition("erased", digit) for digit in "0123456789abcdef"]


def erased_key(workspace: WorkspaceScope, address: Address) -> Key:
    """Returns the key of the row that records an erasure of an address's person."""
    digest = keyed_hash(
        f"{address.channel}\x1f{address.value}", Purpose.ERASED_ADDRESS, workspace.key
    )
    return (workspace.partition("erased", digest[0]), f"address#{digest}")


def change_key(workspace: WorkspaceScope, change: ChangeRef) -> Key:
    """Returns the key of a change: in its profile's partition."""
    return (workspace.partition("profile", short(change.profile_id)), _change_sort(change))


def _change_sort(change: ChangeRef) -> str:
    return f"consent#{short(change.change_id)}"

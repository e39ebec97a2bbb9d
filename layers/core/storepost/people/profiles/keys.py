"""Keys of profiles, of the claims of their identities, and of their lists."""

from uuid import UUID

from storepost.people.profiles.model import Identity
from storepost.platform.persistence.item import Key
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


def profile_key(workspace: WorkspaceScope, profile_id: UUID) -> Key:
    """Returns the key of a profile."""
    return (workspace.partition("profile", short(profile_id)), "profile")


def merge_prefix() -> str:
    """Returns the prefix of the sort keys of a profile's merges."""
    return "merge#"


def merge_key(workspace: WorkspaceScope, profile_id: UUID, merge_id: UUID) -> Key:
    """Returns the key of a merge in a profile's partition; ids of merges sort by time."""
    return (workspace.partition("profile", short(profile_id)), f"merge#{short(merge_id)}")


def claim_key(workspace: WorkspaceScope, identity: Identity) -> Key:
    """Returns the key of an identity's claim.

    The value is last, as it may have any character.
    """
    store = short(identity.store_id) if identity.store_id else "-"
    return (workspace.partition("identity", identity.type, store, identity.value), "claim")


def first_seen_list(workspace: WorkspaceScope) -> str:
    """Returns the list of all profiles by `firstSeenAt`."""
    return workspace.partition("profiles", "first_seen")


def name_list(workspace: WorkspaceScope) -> str:
    """Returns the list of all profiles by name."""
    return workspace.partition("profiles", "name")


def email_list(workspace: WorkspaceScope) -> str:
    """Returns the list of all profiles by email."""
    return workspace.partition("profiles", "email")


def store_list(workspace: WorkspaceScope, store_id: UUID) -> str:
    """Returns the list of the profiles that a store knows, by `firstSeenAt`."""
    return workspace.partition("profiles", "store", short(store_id), "first_seen")

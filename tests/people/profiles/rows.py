"""The stored rows of identities: the claim names the owner, its profile when it was seen."""

from datetime import datetime
from uuid import UUID

from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import IdentityItem
from storepost.values.ids import from_short
from storepost.values.scope import WorkspaceScope
from tests.harness.world import World


def claims(world: World) -> dict[str, tuple[UUID, datetime, datetime]]:
    """The owner of each identity, by type and value, with when it was seen first and last."""
    found = {}
    for row in world.rows():
        if isinstance(row, IdentityItem):
            _, workspace, _, kind, _, value = row.pk.split("#", 5)
            scope = WorkspaceScope(from_short(workspace))
            profile = ProfileRepository(scope).get(row.profile_id)
            assert profile is not None
            [seen] = [
                seen
                for identity, seen in profile.sightings.items()
                if (identity.type, identity.value) == (kind, value)
            ]
            found[f"{kind}#{value}"] = (row.profile_id, seen.first, seen.last)
    return found

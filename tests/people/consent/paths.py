"""The paths of a profile's consent."""

from uuid import UUID

from storepost.people.profiles.model import Profile

NOBODY = UUID("8d7c2f53-1b43-4a39-8c0e-0d1f6f7f0a11")


def path_of(profile: Profile | UUID, *rest: object) -> str:
    """The path of something of a profile's consent."""
    profile_id = profile.id if isinstance(profile, Profile) else profile
    return "/".join(("", "profiles", str(profile_id), "consent", *map(str, rest)))

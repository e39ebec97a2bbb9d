"""Lists a person's opt-in requests."""

from uuid import UUID

from storepost.people.opt_in.model import OptInRequest
from storepost.people.opt_in.repository import OptInRepository
from storepost.people.profiles.model import Profile
from storepost.people.profiles.service import get_profile
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.scope import WorkspaceScope


def list_requests(
    workspace: WorkspaceScope, profile_id: UUID, page: PageRequest
) -> Listing[OptInRequest]:
    """Returns a page of the profile's requests of the last 30 days, newest first."""
    return requests_of(get_profile(workspace, profile_id), page)


def requests_of(profile: Profile, page: PageRequest) -> Listing[OptInRequest]:
    """Returns a page of a profile's requests, with those of profiles merged into it.

    They are stored beside the evidence of their forms.
    """
    found = OptInRepository(profile.workspace).of_profiles(profile.consent_partitions)
    return cut(sorted(found, key=lambda each: (each.sent_at, each.id), reverse=True), page)

"""Reads the evidence of a person's consent, and sets how long it is kept after an erasure."""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from storepost.accounts.workspaces.access_log import log_access
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.consent.evidence import Evidence, count_of
from storepost.people.consent.evidence_rows import EvidenceRepository
from storepost.people.consent.model import Address
from storepost.people.consent.sealed_evidence import unsealed_evidence
from storepost.people.consent.states import Channel
from storepost.people.profiles.model import Profile
from storepost.people.profiles.service import get_profile
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import Listing, PageRequest
from storepost.values.scope import WorkspaceScope

MAX_UNSEALED = 1000
"""The newest statements about one address that are unsealed together, at most."""


def list_evidence(
    caller: WorkspaceCaller,
    profile_id: UUID,
    channels: Iterable[Channel] | None,
    page: PageRequest,
) -> Listing[Evidence]:
    """Returns the profile's evidence, most recently recorded first. The access is logged."""
    profile = get_profile(caller.workspace, profile_id)
    log_access("consent evidence read", profile.id, caller=caller)
    return evidence_of(profile, channels, page)


def evidence_of(
    profile: Profile, channels: Iterable[Channel] | None, page: PageRequest
) -> Listing[Evidence]:
    """Returns a page of a profile's evidence, of some channels or of all."""
    selected = set(Channel if channels is None else channels)
    series = {
        series_key: each
        for series_key, each in profile.evidence.items()
        if series_key[1] in selected
    }
    total = count_of(series)
    if page.skipped >= total:
        return Listing((), total, page)
    repository = EvidenceRepository(profile.workspace)
    return Listing(repository.page(series, page.skipped, page.size), total, page)


def open_evidence(caller: WorkspaceCaller, address: Address) -> list[Evidence]:
    """Returns the kept evidence of an erased person's address, newest first.

    The log has the caller, and nothing of the address.
    """
    found = unsealed_evidence(caller.workspace, address, MAX_UNSEALED)
    log_access("erased consent evidence opened", None, caller=caller)
    texts = EvidenceRepository(caller.workspace).wordings_of(wording for _, wording in found)
    return [
        replace(each, details=replace(each.details, text=texts.get(wording or "")))
        for each, wording in found
    ]


def names_of_stores(workspace: WorkspaceScope, evidence: Iterable[Evidence]) -> dict[UUID, str]:
    """Returns the names of the stores that the evidence is from, disconnected ones too."""
    named = {each.origin.store_id for each in evidence if each.origin.store_id}
    return {store.id: store.name for store in StoreRepository(workspace).named(named)}

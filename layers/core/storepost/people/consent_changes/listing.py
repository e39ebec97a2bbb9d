"""A person's history of consent changes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from uuid import UUID

from storepost.people.consent.model import ConsentChange, ConsentSource
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.consent_summary import primary_address
from storepost.people.profiles.model import Profile
from storepost.people.profiles.service import get_profile
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import MAX_ROWS, FilterTooBroad, Listing, PageRequest, cut
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope

_FILTER_TO_DROP = f"A history of more than {MAX_ROWS:,} changes is listed without any filter alone."


@dataclass(frozen=True)
class ChangeFilter:
    """The filters of a history; None doesn't filter."""

    channel: list[Channel] | None = None
    state: list[ConsentState] | None = None
    source: list[ConsentSource] | None = None

    @property
    def named(self) -> list[str]:
        """Returns the names of the filters that are set; without any, every change passes."""
        return [name for name, value in vars(self).items() if value is not None]

    def passes(self, change: ConsentChange) -> bool:
        """Returns whether the change matches all filters."""
        pairs = (
            (self.channel, change.channel),
            (self.state, change.state),
            (self.source, change.origin.source),
        )
        return all(allowed is None or value in allowed for allowed, value in pairs)


def list_changes(
    workspace: WorkspaceScope, profile_id: UUID, filters: ChangeFilter, page: PageRequest
) -> Listing[ConsentChange]:
    """Returns the profile's changes, most recently recorded first. Raises FilterTooBroad."""
    profile = get_profile(workspace, profile_id)
    if not filters.named:
        return history_of(profile, page)
    history = ConsentRepository(workspace).histories(profile.consent_partitions, MAX_ROWS + 1)
    seen = list(islice(history, MAX_ROWS + 1))
    if len(seen) > MAX_ROWS:
        # Another filter wouldn't help: any filter reads the whole history.
        raise FilterTooBroad(filters.named[0], _FILTER_TO_DROP)
    return cut([change for change in seen if filters.passes(change)], page)


def history_of(profile: Profile, page: PageRequest) -> Listing[ConsentChange]:
    """Returns a page of the whole history, which is read up to it: most requests are for page 1."""
    total = profile.consent_changes
    if page.skipped >= total:
        return Listing((), total, page)
    until, partitions = page.skipped + page.size, profile.consent_partitions
    history = ConsentRepository(profile.workspace).histories(partitions, until)
    return Listing(list(islice(history, page.skipped, until)), total, page)


def get_change(workspace: WorkspaceScope, profile_id: UUID, change_id: UUID) -> ConsentChange:
    """Returns one of the profile's changes. Raises NotFound."""
    profile = get_profile(workspace, profile_id)
    return needed(
        ConsentRepository(workspace).get_in(profile.consent_partitions, change_id),
        NotFound("This profile has no consent change with this id."),
    )


@dataclass(frozen=True)
class ChannelConsent:
    """The consent of the address that a profile shows for a channel."""

    channel: Channel
    address: str | None = field(repr=False)
    state: ConsentState
    as_of: datetime | None
    """When the statement that holds was made; None where there is no statement."""
    change: ConsentChange | None


def get_consent(workspace: WorkspaceScope, profile_id: UUID, channel: Channel) -> ChannelConsent:
    """Returns a channel's consent, with the change that holds. Raises NotFound."""
    address = primary_address(get_profile(workspace, profile_id), channel)
    if address is None:
        return ChannelConsent(channel, None, ConsentState.NOT_SUBSCRIBED, None, None)
    repository = ConsentRepository(workspace)
    holds = repository.consent_of(address).holds
    if holds is None:
        return ChannelConsent(channel, address.value, ConsentState.NOT_SUBSCRIBED, None, None)
    change = repository.get(holds.change)
    return ChannelConsent(channel, address.value, holds.state, holds.as_of, change)


def store_names(workspace: WorkspaceScope, changes: Iterable[ConsentChange]) -> dict[UUID, str]:
    """Returns the names of the stores that the changes name, disconnected ones too."""
    named = {store_id for change in changes for store_id in change.store_ids}
    return {store.id: store.name for store in StoreRepository(workspace).named(named)}

"""The list of profiles: found by identity, by a list's counters, or by a scan.

email, phone, externalId        the claims name the profile, if any
q                               the postings name the profiles
nothing, dates, or one filter   the list in that order counts matches: reads a page by its number
anything else                   scans the narrowest list, at most 20,000 rows
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import batched, chain
from uuid import UUID

from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.lists import (
    CONSENTS,
    IS_CUSTOMER,
    ProfileLists,
    consent_values,
    is_reachable,
)
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.counted_tree import (
    Filter,
    KeyRange,
    Tree,
    TreeEntry,
    moment_key,
    moments,
    text_key,
)
from storepost.platform.postings.entries import SearchKind
from storepost.platform.postings.listing import found_by
from storepost.stores.stores.repository import StoreRepository
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


@dataclass(frozen=True)
class ProfileFilter:
    """The filters of the list; None doesn't filter."""

    identities: tuple[Identity, ...] = ()
    """The profile must have each of them, shown or not."""
    external_id: str | None = None
    """A customer's id at the store `store_id`, or at any store where that is None."""
    q: str | None = None
    store_id: UUID | None = None
    is_customer: bool | None = None
    email_consents: Collection[ConsentState] | None = None
    sms_consents: Collection[ConsentState] | None = None
    reachable: Collection[Channel] | None = None
    """The profile must be reachable by one of these channels."""
    locale: str | None = None
    first_seen_from: datetime | None = None
    first_seen_to: datetime | None = None
    last_seen_from: datetime | None = None
    last_seen_to: datetime | None = None

    @property
    def first_seen(self) -> KeyRange:
        """Returns the range of keys in the lists by `firstSeenAt`."""
        return moments(self.first_seen_from, self.first_seen_to)

    @property
    def counted(self) -> list[Filter]:
        """Returns the filters whose values the workspace's list by `firstSeenAt` counts."""
        by_customer = [] if self.is_customer is None else [IS_CUSTOMER.among(self.is_customer)]
        return [*by_customer, *filter(None, map(self._by_consent, Channel))]

    def _by_consent(self, channel: Channel) -> Filter | None:
        states = self.email_consents if channel is Channel.EMAIL else self.sms_consents
        is_reachable = self.reachable is not None and set(self.reachable) == {channel}
        if states is None and not is_reachable:
            return None
        return CONSENTS[channel].among(*consent_values(states, is_reachable=is_reachable))

    @property
    def is_reachable_by_any(self) -> bool:
        """Returns whether one of several channels suffices.

        No counter has that number, but the entries can be filtered.
        """
        return self.reachable is not None and len(set(self.reachable)) > 1

    def keeps(self, entry: TreeEntry) -> bool:
        """Returns whether the entry is reachable by one of several channels, if that is a filter.

        The entry is of the workspace's list by `firstSeenAt`.
        """
        return not self.is_reachable_by_any or any(
            is_reachable(entry, channel) for channel in self.reachable or ()
        )

    @property
    def reads_profiles(self) -> bool:
        """Returns whether a filter needs the profiles themselves: no list's entry has its value."""
        return self.locale is not None or bool(self.last_seen_from or self.last_seen_to)

    @property
    def advised(self) -> str:
        """Returns the query parameter that would narrow the list."""
        return "firstSeenTo" if self.first_seen_from else "firstSeenFrom"

    def matches(self, profile: Profile) -> bool:
        """Returns whether the profile matches all filters."""
        pairs: tuple[tuple[Collection[object] | None, object], ...] = (
            (None if self.is_customer is None else [self.is_customer], profile.is_customer),
            (self.email_consents, profile.email_consent),
            (self.sms_consents, profile.sms_consent),
            (None if self.locale is None else [self.locale], profile.locale),
        )
        if any(allowed is not None and value not in allowed for allowed, value in pairs):
            return False
        if self.reachable is not None and not any(map(profile.is_reachable, self.reachable)):
            return False
        if self.store_id and self.store_id not in profile.links:
            return False
        if self.q and not matches(self.q, profile.name, profile.email, profile.phone):
            return False
        return _within(profile.first_seen_at, self.first_seen_from, self.first_seen_to) and _within(
            profile.last_seen_at, self.last_seen_from, self.last_seen_to
        )


def identity_filters(email: str | None, phone: str | None) -> tuple[Identity, ...]:
    """Returns the identities to look up."""
    pairs = ((IdentityType.EMAIL, email), (IdentityType.PHONE, phone))
    return tuple(Identity(kind, value) for kind, value in pairs if value is not None)


def list_profiles(
    workspace: WorkspaceScope, filters: ProfileFilter, sort: str, page: PageRequest
) -> Listing[Profile]:
    """Returns the profiles that match, by `firstSeenAt`, `name` or `email`; `-` for descending.

    Raises FilterTooBroad.
    """
    if filters.identities or filters.external_id is not None:
        return _by_identity(workspace, filters, sort, page)
    if filters.q is not None:
        return _by_words(workspace, filters, filters.q, sort, page)
    descending = sort.startswith("-")
    tree, by = _counting(workspace, filters, sort.removeprefix("-"))
    if tree is None:
        return _looked_through(workspace, filters, sort, page)
    listing = tree.page(page, descending=descending, by=by, within=filters.first_seen)
    profiles = ProfileRepository(workspace).get_many(entry.id for entry in listing.items)
    return Listing(profiles, listing.total, page)


def _by_identity(
    workspace: WorkspaceScope, filters: ProfileFilter, sort: str, page: PageRequest
) -> Listing[Profile]:
    """The profiles that have each of the identities; for an external id, at any one store."""
    repository = ProfileRepository(workspace)
    alternatives: list[tuple[Identity, ...]] = [(each,) for each in filters.identities]
    if filters.external_id is not None:
        alternatives.append(_customers(workspace, filters.external_id, filters.store_id))
        # The store that the id is of may have nothing of the person any more but the id.
        filters = replace(filters, store_id=None)
    claims = repository.claims_of(chain.from_iterable(alternatives))
    holders = _matching(repository, {claim.profile_id for claim in claims.values()}, filters)
    found = {profile.id: profile for profile in holders.values()}
    for identities in alternatives:
        claimed = {claims[each].profile_id for each in identities if each in claims}
        having = {holders[each].id for each in claimed if each in holders}
        found = {each: profile for each, profile in found.items() if each in having}
    return cut(_sorted(found.values(), sort), page)


def _customers(
    workspace: WorkspaceScope, external_id: str, store_id: UUID | None
) -> tuple[Identity, ...]:
    """The identities of the store's customer with that id, or of each store's."""
    stores = [store_id] if store_id else [store.id for store in StoreRepository(workspace).all()]
    kind = IdentityType.PLATFORM_CUSTOMER_ID
    return tuple(Identity(kind, external_id, each) for each in stores)


def _sorted(profiles: Iterable[Profile], sort: str) -> list[Profile]:
    return sorted(
        profiles,
        key=lambda profile: _key(profile, sort.removeprefix("-")),
        reverse=sort.startswith("-"),
    )


def _by_words(
    workspace: WorkspaceScope, filters: ProfileFilter, q: str, sort: str, page: PageRequest
) -> Listing[Profile]:
    """The profiles that the search finds; by `firstSeenAt` unfiltered, only the page is read."""
    repository, found = ProfileRepository(workspace), found_by(workspace, SearchKind.PROFILE, q)
    if filters == ProfileFilter(q=q) and sort.endswith("firstSeenAt"):
        found.sort(key=lambda posting: (posting.at, posting.id), reverse=sort.startswith("-"))
        listing = cut(found, page)
        profiles = repository.get_many(posting.id for posting in listing.items)
        return Listing(profiles, listing.total, page)
    matching = _matching(repository, (posting.id for posting in found), filters).values()
    return cut(_sorted({profile.id: profile for profile in matching}.values(), sort), page)


def _counting(
    workspace: WorkspaceScope, filters: ProfileFilter, order: str
) -> tuple[Tree | None, Filter | None]:
    """The list that counts the matches in that order, and the filter that its nodes count."""
    lists, counted = ProfileLists(workspace), filters.counted
    if order != "firstSeenAt":
        in_order = lists.by_name if order == "name" else lists.by_email
        return (in_order if filters == ProfileFilter() else None), None
    is_scanned = filters.reads_profiles or filters.is_reachable_by_any
    if is_scanned or len(counted) > (0 if filters.store_id else 1):
        return None, None
    if filters.store_id:
        return lists.of_store(filters.store_id), None
    return lists.by_first_seen, counted[0] if counted else None


def _looked_through(
    workspace: WorkspaceScope, filters: ProfileFilter, sort: str, page: PageRequest
) -> Listing[Profile]:
    """Reads the profiles of the narrowest list and keeps those that match."""
    if sort.endswith("firstSeenAt") and not (filters.reads_profiles or filters.store_id):
        return _from_entries(workspace, filters, sort, page)
    tree, by = _narrowest(workspace, filters)
    return _read(tree, by, ProfileRepository(workspace), filters, sort, page)


def _read(
    tree: Tree,
    by: Sequence[Filter],
    repository: ProfileRepository,
    filters: ProfileFilter,
    sort: str,
    page: PageRequest,
) -> Listing[Profile]:
    """The profiles of a list that match, in the requested order."""
    matching: dict[UUID, Profile] = {}

    def keep(entries: Sequence[TreeEntry]) -> list[TreeEntry]:
        matching.update(_matching(repository, (entry.id for entry in entries), filters))
        # A list may briefly have a merged profile's entry beside the survivor's own.
        found = {matching[e.id].id: e for e in reversed(entries) if e.id in matching}.values()
        return sorted(
            found,
            key=lambda entry: _key(matching[entry.id], sort.removeprefix("-")),
            reverse=sort.startswith("-"),
        )

    listing = tree.scan(page, keep, advised=filters.advised, by=by, within=filters.first_seen)
    return Listing([matching[entry.id] for entry in listing.items], listing.total, page)


def _from_entries(
    workspace: WorkspaceScope, filters: ProfileFilter, sort: str, page: PageRequest
) -> Listing[Profile]:
    """A page by filters that the entries' values answer: only the page's own profiles are read."""
    listing = ProfileLists(workspace).by_first_seen.scan(
        page,
        lambda entries: [entry for entry in entries if filters.keeps(entry)],
        advised=filters.advised,
        descending=sort.startswith("-"),
        by=filters.counted,
        within=filters.first_seen,
    )
    profiles = ProfileRepository(workspace).get_many(entry.id for entry in listing.items)
    return Listing(profiles, listing.total, page)


def _narrowest(workspace: WorkspaceScope, filters: ProfileFilter) -> tuple[Tree, Sequence[Filter]]:
    """The list with the fewest rows to scan, and the filters that exclude some of them."""
    lists, counted = ProfileLists(workspace), filters.counted
    if filters.store_id is None:
        return lists.by_first_seen, counted
    of_store = lists.of_store(filters.store_id)
    if counted:
        count = PageRequest(size=1)
        known = of_store.page(count, within=filters.first_seen).total
        rows = (lists.by_first_seen.page(count, by=f, within=filters.first_seen) for f in counted)
        if known > min(row.total for row in rows):
            return lists.by_first_seen, counted
    return of_store, ()


def _matching(
    repository: ProfileRepository, ids: Iterable[UUID], filters: ProfileFilter
) -> dict[UUID, Profile]:
    """The profiles that match, by the given ids; reads a thousand at a time."""
    matching: dict[UUID, Profile] = {}
    for some in batched(ids, 1000, strict=False):
        found = repository.by_id(some)
        matching |= {entry: profile for entry, profile in found.items() if filters.matches(profile)}
    return matching


def _key(profile: Profile, order: str) -> str:
    """The profile's key in the list with that order."""
    if order == "firstSeenAt":
        return moment_key(profile.first_seen_at, profile.id)
    return text_key(profile.name if order == "name" else profile.email, profile.id)


def _within(moment: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or moment >= since) and (until is None or moment < until)

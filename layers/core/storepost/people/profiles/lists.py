"""The lists of profiles, and the changes of their entries when a profile changes.

An entry has only the profile's id, so that an order needn't rewrite rows of every list; only the
workspace's list by `firstSeenAt` counts customers and consents.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, zip_longest
from uuid import UUID

from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.erasure import StoreIndexEntry
from storepost.people.profiles.keys import email_list, first_seen_list, name_list, store_list
from storepost.people.profiles.merges import absorbed
from storepost.people.profiles.model import Profile, StoreLink
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import (
    FilterField,
    FilterValue,
    Tree,
    TreeEntry,
    moment_key,
    text_key,
)
from storepost.values.scope import WorkspaceScope

IS_CUSTOMER = FilterField("isCustomer", "c", {False: "A", True: "B"})
SUPPRESSED = "subscribed, suppressed"
"""An entry's value in place of `subscribed` where the address is suppressed, so that the nodes
count the profiles that may get marketing.
"""

_CONSENT: dict[FilterValue, str] = {
    ConsentState.SUBSCRIBED: "A",
    ConsentState.NOT_SUBSCRIBED: "B",
    ConsentState.UNSUBSCRIBED: "C",
    ConsentState.PENDING: "D",
    SUPPRESSED: "E",
}
EMAIL_CONSENT = FilterField("emailMarketingConsent", "e", _CONSENT)
SMS_CONSENT = FilterField("smsMarketingConsent", "s", _CONSENT)
CONSENTS = {Channel.EMAIL: EMAIL_CONSENT, Channel.SMS: SMS_CONSENT}

MAX_INDEX_ENTRIES = 8
"""Index entries of stores' lists that one transaction changes: each takes up to five of its ninety
rows. A move changes two entries.
"""


def consent_values(states: Collection[ConsentState] | None, *, is_reachable: bool) -> set[str]:
    """Returns the values of the entries whose consents are among `states`; None is any state.

    With `is_reachable`, returns only the value of profiles that may get marketing.
    """
    values = {state.value for state in (ConsentState if states is None else states)}
    if is_reachable:
        return values & {ConsentState.SUBSCRIBED.value}
    return values | {SUPPRESSED} if ConsentState.SUBSCRIBED in values else values


def is_reachable(entry: TreeEntry, channel: Channel) -> bool:
    """Returns whether the entry's profile may get marketing by the channel."""
    return entry.values[CONSENTS[channel].name] == ConsentState.SUBSCRIBED


@dataclass(frozen=True)
class ProfileLists:
    """A workspace's lists of profiles."""

    workspace: WorkspaceScope

    @property
    def by_first_seen(self) -> Tree:
        """Returns the list of all profiles, with counters of the filters that have few values."""
        return Tree(first_seen_list(self.workspace), (IS_CUSTOMER, EMAIL_CONSENT, SMS_CONSENT))

    @property
    def by_name(self) -> Tree:
        """Returns the list of all profiles by name; those without a name are last."""
        return Tree(name_list(self.workspace))

    @property
    def by_email(self) -> Tree:
        """Returns the list of all profiles by email; those without an email are last."""
        return Tree(email_list(self.workspace))

    def of_store(self, store_id: UUID) -> Tree:
        """Returns the list of the profiles that a store knows, by `firstSeenAt`."""
        return Tree(store_list(self.workspace, store_id))

    def update_index(self, changes: Changes, before: Profile | None, after: Profile | None) -> None:
        """Updates the profile's entries that differ, in the lists of all profiles and of stores.

        `after` is the result of `drained`.
        """
        for tree, old, new in self._entries(before, after):
            tree.update_index(changes, old, new)
        self._update_store_indexes(changes, before, after)

    def update_index_of_merge(
        self, changes: Changes, survivor: Profile, merged: Profile, after: Profile
    ) -> None:
        """Updates the entries of both profiles in a merge.

        In stores' lists the merged profile's entries represent the survivor until they are drained.
        """
        for tree, old, new in chain(self._entries(merged, None), self._entries(survivor, after)):
            tree.update_index(changes, old, new)
        self._update_store_indexes(changes, absorbed(survivor, merged), after)

    def delete_from_lists(self, changes: Changes, profile: Profile) -> None:
        """Deletes the profile's entries in the lists of all profiles; those in stores' stay."""
        for tree, old, _ in self._entries(profile, None):
            tree.update_index(changes, old, None)

    def delete_from_stores(self, changes: Changes, entries: Iterable[StoreIndexEntry]) -> None:
        """Deletes some entries in stores' lists."""
        for store_id, (moment, listed) in entries:
            self.of_store(store_id).update_index(
                changes, TreeEntry(moment_key(moment, listed)), None
            )

    def _update_store_indexes(
        self, changes: Changes, before: Profile | None, after: Profile | None
    ) -> None:
        for store_id in dict.fromkeys((*_stores(before), *_stores(after))):
            tree = self.of_store(store_id)
            _replace(changes, tree, _of(store_id, before), _of(store_id, after))

    def _entries(
        self, before: Profile | None, after: Profile | None
    ) -> Iterator[tuple[Tree, TreeEntry | None, TreeEntry | None]]:
        yield self.by_first_seen, _by_first_seen(before), _by_first_seen(after)
        yield self.by_name, _by_name(before), _by_name(after)
        yield self.by_email, _by_email(before), _by_email(after)


def drained(after: Profile, entries: int = MAX_INDEX_ENTRIES) -> Profile:
    """Returns the profile after one more step of updating its entries in stores' lists.

    A profile that many stores know is updated in a few lists per transaction: at most `entries`
    index entries change. Lists that have the profile twice are first, then those that don't have
    it.
    """
    links = dict(after.links)
    waiting = [store_id for store_id in links if _is_waiting(after, store_id)]
    for store_id in sorted(waiting, key=lambda each: (*_patience(links[each]), each)):
        link = links[store_id]
        own = _own_entries(link, after.first_seen_at)
        if entries < own + min(1, len(link.stale_entries)):
            break
        dropped = min(len(link.stale_entries), entries - own)
        links[store_id] = replace(
            link, listed_at=after.first_seen_at, stale_entries=link.stale_entries[dropped:]
        )
        entries -= own + dropped
    return replace(after, links=links) if waiting else after


def is_drained(profile: Profile) -> bool:
    """Returns whether every store's list has the profile once, with the right key."""
    return not any(_is_waiting(profile, store_id) for store_id in profile.links)


def _is_waiting(profile: Profile, store_id: UUID) -> bool:
    link = profile.links[store_id]
    return bool(link.stale_entries) or link.listed_at != profile.first_seen_at


def _patience(link: StoreLink) -> tuple[bool, bool]:
    """How long a list can wait: one with the profile twice is the most urgent."""
    known = len(link.stale_entries) + (link.listed_at is not None)
    return (known < 2, known == 1)


def _own_entries(link: StoreLink, first_seen_at: datetime) -> int:
    """How many entries change when the profile gets its own current entry."""
    if link.listed_at == first_seen_at:
        return 0
    return 1 if link.listed_at is None else 2


def _replace(
    changes: Changes, tree: Tree, before: Sequence[TreeEntry], after: Sequence[TreeEntry]
) -> None:
    """Replaces the entries of `before` with those of `after` in a list."""
    deleted = [entry for entry in before if entry not in after]
    added = [entry for entry in after if entry not in before]
    for old, new in zip_longest(deleted, added):
        tree.update_index(changes, old, new)


def _stores(profile: Profile | None) -> tuple[UUID, ...]:
    return profile.store_ids if profile else ()


def _by_first_seen(profile: Profile | None) -> TreeEntry | None:
    if profile is None:
        return None
    return TreeEntry(
        moment_key(profile.first_seen_at, profile.id),
        {
            IS_CUSTOMER.name: profile.is_customer,
            EMAIL_CONSENT.name: _consent(profile, Channel.EMAIL),
            SMS_CONSENT.name: _consent(profile, Channel.SMS),
        },
    )


def _consent(profile: Profile, channel: Channel) -> str:
    state = profile.consent_of(channel)
    is_suppressed = state is ConsentState.SUBSCRIBED and channel in profile.suppressed
    return SUPPRESSED if is_suppressed else state.value


def _by_name(profile: Profile | None) -> TreeEntry | None:
    return TreeEntry(text_key(profile.name, profile.id)) if profile else None


def _by_email(profile: Profile | None) -> TreeEntry | None:
    return TreeEntry(text_key(profile.email, profile.id)) if profile else None


def _of(store_id: UUID, profile: Profile | None) -> list[TreeEntry]:
    """The profile's entries in a store's list: its own, and those of merged profiles."""
    link = profile.links.get(store_id) if profile else None
    if profile is None or link is None:
        return []
    own = [(link.listed_at, profile.id)] if link.listed_at else []
    return [TreeEntry(moment_key(moment, each)) for moment, each in (*own, *link.stale_entries)]

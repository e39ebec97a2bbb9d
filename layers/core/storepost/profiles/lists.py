"""The lists of profiles, and what a change of one profile changes in them.

An entry carries the profile's id alone, so that an order needn't rewrite rows of every list; only
the workspace's list by `firstSeenAt` counts who is a customer and the consents.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.consent.states import ConsentState
from storepost.persistence.changes import Changes
from storepost.persistence.counted_tree import Entry, FilterField, Tree, moment_key, text_key
from storepost.profiles.keys import email_list, first_seen_list, name_list, store_list
from storepost.profiles.model import Profile
from storepost.scope import WorkspaceScope

IS_CUSTOMER = FilterField("isCustomer", "c", (False, True))
EMAIL_CONSENT = FilterField("emailMarketingConsent", "e", tuple(ConsentState))
SMS_CONSENT = FilterField("smsMarketingConsent", "s", tuple(ConsentState))

MOST_MOVES = 4
"""Entries of stores' lists that one transaction moves: each takes up to ten rows of its ninety."""


@dataclass(frozen=True)
class ProfileLists:
    """A workspace's lists of profiles."""

    workspace: WorkspaceScope

    @property
    def by_first_seen(self) -> Tree:
        """All profiles, with counters of the filters that have few values."""
        return Tree(first_seen_list(self.workspace), (IS_CUSTOMER, EMAIL_CONSENT, SMS_CONSENT))

    @property
    def by_name(self) -> Tree:
        """All profiles; those without a name come last."""
        return Tree(name_list(self.workspace))

    @property
    def by_email(self) -> Tree:
        """All profiles; those without an email come last."""
        return Tree(email_list(self.workspace))

    def of_store(self, store_id: UUID) -> Tree:
        """The profiles that a store knows, by `firstSeenAt`."""
        return Tree(store_list(self.workspace, store_id))

    def follow(self, changes: Changes, before: Profile | None, after: Profile | None) -> None:
        """Moves the profile's entries by the difference: the ones of all profiles, and the stores'.

        `after` is what `settled` gave.
        """
        for tree, old, new in self._entries(before, after):
            tree.follow(changes, old, new)

    def _entries(
        self, before: Profile | None, after: Profile | None
    ) -> Iterator[tuple[Tree, Entry | None, Entry | None]]:
        yield self.by_first_seen, _by_first_seen(before), _by_first_seen(after)
        yield self.by_name, _by_name(before), _by_name(after)
        yield self.by_email, _by_email(before), _by_email(after)
        for store_id in dict.fromkeys((*_stores(before), *_stores(after))):
            yield self.of_store(store_id), _of(store_id, before), _of(store_id, after)


def settled(after: Profile) -> Profile:
    """The profile with the moments under which its stores' lists will have it.

    A person whom many stores know moves in a few lists a transaction. The lists of new stores come
    first, as they don't have the profile at all yet.
    """
    waiting = sorted(
        (store_id for store_id in after.links if _is_waiting(after, store_id)),
        key=lambda store_id: (after.links[store_id].listed_at is not None, store_id),
    )
    moved = {
        store_id: replace(after.links[store_id], listed_at=after.first_seen_at)
        for store_id in waiting[:MOST_MOVES]
    }
    return replace(after, links={**after.links, **moved}) if moved else after


def is_settled(profile: Profile) -> bool:
    """Whether every store's list has the profile where it belongs."""
    return not any(_is_waiting(profile, store_id) for store_id in profile.links)


def _is_waiting(profile: Profile, store_id: UUID) -> bool:
    return profile.links[store_id].listed_at != profile.first_seen_at


def _stores(profile: Profile | None) -> tuple[UUID, ...]:
    return profile.store_ids if profile else ()


def _by_first_seen(profile: Profile | None) -> Entry | None:
    if profile is None:
        return None
    return Entry(
        moment_key(profile.first_seen_at, profile.id),
        {
            IS_CUSTOMER.name: profile.is_customer,
            EMAIL_CONSENT.name: profile.email_consent,
            SMS_CONSENT.name: profile.sms_consent,
        },
    )


def _by_name(profile: Profile | None) -> Entry | None:
    return Entry(text_key(profile.name, profile.id)) if profile else None


def _by_email(profile: Profile | None) -> Entry | None:
    return Entry(text_key(profile.email, profile.id)) if profile else None


def _of(store_id: UUID, profile: Profile | None) -> Entry | None:
    listed_at: datetime | None = None
    if profile and store_id in profile.links:
        listed_at = profile.links[store_id].listed_at
    return Entry(moment_key(listed_at, profile.id)) if profile and listed_at else None
